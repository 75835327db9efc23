;; Counts down from an entry of a table of 64 KiB: a walk through the paths tries a few addresses only, and the costly entries,
;; 1 to 255 from 40,000 on, are elsewhere.
(module
  (memory 1)
  (data (i32.const 40000) "\01\02\04\08\10\20\40\80\ff")
  (func (export "count") (param $at i32) (result i32) (local $left i32)
    (local.set $left (i32.load8_u (i32.and (local.get $at) (i32.const 0xffff))))
    (block $done
      (loop $round
        (br_if $done (i32.eqz (local.get $left)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $round)))
    (local.get $left)))
