//! C++ around the author's functions: makes the objects that they take from numbers and memory, and calls them.
//!
//! The text that is made here is compiled together with the author's source. Each function gets one of ours with a C
//! interface; what happens in there before and after the call is neither counted nor shown. `raw<T>::type` is how a
//! value is laid out in memory, as `crate::prototypes` describes it for `--call`, and `raw<T>::make` makes the
//! value of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::prototypes::{
    Library, Member, Parameter, Prototype, Prototypes, Record, Room, TemplateArgument, Type, is_fixed,
};

/// The functions of a source that are called through code of ours.
#[derive(Debug, Default)]
pub struct Objects {
    pub functions: Vec<Function>,
    /// Functions for which no such code can be written, by their names for the linker, with the reason.
    pub refused: Vec<(Prototype, String)>,
    /// The room in the objects that are made.
    room: Room,
}

/// A function with what is around it.
#[derive(Debug)]
pub struct Function {
    pub prototype: Prototype,
    /// The name of ours for the linker.
    pub symbol: String,
    /// What to write in `--call` between the parentheses.
    pub arguments: String,
    text: String,
}

/// How the names of our functions start.
const SYMBOL: &str = "pessimum_call_";

/// How the places of code that makes structures start.
const RECORD: &str = "record_";

impl Objects {
    /// Chooses the functions of one source that cannot be called as they are. `global` has those that the linker can
    /// export.
    pub fn new(prototypes: &Prototypes, source: &Path, global: &[String], room: Room) -> Objects {
        let mut objects = Objects { room, ..Objects::default() };
        let mut all: Vec<&Prototype> = prototypes.all().collect();
        all.sort_by_key(|prototype| prototype.line);
        for prototype in all {
            let is_own = Path::new(&prototype.file).file_name() == source.file_name();
            let is_known = global.contains(&prototype.symbol);
            if !is_own || !prototype.is_public || is_special(prototype) || is_known && !prototype.needs_objects() {
                continue;
            }
            let symbol = format!("{SYMBOL}{}", objects.functions.len());
            let arguments = prototype.arguments(Some(room), prototypes).map_err(|refused| refused.to_string());
            match arguments.and_then(|arguments| Ok((arguments, text(prototype, &symbol)?))) {
                Ok((arguments, text)) => {
                    let (prototype, arguments) = (prototype.clone(), arguments.join(", "));
                    objects.functions.push(Function { prototype, symbol, arguments, text });
                }
                Err(why) => objects.refused.push((prototype.clone(), why)),
            }
        }
        objects
    }

    /// Everything that is compiled after the author's source.
    pub fn text(&self) -> String {
        let needed = Needed::by(&self.functions);
        let Room { bytes, items } = self.room;
        let mut text = String::new();
        if needed.templates.iter().any(|name| name.ends_with("stream")) {
            text += "#include <sstream>\n";
        }
        // Authors may have given these words another meaning.
        for word in WORDS.split_whitespace() {
            let _ = writeln!(text, "#undef {word}");
        }
        text += &COMMON.replace("FEW_BYTES", &bytes.to_string()).replace("FEW_ITEMS", &items.to_string());
        for name in &needed.templates {
            text += &support(name).replace("FEW_ITEMS", &items.to_string());
        }
        for (number, record) in needed.records.iter().enumerate() {
            let _ = write!(text, "#line 1 \"pessimum/{RECORD}{number}\"\n{}", structure(record));
        }
        text += "}\n";
        for function in &self.functions {
            let _ = writeln!(text, "#line 1 \"pessimum/{}\"\n{}", function.symbol, function.text);
        }
        text
    }

    /// Gives up those functions whose code the compiler complained about. Returns whether there were any.
    pub fn drop_failed(&mut self, said: &str) -> bool {
        let records = Needed::by(&self.functions).records;
        let number = |line: &str, start: &str| {
            let (_, rest) = line.split_once(&format!("pessimum/{start}"))?;
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok()
        };
        let (mut failed, mut message) = (Vec::new(), String::new());
        for line in said.lines() {
            if let Some((_, error)) = line.split_once("error: ") {
                message = error.to_string();
            }
            failed.extend(number(line, SYMBOL).map(|at| (format!("{SYMBOL}{at}"), message.clone())));
            if let Some(record) = number(line, RECORD).and_then(|at| records.get(at)) {
                let users = self.functions.iter().filter(|function| Needed::by([*function]).records.contains(record));
                failed.extend(users.map(|function| (function.symbol.clone(), message.clone())));
            }
        }
        let before = self.functions.len();
        for function in std::mem::take(&mut self.functions) {
            match failed.iter().find(|(symbol, _)| *symbol == function.symbol) {
                Some((_, message)) => {
                    let why = format!("a call of it does not compile: {message}; write a small function that calls it");
                    self.refused.push((function.prototype, why));
                }
                None => self.functions.push(function),
            }
        }
        self.functions.len() < before
    }

    /// Gives up all of them.
    pub fn drop_all(&mut self) {
        let why = "the code that makes its objects does not compile; write a small function that takes numbers or \
                   arrays of them, makes the objects and calls this one";
        self.refused.extend(self.functions.drain(..).map(|function| (function.prototype, why.to_string())));
    }
}

/// Constructors, operators and the like, and where the program starts.
fn is_special(prototype: &Prototype) -> bool {
    let mut parts = prototype.path.split('<').next().unwrap_or_default().rsplit("::");
    let (name, owner) = (parts.next().unwrap_or_default(), parts.next());
    let is_operator =
        name.strip_prefix("operator").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    name == "main"
        || name.starts_with(['~', '_'])
        || is_operator
        || prototype.path.contains("::operator")
        || prototype.member != Member::Free && owner == Some(name)
}

/// The types of parameters, in an order in which each is known before it is used.
#[derive(Default)]
struct Needed {
    templates: BTreeSet<String>,
    records: Vec<Record>,
}

impl Needed {
    fn by<'a>(functions: impl IntoIterator<Item = &'a Function>) -> Needed {
        let mut needed = Needed::default();
        for function in functions {
            function.prototype.parameters.iter().for_each(|parameter| needed.add(&parameter.ty));
        }
        needed
    }

    fn add(&mut self, ty: &Type) {
        match ty {
            Type::Pointer(of) | Type::Reference(of) | Type::Moved(of) | Type::Const(of) | Type::Array(of, _) => {
                self.add(of);
            }
            Type::Template(name, arguments) => {
                self.templates.insert(name.clone());
                for argument in arguments {
                    if let TemplateArgument::Type(ty) = argument {
                        self.add(ty);
                    }
                }
            }
            Type::Record(record) if !is_fixed(ty) => {
                record.fields.iter().for_each(|field| self.add(&field.ty));
                // Comparators and the like are classes without anything in them.
                if !record.fields.is_empty() && !self.records.iter().any(|known| known.name == record.name) {
                    self.records.push(record.clone());
                }
            }
            _ => {}
        }
    }
}

/// A type as it is written in C++; `None` where it has no name.
fn spelled(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Number { name, .. } => name.clone(),
        Type::Enumeration { name, .. } if !name.is_empty() => format!("::{name}"),
        Type::Pointer(to) => match &**to {
            Type::Function(..) => format!("pessimum_calls::is<{}>::type *", spelled(to)?),
            to => format!("{} *", spelled(to)?),
        },
        Type::Reference(to) => format!("{} &", spelled(to)?),
        Type::Moved(to) => format!("{} &&", spelled(to)?),
        Type::Const(of) => match &**of {
            Type::Pointer(_) => format!("{} const", spelled(of)?),
            of => format!("const {}", spelled(of)?),
        },
        Type::Array(of, Some(count)) => format!("pessimum_calls::is<{}[{count}]>::type", spelled(of)?),
        Type::Record(record) if !record.name.is_empty() => format!("::{}", record.name),
        Type::Template(name, arguments) => {
            let argument = |argument: &TemplateArgument| match argument {
                TemplateArgument::Type(ty) => spelled(ty),
                TemplateArgument::Value(value) => Some(format!("{value}u")),
            };
            let arguments = arguments.iter().map(argument).collect::<Option<Vec<_>>>()?;
            format!("{name}<{}>", arguments.join(", "))
        }
        Type::Function(parameters, result) => {
            let parameters = parameters.iter().map(spelled).collect::<Option<Vec<_>>>()?;
            format!("{} ({})", spelled(result)?, parameters.join(", "))
        }
        Type::Void => "void".to_string(),
        Type::Other(name) if !name.is_empty() => format!("::{name}"),
        _ => return None,
    })
}

/// What is done for one parameter.
#[derive(Default)]
struct Passed {
    /// In the list of parameters of our function.
    parameters: Vec<String>,
    /// Before the call.
    made: String,
    /// In the call.
    argument: String,
    /// After the call: what was made is copied to where the input was, so that changes can be seen.
    after: String,
}

fn text(prototype: &Prototype, symbol: &str) -> Result<String, String> {
    let unnamed = |parameter: &Parameter| format!("its parameter `{}` has a type without a name", parameter.name);
    let mut all = Passed::default();
    let mut arguments = Vec::new();
    for (at, parameter) in prototype.own_parameters(true) {
        let passed = passed(&parameter.ty, at).ok_or_else(|| unnamed(parameter))?;
        all.parameters.extend(passed.parameters);
        all.made += &passed.made;
        all.after += &passed.after;
        arguments.push(passed.argument);
    }
    let (name, path) = (prototype.path.rsplit("::").next().unwrap_or_default(), &prototype.path);
    let (object, callee) = match &prototype.member {
        Member::Method(class) => (format!("::{class} self{{}};"), format!("self.{name}")),
        Member::Free | Member::Static => (String::new(), format!("::{path}")),
    };
    let call = format!("{callee}({})", arguments.join(", "));
    let (result, before, call, end) = match prototype.result.plain() {
        Type::Number { name, .. } => {
            (name.as_str(), format!("{name} result;"), format!("result = {call};"), "return result;")
        }
        Type::Enumeration { .. } => {
            ("int", "int result;".to_string(), format!("result = static_cast<int>({call});"), "return result;")
        }
        Type::Void | Type::Reference(_) | Type::Moved(_) | Type::Pointer(_) => {
            ("void", String::new(), format!("{call};"), "")
        }
        // What is returned stays: taking it apart is not part of the function.
        _ => {
            let before = format!(
                "typedef decltype({call}) kept; alignas(kept) unsigned char place[sizeof(kept)]; pessimum_calls::here at \
                 = {{place}};"
            );
            ("void", before, format!("new (at) kept({call});"), "")
        }
    };
    // Nothing is optimised here, so that the call is made where it is written and does not vanish.
    Ok(format!(
        "extern \"C\" __attribute__((nodebug, used, noinline, optnone)) {result} {symbol}({}) {{ {object} {} {before} \
         pessimum_calls_begin(); {call} pessimum_calls_end(); {} {end} }}",
        all.parameters.join(", "),
        all.made,
        all.after,
    ))
}

/// How one parameter is passed; `None` where its type cannot be written.
fn passed(ty: &Type, at: usize) -> Option<Passed> {
    let (p, n, a) = (format!("p{at}"), format!("n{at}"), format!("a{at}"));
    let number = |ty: &Type| match ty.plain() {
        Type::Enumeration { kind, .. } => Some(basic(*kind).to_string()),
        ty => spelled(ty),
    };
    let target = match ty.plain() {
        Type::Number { .. } => {
            return Some(Passed {
                parameters: vec![format!("{} {p}", spelled(ty.plain())?)],
                argument: p,
                ..Passed::default()
            });
        }
        Type::Enumeration { .. } => {
            let argument = format!("static_cast<{}>({p})", spelled(ty.plain())?);
            return Some(Passed { parameters: vec![format!("{} {p}", number(ty)?)], argument, ..Passed::default() });
        }
        Type::Pointer(to) if !is_made(to) => {
            return Some(Passed {
                parameters: vec![format!("{} {p}", spelled(ty.plain())?)],
                argument: p,
                ..Passed::default()
            });
        }
        Type::Pointer(to) | Type::Reference(to) | Type::Moved(to) => to,
        of => of,
    };
    let own = spelled(target.plain())?;
    let argument = |of: &str| match ty.plain() {
        Type::Pointer(_) => format!("&{of}"),
        Type::Reference(to) if to.is_const() => format!("static_cast<const {own} &>({of})"),
        Type::Reference(_) => of.to_string(),
        _ => format!("static_cast<{own} &&>({of})"),
    };
    let is_changed = matches!(ty.plain(), Type::Reference(to) | Type::Pointer(to) if !to.is_const());
    // Memory that is laid out as the value is can be used as it is.
    if is_fixed(target) {
        let argument = match ty.plain() {
            Type::Pointer(_) => p.clone(),
            Type::Reference(_) => argument(&format!("*{p}")),
            Type::Moved(_) => format!("static_cast<{own} &&>(*{p})"),
            _ => format!("*{p}"),
        };
        return Some(Passed { parameters: vec![format!("{own} *{p}")], argument, ..Passed::default() });
    }
    let several = |of: &Type, made: String| {
        let raw = format!("pessimum_calls::raw<{}>::type", spelled(of.plain())?);
        let parameters = vec![format!("{raw} *{p}"), format!("pessimum_calls::size {n}")];
        let is_copied = is_changed && is_fixed(of);
        let after = if is_copied { format!("pessimum_calls::back({a}, {p}, {n});") } else { String::new() };
        Some(Passed { parameters, made, argument: argument(&a), after })
    };
    let made = |of: &Type| {
        let of_spelled = spelled(of.plain())?;
        Some(match is_fixed(of) {
            true => format!("{own} {a}({p}, {p} + {n});"),
            false => format!("{own} {a} = pessimum_calls::many<{own}, {of_spelled}>({p}, {n});"),
        })
    };
    match target.library() {
        Some(Library::Text(of) | Library::Sequence(of)) => {
            let is_set = matches!(target.plain(), Type::Template(name, _) if name.contains("set"));
            let passed = several(of, made(of)?)?;
            // The order of a set says nothing about where its elements came from.
            Some(if is_set { Passed { after: String::new(), ..passed } } else { passed })
        }
        Some(Library::View(of)) => {
            let made = match is_fixed(of) {
                true => format!("{own} {a}({p}, {n});"),
                false => {
                    let of = spelled(of.plain())?;
                    format!(
                        "std::vector<{of}> s{at} = pessimum_calls::many<std::vector<{of}>, {of}>({p}, {n}); {own} {a}(s{at}.data(), {n});"
                    )
                }
            };
            let passed = several(of, made)?;
            Some(Passed { after: String::new(), ..passed })
        }
        Some(Library::Adapter(of)) => {
            let made = format!("{own} {a}; pessimum_calls::push<{}>({a}, {p}, {n});", spelled(of.plain())?);
            let passed = several(of, made)?;
            Some(Passed { after: String::new(), ..passed })
        }
        Some(Library::Map(key, value)) => {
            let (key, value) = (spelled(key.plain())?, spelled(value.plain())?);
            let parameters =
                vec![format!("pessimum_calls::entry<{key}, {value}> *{p}"), format!("pessimum_calls::size {n}")];
            let made = format!("{own} {a} = pessimum_calls::keyed<{own}, {key}, {value}>({p}, {n});");
            Some(Passed { parameters, made, argument: argument(&a), after: String::new() })
        }
        Some(Library::Input) => Some(Passed {
            parameters: vec![format!("char *{p}"), format!("pessimum_calls::size {n}")],
            made: format!("std::istringstream {a}(std::string({p}, {n}));"),
            argument: if matches!(ty.plain(), Type::Pointer(_)) { format!("&{a}") } else { a },
            after: String::new(),
        }),
        Some(Library::Output) => Some(Passed {
            made: format!("std::ostringstream {a};"),
            argument: if matches!(ty.plain(), Type::Pointer(_)) { format!("&{a}") } else { a },
            ..Passed::default()
        }),
        _ => {
            let raw = format!("pessimum_calls::raw<{own}>");
            let made = format!("{own} {a} = {raw}::make(*{p});");
            let parameters = vec![format!("{raw}::type *{p}")];
            let is_copied = is_changed && matches!(target.library(), Some(Library::Array(of, _)) if is_fixed(of));
            let after = match is_copied {
                true => format!("pessimum_calls::back({a}, {p}->items, sizeof({p}->items) / sizeof(*{p}->items));"),
                false => String::new(),
            };
            Some(Passed { parameters, made, argument: argument(&a), after })
        }
    }
}

/// Whether an object has to be made for a pointer to this.
fn is_made(ty: &Type) -> bool {
    match ty.plain() {
        Type::Template(..) => true,
        Type::Record(_) => !is_fixed(ty),
        _ => false,
    }
}

/// The basic type of a number that an enumeration is stored as.
fn basic(kind: pessimum_input::Kind) -> &'static str {
    use pessimum_input::Kind;
    match kind {
        Kind::Bool => "bool",
        Kind::I8 => "signed char",
        Kind::U8 => "unsigned char",
        Kind::I16 => "short",
        Kind::U16 => "unsigned short",
        Kind::I32 => "int",
        Kind::U32 => "unsigned",
        Kind::I64 => "long long",
        Kind::U64 => "unsigned long long",
        Kind::F32 => "float",
        Kind::F64 => "double",
    }
}

/// Words of C++ and of its library that the text uses.
const WORDS: &str = "alignas auto bool char class const decltype double extern first float for if int long namespace \
     new operator return second short signed sizeof static static_cast struct template true false typedef typename \
     unsigned void std string vector deque list set map multimap multiset unordered_set unordered_map pair tuple \
     optional array span basic_string basic_string_view stack queue priority_queue allocator less hash equal_to \
     begin end size data insert push reserve make raw many keyed entry few put back";

/// What is needed for every function.
const COMMON: &str = r#"#line 1 "pessimum/common"
extern "C" __attribute__((import_module("pessimum"), import_name("begin"))) void pessimum_calls_begin(void);
extern "C" __attribute__((import_module("pessimum"), import_name("end"))) void pessimum_calls_end(void);
namespace pessimum_calls {
typedef decltype(sizeof(0)) size;
struct here { void *place; };
template <class T> struct is { typedef T type; };
template <class T> struct raw { typedef T type; static const T &make(const T &from) { return from; } };
template <class T> struct raw<const T> : raw<T> {};
template <class T> void put(T &to, const typename raw<T>::type &from) { to = raw<T>::make(from); }
template <class T, size N> void put(T (&to)[N], const typename raw<T>::type (&from)[N]) {
  for (size i = 0; i < N; i++) put(to[i], from[i]);
}
template <class T> struct most { static const size items = FEW_ITEMS; };
template <> struct most<char> { static const size items = FEW_BYTES; };
template <class T, size N> struct few { unsigned char count; typename raw<T>::type items[N]; };
template <class K, class V> struct entry { typename raw<K>::type key; typename raw<V>::type value; };
template <class C, class T> C many(const typename raw<T>::type *items, size count) {
  C made;
  for (size i = 0; i < count; i++) made.insert(made.end(), raw<T>::make(items[i]));
  return made;
}
template <class C, class K, class V> C keyed(const entry<K, V> *items, size count) {
  C made;
  for (size i = 0; i < count; i++)
    made.insert(typename C::value_type(raw<K>::make(items[i].key), raw<V>::make(items[i].value)));
  return made;
}
template <class T, class C> void push(C &made, const typename raw<T>::type *items, size count) {
  for (size i = 0; i < count; i++) made.push(raw<T>::make(items[i]));
}
template <class C, class T> void back(const C &made, T *items, size count) {
  size i = 0;
  for (auto at = made.begin(); at != made.end() && i < count; ++at) items[i++] = *at;
}
template <class C, class T> struct sequence {
  typedef few<T, most<T>::items> type;
  static C make(const type &from) { return many<C, T>(from.items, from.count); }
};
template <class C, class T> struct view {
  typedef few<T, most<T>::items> type;
  static C make(const type &from) { return C(from.items, from.count); }
};
template <class C, class K, class V> struct dictionary {
  struct type { unsigned char count; entry<K, V> items[FEW_ITEMS]; };
  static C make(const type &from) { return keyed<C, K, V>(from.items, from.count); }
};
}
inline void *operator new(pessimum_calls::size, pessimum_calls::here at) { return at.place; }
namespace pessimum_calls {
"#;

/// How values of a class of the library are made where they are part of others.
fn support(name: &str) -> String {
    let derived = |parameters: &str, arguments: &str, from: String| {
        format!("template <{parameters}> struct raw<{name}<{arguments}>> : {from} {{}};\n")
    };
    match name {
        "std::basic_string"
        | "std::vector"
        | "std::deque"
        | "std::list"
        | "std::set"
        | "std::multiset"
        | "std::unordered_set"
        | "std::unordered_multiset" => {
            derived("class T, class... X", "T, X...", format!("sequence<{name}<T, X...>, T>"))
        }
        "std::basic_string_view" => derived("class T, class... X", "T, X...", format!("view<{name}<T, X...>, T>")),
        "std::map" | "std::multimap" | "std::unordered_map" | "std::unordered_multimap" => {
            derived("class K, class V, class... X", "K, V, X...", format!("dictionary<{name}<K, V, X...>, K, V>"))
        }
        "std::pair" => PAIR.to_string(),
        "std::tuple" => (1..=MOST_IN_TUPLE).map(tuple).collect(),
        "std::optional" => OPTIONAL.to_string(),
        "std::array" => ARRAY.to_string(),
        _ => String::new(),
    }
}

const PAIR: &str = "template <class A, class B> struct raw<std::pair<A, B>> {
  struct type { typename raw<A>::type first; typename raw<B>::type second; };
  static std::pair<A, B> make(const type &from) {
    return std::pair<A, B>(raw<A>::make(from.first), raw<B>::make(from.second));
  }
};
";

const OPTIONAL: &str = "template <class T> struct raw<std::optional<T>> {
  struct type { bool is_there; typename raw<T>::type value; };
  static std::optional<T> make(const type &from) {
    if (from.is_there) return std::optional<T>(raw<T>::make(from.value));
    return std::optional<T>();
  }
};
";

const ARRAY: &str = "template <class T, size N> struct raw<std::array<T, N>> {
  struct type { typename raw<T>::type items[N]; };
  static std::array<T, N> make(const type &from) {
    std::array<T, N> made{};
    for (size i = 0; i < N; i++) put(made[i], from.items[i]);
    return made;
  }
};
";

const MOST_IN_TUPLE: usize = 8;

fn tuple(count: usize) -> String {
    let list = |part: &dyn Fn(usize) -> String, by: &str| (0..count).map(part).collect::<Vec<_>>().join(by);
    let parameters = list(&|i| format!("class T{i}"), ", ");
    let types = list(&|i| format!("T{i}"), ", ");
    let fields = list(&|i| format!("typename raw<T{i}>::type v{i};"), " ");
    let values = list(&|i| format!("raw<T{i}>::make(from.v{i})"), ", ");
    format!(
        "template <{parameters}> struct raw<std::tuple<{types}>> {{\n  struct type {{ {fields} }};\n  \
         static std::tuple<{types}> make(const type &from) {{ return std::tuple<{types}>({values}); }}\n}};\n"
    )
}

/// How a structure of the author's is made, field by field.
fn structure(record: &Record) -> String {
    let (mut fields, mut puts) = (String::new(), String::new());
    for (at, field) in record.fields.iter().enumerate() {
        // Arrays of C are written around the name.
        let (mut of, mut counts) = (&field.ty, String::new());
        while let Type::Array(inner, Some(count)) = of.plain() {
            let _ = write!(counts, "[{count}]");
            of = inner;
        }
        let _ = write!(fields, "raw<{}>::type f{at}{counts}; ", spelled(of.plain()).unwrap_or_default());
        let _ = write!(puts, "put(made.{}, from.f{at}); ", field.name);
    }
    let name = format!("::{}", record.name);
    format!(
        "template <> struct raw<{name}> {{\n  struct type {{ {fields}}};\n  static {name} make(const type &from) {{ \
         {name} made{{}}; {puts}return made; }}\n}};\n"
    )
}
