//! Complexity classes: their names, their order, and their functions in logarithms, so that `n!` does not overflow.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a cost grows with the size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Class {
    /// `1`
    Constant,
    /// `log n`
    Logarithmic,
    /// `n^k`; `n` itself has k = 1.
    Power(f64),
    /// `n^k log n`
    PowerLog(f64),
    /// `c^n`, c above 1.
    Exponential(f64),
    /// `n!`
    Factorial,
}

impl Class {
    /// The natural logarithm of the class's function at `n`, which is at least 1. Logarithms in a class are to
    /// base 2; at n = 1 they are 0, and this is minus infinity.
    pub fn ln(self, n: f64) -> f64 {
        match self {
            Class::Constant => 0.0,
            Class::Logarithmic => n.log2().ln(),
            Class::Power(k) => k * n.ln(),
            Class::PowerLog(k) => k * n.ln() + n.log2().ln(),
            Class::Exponential(base) => n * base.ln(),
            Class::Factorial => ln_factorial(n),
        }
    }

    /// Whether this class grows faster than the other one.
    pub fn is_above(self, other: Class) -> bool {
        self.rank().partial_cmp(&other.rank()) == Some(Ordering::Greater)
    }

    /// Tier (powers, exponentials, factorial), exponent or base, power of the logarithm.
    fn rank(self) -> (u8, f64, u8) {
        match self {
            Class::Constant => (0, 0.0, 0),
            Class::Logarithmic => (0, 0.0, 1),
            Class::Power(k) => (0, k, 0),
            Class::PowerLog(k) => (0, k, 1),
            Class::Exponential(base) => (1, base, 0),
            Class::Factorial => (2, 0.0, 0),
        }
    }

    /// The common word for the class, where there is one.
    pub fn word(self) -> Option<&'static str> {
        Some(match self {
            Class::Constant => "constant",
            Class::Logarithmic => "logarithmic",
            Class::Power(1.0) => "linear",
            Class::PowerLog(1.0) => "linearithmic",
            Class::Power(2.0) => "quadratic",
            Class::Power(3.0) => "cubic",
            Class::Exponential(_) => "exponential",
            Class::Factorial => "factorial",
            Class::Power(_) | Class::PowerLog(_) => return None,
        })
    }
}

/// Computed by Stirling's series, with the argument shifted upwards to where the series is exact to 12 digits.
fn ln_factorial(n: f64) -> f64 {
    let (mut x, mut shift) = (n + 1.0, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5)) - 1.0 / (1680.0 * x.powi(7));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = |k: f64| if k == 1.0 { "n".to_string() } else { format!("n^{}", short(k)) };
        match *self {
            Class::Constant => write!(f, "1"),
            Class::Logarithmic => write!(f, "log n"),
            Class::Power(k) => write!(f, "{}", power(k)),
            Class::PowerLog(k) => write!(f, "{} log n", power(k)),
            Class::Exponential(base) => write!(f, "{}^n", short(base)),
            Class::Factorial => write!(f, "n!"),
        }
    }
}

/// A number with at most two decimals and without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl From<Class> for String {
    fn from(class: Class) -> String {
        class.to_string()
    }
}

impl TryFrom<String> for Class {
    type Error = String;

    fn try_from(text: String) -> Result<Class, String> {
        text.parse()
    }
}

impl FromStr for Class {
    type Err = String;

    /// The usual spellings: `n`, `n^1`, `linear`, `O(n log n)`, `n*log(n)`, `nlogn`, `n^1.5`, `sqrt(n)`, `2^n`, `n!`.
    fn from_str(text: &str) -> Result<Class, String> {
        let error = || {
            format!(
                "`{text}` is not a class; expected one like 1, log n, n, n log n, n^2, n^2 log n, n^3, n^1.5, 2^n, n!"
            )
        };
        let mut plain: String = text.to_lowercase().replace("**", "^").replace("log2", "log");
        plain.retain(|c| !matches!(c, ' ' | '*' | '·' | '_'));
        for (from, to) in [("ln(", "log("), ("lg(", "log("), ("lnn", "logn"), ("lgn", "logn"), ("²", "^2"), ("³", "^3")]
        {
            plain = plain.replace(from, to);
        }
        let inner = ["o(", "θ(", "theta("].iter().find_map(|open| plain.strip_prefix(open)?.strip_suffix(')'));
        let plain = inner.unwrap_or(&plain).replace("log(n)", "logn");
        match plain.as_str() {
            "1" | "constant" => return Ok(Class::Constant),
            "logn" | "log" | "logarithmic" => return Ok(Class::Logarithmic),
            "linear" => return Ok(Class::Power(1.0)),
            "linearithmic" | "loglinear" | "quasilinear" => return Ok(Class::PowerLog(1.0)),
            "quadratic" => return Ok(Class::Power(2.0)),
            "cubic" => return Ok(Class::Power(3.0)),
            "exponential" => return Ok(Class::Exponential(2.0)),
            "n!" | "factorial" => return Ok(Class::Factorial),
            "sqrt(n)" | "sqrtn" => return Ok(Class::Power(0.5)),
            _ => {}
        }
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        if let Some(base) = plain.strip_suffix("^n") {
            return number(base).filter(|base| *base > 1.0).map(Class::Exponential).ok_or_else(error);
        }
        let (power, log) = match plain.strip_suffix("logn") {
            Some(power) => (power, true),
            None => (plain.as_str(), false),
        };
        let k = match power.strip_prefix('n') {
            Some("") => 1.0,
            Some(rest) => {
                let exponent = rest.strip_prefix('^').map(|k| k.trim_matches(|c| matches!(c, '(' | ')')));
                exponent.and_then(number).filter(|k| *k > 0.0).ok_or_else(error)?
            }
            None => return Err(error()),
        };
        Ok(if log { Class::PowerLog(k) } else { Class::Power(k) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_spellings_are_understood() {
        let spellings = [
            ("1", "1 O(1) constant"),
            ("log n", "log(n) logn LOG(N) lg(n) ln(n) log2(n) O(log(n)) logarithmic"),
            ("n", "n N n^1 n**1 linear O(n) n^1.0"),
            ("n log n", "nlogn n*log(n) n·log(n) O(n*lg(n)) linearithmic n_log_n"),
            ("n^2", "n^2 n**2 quadratic O(n^2) n² n^(2)"),
            ("n^2 log n", "n^2logn n^2*log(n)"),
            ("n^3", "n^3 cubic Theta(n^3)"),
            ("n^1.5", "n^1.5 n**1.50"),
            ("n^0.5", "sqrt(n) n^0.5"),
            ("2^n", "2^n 2**n exponential"),
            ("1.62^n", "1.62^n 1.618^n"),
            ("n!", "n! factorial O(n!)"),
        ];
        for (name, texts) in spellings {
            for text in texts.split(' ') {
                assert_eq!(text.parse::<Class>().map(|class| class.to_string()).as_deref(), Ok(name), "{text}");
            }
            assert_eq!(name.parse::<Class>().unwrap().to_string(), name, "written and read back");
        }
        for text in ["", "m", "n^", "n^x", "n^-1", "0^n", "1^n", "nn", "2", "n^inf", "n!!"] {
            assert!(text.parse::<Class>().is_err(), "{text}");
        }
    }

    #[test]
    fn classes_are_ordered_by_growth() {
        let order = "1, log n, n^0.5, n, n log n, n^1.5, n^2, n^2 log n, n^3, 1.5^n, 2^n, n!";
        let classes: Vec<Class> = order.split(", ").map(|name| name.parse().unwrap()).collect();
        for (i, x) in classes.iter().enumerate() {
            for (j, y) in classes.iter().enumerate() {
                assert_eq!(x.is_above(*y), i > j, "{x} above {y}");
            }
        }
    }

    #[test]
    fn factorials_do_not_overflow() {
        let mut ln = 0.0;
        for n in 1..=200u32 {
            ln += f64::from(n).ln();
            assert!((Class::Factorial.ln(f64::from(n)) - ln).abs() < 1e-9 * ln.max(1.0), "{n}!");
        }
        assert!(Class::Factorial.ln(1e9).is_finite() && Class::Exponential(2.0).ln(1e9).is_finite());
    }
}
