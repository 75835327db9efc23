//! What exceptions cost, where they end runs, and what remains of them. That they go where the standard says is for `spec.rs`.

use std::sync::Arc;

use pessimum_input::{InputPlan, Signature};
use pessimum_term::Witness;
use pessimum_wasm::{
    Concrete, Costs, End, Event, Extern, ExternType, FunctionType, InstanceId, Limit, Limits, LoadSettings, Machine,
    Module, Start, Subject, Trap, ValueType, Weights, World, provided,
};

fn load(text: &str, weights: Option<Weights>) -> Arc<Module> {
    Arc::new(
        Module::load(text.as_bytes(), &LoadSettings { weights, ..LoadSettings::default() })
            .expect("the text is a valid module"),
    )
}

fn start(module: Arc<Module>, limits: Limits) -> (Machine<Concrete>, InstanceId) {
    let mut machine = Machine::new(limits);
    let instance = machine.instantiate(module, &mut |_, _| None).expect("there are no imports");
    (machine, instance)
}

fn call(machine: &mut Machine<Concrete>, instance: InstanceId, args: &[u64]) -> End<u64> {
    let function = machine.exported_function(instance, "f").expect("the export exists");
    machine.call(function, args);
    match machine.run(&mut Concrete::default()) {
        Event::End(end) => end,
        event => panic!("{event:?}"),
    }
}

/// Runs `f`, also with every instruction at price 1, which must come to the same.
fn run(text: &str, args: &[u64]) -> (End<u64>, Costs) {
    let (mut machine, instance) = start(load(text, None), Limits::default());
    let end = call(&mut machine, instance, args);
    let costs = machine.costs();
    let prices = Weights { other: 1, ..Weights::default() };
    let (mut weighted, instance) = start(load(text, Some(prices)), Limits::default());
    assert_eq!(call(&mut weighted, instance, args), end);
    assert_eq!(weighted.costs().weighted, Some(costs.instructions), "{text}");
    assert_eq!(weighted.costs().instructions, costs.instructions, "{text}");
    (end, costs)
}

/// The same function in both forms: throws its argument through two frames if it is not 0.
const FORMS: [&str; 2] = [
    r#"(module (tag $e (param i32))
        (func $inner (param i32) (result i32)
            (if (local.get 0) (then (throw $e (local.get 0))))
            (i32.const 5))
        (func $middle (param i32) (result i32) (i32.add (call $inner (local.get 0)) (i32.const 1)))
        (func (export "f") (param i32) (result i32)
            (i32.add (i32.const 100)
                (block $caught (result i32)
                    (try_table (catch $e $caught) (return (i32.mul (call $middle (local.get 0)) (i32.const 2))))
                    (unreachable)))))"#,
    r#"(module (tag $e (param i32))
        (func $inner (param i32) (result i32)
            (if (local.get 0) (then (throw $e (local.get 0))))
            (i32.const 5))
        (func $middle (param i32) (result i32) (i32.add (call $inner (local.get 0)) (i32.const 1)))
        (func (export "f") (param i32) (result i32)
            (i32.const 100)
            try (result i32)
                (return (i32.mul (call $middle (local.get 0)) (i32.const 2)))
            catch $e
            end
            (i32.add)))"#,
];

#[test]
fn throwing_and_catching_count_one_instruction_each() {
    for text in FORMS {
        // const; local.get, call; local.get, call; local.get, if, const; const, add; const, mul, return.
        let (end, costs) = run(text, &[0]);
        assert_eq!((end, costs.instructions), (End::Returned(vec![12]), 13), "{text}");
        assert_eq!((costs.calls, costs.depth, costs.branches), (3, 3, 1));
        // const; local.get, call; local.get, call; local.get, if, local.get, throw; catch; add.
        let (end, costs) = run(text, &[7]);
        assert_eq!((end, costs.instructions), (End::Returned(vec![107]), 11), "{text}");
        assert_eq!((costs.calls, costs.depth, costs.branches), (3, 3, 1));
    }
}

#[test]
fn prices_of_clauses_are_those_of_their_names() {
    for (name, text) in ["catch", "catch"].iter().zip(FORMS) {
        let by_name = [(name.to_string(), 1000), ("throw".to_string(), 30)].into_iter().collect();
        let (mut machine, instance) = start(load(text, Some(Weights { other: 0, by_name })), Limits::default());
        assert_eq!(call(&mut machine, instance, &[0]), End::Returned(vec![12]));
        assert_eq!(machine.costs().weighted, Some(0));
        machine.reset_costs();
        assert_eq!(call(&mut machine, instance, &[7]), End::Returned(vec![107]));
        assert_eq!(machine.costs().weighted, Some(1030));
    }
}

#[test]
fn a_run_whose_exception_nobody_catches_ends_where_it_was_thrown() {
    let text = r#"(module (tag $e) (tag $other)
        (func $inner (throw $e))
        (func $middle (block $h (try_table (catch $other $h) (call $inner))))
        (func (export "f") (call $middle)))"#;
    let (end, costs) = run(text, &[]);
    assert_eq!((end, costs.instructions), (End::Trapped(Trap::UncaughtException), 3));
    let (mut machine, instance) = start(load(text, None), Limits::default());
    call(&mut machine, instance, &[]);
    let functions: Vec<u32> = machine.backtrace().iter().map(|(_, location)| location.function).collect();
    assert_eq!(functions, [0, 1, 2]);
    // The machine can be used again.
    assert_eq!(call(&mut machine, instance, &[]), End::Trapped(Trap::UncaughtException));
}

#[test]
fn null_is_no_exception() {
    let text = r#"(module (func (export "f") (throw_ref (ref.null exn))))"#;
    assert_eq!(run(text, &[]).0, End::Trapped(Trap::NullException));
    assert_eq!(
        End::<u64>::Trapped(Trap::NullException),
        End::Trapped(Trap::named("null exception reference").unwrap())
    );
}

#[test]
fn a_clause_may_return_from_the_function() {
    let text = r#"(module (tag $e (param i32 i64))
        (func $f (export "f") (param i32) (result i32 i64)
            (i32.const 1) (drop)
            (try_table (catch $e 0)
                (if (local.get 0) (then (throw $e (local.get 0) (i64.const 9)))))
            (i32.const 3) (i64.const 4)))"#;
    assert_eq!(run(text, &[0]), run(text, &[0]));
    assert_eq!(run(text, &[0]).0, End::Returned(vec![3, 4]));
    // const, drop, local.get, if, local.get, const, throw, and the clause.
    let (end, costs) = run(text, &[8]);
    assert_eq!((end, costs.instructions), (End::Returned(vec![8, 9]), 8));
}

/// Throws and catches for ever, by a jump back to the loop that only the exception makes.
const ENDLESS: &str = r#"(module (tag $e)
    (func (export "f") (loop $again (try_table (catch $e $again) (throw $e)))))"#;

#[test]
fn limits_and_pauses_are_met_where_an_exception_is_caught() {
    let limits = Limits { instructions: 1000, ..Limits::default() };
    let (mut machine, instance) = start(load(ENDLESS, None), limits);
    assert_eq!(call(&mut machine, instance, &[]), End::Limit(Limit::Instructions));
    assert!((990..=1010).contains(&machine.costs().instructions), "{:?}", machine.costs());

    let (mut machine, instance) = start(load(ENDLESS, None), limits);
    machine.pause_after(0);
    let function = machine.exported_function(instance, "f").unwrap();
    machine.call(function, &[]);
    let mut pauses = 0;
    let end = loop {
        // Clones go on in the same way.
        machine = machine.clone();
        match machine.run(&mut Concrete::default()) {
            Event::Pause => pauses += 1,
            Event::End(end) => break end,
            event => panic!("{event:?}"),
        }
    };
    assert_eq!(end, End::Limit(Limit::Instructions));
    assert!(pauses > 400, "{pauses}");
}

#[test]
fn exceptions_that_nothing_refers_to_are_forgotten() {
    // Keeps a reference to every 1000th in a table, and throws those again at the end.
    let text = r#"(module (tag $e (param i32)) (table $kept 20 exnref)
        (func (export "f") (param $n i32) (result i32) (local $sum i32) (local $i i32)
            (loop $again
                (block $h (result i32 exnref)
                    (try_table (catch_ref $e $h) (throw $e (local.get $n)))
                    (unreachable))
                (if (param i32 exnref) (i32.rem_u (local.get $n) (i32.const 1000))
                    (then (drop) (drop))
                    (else
                        (local.set $i (i32.div_u (local.get $n) (i32.const 1000)))
                        (drop) (drop)
                        (table.set $kept (local.get $i) (call $thrown (local.get $n)))))
                (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
            (loop $again
                (local.set $sum (i32.add (local.get $sum) (call $again (table.get $kept (local.get $i)))))
                (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 20))))
            (local.get $sum))
        (func $thrown (param i32) (result exnref)
            (block $h (result exnref) (try_table (catch_all_ref $h) (throw $e (local.get 0))) (unreachable)))
        (func $again (param exnref) (result i32)
            (block $h (result i32) (try_table (catch $e $h) (throw_ref (local.get 0))) (unreachable))))"#;
    let (mut machine, instance) = start(load(text, None), Limits::default());
    let end = call(&mut machine, instance, &[19_999]);
    assert_eq!(end, End::Returned(vec![(1..20).map(|i| i * 1000).sum()]));
    assert!(machine.bytes() < 1 << 18, "{} bytes", machine.bytes());
}

#[test]
fn a_chain_of_exceptions_without_end_is_stopped() {
    let text = r#"(module (tag $e (param exnref)) (global $last (mut exnref) (ref.null exn))
        (func (export "f")
            (loop $again
                (block $h (result exnref)
                    (try_table (catch_all_ref $h) (throw $e (global.get $last)))
                    (unreachable))
                (global.set $last)
                (br $again))))"#;
    let (mut machine, instance) = start(load(text, None), Limits::default());
    assert_eq!(call(&mut machine, instance, &[]), End::Limit(Limit::Memory));
}

#[test]
fn an_exception_goes_through_instances() {
    let thrower = load(
        r#"(module (tag $e (export "e") (param i32)) (func (export "throw") (param i32) (throw $e (local.get 0))))"#,
        None,
    );
    let catcher = load(
        r#"(module (import "a" "e" (tag $e (param i32))) (import "a" "throw" (func $throw (param i32)))
            (tag $own (param i32))
            (func (export "f") (param i32) (result i32)
                (i32.add (i32.const 1)
                    (block $h (result i32)
                        (try_table (catch $own $h) (catch $e $h) (call $throw (local.get 0)))
                        (i32.const 0)))))"#,
        None,
    );
    let (mut machine, first) = start(thrower, Limits::default());
    let second = machine.instantiate(catcher, &mut |machine, import| machine.export(first, &import.name)).unwrap();
    assert_eq!(call(&mut machine, second, &[41]), End::Returned(vec![42]));
    // const, local.get, call; local.get, throw; catch; add.
    assert_eq!(machine.costs().instructions, 7);
    // A tag of another type is not that import.
    let wrong = load(r#"(module (import "a" "e" (tag (param i64))))"#, None);
    let error = machine.instantiate(wrong, &mut |machine, import| machine.export(first, &import.name)).unwrap_err();
    assert!(error.to_string().contains("a tag (i64) -> ()"), "{error}");
}

#[test]
fn a_tag_that_a_program_imports_is_provided() {
    let module = load(
        r#"(module (import "env" "__cpp_exception" (tag $e (param i32)))
            (func (export "f") (result i32)
                (block $h (result i32) (try_table (catch $e $h) (throw $e (i32.const 6))) (unreachable))))"#,
        None,
    );
    assert!(module.imports().iter().all(provided));
    let values = FunctionType { params: vec![ValueType::I32], results: Vec::new() };
    assert_eq!(module.imports()[0].ty, ExternType::Tag(values));
    let (mut plan, signature) = (InputPlan::new(None), Signature::parse("f()").unwrap());
    signature.lay_out(&mut plan).unwrap();
    let world = World { plan, program: "test".to_string(), environment: Vec::new() };
    let subject = Subject::new(module, Start::Call(signature), world, Limits::default()).unwrap();
    let ran = subject.run_concrete(Witness::default()).unwrap();
    assert_eq!(ran.results[0].bits, 6);
}

#[test]
fn exported_tags_are_found() {
    let module = load(r#"(module (tag (export "e") (param i32)))"#, None);
    let (machine, instance) = start(module.clone(), Limits::default());
    let Some(Extern::Tag(tag)) = machine.export(instance, "e") else { panic!("the export exists") };
    assert_eq!(machine.tag_type(tag).params, [ValueType::I32]);
    assert_eq!(module.export_type(module.export("e").unwrap()).to_string(), "a tag (i32) -> ()");
}
