//! The names of instructions in the text format, by which weights are given.

use wasmparser::Operator;

/// The name of the method that visits an operator, without `visit_`.
fn visit_name(operator: &Operator<'_>) -> &'static str {
    macro_rules! names {
        ($( @$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
            match operator {
                $(Operator::$op { .. } => &stringify!($visit)["visit_".len()..],)*
                _ => "unknown",
            }
        };
    }
    wasmparser::for_each_visit_operator!(names)
}

/// The name of an operator in the text format.
pub(super) fn text_name(operator: &Operator<'_>) -> String {
    let name = visit_name(operator);
    if matches!(name, "typed_select" | "typed_select_multi") {
        return "select".to_string();
    }
    match name.split_once('_') {
        Some((
            prefix
            @ ("i32" | "i64" | "f32" | "f64" | "local" | "global" | "memory" | "table" | "ref" | "data" | "elem"),
            rest,
        )) => format!("{prefix}.{rest}"),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_text_format() {
        let name = |operator: Operator<'_>| text_name(&operator);
        assert_eq!(name(Operator::I32Add), "i32.add");
        assert_eq!(name(Operator::I64ExtendI32S), "i64.extend_i32_s");
        assert_eq!(name(Operator::LocalGet { local_index: 0 }), "local.get");
        assert_eq!(name(Operator::BrIf { relative_depth: 0 }), "br_if");
        assert_eq!(name(Operator::CallIndirect { type_index: 0, table_index: 0 }), "call_indirect");
        assert_eq!(name(Operator::RefIsNull), "ref.is_null");
        assert_eq!(name(Operator::MemoryFill { mem: 0 }), "memory.fill");
        assert_eq!(name(Operator::Select), "select");
    }
}
