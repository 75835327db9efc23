;; A single instruction moves half a gibibyte.
(module
  (memory 16384)
  (func (export "f") (param i32)
    (loop $again
      (memory.copy (i32.const 65536) (i32.const 0) (i32.const 536870912))
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 536870912))
      (br_if $again (local.get 0)))))
