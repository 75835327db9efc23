//! Libraries of functions with state, for tests that are sequences of calls.
//!
//! An object is a list of values, a handle its number. A sequence of calls is a [`Script`] that makes the calls one after the
//! other, so that concrete and symbolic runs are the same code.

use crate::script::{Context, Script, Step};
use crate::value::Value;
use pessimum_outcome::Trap;
use pessimum_search::places::{Place, Places};
use pessimum_search::program::{Arm, PathLimits, Program, SiteId, Variable};
use pessimum_suites::{Call, Counted, Function, Library, Parameter, Ran, Returned, Test};
use pessimum_term::{BinaryOp, VariableId};
use std::sync::{Arc, Mutex, PoisonError};

/// The objects of a run, by handle.
pub type Objects = Vec<Vec<Value>>;

/// What a function does: with the objects, its handles and its numbers. It returns a number, or the handle of an object that
/// it has added.
pub type Body = fn(&mut Context<'_>, &mut Objects, &[usize], &[Value]) -> Step<Option<u64>>;

/// What a function's numbers are.
#[derive(Clone, Copy, Debug)]
pub enum Numbers {
    /// Variables of these widths.
    Widths(&'static [u32]),
    /// Small numbers, each from 0 to this one.
    UpTo(&'static [u64]),
    /// An array of bytes, as long as the size says.
    Bytes,
}

/// One function of a library.
pub struct Declared {
    function: Function,
    numbers: Numbers,
    body: Body,
}

/// A function that takes these handles (type and whether it is taken away) and numbers.
pub fn declared(name: &str, handles: &[(usize, bool)], numbers: Numbers, returned: Returned, body: Body) -> Declared {
    let data = match numbers {
        Numbers::Widths(widths) => widths.len(),
        Numbers::UpTo(most) => most.len(),
        Numbers::Bytes => 1,
    };
    let handles = handles.iter().map(|&(ty, moved)| Parameter::Handle { ty, moved });
    let parameters = handles.chain((0..data).map(|_| Parameter::Data)).collect();
    let sizes = if matches!(numbers, Numbers::Bytes) { vec!["n".to_owned()] } else { Vec::new() };
    Declared { function: Function { name: name.to_owned(), parameters, sizes, returned }, numbers, body }
}

/// A library of such functions.
pub struct Calls {
    name: String,
    functions: Vec<Function>,
    bodies: Arc<[(Numbers, Body)]>,
    types: Vec<String>,
    places: Arc<Places>,
    texts: Vec<Vec<u8>>,
    apart: bool,
}

impl Calls {
    /// With branches at the sites below `sites`, each with two arms.
    pub fn new(name: &str, types: &[&str], sites: u32, functions: Vec<Declared>) -> Calls {
        let arms = (0..sites).flat_map(|site| [Arm::FALSE, Arm::TRUE].map(|arm| (SiteId(site), arm))).collect();
        let names = functions.iter().map(|declared| declared.function.name.clone()).collect();
        let places = Places {
            arms,
            functions: names,
            sites: vec![Place::default(); sites as usize],
            callable: vec![true; functions.len()],
            beginnings: vec![None; functions.len()],
            ..Places::default()
        };
        Calls {
            name: name.to_owned(),
            bodies: functions.iter().map(|declared| (declared.numbers, declared.body)).collect(),
            functions: functions.into_iter().map(|declared| declared.function).collect(),
            types: types.iter().map(|&ty| ty.to_owned()).collect(),
            places: Arc::new(places),
            texts: Vec::new(),
            apart: false,
        }
    }

    /// With texts among its constants.
    pub fn with_texts(mut self, texts: &[&[u8]]) -> Calls {
        self.texts = texts.iter().map(|text| text.to_vec()).collect();
        self
    }

    /// Without calls that are passed one handle twice.
    pub fn keeping_handles_apart(mut self) -> Calls {
        self.apart = true;
        self
    }

    fn check(&self, calls: &[Call]) -> Result<Vec<Variable>, String> {
        if !pessimum_suites::is_well_typed(self, calls) {
            return Err(format!("{}: not a well-typed sequence: {calls:?}", self.name));
        }
        let mut variables: Vec<Variable> = Vec::new();
        for call in calls {
            for variable in self.variables(call.function, &call.sizes)?.iter() {
                variables.push(Variable { id: VariableId(variables.len() as u32), ..variable.clone() });
            }
        }
        Ok(variables)
    }

    /// The script of a sequence, and where its calls leave what they return.
    fn script(&self, calls: &[Call], counted: Counted) -> Result<(Script, Returns), String> {
        let variables = self.check(calls)?;
        let returns = Returns::default();
        let (bodies, own, calls) = (Arc::clone(&self.bodies), calls.to_vec(), returns.clone());
        let counts = own_counts(self, &own)?;
        let handles: Vec<bool> =
            own.iter().map(|call| matches!(self.functions[call.function].returned, Returned::Handle(_))).collect();
        let name = self.name.clone();
        let script = Script::new(&name, variables, move |context| {
            calls.clear();
            let mut objects: Objects = Vec::new();
            let mut made: Vec<usize> = Vec::with_capacity(own.len());
            let mut next = 0;
            for (index, call) in own.iter().enumerate() {
                if counted == Counted::LastCall && index + 1 == own.len() {
                    context.forget_costs();
                }
                context.function(call.function as u32);
                let passed: Vec<usize> = call.handles.iter().map(|&handle| made[handle]).collect();
                let numbers: Vec<Value> = (next..next + counts[index]).map(|at| context.input(at)).collect();
                next += counts[index];
                let (_, body) = bodies[call.function];
                let returned = body(context, &mut objects, &passed, &numbers)?;
                made.push(if handles[index] { returned.unwrap_or(0) as usize } else { usize::MAX });
                calls.push(returned);
            }
            Ok(())
        });
        Ok((script.with_places((*self.places).clone()), returns))
    }
}

/// How many numbers each call has.
fn own_counts(library: &Calls, calls: &[Call]) -> Result<Vec<usize>, String> {
    calls.iter().map(|call| Ok(library.variables(call.function, &call.sizes)?.len())).collect()
}

/// What the calls of the last run returned.
#[derive(Clone, Default)]
struct Returns(Arc<Mutex<Vec<Option<u64>>>>);

impl Returns {
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn push(&self, returned: Option<u64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(returned);
    }
}

impl Library for Calls {
    fn name(&self) -> &str {
        &self.name
    }

    fn functions(&self) -> &[Function] {
        &self.functions
    }

    fn handle_types(&self) -> &[String] {
        &self.types
    }

    fn places(&self) -> Arc<Places> {
        Arc::clone(&self.places)
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        self.texts.clone()
    }

    fn variables(&self, function: usize, sizes: &[u32]) -> Result<Arc<[Variable]>, String> {
        let (numbers, _) = self.bodies.get(function).ok_or("no such function")?;
        let unlimited = |(id, width): (u32, u32)| Variable::unlimited(VariableId(id), width);
        Ok(match (numbers, sizes) {
            (Numbers::Widths(widths), []) => (0..).zip(widths.iter().copied()).map(unlimited).collect(),
            (Numbers::UpTo(most), []) => {
                let limited = |(id, &high): (u32, &u64)| Variable { high, ..unlimited((id, 32)) };
                (0..).zip(most.iter()).map(limited).collect()
            }
            (Numbers::Bytes, [length]) if *length <= 64 => (0..*length).map(|id| unlimited((id, 8))).collect(),
            (Numbers::Bytes, [_]) => return Err("at most 64 bytes".to_owned()),
            _ => return Err("another number of sizes".to_owned()),
        })
    }

    fn permits_same_handle(&self, _: usize) -> bool {
        !self.apart
    }

    fn program(&self, calls: &[Call]) -> Result<Box<dyn Program>, String> {
        self.program_counting(calls, Counted::Everything)
    }

    fn program_counting(&self, calls: &[Call], counted: Counted) -> Result<Box<dyn Program>, String> {
        Ok(Box::new(self.script(calls, counted)?.0))
    }

    fn run_while(&self, test: &Test, limits: &PathLimits, _: &mut dyn FnMut() -> bool) -> Result<Ran, String> {
        let (script, returns) = self.script(&test.calls, Counted::Everything)?;
        let observation = script.observe(&test.input, limits);
        let returned = std::mem::take(&mut *returns.0.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Ran { observation, returned })
    }
}

fn number(value: u64) -> Value {
    Value::concrete(32, value)
}

fn new_object(objects: &mut Objects, fields: &[u64]) -> Step<Option<u64>> {
    objects.push(fields.iter().map(|&field| number(field)).collect());
    Ok(Some(objects.len() as u64 - 1))
}

/// Figure 1 of EvoSuite's hybrid search: a text must be "baz", and a counter must have been increased five times.
pub fn foo_bar() -> Calls {
    const FOO: usize = 0;
    const BAR: usize = 1;
    let none = Numbers::Widths(&[]);
    Calls::new(
        "foo_bar",
        &["Foo", "Bar"],
        3,
        vec![
            declared("foo_new", &[], none, Returned::Handle(FOO), |_, objects, _, _| new_object(objects, &[0])),
            declared("foo_inc", &[(FOO, false)], none, Returned::Nothing, |context, objects, handles, _| {
                let x = objects[handles[0]][0];
                objects[handles[0]][0] = context.binary_const(BinaryOp::Add, x, 1);
                Ok(None)
            }),
            declared("foo_get_x", &[(FOO, false)], none, Returned::Number, |_, objects, handles, _| {
                Ok(objects[handles[0]][0].bits())
            }),
            declared("bar_new", &[], Numbers::Bytes, Returned::Handle(BAR), |_, objects, _, numbers| {
                objects.push(numbers.to_vec());
                Ok(Some(objects.len() as u64 - 1))
            }),
            declared(
                "bar_cover_me",
                &[(BAR, false), (FOO, false)],
                none,
                Returned::Nothing,
                |context, objects, handles, _| {
                    let text = objects[handles[0]].clone();
                    if !context.compare(0, BinaryOp::Eq, number(text.len() as u64), number(3))? {
                        return Ok(None);
                    }
                    // One predicate for the whole text, as `equals` is.
                    let mut difference = number(0);
                    for (letter, wanted) in text.into_iter().zip(*b"baz") {
                        let letter = context.zero_extend(32, letter);
                        let other = context.binary_const(BinaryOp::Xor, letter, wanted.into());
                        difference = context.binary(BinaryOp::Or, difference, other);
                    }
                    if context.compare(1, BinaryOp::Eq, difference, number(0))? {
                        context.compare(2, BinaryOp::Eq, objects[handles[1]][0], number(5))?;
                    }
                    Ok(None)
                },
            ),
        ],
    )
}

/// A counter with thresholds: a sum that must be exact, and a number of calls.
pub fn counter() -> Calls {
    const COUNTER: usize = 0;
    Calls::new(
        "counter",
        &["Counter"],
        4,
        vec![
            declared("new", &[], Numbers::Widths(&[]), Returned::Handle(COUNTER), |_, objects, _, _| {
                new_object(objects, &[0, 0])
            }),
            declared(
                "add",
                &[(COUNTER, false)],
                Numbers::Widths(&[32]),
                Returned::Nothing,
                |context, objects, handles, numbers| {
                    if context.compare(0, BinaryOp::LtS, numbers[0], number(0))? {
                        return Ok(None);
                    }
                    let [sum, calls] = [0, 1].map(|field| objects[handles[0]][field]);
                    objects[handles[0]][0] = context.binary(BinaryOp::Add, sum, numbers[0]);
                    objects[handles[0]][1] = context.binary_const(BinaryOp::Add, calls, 1);
                    Ok(None)
                },
            ),
            declared(
                "check",
                &[(COUNTER, false)],
                Numbers::Widths(&[]),
                Returned::Number,
                |context, objects, handles, _| {
                    let [sum, calls] = [0, 1].map(|field| objects[handles[0]][field]);
                    if context.compare(1, BinaryOp::Eq, sum, number(123_456))?
                        && context.compare(2, BinaryOp::LeS, number(7), calls)?
                    {
                        context.compare(3, BinaryOp::Eq, calls, number(11))?;
                    }
                    Ok(calls.bits())
                },
            ),
            declared("drop", &[(COUNTER, true)], Numbers::Widths(&[]), Returned::Nothing, |_, _, _, _| Ok(None)),
        ],
    )
}

/// A stack of four numbers: it traps when it overflows, and nothing is popped where nothing is.
pub fn stack() -> Calls {
    const STACK: usize = 0;
    let none = Numbers::Widths(&[]);
    Calls::new(
        "stack",
        &["Stack"],
        4,
        vec![
            declared("new", &[], none, Returned::Handle(STACK), |_, objects, _, _| new_object(objects, &[])),
            declared(
                "push",
                &[(STACK, false)],
                Numbers::UpTo(&[3]),
                Returned::Nothing,
                |context, objects, handles, numbers| {
                    let length = number(objects[handles[0]].len() as u64);
                    if context.compare(0, BinaryOp::LtS, number(3), length)? {
                        return Err(context.trap(Trap::Unreachable));
                    }
                    objects[handles[0]].push(numbers[0]);
                    Ok(None)
                },
            ),
            declared("pop", &[(STACK, false)], none, Returned::Number, |context, objects, handles, _| {
                let length = number(objects[handles[0]].len() as u64);
                if context.compare(1, BinaryOp::Eq, length, number(0))? {
                    return Ok(None);
                }
                let top = objects[handles[0]].pop();
                let Some(top) = top else { return Ok(None) };
                context.compare(2, BinaryOp::Eq, top, number(2))?;
                Ok(top.bits())
            }),
            declared(
                "equal",
                &[(STACK, false), (STACK, false)],
                none,
                Returned::Number,
                |context, objects, handles, _| {
                    let (one, other) = (objects[handles[0]].clone(), objects[handles[1]].clone());
                    if one.len() < 2 || one.len() != other.len() || handles[0] == handles[1] {
                        return Ok(None);
                    }
                    for (x, y) in one.into_iter().zip(other) {
                        if !context.compare(3, BinaryOp::Eq, x, y)? {
                            return Ok(None);
                        }
                    }
                    Ok(None)
                },
            ),
        ],
    )
}

/// A search tree without balance. Each step down is a branch, and costs one.
pub fn tree() -> Calls {
    const TREE: usize = 0;
    /// Fields of a node, after the index of the root: key, left, right (0 for none, otherwise the place of a node).
    const NODE: usize = 3;
    fn descend(context: &mut Context<'_>, tree: &[Value], key: Value, site: u32) -> Step<(Option<usize>, usize)> {
        let (mut at, mut link) = (tree[0].bits().unwrap_or(0) as usize, 0);
        let mut depth = 0;
        while at > 0 {
            depth += 1;
            context.cost(1);
            if context.compare(site, BinaryOp::Eq, key, tree[at])? {
                context.compare(3, BinaryOp::LtS, number(3), number(depth))?;
                return Ok((Some(at), link));
            }
            link = if context.compare(site + 1, BinaryOp::LtU, key, tree[at])? { at + 1 } else { at + 2 };
            at = tree[link].bits().unwrap_or(0) as usize;
        }
        Ok((None, link))
    }
    let none = Numbers::Widths(&[]);
    Calls::new(
        "tree",
        &["Tree"],
        5,
        vec![
            declared("new", &[], none, Returned::Handle(TREE), |_, objects, _, _| new_object(objects, &[0])),
            declared(
                "insert",
                &[(TREE, false)],
                Numbers::Widths(&[32]),
                Returned::Nothing,
                |context, objects, handles, numbers| {
                    let tree = objects[handles[0]].clone();
                    let (found, link) = descend(context, &tree, numbers[0], 0)?;
                    if found.is_none() {
                        let at = tree.len() as u64;
                        let tree = &mut objects[handles[0]];
                        tree[link] = number(at);
                        tree.extend([numbers[0], number(0), number(0)]);
                    }
                    Ok(None)
                },
            ),
            declared(
                "depth",
                &[(TREE, false)],
                Numbers::Widths(&[32]),
                Returned::Number,
                |context, objects, handles, numbers| {
                    let tree = objects[handles[0]].clone();
                    let (found, _) = descend(context, &tree, numbers[0], 0)?;
                    let nodes = number((tree.len() / NODE) as u64);
                    if found.is_some() {
                        context.compare(2, BinaryOp::Eq, nodes, number(4))?;
                    }
                    Ok(None)
                },
            ),
            declared("clear", &[(TREE, false)], none, Returned::Nothing, |context, objects, handles, _| {
                let nodes = number((objects[handles[0]].len() / NODE) as u64);
                if context.compare(4, BinaryOp::LtU, number(1), nodes)? {
                    objects[handles[0]] = vec![number(0)];
                }
                Ok(None)
            }),
        ],
    )
}
