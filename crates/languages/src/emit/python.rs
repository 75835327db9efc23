//! Tests in Python, for pytest or by themselves. They count lines themselves, so that nothing but Python is needed.

use std::fmt::Write as _;

use super::{RegressionTest, in_comment};

/// One input as Python source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonCase {
    /// `n`.
    pub size: Option<u64>,
    /// All arguments, as they stand in a call; classes go by their names in the module.
    pub arguments: String,
    /// What is asserted.
    pub expects: Expects,
    /// The name of the exception that it raises.
    pub raises: Option<String>,
}

/// What a case asserts besides the exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expects {
    /// At most so many lines.
    Lines(u64),
    /// This value, as `repr` shows it; nothing where it did not return.
    Returns(Option<String>),
}

/// What a file of tests is about.
#[derive(Clone, Debug)]
pub struct PythonTests<'a> {
    /// The file of the program, as seen from where the tests are run.
    pub program: &'a str,
    /// The function.
    pub function: &'a str,
    /// What is run, for a comment.
    pub title: &'a str,
    /// The inputs.
    pub cases: &'a [PythonCase],
}

const LOAD: &str = r#"

def load():
    """The module, executed anew, so that no test depends on those before it."""
    path = os.path.abspath(PROGRAM)
    root, name = os.path.dirname(path), os.path.splitext(os.path.basename(path))[0]
    while os.path.exists(os.path.join(root, "__init__.py")):
        root, name = os.path.dirname(root), os.path.basename(root) + "." + name
    if sys.path[0] != root:
        sys.path.insert(0, root)
    sys.modules.pop(name, None)
    random.seed(0)
    return importlib.import_module(name)


def prepared(arguments):
    """The call, ready to be made. Classes in the arguments are those of the module."""
    module = function = load()
    for name in FUNCTION.split("."):
        function = getattr(function, name)
    arguments, named = eval(f"(lambda *listed, **named: (listed, named))({arguments})", dict(vars(module)))
    return function, arguments, named
"#;

const COUNT: &str = r#"

def lines(arguments):
    """Counts the lines that the call executes, those of libraries included; also the name of the exception it raises."""
    function, arguments, named = prepared(arguments)
    count, raised, before = 0, None, sys.gettrace()

    def trace(frame, event, _):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        function(*arguments, **named)
    except Exception as error:
        raised = type(error).__name__
    finally:
        sys.settrace(before)
    return count, raised


def check(arguments, most, raises=None):
    count, raised = lines(arguments)
    assert raised == raises, f"raises {raised}; when the test was written it was {raises}"
    assert count <= most, f"this input executes {count} lines; when the test was written it was {most}"
    return count
"#;

const DOES: &str = r#"

def check(arguments, returns=None, raises=None):
    function, arguments, named = prepared(arguments)
    returned = raised = None
    try:
        returned = repr(function(*arguments, **named))
    except Exception as error:
        raised = type(error).__name__
    assert (returned, raised) == (returns, raises), f"returned {returned}, raised {raised}"
"#;

const MAIN: &str = r#"

if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(name, "passed")
"#;

impl PythonTests<'_> {
    /// The file's text: counts of lines, and growth where there are several sizes and a class.
    pub fn lines(&self, test: &RegressionTest, sizes: &str) -> String {
        let about = "must not execute more lines than they did";
        let mut text = self.head("the worst known inputs", about, "worst_test.py") + LOAD + COUNT;
        for case in self.cases {
            let at = case.size.map(|size| format!("_at_{size}")).unwrap_or_default();
            if let Expects::Lines(most) = case.expects {
                let _ = write!(
                    text,
                    "\n\ndef test_worst_case{at}_executes_at_most_{most}_lines():\n    {}\n",
                    case.call(Some(most.to_string()))
                );
            }
        }
        let steps = test.steps();
        if let (Some(class), false) = (test.class, steps.is_empty()) {
            let _ = write!(
                text,
                "\n\ndef test_growth():\n    \"\"\"No faster than {class}, with a tenth to spare.\"\"\"\n"
            );
            text += "    counts = [\n";
            for case in self.cases {
                let _ = writeln!(text, "        lines({})[0],", literal(&case.arguments));
            }
            text += "    ]\n";
            for step in &steps {
                let size = |at: usize| test.cases[at].size.unwrap_or_default();
                let _ = writeln!(
                    text,
                    "    assert counts[{}] <= {:?} * counts[{}], f\"from n = {} to n = {}: {{counts}}\"",
                    step.to,
                    step.factor,
                    step.from,
                    size(step.from),
                    size(step.to)
                );
            }
            let _ = write!(
                text,
                "\n\ntry:\n    from pessimum_pytest import pessimum_assert_class\nexcept ImportError:\n    pass\nelse:\n\n    \
                 def test_class():\n        \"\"\"The class once more, by a new search: where the plugin and the command \
                 `pessimum` are.\"\"\"\n        pessimum_assert_class((PROGRAM, {}), \"{class}\", sizes=\"{sizes}\")\n",
                literal(self.called())
            );
        }
        text + MAIN
    }

    /// The file's text: what each input returns or raises.
    pub fn does(&self) -> String {
        let mut text = self.head("inputs that cover", "must do what they did", "cover_test.py") + LOAD + DOES;
        for (number, case) in (1..).zip(self.cases) {
            let returns = match &case.expects {
                Expects::Returns(Some(returned)) => Some(literal(returned)),
                _ => None,
            };
            let _ = write!(text, "\n\ndef test_input_{number:03}():\n    {}\n", case.call(returns));
        }
        text + MAIN
    }

    /// The call in the words of `--call`, for the plugin.
    fn called(&self) -> &str {
        self.title.split_once("--call=").map_or(self.function, |(_, call)| call)
    }

    fn head(&self, inputs: &str, about: &str, file: &str) -> String {
        format!(
            "\"\"\"Written by Pessimum: {inputs} of `{}` {about}.\n\nRun it with pytest, or by itself: `python {file}`. It \
             needs nothing but Python, and must be run in the\ndirectory that PROGRAM is relative to.\n\"\"\"\n\nimport \
             importlib\nimport os\nimport random\nimport sys\n\nPROGRAM = {}\nFUNCTION = {}\n",
            in_comment(self.title).replace('\\', "/").replace("\"\"\"", "'''"),
            literal(self.program),
            literal(self.function),
        )
    }
}

impl PythonCase {
    fn call(&self, expected: Option<String>) -> String {
        let mut arguments = vec![literal(&self.arguments)];
        arguments.extend(expected);
        arguments.extend(self.raises.as_ref().map(|raises| format!("raises={}", literal(raises))));
        format!("check({})", arguments.join(", "))
    }
}

/// A text as a Python literal. The escapes of JSON mean the same in Python, apart from characters beyond the first plane,
/// which stand for themselves in both.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(size: u64, lines: u64) -> PythonCase {
        let arguments = "[3, 1], \"a\\\"b\"".to_string();
        PythonCase { size: Some(size), arguments, expects: Expects::Lines(lines), raises: None }
    }

    #[test]
    fn growth_is_asserted_where_there_is_a_class() {
        let regression = |class| RegressionTest {
            arguments: Vec::new(),
            model: "lines".to_string(),
            cases: [(8, 64), (16, 256)]
                .map(|(size, cost)| super::super::Case { size: Some(size), cost, input: serde_json::Value::Null })
                .to_vec(),
            class,
        };
        let cases = [case(8, 64), case(16, 256)];
        let tests =
            PythonTests { program: "sort.py", function: "sort", title: "sort.py --call=sort(int[n])", cases: &cases };
        let text = tests.lines(&regression(Some(pessimum_report::class::Class::Power(2.0))), "8..16");
        assert!(text.contains("def test_worst_case_at_16_executes_at_most_256_lines():\n    check("), "{text}");
        assert!(text.contains("assert counts[1] <= 4.4 * counts[0]"), "{text}");
        assert!(
            text.contains("pessimum_assert_class((PROGRAM, \"sort(int[n])\"), \"n^2\", sizes=\"8..16\")"),
            "{text}"
        );
        assert!(!tests.lines(&regression(None), "8").contains("test_growth"));
    }

    #[test]
    fn what_is_returned_or_raised_is_asserted() {
        let returned = Expects::Returns(Some("'x'".to_string()));
        let cases = [
            PythonCase { expects: returned, ..case(1, 0) },
            PythonCase { expects: Expects::Returns(None), raises: Some("ValueError".to_string()), ..case(1, 0) },
        ];
        let text = PythonTests { program: "a.py", function: "f", title: "a.py", cases: &cases }.does();
        assert!(text.contains(r#"check("[3, 1], \"a\\\"b\"", "'x'")"#), "{text}");
        assert!(text.contains(r#"check("[3, 1], \"a\\\"b\"", raises="ValueError")"#), "{text}");
    }
}
