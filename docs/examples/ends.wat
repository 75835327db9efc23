;; Runs that end in different ways.
(module
  (import "pessimum" "message" (func $message (param i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "seven is not allowed")
  (func $spin (param i32)
    (loop $again
      (local.set 0 (i32.sub (local.get 0) (i32.const 1)))
      (br_if $again (local.get 0))))
  (func $refuse
    (call $message (i32.const 16) (i32.const 20))
    unreachable)
  ;; 7 costs most and traps; of the others 5 costs most.
  (func (export "f") (param i32) (result i32)
    (if (i32.eq (local.get 0) (i32.const 7)) (then (call $spin (i32.const 100)) (call $refuse)))
    (if (i32.eq (local.get 0) (i32.const 5)) (then (call $spin (i32.const 20))))
    (local.get 0))
  ;; Traps in the same place whatever it is given.
  (func (export "always") (param i32)
    (call $spin (i32.add (i32.and (local.get 0) (i32.const 3)) (i32.const 1)))
    (call_indirect (i32.const 0)))
  ;; 3 runs forever; 7 traps at once.
  (func (export "endless") (param i32)
    (if (i32.eq (local.get 0) (i32.const 7)) (then unreachable))
    (if (i32.eq (local.get 0) (i32.const 3)) (then (loop (br 0)))))
  ;; 3 calls itself forever; 5 costs more and returns.
  (func $deep (export "deep") (param i32)
    (if (i32.eq (local.get 0) (i32.const 3)) (then (call $deep (local.get 0))))
    (if (i32.eq (local.get 0) (i32.const 5)) (then (call $spin (i32.const 1000)))))
  (table 1 funcref))
