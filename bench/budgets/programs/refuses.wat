;; Every input is refused, but only after a million instructions.
(module
  (import "pessimum" "assume" (func $assume (param i32)))
  (func (export "f") (param i32) (local i32)
    (loop $again
      (local.set 1 (i32.add (local.get 1) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get 1) (i32.const 200000))))
    (call $assume (i32.and (i32.eq (i32.mul (local.get 0) (local.get 0)) (i32.const 2)) (i32.const 1)))))
