;; Few paths, all branches in the first of them, and runs without end for anybody's purposes.
(module
  (func $f (export "f") (param $m i32) (param $n i32) (result i32)
    (if (i32.eqz (local.get $m)) (then (return (i32.add (local.get $n) (i32.const 1)))))
    (if (i32.eqz (local.get $n))
      (then (return (call $f (i32.sub (local.get $m) (i32.const 1)) (i32.const 1)))))
    (call $f (i32.sub (local.get $m) (i32.const 1)) (call $f (local.get $m) (i32.sub (local.get $n) (i32.const 1))))))
