;; The same with the elements of a table.
(module
  (table 1000000 funcref)
  (func (export "f") (param i32)
    (loop $again
      (table.fill (i32.const 0) (ref.null func) (i32.const 1000000))
      (table.copy (i32.const 0) (i32.const 1) (i32.const 999999))
      (br_if $again (local.get 0)))))
