;; Takes all the memory that it can get, a page at a time, and touches each.
(module
  (memory (export "memory") 1)
  (func (export "f") (param $x i32) (result i32)
    (local $page i32)
    (block $full
      (loop $next
        (local.set $page (memory.grow (i32.const 1)))
        (br_if $full (i32.eq (local.get $page) (i32.const -1)))
        (i32.store (i32.shl (local.get $page) (i32.const 16)) (local.get $x))
        (br_if $next (i32.le_u (local.get $page) (i32.and (local.get $x) (i32.const 0xffff))))))
    (local.get $page)))
