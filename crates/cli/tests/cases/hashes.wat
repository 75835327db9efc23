;; A hash of its input, whose remainders decide: no solver foresees them.
(module
  (func (export "f") (param $x i32) (result i32)
    (local $h i64) (local $i i32) (local $n i32)
    (local.set $h (i64.mul (i64.extend_i32_u (local.get $x)) (i64.const -7046029254386353131)))
    (loop $next
      (local.set $h (i64.xor (local.get $h) (i64.shr_u (local.get $h)
        (i64.add (i64.rem_u (local.get $h) (i64.const 31)) (i64.const 7)))))
      (local.set $h (i64.mul (local.get $h) (i64.add (i64.const -49064778989728563) (i64.extend_i32_s (local.get $x)))))
      (if (i64.eq (i64.const 1) (i64.rem_u
            (i64.rem_u (local.get $h) (i64.extend_i32_s (i32.add (local.get $x) (i32.const 1000)))) (i64.const 3)))
        (then (local.set $n (i32.add (local.get $n) (local.get $i)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 12))))
    (if (i32.gt_s (local.get $n) (i32.const 1000)) (then (return (i32.const 0))))
    (local.get $n)))
