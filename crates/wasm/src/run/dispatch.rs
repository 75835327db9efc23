//! From one instruction to the next, in two ways that call the same functions of [`step`].
//!
//! [`looped`] is a loop around one table of all instructions, for every domain. [`threaded`] is for concrete runs, which
//! take most of the time of a search: each instruction ends by jumping to the function of the next one. All that they hand
//! on stays in registers of the processor, and the processor predicts each of these jumps by itself.
//!
//! The jumps are calls as the last thing that a function does. The compiler turns them into jumps when it optimises; the
//! language does not promise it, so the build script decides whether they are used, and `tests/dispatch.rs` runs every
//! instruction often enough to overflow the stack if one of them were a call. With debug assertions there are local variables
//! for their messages in the way, and only the loop is used: the test says something when it is run with `--release`.
//!
//! A function that calls others saves registers when it is entered, even where it does not call them. So a handler makes a
//! quick attempt, which calls nothing; what it cannot do (a page that is shared, a limit, a trap, a call to the host) is left
//! to one copy of the loop's table, outside of the chain of jumps. With calls in the handlers themselves the programs of
//! `bench/engine` took up to 1.4 times as many host instructions.
//!
//! Each domain has the loop compiled once, in this crate ([`Domain::drive`]): a generic loop would be compiled again in
//! every crate that runs a machine. Where the linker places it matters as well: the same code at another address modulo
//! 64 took 4 to 25 % longer, so builds are compared by callgrind's counts (`bench engine`). The price of exact counts
//! is what is left between us and wasmi: a branch that jumps takes 14 to 16 host instructions, since it counts its arm
//! and looks at the limit, where wasmi's takes 7 to 9.
//!
//! A compiler to machine code was measured on 29 programs (wasmtime 48, with counters in the code): 1.3 times as fast
//! as this machine on random inputs, 3.8 times near the worst ones, and 1.35 and 1.50 times (two series) the paths per second
//! for the same work. It takes minutes to build, knows two of our costs and cannot start in the middle of a function; so
//! there is none.

use super::Leave;
use super::control::{Registers, Run, Stopped};
use super::step;
use crate::code::{Instr, every_name, instruction_tables};
use crate::domain::Domain;

/// Runs until something must be done outside.
pub(super) type Dispatch<D> =
    for<'a, 'r> fn(&'a mut Run<'r, D>, Registers<'r, <D as Domain>::Value>) -> Stopped<'r, <D as Domain>::Value>;

macro_rules! define_loop {
    ($($name:ident)*) => {
        /// Executes one instruction, whatever it takes. Returns whether the next one comes; if not, `left` says why.
        #[inline(always)]
        fn step<'r, D: Domain>(
            run: &mut Run<'r, D>,
            registers: &mut Registers<'r, D::Value>,
            left: &mut Option<Leave<D::Value>>,
        ) -> bool {
            match registers.at.instr() {
                $(Instr::$name { .. } => match step::$name(run, registers) {
                    Ok(()) => true,
                    Err(leave) => stop(left, leave),
                },)*
            }
        }
    };
}
instruction_tables!(every_name { define_loop });

/// Out of line, because the compiler would otherwise hand the parts of a reason from every instruction to the next: with
/// that, following a path took a quarter more host instructions.
#[cold]
#[inline(never)]
fn stop<V>(left: &mut Option<Leave<V>>, leave: Leave<V>) -> bool {
    *left = Some(leave);
    false
}

/// A loop around one table of all instructions.
pub(super) fn looped<'r, D: Domain>(
    run: &mut Run<'r, D>,
    mut registers: Registers<'r, D::Value>,
) -> Stopped<'r, D::Value> {
    let mut left = None;
    while step(run, &mut registers, &mut left) {
        run.check_passed(&registers);
    }
    (left.expect("an instruction that stops says why"), registers)
}

#[cfg(all(tail_calls, not(debug_assertions)))]
pub(super) use threads::{Handler, handler, threaded};

#[cfg(all(tail_calls, not(debug_assertions)))]
mod threads {
    use super::super::Slowly;
    use super::super::control::passed;
    use super::super::frame::{Position, Slots};
    use super::*;
    use crate::domain::Concrete;

    /// The run, and [`Registers`] one by one.
    pub(in super::super) type Handler = for<'a, 'r> fn(&'a mut Run<'r, Concrete>, Position<'r>, Slots<u64>, i64, u64);

    /// Each instruction jumps to the next one, until one of them stops.
    pub(in super::super) fn threaded<'r>(
        run: &mut Run<'r, Concrete>,
        mut registers: Registers<'r, u64>,
    ) -> Stopped<'r, u64> {
        loop {
            run.measure_room();
            let last = passed(&run.code, registers.at, registers.frame);
            next(run, registers.at, registers.frame, registers.left, last);
            registers = run.stopped.take().expect("handlers go on until something stops them");
            let mut left = None;
            if !step(run, &mut registers, &mut left) {
                return (left.expect("an instruction that stops says why"), registers);
            }
        }
    }

    #[inline(always)]
    fn next<'r>(run: &mut Run<'r, Concrete>, at: Position<'r>, frame: Slots<u64>, left: i64, last: u64) {
        at.handler()(run, at, frame, left, last);
    }

    /// Returns to [`threaded`], which executes the instruction that a quick attempt did not. That takes its operands from their
    /// slots.
    #[cold]
    #[inline(never)]
    fn give_back<'r>(run: &mut Run<'r, Concrete>, at: Position<'r>, frame: Slots<u64>, left: i64) {
        run.stopped = Some(Registers { at, frame, left, last: 0 });
    }

    /// The same for a jump or branch whose cost has been subtracted already.
    #[cold]
    #[inline(never)]
    fn give_back_jump<'r>(run: &mut Run<'r, Concrete>, at: Position<'r>, frame: Slots<u64>, left: i64) {
        give_back(run, at, frame, left + i64::from(at.jump().1));
    }

    macro_rules! define_handlers {
        ($($name:ident)*) => {
            /// What executes an instruction, which gets these of its operands in a register: 1 for the first, 2 for the second.
            pub(in super::super) fn handler(instr: &Instr, passed: usize) -> Handler {
                match instr {
                    $(Instr::$name { .. } => [
                        handlers::$name::<0>, handlers::$name::<1>, handlers::$name::<2>, handlers::$name::<3>,
                    ][passed],)*
                }
            }

            #[allow(non_snake_case)]
            mod handlers {
                use super::*;
                $(
                    pub fn $name<'r, const PASSED: usize>(
                        run: &mut Run<'r, Concrete>, at: Position<'r>, frame: Slots<u64>, left: i64, last: u64,
                    ) {
                        let mut registers = Registers { at, frame, left, last };
                        match step::$name::<Concrete, Slowly<PASSED>>(run, &mut registers) {
                            Ok(()) => next(run, registers.at, registers.frame, registers.left, registers.last),
                            Err(Slowly { cost: false }) => give_back(run, at, frame, left),
                            Err(Slowly { cost: true }) => give_back_jump(run, at, frame, registers.left),
                        }
                    }
                )*
            }
        };
    }
    instruction_tables!(every_name { define_handlers });
}
