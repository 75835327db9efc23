;; Small programs whose worst inputs are easy to state.
(module
  (import "pessimum" "cost" (func $cost (param i64)))
  (memory (export "memory") 1)

  ;; One for each `x` of a text that is not followed by another one.
  (func (export "lonely") (param $at i32)
    (block $end
      (loop $next
        (br_if $end (i32.eqz (i32.load8_u (local.get $at))))
        (if (i32.and
              (i32.eq (i32.load8_u (local.get $at)) (i32.const 120))
              (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 120)))
          (then (call $cost (i64.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next))))

  ;; One for each number that is less than the one before it.
  (func (export "descents") (param $at i32) (param $count i32)
    (block $end
      (br_if $end (i32.lt_s (local.get $count) (i32.const 2)))
      (loop $next
        (if (f64.gt (f64.load (local.get $at)) (f64.load offset=8 (local.get $at)))
          (then (call $cost (i64.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br_if $next (i32.gt_s (local.get $count) (i32.const 1))))))

  ;; One for each non-zero byte of the first five, however many bytes there are.
  (func (export "five") (param $at i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at)
      (select (local.get $count) (i32.const 5) (i32.lt_s (local.get $count) (i32.const 5)))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (if (i32.load8_u (local.get $at)) (then (call $cost (i64.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))))
