//! The common vocabulary for a run: how it ended and what it cost.
//!
//! The machine, the search, the reports and the command line share these types, so that one end has one name
//! wherever it is printed or saved. The names are part of the format of saved results.

mod cost;
mod end;

pub use cost::{CostModel, Costs};
pub use end::{End, Ends, Limit, Trap, UnknownEnd};
