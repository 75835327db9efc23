//! The verdicts of a gate as SARIF 2.1.0, which code hosts show beside the hottest source line.

use serde_json::{Value, json};

use crate::gate::{Check, Gate, Place, Rule, Verdict};

/// The log as an object. Paths below `root` become relative to it.
pub fn sarif(gate: &Gate, root: &str) -> Value {
    let rules = Rule::ALL.map(|rule| {
        let About { id, name, short, full } = about(rule);
        json!({
            "id": id,
            "name": name,
            "shortDescription": { "text": short },
            "fullDescription": { "text": full },
            "defaultConfiguration": { "level": "error" },
        })
    });
    let results: Vec<Value> = gate.checks.iter().map(|check| result(gate, check, root)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pessimum",
                "version": gate.version,
                "semanticVersion": gate.version,
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// What a rule is called and says.
struct About {
    id: &'static str,
    name: &'static str,
    short: &'static str,
    full: &'static str,
}

fn about(rule: Rule) -> About {
    match rule {
        Rule::WorstCase => About {
            id: "pessimum/worst-case",
            name: "WorstCase",
            short: "The cost of the worst input found",
            full: "The input of the given size that costs the most, found by symbolic execution, costs more than \
                   --fail-above permits.",
        },
        Rule::Growth => About {
            id: "pessimum/growth",
            name: "Growth",
            short: "How the worst case grows with the size of the input",
            full: "The costs of the worst inputs over a range of sizes grow faster than --fail-above-class permits.",
        },
        Rule::Coverage => About {
            id: "pessimum/coverage",
            name: "Coverage",
            short: "The branches that a suite covers",
            full: "The inputs found by symbolic execution take fewer of the branches than --fail-under demands.",
        },
        Rule::Trap => About {
            id: "pessimum/trap",
            name: "Trap",
            short: "An input that ends in a trap",
            full: "An input that was found by symbolic execution, and run, ends in a trap.",
        },
    }
}

fn result(gate: &Gate, check: &Check, root: &str) -> Value {
    // A result of a kind other than `fail`, the default, must have the level `none` and would not be shown.
    let level = match check.verdict {
        Verdict::Failed => "error",
        Verdict::Unknown => "warning",
        Verdict::Passed => "note",
    };
    let location = match &check.place {
        Some(Place { file, line, .. }) => json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(file, root) },
                "region": { "startLine": line },
            }
        }),
        // Without a location the finding would not be shown.
        None => json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&gate.module, root) },
                "region": { "startLine": 1 },
            }
        }),
    };
    let rule_index = Rule::ALL.iter().position(|rule| *rule == check.rule);
    json!({
        "ruleId": about(check.rule).id,
        "ruleIndex": rule_index,
        "level": level,
        "message": { "text": check.message },
        "locations": [location],
        // This identifies the finding in the next run, whichever line is hottest then.
        "partialFingerprints": { "pessimum/v1": format!("{} {}", gate.subject, check.name) },
        "properties": {
            "model": check.model,
            "cost": check.cost,
            "limit": check.limit,
            "size": check.size,
            "executions": check.place.as_ref().map(|place| place.times),
            "share": check.place.as_ref().map(|place| place.share),
        },
    })
}

/// A path as a relative reference, where it is below the root; escaped as a URI.
fn uri(path: &str, root: &str) -> String {
    let path = path.replace('\\', "/");
    let below = path.strip_prefix(&root.replace('\\', "/")).map(|rest| rest.trim_start_matches('/'));
    let (path, absolute) = match below {
        Some(rest) if !root.is_empty() => (rest.to_string(), false),
        _ => (path.strip_prefix("./").unwrap_or(&path).to_string(), path.starts_with('/')),
    };
    let mut escaped = if absolute { "file://".to_string() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => escaped.push(byte as char),
            byte => escaped += &format!("%{byte:02X}"),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./a b/c.c", "/base"), "a%20b/c.c");
        assert_eq!(uri("/base/x/c.c", "/base/x"), "c.c");
        assert_eq!(uri("/other/c.c", "/base/x"), "file:///other/c.c");
    }
}
