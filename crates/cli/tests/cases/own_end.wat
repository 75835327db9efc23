;; Functions that ask for memory without looking at where they get it: `overlap` keeps account of the end of its memory by itself, as Go
;; does, and `everything` takes all memory that there is for its own, as AssemblyScript does. Neither may overwrite its arguments.
(module
  (memory (export "memory") 1)
  (global $end (mut i32) (i32.const 65536))

  (func $sum (param $at i32) (param $count i32) (result i32)
    (local $sum i32)
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $sum
          (i32.add (local.get $sum) (i32.load8_u (i32.add (local.get $at) (local.get $count)))))
        (br $next)))
    (local.get $sum))

  ;; The sum of the bytes, less the same after some pages of memory were asked for and filled: 0.
  (func (export "overlap") (param $at i32) (param $count i32) (param $pages i32) (result i32)
    (local $before i32)
    (local.set $before (call $sum (local.get $at) (local.get $count)))
    (drop (memory.grow (local.get $pages)))
    (memory.fill (global.get $end) (i32.const 255) (i32.shl (local.get $pages) (i32.const 16)))
    (global.set $end (i32.add (global.get $end) (i32.shl (local.get $pages) (i32.const 16))))
    (i32.sub (local.get $before) (call $sum (local.get $at) (local.get $count))))

  ;; The same where all memory behind the first page is filled.
  (func (export "everything") (param $at i32) (param $count i32) (result i32)
    (local $before i32)
    (local.set $before (call $sum (local.get $at) (local.get $count)))
    (memory.fill (i32.const 65536) (i32.const 255)
      (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 65536)))
    (i32.sub (local.get $before) (call $sum (local.get $at) (local.get $count))))

  ;; How many of the bytes are 120, once a page was asked for and filled.
  (func (export "crosses") (param $at i32) (param $count i32) (result i32)
    (local $crosses i32)
    (drop (memory.grow (i32.const 1)))
    (memory.fill (global.get $end) (i32.const 255) (i32.const 65536))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (if (i32.eq (i32.load8_u (i32.add (local.get $at) (local.get $count))) (i32.const 120))
          (then (local.set $crosses (i32.add (local.get $crosses) (i32.const 1)))))
        (br $next)))
    (local.get $crosses))

  ;; Copies the bytes to the start of memory and back, and reads one of them.
  (func (export "pick") (param $at i32) (param $count i32) (param $index i32) (result i32)
    (memory.copy (i32.const 0) (local.get $at) (local.get $count))
    (i32.store8 (i32.const 0) (i32.const 42))
    (memory.copy (local.get $at) (i32.const 0) (local.get $count))
    (i32.load8_u (i32.add (local.get $at) (local.get $index))))

  ;; A byte this far behind the end of memory, where nothing is.
  (func (export "behind") (param $at i32) (param $count i32) (param $far i32) (result i32)
    (i32.load8_u (i32.add (local.get $far) (i32.shl (memory.size) (i32.const 16))))))
