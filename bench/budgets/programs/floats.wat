;; Newton's method, which the solver can hardly reason about.
(module
  (func (export "f") (param f64) (result f64) (local f64)
    (local.set 1 (f64.const 1))
    (loop $again
      (local.set 1 (f64.mul (f64.const 0.5) (f64.add (local.get 1) (f64.div (local.get 0) (local.get 1)))))
      (br_if $again (f64.gt
        (f64.abs (f64.sub (f64.mul (local.get 1) (local.get 1)) (local.get 0)))
        (f64.const 1e-9))))
    (local.get 1)))
