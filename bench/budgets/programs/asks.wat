;; The program asks for its input while it runs, and never stops asking.
(module
  (import "pessimum" "i32" (func $input (result i32)))
  (func (export "f") (local i32)
    (loop $again
      (if (i32.lt_s (call $input) (call $input)) (then (local.set 0 (i32.add (local.get 0) (i32.const 1)))))
      (br $again))))
