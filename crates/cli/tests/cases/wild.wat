;; A text of C++ as it is in memory: the last of its 12 bytes is the length of a short one, or says that address and length come
;; first. Whoever passes bytes in its place has them followed as an address.
(module
  (memory (export "memory") 1)
  (func $start (param $s i32) (result i32)
    (select (i32.load (local.get $s)) (local.get $s) (i32.lt_s (i32.load8_s offset=11 (local.get $s)) (i32.const 0))))
  (func $length (param $s i32) (result i32)
    (select
      (i32.load offset=4 (local.get $s))
      (i32.load8_u offset=11 (local.get $s))
      (i32.lt_s (i32.load8_s offset=11 (local.get $s)) (i32.const 0))))
  ;; How many bytes are letters; each of them is set to 1.
  (func (export "letters") (param $s i32) (result i32)
    (local $at i32) (local $end i32) (local $found i32)
    (local.set $at (call $start (local.get $s)))
    (local.set $end (i32.add (local.get $at) (call $length (local.get $s))))
    (loop $next
      (if (i32.lt_u (local.get $at) (local.get $end))
        (then
          (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 64))
            (then
              (local.set $found (i32.add (local.get $found) (i32.const 1)))
              (i32.store8 (local.get $at) (i32.const 1))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (local.get $found))
  ;; A copy of it at a fixed place, and its first byte.
  (func (export "copy") (param $s i32) (result i32)
    (memory.copy (i32.const 1024) (call $start (local.get $s)) (call $length (local.get $s)))
    (i32.load8_u (i32.const 1024))))
