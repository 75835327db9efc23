//! WebAssembly modules: loading them and running them exactly.
//!
//! ```
//! use std::sync::Arc;
//! use pessimum_wasm::{Concrete, End, Event, Limits, LoadSettings, Machine, Module};
//!
//! let text = br#"(module (func (export "add") (param i32 i32) (result i32)
//!     local.get 0 local.get 1 i32.add))"#;
//! let module = Arc::new(Module::load(text, &LoadSettings::default()).unwrap());
//! let mut machine = Machine::new(Limits::default());
//! let instance = machine.instantiate(module, &mut |_, _| None).unwrap();
//! let add = machine.exported_function(instance, "add").unwrap();
//! machine.call(add, &[2, 3]);
//! assert_eq!(machine.run(&mut Concrete::default()), Event::End(End::Returned(vec![5])));
//! assert_eq!(machine.costs().instructions, 3);
//! ```

pub mod mutants;
pub mod names;
pub mod script;

mod code;
mod compile;
mod costs;
mod domain;
mod embed;
mod error;
mod exceptions;
mod guest;
mod host;
mod implicit;
mod link;
mod load;
mod machine;
mod memory;
mod module;
mod observe;
mod profile;
mod recurrence;
mod run;
mod shared_list;
mod sites;
mod symbolic;
mod traps;
mod unsupported;
mod verify;
mod wasi;

pub use costs::Weights;
pub use domain::{Concrete, Domain};
pub use embed::{
    Counted, Prefix, Process, ProcessEnd, ProcessEvent, Ran, Sequence, Start, Subject, SubjectError, provided,
};
pub use error::{LinkError, LoadError, LoadErrorKind};
pub use guest::NO_SIZE;
pub use host::{Captured, MAX_CAPTURED};
pub use load::LoadSettings;
pub use machine::{
    Decision, End, Event, Extern, FunctionAddress, GlobalAddress, HostArguments, HostId, InstanceId, Limits, Machine,
    MemoryAddress, Question, TableAddress, TagAddress,
};
pub use memory::{Bytes, Flat, Memory, PAGE, Pages, WASM_PAGE};
pub use module::{
    CustomSection, Export, ExternKind, ExternType, FunctionType, GlobalType, Import, Location, MemoryType, Module,
    TableType, ValueType,
};
pub use observe::{ArmSeen, ComparisonSeen, Observed};
pub use pessimum_outcome::{Costs, Limit, Trap};
pub use profile::{CallNode, Counts, FunctionProfile, LineProfile, Profile};
pub use recurrence::Recurrence;
pub use sites::{Site, SiteId, SiteKind};
pub use symbolic::{Symbolic, SymbolicByte, SymbolicValue};
pub use wasi::{STDIN, World};
