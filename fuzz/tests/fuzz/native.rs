//! A few of the functions that the binary of this package compares natively, at one level each.
//!
//! A compiler that is not on the machine is reported and the test passes; with PESSIMUM_REQUIRE_TOOLS=1 it fails.

use pessimum_fuzz::native::{self, Tools};

const SAMPLE: [(&str, &str); 4] = [("divide.c", "2"), ("utf8.c", "1"), ("machine.c", "s"), ("checked.rs", "1")];

#[test]
fn functions_do_what_they_do_natively() {
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(missing) => {
            assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "{missing}");
            return println!("not tested: {missing}");
        }
    };
    let functions = native::functions().unwrap();
    // What the whole comparison is meant to cover.
    let rust = functions.iter().filter(|function| function.name().ends_with(".rs")).count();
    assert!(functions.len() - rust >= 20 && rust >= 8, "{} functions, {rust} in Rust", functions.len());
    let mut paths = 0;
    for (name, level) in SAMPLE {
        let function = functions.iter().find(|function| function.name() == name).unwrap();
        let compared = native::compare(function, &tools, &[level]).unwrap_or_else(|difference| panic!("{difference}"));
        println!("{name}: {compared:?}");
        assert!(compared.inputs == 1 << 16 && compared.paths > 0, "{name}: {compared:?}");
        paths += compared.paths;
        assert_eq!(compared.panics > 0, name.ends_with(".rs"), "{name}: {compared:?}");
    }
    // Some functions are compiled without a branch, but not all of them.
    assert!(paths > 2 * SAMPLE.len() as u64, "{paths} paths");
}
