//! A summary as text for the terminal.

use std::path::Path;

use super::Language;
use super::comparison::Comparison;
use super::summary::{Line, Summary};

pub fn text(summary: &Summary, directory: &Path) -> String {
    let mut text = format!("{}: {}\n{}\n", summary.table, summary.title, summary.source);
    let budget = match (summary.budget_s, summary.budget_paths) {
        (Some(time), Some(paths)) => format!("{time} s or {paths} paths"),
        (Some(time), None) => format!("{time} s"),
        (None, Some(paths)) => format!("{paths} paths"),
        (None, None) => "no limit".to_string(),
    };
    let (seeds, done, wanted) = (summary.seeds, summary.runs_done, summary.runs_wanted);
    let language = match summary.language {
        Language::Wasm => "",
        Language::Python => ", programs in Python",
    };
    text += &format!("ours: {budget} per run, seeds 1 to {seeds}, {done} of {wanted} runs done{language}\n");
    text += &format!("reference: {}\n", summary.reference);
    for (variant, settings) in &summary.settings {
        text += &format!("{variant}: {settings}\n");
    }
    if let Some(note) = &summary.note {
        text += &format!("note: {note}\n");
    }
    text += "\n";
    text += &match (summary.improvements.is_empty(), summary.coverage.is_empty()) {
        (false, _) => by_target(summary),
        (true, false) => by_coverage(summary),
        (true, true) => grid(summary),
    };
    text += &tally(summary);
    text += &effects(summary);
    text += &improvements(summary);
    text += &comparisons(summary);
    let names: Vec<String> = summary.written.iter().map(|name| name.display().to_string()).collect();
    text += &format!("\nwritten to {}: {}\n", directory.display(), names.join(", "));
    if done < wanted {
        text += "run the same command again to continue where this one stopped\n";
    }
    text
}

/// The paths until each target, a column per strategy.
fn by_target(summary: &Summary) -> String {
    let variants: Vec<&str> = summary.improvements.iter().map(|improvement| improvement.variant.as_str()).collect();
    let mut rows = vec![["subject", "n"].iter().chain(&variants).map(|head| head.to_string()).collect::<Vec<_>>()];
    let mut names: Vec<(&str, u64)> = summary.rows.iter().map(|line| (line.subject.as_str(), line.size)).collect();
    names.dedup();
    for (subject, size) in names {
        let mut row = vec![subject.to_string(), size.to_string()];
        for variant in &variants {
            let is_it = |line: &&Line| line.subject == subject && line.size == size && line.variant == *variant;
            let line = summary.rows.iter().find(is_it);
            row.push(line.map_or("-".to_string(), |line| {
                // Half of the runs and more did not get there: the paths are those that they had.
                let missed = if line.reached.unwrap_or(0) * 2 < line.runs { ">" } else { "" };
                format!("{missed}{:.0}", line.paths.unwrap_or(f64::INFINITY))
            }));
        }
        rows.push(row);
    }
    let kept: Vec<usize> = (0..rows[0].len()).collect();
    table(&rows, &kept, &[0])
}

/// The share of branches that suites cover, a column per strategy, and how these compare.
fn by_coverage(summary: &Summary) -> String {
    let variants: Vec<&str> = summary.coverage.iter().map(|coverage| coverage.variant.as_str()).collect();
    let compared: Vec<&Comparison> = summary.comparisons.iter().filter(|pair| pair.all.is_some()).collect();
    let mut heads: Vec<String> = vec!["subject".to_string(), "branches".to_string()];
    heads.extend(variants.iter().map(|variant| variant.to_string()));
    heads.extend(compared.iter().flat_map(|pair| [format!("A12 {} / {}", pair.ours, pair.theirs), "p".to_string()]));
    heads.push("like".to_string());
    heads.extend(variants.iter().map(|variant| format!("pub. {variant}")));
    heads.push("pub. A12".to_string());
    let like = heads.len() - variants.len() - 2;
    let dash = || "-".to_string();
    let number = |value: Option<f64>, digits: usize| value.map_or_else(dash, |value| format!("{value:.digits$}"));
    let mut rows = vec![heads];
    let mut names: Vec<&str> = summary.rows.iter().map(|line| line.subject.as_str()).collect();
    names.dedup();
    for subject in names {
        let lines: Vec<&Line> = summary.rows.iter().filter(|line| line.subject == subject).collect();
        let of = |variant: &str| lines.iter().find(|line| line.variant == variant);
        let infeasible = lines.iter().find_map(|line| line.infeasible_goals).filter(|&count| count > 0);
        let goals = lines.iter().find_map(|line| line.goals).map_or_else(dash, |goals| goals.to_string());
        let mut row = vec![
            subject.to_string(),
            infeasible.map_or(String::new(), |count| format!("({count} infeasible) ")) + &goals,
        ];
        row.extend(variants.iter().map(|variant| number(of(variant).and_then(|line| line.coverage), 3)));
        for comparison in &compared {
            let pair = comparison.pairs.iter().find(|pair| pair.subject == subject);
            row.extend([number(pair.map(|pair| pair.a12), 2), number(pair.map(|pair| pair.p), 3)]);
        }
        row.push(lines.iter().find_map(|line| line.like.clone()).unwrap_or_else(dash));
        row.extend(variants.iter().map(|variant| number(of(variant).and_then(|line| line.published_coverage), 2)));
        row.push(number(lines.iter().find_map(|line| line.published_a12), 2));
        rows.push(row);
    }
    let used: Vec<usize> = (0..rows[0].len()).filter(|&i| rows[1..].iter().any(|row| row[i] != "-")).collect();
    let mut text = table(&rows, &used, &[0, like]);
    text += "\nbranches covered, mean of the rows in which all were run\n";
    for coverage in &summary.coverage {
        let published =
            coverage.published.map_or(String::new(), |mean| format!(", published {mean:.3} on its classes"));
        let rows = coverage.rows;
        text += &format!("  {}: {:.3} ({rows} rows{published})\n", coverage.variant, coverage.mean);
    }
    text
}

/// How the strategies of a table of suites compare over all rows.
fn comparisons(summary: &Summary) -> String {
    let mut rows = Vec::new();
    for comparison in &summary.comparisons {
        let name = format!("{} over {}", comparison.ours, comparison.theirs);
        let totals = [("all", &comparison.all), ("with values", &comparison.with_values)];
        for (which, total) in totals.into_iter().filter_map(|(which, total)| Some((which, total.as_ref()?))) {
            let published = comparison.published_mean_a12.filter(|_| which == "all");
            rows.push(vec![
                name.clone(),
                which.to_string(),
                total.rows.to_string(),
                format!("{} ({})", total.better, total.significantly_better),
                format!("{} ({})", total.worse, total.significantly_worse),
                format!("{:.2}", total.mean_a12),
                published.map_or("-".to_string(), |mean| format!("{mean:.2}")),
                total
                    .symmetry_p
                    .map_or("-".to_string(), |p| if p < 1e-4 { format!("{p:.0e}") } else { format!("{p:.4}") }),
            ]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["strategies", "subjects", "rows", "better", "worse", "mean A12", "published", "symmetry p"];
    rows.insert(0, heads.map(String::from).to_vec());
    let kept: Vec<usize> = (0..heads.len()).collect();
    format!(
        "\nrows with A12 above and below 0.5, those with p < 0.05 in brackets; symmetry p: Wilcoxon's signed-rank test of the \
         A12 around 0.5\n{}",
        table(&rows, &kept, &[0, 1])
    )
}

/// How much better than the baseline the strategies are on average.
fn improvements(summary: &Summary) -> String {
    if summary.improvements.is_empty() {
        return String::new();
    }
    let heads = ["strategy", "rows", "reached", "fewer paths", "more paths", "all paths", "improvement", "published"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for improvement in &summary.improvements {
        rows.push(vec![
            improvement.variant.clone(),
            improvement.rows.to_string(),
            improvement.reached.to_string(),
            improvement.better.to_string(),
            improvement.worse.to_string(),
            format!("{:.0}", improvement.paths),
            format!("{:.2}", improvement.mean),
            improvement.published.map_or("-".to_string(), |mean| format!("{mean:.1}")),
        ]);
    }
    let kept: Vec<usize> = (0..heads.len()).collect();
    format!(
        "\nmean improvement: the paths of {} over those of the strategy, mean of all rows\n{}",
        summary.baseline,
        table(&rows, &kept, &[0])
    )
}

/// Some columns of rows of cells, the first row being the heads; those named in `left` are aligned to the left.
fn table(rows: &[Vec<String>], columns: &[usize], left: &[usize]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(|&column| width(column)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = columns.iter().zip(&widths).map(|(&column, &width)| match left.contains(&column) {
            true => format!("{:<width$}", row[column]),
            false => format!("{:>width$}", row[column]),
        });
        text += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    text
}

/// Columns without any value are left out.
fn grid(summary: &Summary) -> String {
    let counted = if summary.counts_infeasible { "executions" } else { "paths" };
    let heads = [
        "subject",
        "n",
        "strategy",
        "runs",
        "mean",
        "best",
        "optimum",
        "reference",
        "pub. cost",
        "average",
        "pub. average",
        "A12",
        "p",
        counted,
        "reach it",
        "infeasible",
        "pub. paths",
        "queries",
        "pub. queries",
        "seconds",
        "pub. seconds",
    ];
    let mut rows: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
    rows.extend(summary.rows.iter().map(cells));
    let used: Vec<usize> = (0..heads.len()).filter(|&i| rows[1..].iter().any(|row| row[i] != "-")).collect();
    table(&rows, &used, &[0, 2])
}

fn cells(line: &Line) -> Vec<String> {
    let dash = || "-".to_string();
    let whole = |value: Option<u64>| value.map_or_else(dash, |value| value.to_string());
    let number = |value: Option<f64>, digits: usize| value.map_or_else(dash, |value| format!("{value:.digits$}"));
    let known = match (line.optimum, line.at_least) {
        (Some(optimum), _) => optimum.to_string(),
        (None, Some(reached)) => format!(">={reached}"),
        (None, None) => dash(),
    };
    let mut runs = line.runs.to_string();
    let remarks = [(line.failed, "failed"), (line.without_path, "without result"), (line.opened, "opened")];
    for (count, remark) in remarks.into_iter().filter(|(count, _)| *count > 0) {
        runs += &format!(" ({count} {remark})");
    }
    // What was cut off by the budget is a lower bound.
    let at_least = if line.finished == Some(false) && line.searched { ">" } else { "" };
    let paths = number(line.paths, 0);
    vec![
        line.subject.clone(),
        line.size.to_string(),
        line.variant.clone(),
        runs,
        number(line.mean, 1),
        whole(line.best),
        known,
        whole(line.reference),
        whole(line.published),
        number(line.average, 2),
        number(line.published_average, 2),
        number(line.a12, 2),
        number(line.p, 3),
        if line.paths.is_some() { format!("{at_least}{paths}") } else { paths },
        line.reached.map_or_else(dash, |reached| format!("{reached} of {}", line.runs)),
        number(line.infeasible, 0),
        whole(line.published_paths),
        number(line.queries, 0),
        whole(line.published_queries),
        number(line.seconds, 2),
        number(line.published_seconds, 0),
    ]
}

/// For each strategy, in how many rows it reaches the known values.
fn tally(summary: &Summary) -> String {
    let searched = || summary.rows.iter().filter(|line| line.searched);
    let mut variants: Vec<&str> = Vec::new();
    for line in searched() {
        if !variants.contains(&line.variant.as_str()) {
            variants.push(&line.variant);
        }
    }
    if variants.is_empty() {
        return String::new();
    }
    let mut text = "\nrows in which the best of our runs reaches, and has exactly\n".to_string();
    for variant in variants {
        let count = |target: fn(&Line) -> Option<u64>, fits: fn(&u64, &u64) -> bool| {
            let of_variant = searched().filter(|line| line.variant == variant);
            let known: Vec<bool> =
                of_variant.filter_map(|line| Some(fits(&line.best.unwrap_or(0), &target(line)?))).collect();
            (known.iter().filter(|reached| **reached).count(), known.len())
        };
        let words = |(reached, known): (usize, usize)| format!("{reached} of {known}");
        let (optimum, reference) = (count(|line| line.optimum, u64::ge), count(|line| line.reference, u64::ge));
        let published = count(|line| line.published, u64::ge);
        let (exact, _) = count(|line| line.published, u64::eq);
        text += &format!(
            "  {variant}: the optimum {}, the reference {}, its published value {}, exactly that {exact}\n",
            words(optimum),
            words(reference),
            words(published)
        );
    }
    let opened: usize = searched().map(|line| line.opened).sum();
    if opened > 0 {
        text += &format!(
            "opened: in {opened} runs the learnt policy permits no path at the size asked for, and was applied again with \
             every arm open where it permits none; these are no results of the published algorithm\n"
        );
    }
    text
}

fn effects(summary: &Summary) -> String {
    if summary.effects.is_empty() {
        return String::new();
    }
    let mut text = "\ncost over reference, mean of all cells with this value\n".to_string();
    for effect in &summary.effects {
        let (option, value) = (&effect.option, &effect.value);
        text += &format!("  {option:<10} {value:>5}  {:.4}  ({} cells)\n", effect.normalised, effect.cells);
    }
    text
}
