;; One call moves a mebibyte, and there are endlessly many: a bulk instruction has to cost what it moves.
(module
  (memory 16)
  (func (export "f") (param i32)
    (loop $again
      (memory.fill (i32.const 0) (local.get 0) (i32.const 1048576))
      (br $again))))
