;; `direct` counts the ones among n bytes. `harness` does the same in a part that counts, after and before other work; it adds four
;; instructions to that part.
(module
  (import "pessimum" "begin" (func $begin))
  (import "pessimum" "end" (func $end))
  (memory (export "memory") 1)
  (func $spin (param i32)
    (loop $again
      (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
      (br_if $again (local.get 0))))
  (func $ones (export "direct") (param $at i32) (param $n i32) (result i32) (local $ones i32)
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $n)))
        (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 1))
          (then (local.set $ones (i32.add (local.get $ones) (i32.const 1)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $again)))
    (local.get $ones))
  (func (export "harness") (param $at i32) (param $n i32) (result i32) (local $ones i32)
    (call $spin (i32.const 1000))
    (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 100)) (then (call $spin (i32.const 2000))))
    (call $begin)
    (local.set $ones (call $ones (local.get $at) (local.get $n)))
    (call $end)
    (call $spin (i32.const 3000))
    (local.get $ones)))
