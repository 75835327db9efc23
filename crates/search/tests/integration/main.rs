//! All in one program: each would be linked with the whole crate again.

mod auto;
mod counts;
mod ese;
mod every_input;
mod exhaustive;
mod ga;
mod kernel;
mod objective;
mod pyse;
mod random;
mod sample;
mod spf_wca;
mod watch;
mod wise;
