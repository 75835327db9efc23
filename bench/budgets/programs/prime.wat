;; Trial division: every round asks the solver about a remainder.
(module
  (func (export "f") (param i32) (result i32) (local i32)
    (local.set 1 (i32.const 2))
    (block $composite
      (block $prime
        (loop $again
          (br_if $prime (i32.gt_u (i32.mul (local.get 1) (local.get 1)) (local.get 0)))
          (br_if $composite (i32.eqz (i32.rem_u (local.get 0) (local.get 1))))
          (local.set 1 (i32.add (local.get 1) (i32.const 1)))
          (br $again)))
      (return (i32.const 1)))
    (i32.const 0)))
