;; Runs that are as long as their input is large: recursion and a loop.
(module
  (func (export "countdown") (param $n i32) (local $i i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next))))
  (func $fib (export "fib") (param $n i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else
        (i32.add
          (call $fib (i32.sub (local.get $n) (i32.const 1)))
          (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
  (func (export "is_prime") (param $n i32) (result i32) (local $d i32)
    (if (i32.lt_u (local.get $n) (i32.const 2)) (then (return (i32.const 0))))
    (local.set $d (i32.const 2))
    (loop $next
      (if (i32.lt_u (i32.mul (local.get $d) (local.get $d)) (local.get $d)) (then (return (i32.const 1))))
      (if (i32.gt_u (i32.mul (local.get $d) (local.get $d)) (local.get $n)) (then (return (i32.const 1))))
      (if (i32.eqz (i32.rem_u (local.get $n) (local.get $d))) (then (return (i32.const 0))))
      (local.set $d (i32.add (local.get $d) (i32.const 1)))
      (br $next))
    (i32.const 1)))
