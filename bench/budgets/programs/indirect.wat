;; A call through a table of ten million elements, at an index that is the input.
(module
  (type $function (func (param i32) (result i32)))
  (table 10000000 funcref)
  (elem (i32.const 0) $one $two)
  (func $one (type $function) (local.get 0))
  (func $two (type $function) (i32.add (local.get 0) (i32.const 1)))
  (func (export "f") (param i32 i32) (result i32)
    (i32.add
      (call_indirect (type $function) (i32.const 1) (local.get 0))
      (call_indirect (type $function) (i32.const 1) (local.get 1)))))
