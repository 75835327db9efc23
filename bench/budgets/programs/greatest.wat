;; The greatest of as many bytes as there are.
(module
  (memory (export "memory") 256)
  (func (export "f") (param $at i32) (param $n i32) (result i32)
    (local $greatest i32) (local $byte i32)
    (loop $next
      (if (i32.gt_u (local.tee $byte (i32.load8_u (local.get $at))) (local.get $greatest))
        (then (local.set $greatest (local.get $byte))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $greatest)))
