//! What the command line of the fuzzers is read as, and the first lines of the functions that are compared natively.

use std::time::Duration;

use pessimum_fuzz::harness::Seeds;
use pessimum_fuzz::native::call::{Call, INPUTS};

fn parse(text: &str) -> Result<Seeds, String> {
    Seeds::parse(&text.split_whitespace().map(str::to_string).collect::<Vec<_>>())
}

#[test]
fn seeds_are_counted_or_timed() {
    let counted = |first, count| Ok(Seeds { first, count, time: None });
    assert_eq!(parse("5 100"), counted(5, 100));
    let timed = |first, seconds| Ok(Seeds { first, count: u64::MAX, time: Some(Duration::from_secs(seconds)) });
    assert_eq!(parse("--minutes 20"), timed(0, 1200));
    assert_eq!(parse("7 --minutes 0.5"), timed(7, 30));
    assert_eq!(parse("--minutes 0.5 7"), timed(7, 30));
    for wrong in ["", "5", "x 1", "--minutes", "--minutes x", "--minutes -1", "1 2 3"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_line_describes_the_inputs() {
    let call = Call::parse("f(u8[2] in 0..16, 2, i8) -> i64").unwrap();
    assert_eq!((call.name.as_str(), call.result.as_str(), call.parameters.len()), ("f", "i64", 2));
    assert_eq!(call.input(0).values(), [0, 0, 0x80]);
    assert_eq!(call.input(INPUTS - 1).values(), [15, 15, 0x7f]);
    assert_eq!(Call::parse("f(i32 in -1..0xffff) -> i32").unwrap().input(0).values(), [0xffff_ffff]);
    for wrong in ["f(u8) -> i32", "f(u8, u8)", "f(u8[2], 3) -> i32", "f(u8, u8) -> bool", "f(x, u16) -> i32"] {
        assert!(Call::parse(wrong).is_err(), "{wrong}");
    }
}
