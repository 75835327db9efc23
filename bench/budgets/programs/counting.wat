;; A loop that never ends and never looks at its input.
(module
  (func (export "f") (param i32) (local i32)
    (loop $again
      (local.set 1 (i32.add (local.get 1) (i32.const 1)))
      (br $again))))
