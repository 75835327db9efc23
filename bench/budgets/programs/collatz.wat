;; How many steps until 1 is reached: parity decides, and the value grows beyond any small domain.
(module
  (func (export "f") (param i32) (result i32) (local i32)
    (local.set 0 (i32.add (local.get 0) (i32.const 1)))
    (block $done
      (loop $again
        (br_if $done (i32.le_u (local.get 0) (i32.const 1)))
        (local.set 1 (i32.add (local.get 1) (i32.const 1)))
        (if (i32.and (local.get 0) (i32.const 1))
          (then (local.set 0 (i32.add (i32.mul (local.get 0) (i32.const 3)) (i32.const 1))))
          (else (local.set 0 (i32.shr_u (local.get 0) (i32.const 1)))))
        (br $again)))
    (local.get 1)))
