;; One branch that no input takes, one behind a magic number, and a trap.
(module
  (func $never (result i32) (i32.const 7))
  (func (export "gate") (param $x i32) (param $y i32) (result i32)
    (if (i32.gt_u (i32.and (local.get $x) (i32.const 3)) (i32.const 3))
      (then (return (call $never))))
    (if (i32.eq (local.get $x) (i32.const 123456))
      (then (return (i32.div_u (i32.const 100) (local.get $y)))))
    (i32.const 1)))
