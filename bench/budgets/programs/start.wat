;; The start function never returns, so there is no call to search.
(module
  (func $start (loop $again (br $again)))
  (start $start)
  (func (export "f") (param i32)))
