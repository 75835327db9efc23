;; Every kind of argument and of control, for scripts that count. The allocator is `malloc`; one import is never called.
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "pessimum" "cost" (func $cost (param i64)))
  (memory (export "memory") 1)
  (global $next (mut i32) (i32.const 64))
  (table funcref (elem $odd $even))
  (func $odd (result i32) i32.const 3)
  (func $even (result i32) (nop) i32.const 4 i32.const 1 i32.add)
  (func (export "malloc") (param $size i32) (result i32)
    global.get $next
    global.get $next
    local.get $size
    i32.add
    i32.const 7
    i32.add
    i32.const -8
    i32.and
    global.set $next)
  (func $start (export "_initialize") i32.const 1 drop)
  ;; Sums what it is given, by way of every kind of branch.
  (func (export "sum")
    (param $bytes i32) (param $text i32) (param $out i32) (param $count i32)
    (param $small i32) (param $wide i64) (param $single f32) (param $double f64)
    (result i64)
    (local $i i32) (local $total i64)
    (block $done
      (loop $again
        (br_if $done (i32.ge_s (local.get $i) (local.get $count)))
        (if (i32.and (i32.load8_u (i32.add (local.get $bytes) (local.get $i))) (i32.const 1))
          (then
            (local.set $total (i64.add (local.get $total) (i64.extend_i32_u
              (call_indirect (result i32) (i32.const 0))))))
          (else
            (local.set $total (i64.add (local.get $total) (i64.extend_i32_u
              (call_indirect (result i32) (i32.const 1)))))
            (call $cost (i64.const 1))))
        (i32.store16 (i32.add (local.get $out) (i32.mul (local.get $i) (i32.const 2))) (local.get $i))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $again)))
    (block $c (block $b (block $a
      (br_table $a $b $c (i32.load8_u (local.get $text))))
      (return (i64.const 1)))
      (local.set $total (i64.add (local.get $total) (local.get $wide))))
    (if (f32.gt (local.get $single) (f32.const 0.5)) (then
      (local.set $total (i64.add (local.get $total) (i64.const 100)))))
    (if (f64.lt (local.get $double) (f64.const 0)) (then
      (local.set $total (i64.add (local.get $total) (i64.const 1000)))))
    (if (i32.lt_s (local.get $small) (i32.const 0)) (then unreachable))
    (local.get $total)))
