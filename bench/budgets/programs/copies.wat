;; Copies half a gigabyte again and again.
(module
  (memory (export "memory") 16384)
  (func (export "f") (param $x i32) (result i32)
    (local $round i32)
    (loop $next
      (memory.copy (i32.const 0x20000000) (i32.const 0) (i32.const 0x1ffffff0))
      (local.set $round (i32.add (local.get $round) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $round) (i32.and (local.get $x) (i32.const 0xff)))))
    (i32.load8_u (i32.and (local.get $x) (i32.const 0xffff)))))
