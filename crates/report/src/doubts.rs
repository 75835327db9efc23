//! Why no class is stated of costs that a class fits. What is said where one is stated is in [`crate::certainty`].

use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::text::grouped;

/// Why a class of costs says nothing about time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Uncounted {
    /// The bound of the work in C grows faster than the costs do.
    Grows {
        /// What most of it is.
        operation: String,
        /// Where that is.
        place: String,
    },
    /// Something may do anything with what it is handed, and that grows with the size.
    Unbounded {
        /// What.
        operation: String,
        /// Where.
        place: String,
        /// The most elements or bytes that it was handed at once.
        most: u64,
    },
    /// Too few runs could be recorded.
    Unknown,
}

/// Why a curve has no class: so many of its sizes say little.
pub fn not_settled(open: usize, all: usize) -> String {
    format!("{open} of {all} sizes are far from settled")
}

/// Why a class is none of the worst case: random inputs, which it bounds, grow faster.
pub fn random_grows_faster(random: Class, worst: Option<Class>) -> String {
    let worst = worst.map_or_else(String::new, |worst| worst.to_string());
    format!("random inputs grow like {random}, so the worst case cannot grow like {worst}")
}

/// Why a class is none of the worst case: the inputs of a pattern grow faster.
pub fn pattern_grows_faster(pattern: Class, worst: Class) -> String {
    format!("the pattern that was found grows like {pattern}, so the worst case cannot grow like {worst}")
}

/// Why a pattern that does not grow is no class of the worst case: the inputs that were searched do.
pub fn searches_grow(searched: Class) -> String {
    format!("the pattern that was found does not grow, but what the searches found grows like {searched}")
}

/// Why no class is stated of costs that leave out what C code does.
pub fn not_stated(uncounted: &Uncounted) -> String {
    match uncounted {
        Uncounted::Grows { operation, place } => {
            format!("`{operation}` at {place} is C code whose work is not counted and may grow faster than what is")
        }
        Uncounted::Unbounded { operation, place, most } => {
            let most = grouped(*most);
            format!(
                "`{operation}` at {place} is C code whose work is not counted, and it was handed up to {most} elements"
            )
        }
        Uncounted::Unknown => "how the work of C code grows, which is not counted, could not be recorded".to_string(),
    }
}
