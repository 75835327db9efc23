;; 32 branches in a row with a memory of a gibibyte: each place to come back to takes megabytes.
(module
  (memory 16384)
  (func (export "f") (param i64) (result i32) (local i32 i64)
    (loop $again
      (if (i32.wrap_i64 (i64.and (i64.shr_u (local.get 0) (local.get 2)) (i64.const 1)))
        (then (i32.store8 (i32.mul (local.get 1) (i32.const 65536)) (i32.const 1)))
        (else (local.set 1 (i32.add (local.get 1) (i32.const 1)))))
      (local.set 2 (i64.add (local.get 2) (i64.const 1)))
      (br_if $again (i64.lt_u (local.get 2) (i64.const 64))))
    (local.get 1)))
