;; Recursion as deep as the input says, with a branch at every level.
(module
  (func $down (export "f") (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0))
      (then (i32.const 0))
      (else (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1))))))))
