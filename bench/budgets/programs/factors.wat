;; A question for which a SAT solver needs very long: the factors of a product of two primes.
(module
  (func (export "f") (param i64 i64) (result i64) (local i64)
    (if (i64.eq (i64.mul (local.get 0) (local.get 1)) (i64.const 9223371873002223329))
      (then
        (if (i64.gt_u (local.get 0) (i64.const 1))
          (then
            (if (i64.gt_u (local.get 1) (local.get 0))
              (then
                (loop $again
                  (local.set 2 (i64.add (local.get 2) (i64.const 1)))
                  (br_if $again (i64.lt_u (local.get 2) (i64.const 100000))))))))))
    (local.get 2)))
