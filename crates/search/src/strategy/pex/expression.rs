//! Compositions of frontiers as text: `ShortCircuit(CLP[Shortest], Random)`.

use std::fmt;

/// A composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A frontier without others inside.
    Leaf(Leaf),
    /// One inner frontier for each class of nodes.
    Prioritized(Prioritized, Box<Expression>),
    /// The first one that does not decline.
    ShortCircuit(Vec<Expression>),
    /// Each in turn; one that makes progress is asked again.
    RoundRobin(Vec<Expression>),
}

/// A frontier without others inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The node of least depth, if none that was ever added was less deep.
    Shortest,
    /// One such list for each coverage that a path had up to the node.
    ShortestThroughAllCodeBranches,
    /// The node of least depth.
    IterativeDeepening,
    /// Any node.
    Random,
}

/// What divides nodes into classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prioritized {
    /// The site.
    CodeLocation,
    /// The calls that led to it.
    CallStackTrace,
    /// How often arms were taken before it, compared ever more finely.
    CappedBranchCoverage,
    /// How often the site occurred before it.
    CodeLocationFrequency,
    /// The number of calls that led to it.
    Depth,
    /// The composite fitness for a target, the best first.
    Fittest,
}

const LEAVES: [(&str, Leaf); 4] = [
    ("Shortest", Leaf::Shortest),
    ("ShortestThroughAllCodeBranches", Leaf::ShortestThroughAllCodeBranches),
    ("IterativeDeepening", Leaf::IterativeDeepening),
    ("Random", Leaf::Random),
];

/// The first name is the one that is written.
const PRIORITIZED: [(&str, Prioritized); 8] = [
    ("CLP", Prioritized::CodeLocation),
    ("CodeLocationPrioritized", Prioritized::CodeLocation),
    ("CSTP", Prioritized::CallStackTrace),
    ("CallStackTracePrioritized", Prioritized::CallStackTrace),
    ("CappedBranchCoveragePrioritized", Prioritized::CappedBranchCoverage),
    ("CodeLocationFrequencyPrioritized", Prioritized::CodeLocationFrequency),
    ("DepthPrioritized", Prioritized::Depth),
    ("Fittest", Prioritized::Fittest),
];

/// The longest expression that is read, in bytes: nesting is recursion.
const LONGEST: usize = 4096;

impl Expression {
    /// Pex's default composition (section 4 of the Fitnex paper), with or without its last member, which is Fitnex.
    pub fn default_composition(fitnex: bool) -> Expression {
        let last = if fitnex { ", Fittest[RoundRobin(CSTP[IterativeDeepening], CLP[IterativeDeepening])]" } else { "" };
        let text = format!(
            "ShortCircuit(CLP[Shortest], RoundRobin(CLP[ShortestThroughAllCodeBranches], \
             CLP[CSTP[ShortCircuit(Shortest, CappedBranchCoveragePrioritized[Random])]], \
             CLP[CodeLocationFrequencyPrioritized[DepthPrioritized[Random]]], \
             CSTP[CLP[ShortCircuit(Shortest, DepthPrioritized[Random])]]{last}))"
        );
        Expression::parse(&text).unwrap_or(Expression::Leaf(Leaf::Random))
    }

    /// Fitnex by itself, and breadth first where it declines.
    pub fn fitnex() -> Expression {
        let inner = Expression::RoundRobin(
            [Prioritized::CallStackTrace, Prioritized::CodeLocation]
                .map(|by| Expression::Prioritized(by, Box::new(Expression::Leaf(Leaf::IterativeDeepening))))
                .to_vec(),
        );
        Expression::ShortCircuit(vec![
            Expression::Prioritized(Prioritized::Fittest, Box::new(inner)),
            Expression::Leaf(Leaf::IterativeDeepening),
        ])
    }

    /// Reads an expression; the message says what was expected where.
    pub fn parse(text: &str) -> Result<Expression, String> {
        if text.len() > LONGEST {
            return Err(format!("longer than {LONGEST} characters"));
        }
        let mut parser = Parser { text, at: 0 };
        let expression = parser.expression()?;
        match parser.peek() {
            None => Ok(expression),
            Some(_) => Err(parser.expected("the end")),
        }
    }

    /// Whether a frontier of this kind is part of it.
    pub fn has(&self, by: Prioritized) -> bool {
        match self {
            Expression::Leaf(_) => false,
            Expression::Prioritized(own, inner) => *own == by || inner.has(by),
            Expression::ShortCircuit(members) | Expression::RoundRobin(members) => {
                members.iter().any(|member| member.has(by))
            }
        }
    }

    /// Whether it looks at more of a node than its site and its depth.
    pub fn is_detailed(&self) -> bool {
        match self {
            Expression::Leaf(leaf) => *leaf == Leaf::ShortestThroughAllCodeBranches,
            Expression::Prioritized(Prioritized::CodeLocation | Prioritized::Fittest, inner) => inner.is_detailed(),
            Expression::Prioritized(..) => true,
            Expression::ShortCircuit(members) | Expression::RoundRobin(members) => {
                members.iter().any(Expression::is_detailed)
            }
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, members: &[Expression]| {
            write!(f, "{name}(")?;
            for (index, member) in members.iter().enumerate() {
                write!(f, "{}{member}", if index > 0 { ", " } else { "" })?;
            }
            f.write_str(")")
        };
        let unnamed = "?";
        match self {
            Expression::Leaf(leaf) => {
                f.write_str(LEAVES.iter().find(|(_, known)| known == leaf).map_or(unnamed, |(name, _)| name))
            }
            Expression::Prioritized(by, inner) => {
                let name = PRIORITIZED.iter().find(|(_, known)| known == by).map_or(unnamed, |(name, _)| name);
                write!(f, "{name}[{inner}]")
            }
            Expression::ShortCircuit(members) => list(f, "ShortCircuit", members),
            Expression::RoundRobin(members) => list(f, "RoundRobin", members),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Expression, String> {
        self.peek();
        let start = self.at;
        let name: String = self.text[start..].chars().take_while(char::is_ascii_alphabetic).collect();
        self.at += name.len();
        if let Some((_, leaf)) = LEAVES.iter().find(|(known, _)| *known == name) {
            return Ok(Expression::Leaf(*leaf));
        }
        if let Some((_, by)) = PRIORITIZED.iter().find(|(known, _)| *known == name) {
            self.take('[')?;
            let inner = self.expression()?;
            self.take(']')?;
            return Ok(Expression::Prioritized(*by, Box::new(inner)));
        }
        let make = match name.as_str() {
            "ShortCircuit" => Expression::ShortCircuit,
            "RoundRobin" => Expression::RoundRobin,
            _ => {
                self.at = start;
                let known = LEAVES.iter().map(|(name, _)| *name).chain(PRIORITIZED.iter().map(|(name, _)| *name));
                let known: Vec<&str> = known.chain(["ShortCircuit", "RoundRobin"]).collect();
                return Err(self.expected(&format!("a frontier ({})", known.join(", "))));
            }
        };
        self.take('(')?;
        let mut members = vec![self.expression()?];
        while self.peek() == Some(',') {
            self.take(',')?;
            members.push(self.expression()?);
        }
        self.take(')')?;
        Ok(make(members))
    }

    /// The next character that is not a space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn take(&mut self, expected: char) -> Result<(), String> {
        if self.peek() != Some(expected) {
            return Err(self.expected(&format!("`{expected}`")));
        }
        self.at += expected.len_utf8();
        Ok(())
    }

    fn expected(&mut self, what: &str) -> String {
        let found = self.peek().map_or("the end".to_owned(), |found| format!("`{found}`"));
        format!("column {}: expected {what}, not {found}", self.at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        let text = "ShortCircuit(CLP[Shortest], RoundRobin(Random, CSTP[IterativeDeepening]))";
        assert_eq!(Expression::parse(text).unwrap().to_string(), text);
        let spaced = " ShortCircuit( CodeLocationPrioritized [Shortest] ,RoundRobin(Random,CSTP[IterativeDeepening]))";
        assert_eq!(Expression::parse(spaced), Expression::parse(text));
        for fitnex in [true, false] {
            let composed = Expression::default_composition(fitnex);
            assert_eq!(Expression::parse(&composed.to_string()), Ok(composed.clone()));
            assert!(composed.is_detailed() && composed.has(Prioritized::Fittest) == fitnex);
        }
        assert!(Expression::fitnex().has(Prioritized::Fittest));
    }

    #[test]
    fn mistakes_are_located() {
        for (text, message) in [
            ("", "column 1: expected a frontier"),
            ("CLP(Random)", "column 4: expected `[`, not `(`"),
            ("RoundRobin(Random", "column 18: expected `)`, not the end"),
            ("Random]", "column 7: expected the end, not `]`"),
            ("CLP[é]", "column 5: expected a frontier"),
        ] {
            let error = Expression::parse(text).unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        assert!(Expression::parse(&"CLP[".repeat(2000)).is_err());
    }
}
