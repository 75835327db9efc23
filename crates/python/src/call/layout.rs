//! Sizes evaluated, variables numbered: from types to an input and a recipe.

use pessimum_input::language::{Bound, Expression, Layout, Range};
use pessimum_input::{
    Argument, Bounds, Column, Group, InputPlan, Kind, MAX_VARIABLES, Shape, Structure, SyntaxError, sign_extend,
    truncate,
};
use pessimum_term::Witness;
use serde_json::{Value, json};

use super::recipe::{Many, Recipe};
use super::{PythonCall, TextKind, Type};
use crate::wire::VariableForm;

/// Containers and constants of one call: each costs time in every run, like a variable.
const MOST_PARTS: u64 = MAX_VARIABLES;

/// A call laid out for one size.
#[derive(Clone, Debug)]
pub(crate) struct Laid {
    pub plan: InputPlan,
    /// How the arguments are made, those by name last.
    pub recipes: Vec<(Option<String>, Recipe)>,
    /// The variables of each column.
    pub columns: Vec<Group>,
}

/// Lays a call out after `plan`, which has the sizes.
pub(crate) fn lay_out(call: &PythonCall, mut plan: InputPlan) -> Result<Laid, SyntaxError> {
    let mut columns = Vec::new();
    let mut recipes = Vec::new();
    let mut arguments = Vec::new();
    let sized = plan.clone();
    let mut layout = Layout::new(call.text(), &sized);
    for argument in &call.arguments {
        let mut builder = Builder {
            layout: &mut layout,
            column: argument.column,
            first: columns.len(),
            columns: Vec::new(),
            parts: 0,
        };
        let (shape, recipe) = builder.build(&argument.of, &mut Vec::new())?;
        let own = builder.columns;
        columns.extend(own.iter().filter_map(|column| column.group.clone()));
        arguments.push(input_argument(&argument.of, shape, &recipe, own));
        recipes.push((argument.name.clone(), recipe));
    }
    plan.variables = layout.next;
    plan.arguments = arguments;
    Ok(Laid { plan, recipes, columns })
}

/// The argument as inputs know it. Inputs of one kind of number have forms of their own.
fn input_argument(of: &Type, shape: Option<Shape>, recipe: &Recipe, columns: Vec<Column>) -> Argument {
    let only = || columns.first().and_then(|column| column.group.clone());
    match (of, recipe) {
        (Type::Constant { kind, repr }, _) => match kind.as_str() {
            "int" => repr.parse().map_or_else(|_| Argument::Constant(repr.as_bytes().into()), Argument::Integer),
            "float" => repr.parse().map_or_else(|_| Argument::Constant(repr.as_bytes().into()), Argument::Float),
            _ => Argument::Constant(repr.as_bytes().into()),
        },
        (Type::Size(_), Recipe::Constant(value)) => Argument::Integer(value.parse().unwrap_or_default()),
        (Type::Int(_) | Type::Bool | Type::Float(_), _) if columns.len() == 1 => match only() {
            Some(group) => Argument::Scalar(group),
            None => structure(shape, columns),
        },
        (Type::Text(kind, ..), _) if columns.len() == 1 => match only() {
            Some(group) if *kind == TextKind::Str => Argument::Text(group),
            Some(group) => Argument::Buffer(group),
            None => structure(shape, columns),
        },
        (Type::Many(Many::List, _, inner), _) if matches!(**inner, Type::Int(_) | Type::Bool | Type::Float(_)) => {
            match only() {
                Some(group) => Argument::Buffer(group),
                None => structure(shape, columns),
            }
        }
        _ => structure(shape, columns),
    }
}

fn structure(shape: Option<Shape>, columns: Vec<Column>) -> Argument {
    // Constants have no place in it.
    let shape = shape.unwrap_or(Shape::Record(Vec::new()));
    Argument::Structure(Structure { shape, columns, bytes: 0, padded: false })
}

struct Builder<'b, 'l> {
    layout: &'b mut Layout<'l>,
    /// Where the argument stands in the text.
    column: usize,
    /// Columns of the arguments before.
    first: usize,
    columns: Vec<Column>,
    parts: u64,
}

impl Builder<'_, '_> {
    /// The shape of a value within so many others, and how it is made.
    fn build(&mut self, of: &Type, repeated: &mut Vec<(u32, u64)>) -> Result<(Option<Shape>, Recipe), SyntaxError> {
        self.parts += repeated.iter().fold(1u64, |all, &(count, _)| all.saturating_mul(count.into()));
        if self.parts > MOST_PARTS {
            return Err(self.layout.error(self.column, format!("more than {MOST_PARTS} values in all")));
        }
        Ok(match of {
            Type::Int(range) => {
                let kind = match range {
                    None => Kind::I32,
                    Some(range) => self.kind_of(range)?,
                };
                let column = self.number(kind, range, repeated, false)?;
                (Some(Shape::Number(column)), Recipe::Int(self.first + column))
            }
            Type::Bool => {
                let column = self.number(Kind::Bool, &None, repeated, false)?;
                (Some(Shape::Number(column)), Recipe::Bool(self.first + column))
            }
            Type::Float(range) => {
                let column = self.number(Kind::F64, range, repeated, false)?;
                (Some(Shape::Number(column)), Recipe::Float(self.first + column))
            }
            Type::Text(kind, length, range) => {
                let count = self.layout.count(length, kind.name())?;
                let number = match (kind, range) {
                    (TextKind::Str, Some(range)) => self.character_kind(range)?,
                    _ => Kind::U8,
                };
                repeated.push((count, 0));
                let column = self.number(number, range, repeated, *kind == TextKind::Str);
                repeated.pop();
                let column = column?;
                let shape = Shape::Array(count, Box::new(Shape::Number(column)));
                (Some(shape), Recipe::Text(*kind, count, self.first + column))
            }
            Type::Many(kind, length, of) => {
                let count = self.layout.count(length, "this type")?;
                let (shape, recipe) = self.repeat(count, of, repeated)?;
                (shape.map(|shape| Shape::Array(count, Box::new(shape))), Recipe::Many(*kind, count, Box::new(recipe)))
            }
            Type::Dict(length, of) => {
                let count = self.layout.count(length, "this type")?;
                let (key, key_recipe) = self.repeat(count, &of.0, repeated)?;
                let (value, value_recipe) = self.repeat(count, &of.1, repeated)?;
                let fields: Vec<Shape> = key.into_iter().chain(value).collect();
                let shape = (!fields.is_empty()).then(|| Shape::Array(count, Box::new(Shape::Record(fields))));
                (shape, Recipe::Dict(count, Box::new((key_recipe, value_recipe))))
            }
            Type::Tuple(of) => {
                let (mut shapes, mut recipes) = (Vec::new(), Vec::new());
                for of in of {
                    let (shape, recipe) = self.build(of, repeated)?;
                    shapes.extend(shape);
                    recipes.push(recipe);
                }
                ((!shapes.is_empty()).then_some(Shape::Record(shapes)), Recipe::Tuple(recipes))
            }
            Type::Make(name, fields) => {
                let (mut shapes, mut recipes) = (Vec::new(), Vec::new());
                for (field, of) in fields {
                    let (shape, recipe) = self.build(of, repeated)?;
                    shapes.extend(shape);
                    recipes.push((field.clone(), recipe));
                }
                ((!shapes.is_empty()).then_some(Shape::Record(shapes)), Recipe::Make(name.clone(), recipes))
            }
            Type::Choice(of) => {
                let kind = if of.len() <= 1 << 8 { Kind::U8 } else { Kind::U32 };
                let column = self.number(kind, &None, repeated, false)?;
                if let Some(group) = self.columns[column].group.as_mut() {
                    group.bounds = Some(Bounds::Unsigned { low: 0, high: of.len().saturating_sub(1) as u64 });
                }
                (Some(Shape::Number(column)), Recipe::Choice(of.clone(), self.first + column))
            }
            Type::Size(value) => (None, Recipe::Constant(self.layout.evaluate(value)?.to_string())),
            Type::Constant { repr, .. } => (None, Recipe::Constant(repr.clone())),
        })
    }

    fn repeat(
        &mut self,
        count: u32,
        of: &Type,
        repeated: &mut Vec<(u32, u64)>,
    ) -> Result<(Option<Shape>, Recipe), SyntaxError> {
        repeated.push((count, 0));
        let built = self.build(of, repeated);
        repeated.pop();
        built
    }

    /// A column of numbers.
    fn number(
        &mut self,
        kind: Kind,
        range: &Option<Range>,
        repeated: &[(u32, u64)],
        characters: bool,
    ) -> Result<usize, SyntaxError> {
        let product = |of: &[(u32, u64)]| of.iter().fold(1u64, |all, &(count, _)| all.saturating_mul(count.into()));
        let count = product(repeated);
        if count > MAX_VARIABLES {
            return Err(self.layout.error(self.column, format!("more than {MAX_VARIABLES} input variables in all")));
        }
        let mut group = self.layout.group(kind, count as u32, range, self.column)?;
        group.row = u32::try_from(product(repeated.get(1..).unwrap_or_default())).unwrap_or(u32::MAX).max(1);
        group.characters = characters;
        if characters && range.is_none() {
            // What most programs are written for; NUL is rarely among it.
            group.bounds = Some(Bounds::Unsigned { low: 1, high: 127 });
        }
        self.columns.push(Column { kind, offset: 0, repeated: repeated.to_vec(), group: Some(group) });
        Ok(self.columns.len() - 1)
    }

    /// The ends of a range of whole numbers.
    fn ends(&self, range: &Range) -> Result<(i128, i128), SyntaxError> {
        let (mut least, mut most) = (i128::MAX, i128::MIN);
        for piece in &range.pieces {
            let whole = |bound: &Bound| match bound {
                Bound::Whole(value) => self.value(value),
                Bound::Decimal(value) => {
                    Err(self.layout.error(piece.column, format!("{value} is not a whole number, as int requires")))
                }
            };
            let low = whole(&piece.low)?;
            let high = piece.high.as_ref().map_or(Ok(low), whole)?;
            least = least.min(low);
            most = most.max(if piece.excludes_high { high - 1 } else { high });
        }
        Ok((least, most))
    }

    fn value(&self, expression: &Expression) -> Result<i128, SyntaxError> {
        self.layout.evaluate(expression)
    }

    /// The narrowest numbers that hold a range: the fewer bits there are, the easier the search.
    fn kind_of(&self, range: &Range) -> Result<Kind, SyntaxError> {
        let (least, most) = self.ends(range)?;
        let kinds = [Kind::U8, Kind::I8, Kind::U16, Kind::I16, Kind::U32, Kind::I32, Kind::I64];
        let holds = |kind: &Kind| {
            let (low, high) = match kind.is_signed() {
                true => (-(1i128 << (kind.width() - 1)), (1i128 << (kind.width() - 1)) - 1),
                false => (0, (1i128 << kind.width()) - 1),
            };
            low <= least && most <= high
        };
        kinds.into_iter().find(holds).ok_or_else(|| {
            let message = format!("{least}..={most} goes beyond 64 bits with a sign, which an input may have");
            self.layout.error(range.column, message)
        })
    }

    fn character_kind(&self, range: &Range) -> Result<Kind, SyntaxError> {
        let (least, most) = self.ends(range)?;
        if least < 0 || most > 0x10_ffff {
            let message = format!("{least}..={most} goes beyond the characters, which are 0..=0x10ffff");
            return Err(self.layout.error(range.column, message));
        }
        if least <= 0xdfff && most >= 0xd800 {
            let message = "0xd800..=0xdfff are no characters; leave them out, as in `0..0xd800 | 0xe000..=0xffff`";
            let parts = range.pieces.len() > 1;
            // Several pieces may lie around them.
            if !parts || self.touches_surrogates(range)? {
                return Err(self.layout.error(range.column, message));
            }
        }
        Ok(match most {
            ..=0xff => Kind::U8,
            0x100..=0xffff => Kind::U16,
            _ => Kind::U32,
        })
    }

    fn touches_surrogates(&self, range: &Range) -> Result<bool, SyntaxError> {
        for piece in &range.pieces {
            let one = Range { pieces: vec![piece.clone()], column: range.column };
            let (least, most) = self.ends(&one)?;
            if least <= 0xdfff && most >= 0xd800 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Laid {
    /// For the worker; see `worker/values.py`.
    pub fn to_json(&self, id: u64, function: &str) -> Value {
        let (mut positional, mut keywords) = (Vec::new(), Vec::new());
        for (name, recipe) in &self.recipes {
            match name {
                None => positional.push(recipe.to_json()),
                Some(name) => keywords.push(json!([name, recipe.to_json()])),
            }
        }
        let groups: Vec<Value> = self.columns.iter().map(group_json).collect();
        let columns: Vec<u32> = self.columns.iter().map(|group| group.first).collect();
        json!({ "id": id, "function": function, "arguments": positional, "keywords": keywords, "columns": columns,
                "groups": groups })
    }

    /// The values of the variables as the worker reads them.
    pub fn words(&self, input: &Witness) -> Vec<i64> {
        let mut words = Vec::with_capacity(self.plan.variables as usize);
        for group in &self.columns {
            let (signed, width) = (group.kind.is_signed(), group.kind.width());
            let word = |bits: u64| if signed { sign_extend(bits, width) } else { bits as i64 };
            words.extend(group.variables().map(|variable| word(input.get(variable))));
        }
        words
    }

    /// The input of such values.
    pub fn witness(&self, words: &[i64]) -> Witness {
        let mut values: Vec<u64> = words.iter().map(|&word| word as u64).collect();
        for group in &self.columns {
            for value in values.iter_mut().skip(group.first as usize).take(group.count as usize) {
                *value = truncate(*value, group.kind.width());
            }
        }
        Witness::new(values)
    }

    /// How the bits of a variable are read.
    pub fn form(&self, variable: u32) -> Option<VariableForm> {
        let at = self.columns.partition_point(|group| group.first + group.count <= variable);
        let group = self.columns.get(at).filter(|group| group.first <= variable)?;
        Some(VariableForm { width: group.kind.width(), signed: group.kind.is_signed() })
    }

    /// Whether the form that inputs have in files says all about the arguments.
    pub fn is_plain(&self) -> bool {
        self.recipes.iter().all(|(name, recipe)| name.is_none() && recipe.is_plain())
    }

    /// Each argument as Python source.
    pub fn sources(&self, input: &Witness) -> Vec<String> {
        let mut next = vec![0; self.columns.len()];
        let source = |(name, recipe): &(Option<String>, Recipe)| {
            let mut text = name.as_ref().map_or_else(String::new, |name| format!("{name}="));
            recipe.source(&self.columns, &mut next, input, &mut text);
            text
        };
        self.recipes.iter().map(source).collect()
    }
}

fn group_json(group: &Group) -> Value {
    let kind = match group.kind {
        Kind::F64 | Kind::F32 => 2,
        Kind::Bool => 3,
        kind if kind.is_signed() => 1,
        _ => 0,
    };
    let (low, high) = match group.bounds {
        Some(Bounds::Signed { low, high }) => (low, high),
        Some(Bounds::Unsigned { low, high }) => (low as i64, high as i64),
        Some(Bounds::Float { .. }) => (0, 0),
        None if group.kind.is_signed() => {
            let most = (1i128 << (group.kind.width() - 1)) - 1;
            (-(most as i64) - 1, most as i64)
        }
        None => (0, ((1i128 << group.kind.width().min(63)) - 1) as i64),
    };
    json!([group.first, group.count, kind, low, high])
}
