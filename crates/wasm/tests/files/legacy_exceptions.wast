;; The instructions for exceptions that came before `try_table`, which compilers still emit.

(module $other
  (tag $thrown (export "thrown") (param i32))
  (func (export "throw") (param i32) (throw $thrown (local.get 0))))
(register "other")

(module
  (import "other" "throw" (func $throw-there (param i32)))
  (tag $thrown-there (import "other" "thrown") (param i32))
  (tag $none)
  (tag $one (param i32))
  (tag $two (param i32 i64))

  ;; Throws by its argument: 1 $none, 2 $one with 20, 3 $two with 30 and 31, 4 that of the other module with 40.
  (func $throw (param $which i32)
    (if (i32.eq (local.get $which) (i32.const 1)) (then (throw $none)))
    (if (i32.eq (local.get $which) (i32.const 2)) (then (throw $one (i32.const 20))))
    (if (i32.eq (local.get $which) (i32.const 3)) (then (throw $two (i32.const 30) (i64.const 31))))
    (if (i32.eq (local.get $which) (i32.const 4)) (then (call $throw-there (i32.const 40)))))

  (func $through (param i32) (call $throw (local.get 0)))

  ;; What is on the stack below the block stays: a constant, and a local that is set in between.
  (func (export "each") (param $which i32) (result i32)
    (local $kept i32)
    (local.set $kept (i32.const 1000))
    (i32.const 10000)
    (local.get $kept)
    try (result i32)
       (local.set $kept (i32.const 5)) (call $through (local.get $which)) (i32.const 7)
    catch $none (i32.const 1)
    catch $one
    catch $two (i32.wrap_i64) (i32.add)
    catch $thrown-there (i32.const 2) (i32.add) end
    (i32.add)
    (i32.add))

  (func (export "not-caught") (param $which i32) (result i32)
    try (result i32)
       (call $through (local.get $which)) (i32.const 7)
    catch $two (drop) (drop) (i32.const 3) end)

  (func (export "all") (param $which i32) (result i32)
    try (result i32)
       (call $through (local.get $which)) (i32.const 7)
    catch $one (i32.const 1) (i32.add)
    catch_all (i32.const 9) end)

  ;; A handler that calls, so that frames of others lie above its values, and then throws again what it caught.
  (func (export "again") (param $which i32) (result i32)
    try (result i32)
        try (result i32)
           (call $through (local.get $which)) (i32.const 7)
        catch_all
            try (call $through (i32.const 3)) catch_all end
            (rethrow 0) end
    catch $one
    catch $thrown-there (i32.const 1) (i32.add) end)

  ;; The outer one of two that have been caught.
  (func (export "outer-again") (result i32)
    try (result i32)
        try
           (throw $one (i32.const 5))
        catch $one
            (drop)
            try
               (throw $none)
            catch $none (rethrow 1) end end
        (i32.const 0)
    catch $one
    catch $none (i32.const 6) end)

  ;; Branches out of a body and out of a handler, with values.
  (func (export "branches") (param $which i32) (result i32)
    (block $out (result i32)
      (i32.const 500)
      try (result i32)
          (br_if $out (i32.const 100) (i32.eqz (local.get $which)))
          (drop)
          (call $through (local.get $which))
          (br 0 (i32.const 1))
      catch $one
          (br_if $out (i32.const 1) (i32.add) (i32.eq (local.get $which) (i32.const 2)))
      catch_all (br $out (i32.const 300)) end
      (i32.add)))

  ;; A loop around a block that throws in each round; counts down.
  (func (export "rounds") (param $n i32) (result i32)
    (local $sum i32)
    (loop $again
      try
         (throw $one (local.get $n))
      catch $one
          (local.set $sum (i32.add (local.get $sum)))
          (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))) end)
    (local.get $sum))

  ;; Handed to the handler of an outer block, past the one between; to the caller; to a block inside of a handler.
  (func (export "delegated") (result i32)
    try $outer (result i32)
        try (result i32)
           try (result i32) (throw $one (i32.const 8)) delegate $outer
        catch_all (i32.const 0) end
    catch $one end)
  (func $to-caller
    try try (call $throw (i32.const 2)) delegate 1 catch_all end)
  (func (export "to-caller") (result i32)
    try (result i32) (call $to-caller) (i32.const 0) catch $one end)
  (func (export "to-handler") (result i32)
    try (result i32)
        try (throw $none)
        catch $none
            (block try (throw $one (i32.const 4)) delegate 0) end
        (i32.const 0)
    catch $one
    catch $none (i32.const 1) end)
  (func (export "delegated-without") (result i32)
    try (result i32) (i32.const 3) delegate 0)
  ;; No handler at all, a body that is never left by its end, and one that nothing throws in.
  (func (export "bare") (param i32) (result i32)
    try (result i32) try (call $throw (local.get 0)) end (i32.const 1) catch_all (i32.const 2) end)
  (func (export "unreachable-after") (result i32)
    try (result i32) (throw $none) (i32.const 1) try (throw $none) delegate 0 catch $none (i32.const 2) end)
  (func (export "parameter") (param i32) (result i32)
    (local.get 0)
    try (param i32) (result i32)
       (i32.eqz) (if (then (throw $none))) (i32.const 1)
    catch_all (i32.const 2) end)

  (func (export "trap") (result i32)
    try (result i32) (i32.div_u (i32.const 1) (i32.const 0)) catch_all (i32.const 1) end))
(assert_return (invoke "each" (i32.const 0)) (i32.const 11007))
(assert_return (invoke "each" (i32.const 1)) (i32.const 11001))
(assert_return (invoke "each" (i32.const 2)) (i32.const 11020))
(assert_return (invoke "each" (i32.const 3)) (i32.const 11061))
(assert_return (invoke "each" (i32.const 4)) (i32.const 11042))
(assert_return (invoke "not-caught" (i32.const 0)) (i32.const 7))
(assert_return (invoke "not-caught" (i32.const 3)) (i32.const 3))
(assert_exception (invoke "not-caught" (i32.const 2)))
(assert_exception (invoke "not-caught" (i32.const 4)))
(assert_return (invoke "all" (i32.const 0)) (i32.const 7))
(assert_return (invoke "all" (i32.const 2)) (i32.const 21))
(assert_return (invoke "all" (i32.const 4)) (i32.const 9))
(assert_return (invoke "again" (i32.const 0)) (i32.const 7))
(assert_return (invoke "again" (i32.const 2)) (i32.const 20))
(assert_return (invoke "again" (i32.const 4)) (i32.const 41))
(assert_exception (invoke "again" (i32.const 1)))
(assert_return (invoke "outer-again") (i32.const 5))
(assert_return (invoke "branches" (i32.const 0)) (i32.const 100))
(assert_return (invoke "branches" (i32.const 2)) (i32.const 21))
(assert_return (invoke "branches" (i32.const 3)) (i32.const 300))
(assert_return (invoke "branches" (i32.const 7)) (i32.const 501))
(assert_return (invoke "rounds" (i32.const 100)) (i32.const 5050))
(assert_return (invoke "rounds" (i32.const 5000)) (i32.const 12502500))
(assert_return (invoke "delegated") (i32.const 8))
(assert_return (invoke "to-caller") (i32.const 20))
(assert_return (invoke "to-handler") (i32.const 4))
(assert_return (invoke "delegated-without") (i32.const 3))
(assert_return (invoke "bare" (i32.const 0)) (i32.const 1))
(assert_return (invoke "bare" (i32.const 3)) (i32.const 2))
(assert_return (invoke "unreachable-after") (i32.const 2))
(assert_return (invoke "parameter" (i32.const 0)) (i32.const 2))
(assert_return (invoke "parameter" (i32.const 5)) (i32.const 1))
(assert_trap (invoke "trap") "integer divide by zero")

(assert_invalid (module (func (rethrow 0))) "invalid rethrow label")
(assert_invalid (module (func try (rethrow 0) catch_all end)) "invalid rethrow label")
(assert_invalid (module (func try delegate 1)) "unknown label")
(assert_invalid (module (func try (result i32) catch_all (i32.const 1) end (drop))) "type mismatch")
