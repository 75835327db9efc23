;; A loop that never ends and branches on its input in every round.
(module
  (func (export "f") (param i32) (local i32)
    (loop $again
      (local.set 0 (i32.add (i32.mul (local.get 0) (i32.const 1664525)) (i32.const 1013904223)))
      (if (i32.lt_s (local.get 0) (i32.const 0)) (then (local.set 1 (i32.add (local.get 1) (i32.const 1)))))
      (br $again))))
