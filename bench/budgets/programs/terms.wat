;; Nothing depends on the input but terms, and each round makes new ones.
(module
  (func (export "f") (param i64) (result i64) (local i64)
    (loop $again
      (local.set 0 (i64.xor
        (i64.mul (local.get 0) (i64.add (i64.shl (local.get 1) (i64.const 1)) (i64.const 3)))
        (i64.shr_u (local.get 0) (i64.const 7))))
      (local.set 1 (i64.add (local.get 1) (i64.const 1)))
      (br_if $again (i64.lt_u (local.get 1) (i64.const 1000000000))))
    (local.get 0)))
