//! The signature language and the JSON form of inputs.

use pessimum_input::{Argument, Bounds, Group, InputPlan, Kind, Length, Signature, Structure};
use pessimum_term::Witness;
use serde_json::{Value, json};

fn plan(text: &str, size: Option<u64>) -> Result<InputPlan, String> {
    let mut plan = InputPlan::new(size);
    let signature = Signature::parse(text).map_err(|error| error.to_string())?;
    signature.lay_out(&mut plan).map_err(|error| error.to_string())?;
    Ok(plan)
}

fn group(first: u32, count: u32, kind: Kind) -> Group {
    Group::new(first, count, kind)
}

#[test]
fn arguments_are_laid_out_in_order() {
    let plan =
        plan("  sort ( i32[2*n+1], u8, out f64[n*n], n, -3, 0x10, 'a', 1.5, str[(n+1)/2], i16 in -n..n )", Some(3));
    let unsigned = |low, high| Some(Bounds::Unsigned { low, high });
    let expected = vec![
        Argument::Buffer(group(0, 7, Kind::I32)),
        Argument::Scalar(group(7, 1, Kind::U8)),
        Argument::Zeroed { kind: Kind::F64, count: 9 },
        Argument::Integer(3),
        Argument::Integer(-3),
        Argument::Integer(16),
        Argument::Integer(97),
        Argument::Float(1.5),
        Argument::Text(Group { bounds: unsigned(1, 255), ..group(8, 2, Kind::U8) }),
        Argument::Scalar(Group { bounds: Some(Bounds::Signed { low: -3, high: 2 }), ..group(10, 1, Kind::I16) }),
    ];
    let plan = plan.unwrap();
    assert_eq!(plan.arguments, expected);
    assert_eq!(plan.variables, 11);
    assert_eq!(Signature::parse("sort()").unwrap().arity(), 0);
    assert_eq!(Signature::parse(r#""odd(name)"(1)"#).unwrap().name, "odd(name)");
}

#[test]
fn constants_are_bytes_with_their_escapes() {
    let plan = plan(r#"f("a*\"b\\\n\x41é", str[n], "")"#, Some(2)).unwrap();
    assert_eq!(plan.arguments[0], Argument::Constant("a*\"b\\\nAé".as_bytes().into()));
    assert_eq!(plan.arguments[2], Argument::Constant([].into()));
    assert_eq!(plan.variables, 2);
    let input = json!(["a*\"b\\\nAé", "xy", ""]);
    let (witness, _) = plan.decode(&input).unwrap();
    assert_eq!(plan.encode(&witness, &[]), input);
    assert_eq!(plan.decode(&json!([null, "xy", null])).unwrap().0, witness);
    let error = plan.decode(&json!(["b", "xy", ""])).unwrap_err();
    assert_eq!(error.path, "input[0]");
    assert!(error.message.contains("the call sets this argument to"), "{}", error.message);
    assert!(Signature::parse("sort").unwrap().is_bare() && !Signature::parse("sort()").unwrap().is_bare());
}

#[test]
fn ranges_become_inclusive_bounds() {
    let bounds = |text: &str| match &plan(&format!("f({text})"), Some(10)).unwrap().arguments[0] {
        Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => group.bounds,
        other => panic!("{other:?}"),
    };
    assert_eq!(bounds("i32 in 0..100"), Some(Bounds::Signed { low: 0, high: 99 }));
    assert_eq!(bounds("u64 in 0..=18446744073709551615"), Some(Bounds::Unsigned { low: 0, high: u64::MAX }));
    assert_eq!(bounds("str[4] in 'a'..='z'"), Some(Bounds::Unsigned { low: 97, high: 122 }));
    assert_eq!(bounds("str[4] in 0..=9"), Some(Bounds::Unsigned { low: 1, high: 9 }));
    assert_eq!(bounds("bool"), Some(Bounds::Unsigned { low: 0, high: 1 }));
    assert_eq!(bounds("u8[n] in n..2*n"), Some(Bounds::Unsigned { low: 10, high: 19 }));
    assert_eq!(bounds("f64 in -0.5..=1"), Some(Bounds::Float { low: -0.5, high: 1.0 }));
    assert_eq!(bounds("f64 in 0..1"), Some(Bounds::Float { low: 0.0, high: 1f64.next_down() }));
    let Some(Bounds::Float { low, high }) = bounds("f32 in 0.1..0.2") else { panic!() };
    assert!(low >= 0.1 && high < 0.2 && f64::from(low as f32) == low && f64::from(high as f32) == high);
    assert!(f64::from((low as f32).next_down()) < 0.1 && f64::from((high as f32).next_up()) >= 0.2);
}

#[test]
fn unions_are_ranges_in_order_without_overlaps() {
    let group = |text: &str| match &plan(&format!("f({text})"), Some(10)).unwrap().arguments[0] {
        Argument::Scalar(group) | Argument::Buffer(group) | Argument::Text(group) => group.clone(),
        other => panic!("{other:?}"),
    };
    let unsigned = |low, high| Bounds::Unsigned { low, high };
    let text = group("u8[n] in ' '..='~' | '\\n'");
    assert_eq!(text.bounds, Some(unsigned(10, 126)));
    assert_eq!(text.ranges(), Some(&[unsigned(10, 10), unsigned(32, 126)][..]));
    assert_eq!(
        [9, 10, 11, 31, 32, 126, 127].map(|byte| text.allows(byte)),
        [false, true, false, false, true, true, false]
    );
    assert_eq!(text.default_bits(), 10);
    assert_eq!(group("u8 in 7 | 3..5 | 4..=6").ranges(), Some(&[unsigned(3, 7)][..]), "joined where they touch");
    assert_eq!(group("u8 in 7").ranges(), Some(&[unsigned(7, 7)][..]));
    assert_eq!(group("str[n] in 0 | 5").ranges(), Some(&[unsigned(5, 5)][..]), "a text has no zero");
    let signed = group("i32 in -5..=-3 | 2 | n..n+2");
    assert_eq!(signed.bounds, Some(Bounds::Signed { low: -5, high: 11 }));
    assert!(signed.allows(0xffff_fffd) && !signed.allows(0) && signed.allows(2) && signed.allows(11));
    assert_eq!(signed.default_bits(), 2);
    let float = group("f32 in -1.5 | 0.5..=1 | 1..2");
    let ranges = float.ranges().unwrap();
    assert_eq!(ranges[0], Bounds::Float { low: -1.5, high: -1.5 });
    assert_eq!(ranges[1], Bounds::Float { low: 0.5, high: f64::from(2f32.next_down()) });
    let mut plan = InputPlan::new(Some(4));
    Length::parse("n in 'a'..='z' | ' '").unwrap().lay_out_stdin(&mut plan).unwrap();
    Length::parse_argument("str[2] in '0' | '1'").unwrap().unwrap().lay_out_argument(&mut plan).unwrap();
    let good = json!({"stdin": {"text": "ab c"}, "args": [{"text": "01"}]});
    assert_eq!(plan.decode(&good).unwrap().0.values(), b"ab c01".map(u64::from));
    let error = plan.decode(&json!({"stdin": {"text": "ab-c"}})).unwrap_err();
    assert_eq!(error.to_string(), "input.stdin: byte 2 is 45, outside the range 32 | 97..=122");
    let error = Length::parse("24 in ' '..='~','\\n'").unwrap_err();
    assert!(error.message.starts_with("expected `|` between ranges"), "{error}");
}

fn structure(text: &str, size: u64) -> Structure {
    match plan(&format!("f({text})"), Some(size)).unwrap().arguments.remove(0) {
        Argument::Structure(structure) => structure,
        other => panic!("{other:?}"),
    }
}

/// The offsets are those that clang prints for the same structures with `-fdump-record-layouts`.
#[test]
fn records_have_the_layout_of_c() {
    let offsets = |text: &str| -> (Vec<Vec<u64>>, u64) {
        let structure = structure(text, 2);
        (structure.columns.iter().map(|column| column.offsets().collect()).collect(), structure.bytes)
    };
    assert_eq!(offsets("{bool, i32, u8[4], i64}"), (vec![vec![0], vec![4], vec![8, 9, 10, 11], vec![16]], 24));
    assert_eq!(offsets("{u8, u16}[3]"), (vec![vec![0, 4, 8], vec![2, 6, 10]], 12));
    assert_eq!(offsets("{u8[3], {i16, f64}[2], bool}"), (vec![vec![0, 1, 2], vec![8, 24], vec![16, 32], vec![40]], 48));
    assert_eq!(offsets("i32[n][3]"), (vec![vec![0, 4, 8, 12, 16, 20]], 24));
    assert_eq!(offsets("u8[2][2][2]"), (vec![(0..8).collect()], 8));
    assert_eq!(offsets("{i64, u8}[0]"), (vec![vec![], vec![]], 0));
    assert!(structure("{u8, u16}", 1).padded && !structure("{u16, u8, u8}", 1).padded);
}

#[test]
fn records_and_rows_are_nested_lists() {
    let call = "f({u8 in 0..=8, i16, u8[2] in 'a'..='z'}[n], i32[2][3], out {i32, f32}[n], {{bool, i8}[2], f64})";
    let plan = plan(call, Some(2)).unwrap();
    // By column: all first fields, then all second ones.
    let rows: Vec<u32> = plan.groups().map(|group| group.row).collect();
    assert_eq!((plan.variables, rows), (2 + 2 + 4 + 6 + 2 + 2 + 1, vec![1, 1, 2, 3, 1, 1, 1]));
    let input =
        json!([[[8, -1, [97, 98]], [0, 300, [99, 100]]], [[1, 2, 3], [-4, -5, -6]], null, [[[1, -1], [0, 5]], 0.5]]);
    let (witness, _) = plan.decode(&input).unwrap();
    assert_eq!(witness.values()[..8], [8, 0, 0xffff, 300, 97, 98, 99, 100]);
    assert_eq!(plan.encode(&witness, &[]), input);
    let Argument::Structure(structure) = &plan.arguments[0] else { panic!() };
    assert_eq!(structure.image(&witness), [8, 0, 255, 255, 97, 98, 0, 0, 44, 1, 99, 100]);
    assert_eq!(structure.place_of(pessimum_term::VariableId(7)).as_deref(), Some("[1][2][1]"));
    assert_eq!(structure.place_of(pessimum_term::VariableId(8)), None);
    let text =
        json!([[[8, -1, "ab"], [0, 300, {"text": "cd"}]], [[1, 2, 3], [-4, -5, -6]], null, [[[1, -1], [0, 5]], 0.5]]);
    assert_eq!(plan.decode(&text).unwrap().0, witness);
    let with = |at: &str, value: Value| {
        let mut input = input.clone();
        *input.pointer_mut(at).unwrap() = value;
        plan.decode(&input).unwrap_err().to_string()
    };
    assert_eq!(with("/0/1", json!(5)), "input[0][1]: expected a list of the 3 fields of a record, found 5");
    assert_eq!(with("/0/1/0", json!(9)), "input[0][1][0]: 9 is outside the range given in the call, 0..=8");
    assert_eq!(with("/0/1/2", json!("abc")), "input[0][1][2]: 3 bytes, but the length given is 2");
    assert_eq!(with("/1/0", json!([1, 2])), "input[1][0]: expected a list of 3 numbers, found a list of 2");
    assert_eq!(with("/1", json!([[1, 2, 3]])), "input[1]: expected a list of 2 lists, found a list of 1");
    assert!(with("/2", json!([])).starts_with("input[2]: this argument is `out`"));
}

#[test]
fn mistakes_point_at_their_column() {
    let cases: &[(&str, usize, &str)] = &[
        ("", 0, "name of an exported function"),
        ("sort", 4, "`(` and the arguments after the name"),
        ("sort(i32[n], n", 14, "`,` or `)`"),
        ("sort(i32[n) ", 10, "`]` after the length"),
        ("sort(int[n])", 5, "`int` is not a type; did you mean `i32`?"),
        ("sort(size_t)", 5, "did you mean `u32`, or `n` for the size?"),
        ("f(\"a, 1)", 2, "no closing quote"),
        ("f(\"\\q\")", 3, "unknown escape"),
        ("f(\"a\\x4\")", 4, "two hexadecimal digits"),
        ("sort(i32[n], m)", 13, "`m` stands for a size that was not given; give it as in `--size n=10,m=8`"),
        ("sort(nit[n], n)", 5, "`nit` is not a type"),
        ("sort(i32[n] out)", 12, "`,` or `)`"),
        ("sort(i32[n]) x", 13, "nothing after the call"),
        ("sort(i32[1.5])", 9, "a whole number"),
        ("sort(out n)", 9, "a type after `out`"),
        ("sort(out i32)", 12, "`[` and a length"),
        ("sort(i32 in 5..2)", 9, "no value lies in this range"),
        ("sort(i32 in 5..5)", 9, "no value lies in this range"),
        ("sort(u8 in 0..300)", 8, "goes beyond u8"),
        ("sort(i8 in 0..1.5)", 8, "not a whole number"),
        ("sort(i32 in 5 |)", 15, "a number or a size"),
        ("sort(u8[n] in 1..=5 | 9..=7)", 22, "no value lies in this range"),
        ("sort(u8[n] in 1 | 256)", 18, "256 goes beyond u8"),
        ("sort(str[n] in 0 | 0..1)", 12, "no byte 0"),
        ("sort({i32, })", 11, "the type of a field"),
        ("sort({i32, long}[n])", 11, "did you mean `i32`"),
        ("sort({i32 u8}[n])", 10, "`,` or `}`"),
        ("sort({i32}[n] in 0..9)", 14, "its fields may"),
        ("sort(out i32[n] in 0..9)", 9, "`out` is not input"),
        ("sort(i32[4][n-11])", 12, "cannot be negative"),
        ("sort(i32[5000][5000])", 5, "input variables in all"),
        ("sort(out i64[16000000][16000000])", 9, "more than 16777216 elements"),
        ("sort(out {i64, u8}[16000000])", 9, "bytes are more than"),
        ("sort(i32[n-11])", 9, "cannot be negative"),
        ("sort(i32[n/0])", 11, "division by zero"),
        ("sort(i32[99999999999])", 9, "allowed"),
        ("sort(i32[9000000], i32[9000000])", 19, "input variables in all"),
        ("sort(n*n*99999999999999999999999999999999999999)", 5, "too large"),
        ("sort(999999999999999999999999999999999999999999999)", 5, "too large"),
        ("sort(#)", 5, "no meaning"),
        ("sort('ab')", 5, "one ASCII character"),
        ("sort(str[3] in 0..=0)", 12, "no byte 0"),
        ("sört(é)", 5, "no meaning"),
    ];
    for &(text, column, message) in cases {
        let parsed = Signature::parse(text);
        let error = parsed.and_then(|signature| signature.lay_out(&mut InputPlan::new(Some(10)))).unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let error = plan("sort(i32[n])", None).unwrap_err();
    assert_eq!(error, "`n` stands for the size, which was not given\n  sort(i32[n])\n           ^");
    let deep = format!("f({}n{})", "(".repeat(100_000), ")".repeat(100_000));
    assert!(plan(&deep, Some(1)).unwrap_err().contains("nested too deeply"));
    assert!(Length::parse("64 in 'a'..='z' x").unwrap_err().message.contains("nothing after"));
}

/// Mutated calls are either parsed or refused.
#[test]
fn no_text_panics_the_parser() {
    let alphabet: Vec<char> = "sort(i32u8f64[n]in..=out,+-*/ 'a'0x9.5e)str{}|&m\"é".chars().collect();
    let mut state = 1u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut text: Vec<char> = "sort(i32[n] in 0..9, n)".chars().collect();
        for _ in 0..1 + next(4) {
            let at = next(text.len());
            match next(3) {
                0 => text[at] = alphabet[next(alphabet.len())],
                1 => text.insert(at, alphabet[next(alphabet.len())]),
                _ if text.len() > 1 => drop(text.remove(at)),
                _ => {}
            }
        }
        accepted += u32::from(plan(&text.into_iter().collect::<String>(), Some(5)).is_ok());
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn an_input_survives_the_round_trip_through_json() {
    let text = "f(i8[3], u64, bool, f32[3], f64[4], str[2], str[2], out i32[4], n, 1.5, i64)";
    let plan = plan(text, Some(7)).unwrap();
    let nan = f64::NAN.to_bits() | 5;
    let values = vec![
        0xff,
        0x80,
        0x7f,
        u64::MAX,
        1,
        u64::from(0.1f32.to_bits()),
        u64::from(f32::INFINITY.to_bits()),
        u64::from(f32::from_bits(1).to_bits()),
        (-0.0f64).to_bits(),
        nan,
        f64::NEG_INFINITY.to_bits(),
        1e300f64.to_bits(),
        u64::from(b'h'),
        u64::from(b'i'),
        0xff,
        0xfe,
        i64::MIN as u64,
    ];
    let witness = Witness::new(values);
    let input = plan.encode(&witness, &[]);
    let expected = json!([
        [-1, -128, 127],
        u64::MAX,
        1,
        [0.1, "inf", f64::from(f32::from_bits(1)).to_string().parse::<f64>().unwrap()],
        [-0.0, format!("nan:{nan:#x}"), "-inf", 1e300],
        "hi",
        [255, 254],
        null,
        7,
        1.5,
        i64::MIN
    ]);
    for (i, (found, expected)) in input.as_array().unwrap().iter().zip(expected.as_array().unwrap()).enumerate() {
        if i != 3 {
            assert_eq!(found, expected);
        }
    }
    let text = serde_json::to_string(&input).unwrap();
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(plan.decode(&again).unwrap().0, witness, "{text}");
}

#[test]
fn input_mistakes_are_located() {
    let plan = plan("f(u8[2] in 1..=9, i32, n, out i32[1], bool)", Some(2)).unwrap();
    let good = json!([[1, 9], -1, 2, null, true]);
    assert_eq!(plan.decode(&good).unwrap().0, Witness::new(vec![1, 9, 0xffff_ffff, 1]));
    let cases = [
        (json!(5), "input: expected a list or an object, found 5"),
        (json!([[1, 9]]), "input: 1 entries for a call with 5 arguments"),
        (json!([[1], 0, 2, null, 0]), "input[0]: 1 numbers, but the call's buffer has 2 elements"),
        (json!([[1, 0], 0, 2, null, 0]), "input[0][1]: 0 is outside the range given in the call, 1..=9"),
        (json!([[1, 300], 0, 2, null, 0]), "input[0][1]: 300 is outside u8"),
        (json!([[1, 1.5], 0, 2, null, 0]), "input[0][1]: 1.5 is not a whole number"),
        (json!([[1, 1], "x", 2, null, 0]), "input[1]: expected a number, found \"x\""),
        (json!([[1, 1], 0, 3, null, 0]), "input[2]: the call sets this argument to 2, not 3"),
        (json!([[1, 1], 0, 2, [0], 0]), "input[3]: this argument is `out`"),
        (json!([[1, 1], 0, 2, null, 2]), "input[4]: 2 is outside bool"),
        (json!({"stdni": ""}), "input: unknown key `stdni`"),
        (json!({"stdin": "00"}), "input.stdin: 1 bytes for a standard input of length 0"),
        (json!({"files": {"a": ""}}), "input.files[\"a\"]: the program was given no file with this name"),
        (json!({"values": [5]}), "input.values[0]: expected {\"i32\": N}"),
        (json!({"values": [{"bytes": "0"}]}), "input.values[0]: an odd number of hex digits"),
        (json!({"values": [{"bytes": "0g"}]}), "input.values[0]: `0g` is not a pair of hex digits"),
    ];
    for (input, message) in cases {
        let error = plan.decode(&input).unwrap_err().to_string();
        assert!(error.starts_with(message), "{input}: {error}");
    }
}

#[test]
fn bytes_of_a_command_are_hex_or_text() {
    let mut plan = InputPlan::new(Some(2));
    Length::parse("n+1").unwrap().lay_out_stdin(&mut plan).unwrap();
    Length::parse_argument("str[n] in 'a'..='z'").unwrap().unwrap().lay_out_argument(&mut plan).unwrap();
    Length::parse("1").unwrap().lay_out_file("data", &mut plan).unwrap();
    assert!(Length::parse_argument("plain").is_none());
    let text = json!({"stdin": {"text": "a\nb"}, "args": [{"text": "xy"}], "files": {"data": "FF"}, "values": [{"f32": 0.5}, {"bytes": "0102"}, {"i64": -1}]});
    let (witness, guest) = plan.decode(&text).unwrap();
    assert_eq!(witness.values()[..6], [97, 10, 98, 120, 121, 255]);
    assert_eq!(witness.values()[6..], [u64::from(0.5f32.to_bits()), 1, 2, u64::MAX]);
    let expected = json!({"stdin": "610a62", "args": ["7879"], "files": {"data": "ff"}, "values": [{"f32": 0.5}, {"bytes": "0102"}, {"i64": -1}]});
    assert_eq!(plan.encode(&witness, &guest), expected);
    assert_eq!(plan.default_witness().values(), [0, 0, 0, 97, 97, 0]);
}
