//! Reports in a real browser: no message on the console, nothing requested from the network, and the page that the
//! browser sees is the one that was written. With `PESSIMUM_ACCEPT=1` the pictures in `docs/` are made again.
//!
//! Without Chromium the browser's part is left out, with a message; `PESSIMUM_REQUIRE_TOOLS=1` makes that a failure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fresh(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Runs `pessimum` with a fresh directory as `--out`. Returns the report's text and file.
fn report(name: &str, words: &[&str]) -> (String, PathBuf) {
    let directory = fresh(name);
    pessimum(&[words, &["--out", directory.to_str().unwrap()]].concat());
    read(&directory)
}

fn read(directory: &Path) -> (String, PathBuf) {
    let file = directory.join("report.html");
    (std::fs::read_to_string(&file).unwrap(), file)
}

fn pessimum(words: &[&str]) {
    let output = assert_cmd::Command::cargo_bin("pessimum").unwrap().current_dir(root()).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        assert!(std::env::var_os("PESSIMUM_REQUIRE_TOOLS").is_none(), "none of {names:?} is on the machine");
        println!("none of {names:?} is on the machine: the reports are not loaded in a browser");
    }
    found
}

/// Runs the browser on a file. Returns what it prints and its log.
fn load(browser: &str, file: &Path, flags: &[&str]) -> (String, String) {
    let profile = file.with_extension("browser");
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(flags)
        .arg(format!("file://{}", file.canonicalize().unwrap().display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&profile);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}: {}", file.display(), text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn console(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains(":CONSOLE")).collect()
}

/// The tags of a page in order, without what is inside style and script; an end tag starts with `/`.
fn tags(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if rest.starts_with('!') {
            continue;
        }
        // We escape `>` in attributes, but the browser does not.
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let tag = &rest[..end.expect("a tag is closed")];
        let name = tag.split([' ', '\n']).next().unwrap().to_lowercase();
        if name == "style" || name == "script" {
            let close = format!("</{name}>");
            rest = &rest[rest.find(&close).expect("style and script are closed")..];
        }
        tags.push(name);
    }
    tags
}

/// Fails if tags are not balanced. Returns the number of elements by name.
fn check_balance(name: &str, page: &str) -> BTreeMap<String, usize> {
    let mut open: Vec<String> = Vec::new();
    let mut counts = BTreeMap::new();
    for tag in tags(page) {
        match tag.strip_prefix('/') {
            Some(tag) => assert_eq!(open.pop().as_deref(), Some(tag), "{name}: </{tag}>"),
            None => {
                *counts.entry(tag.clone()).or_default() += 1;
                if !["meta", "link", "br", "hr", "input"].contains(&tag.as_str()) {
                    open.push(tag);
                }
            }
        }
    }
    assert!(open.is_empty(), "{name}: open at the end: {open:?}");
    counts
}

/// Everything that holds for every report.
fn check(name: &str, page: &str, file: &Path) {
    let written = check_balance(name, page);
    assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"), "{name}");
    for foreign in ["src=", "url(", "@import", "http:", "fetch(", "XMLHttp", "import("] {
        assert!(!page.contains(foreign), "{name}: {foreign}");
    }
    assert!(!page.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{name}: a control character");
    assert!(page.len() < 1 << 20, "{name}: {} bytes", page.len());
    let Some(browser) = browser() else { return };
    let (seen, log) = load(browser, file, &["--dump-dom"]);
    assert_eq!(console(&log), Vec::<&str>::new(), "{name}");
    // A browser repairs what is nested wrongly, and then has other elements than were written.
    assert_eq!(check_balance(name, &seen), written, "{name}");
    check_narrow(name, page, file, browser);
}

/// What the browser logs when it has loaded the page with this script at its end, 400 pixels wide.
fn logged(page: &str, file: &Path, browser: &str, script: &str) -> Vec<String> {
    let changed = file.with_file_name("with-script.html");
    let script = format!("<script>addEventListener(\"load\", async () => {{ {script} }});</script></body>");
    let end = page.rfind("</body>").expect("a body");
    std::fs::write(&changed, format!("{}{script}{}", &page[..end], &page[end + "</body>".len()..])).unwrap();
    // Windows are not as narrow as a telephone, but frames are.
    let outer = file.with_file_name("frame.html");
    let frame = "<!DOCTYPE html><iframe width=\"400\" height=\"900\" src=\"with-script.html\"></iframe>";
    std::fs::write(&outer, frame).unwrap();
    let (_, log) = load(browser, &outer, &["--dump-dom"]);
    for file in [changed, outer] {
        std::fs::remove_file(file).unwrap();
    }
    console(&log).into_iter().map(str::to_string).collect()
}

/// On a telephone nothing sticks out of the page, and what scrolls by itself says so.
fn check_narrow(name: &str, page: &str, file: &Path, browser: &str) {
    let script = r#"
        const root = document.documentElement;
        const wide = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1);
        const silent = wide.filter((box) => getComputedStyle(box, "::before").content === "none");
        console.log(`window ${innerWidth}, page ${root.scrollWidth - root.clientWidth} wider, ${silent.length} silent`);
    "#;
    let log = logged(page, file, browser, script);
    assert!(log.len() == 1 && log[0].contains("window 400, page 0 wider, 0 silent"), "{name}: {log:?}");
}

/// The page links to these files, in this order, and they are there.
fn contents_of_links(page: &str, file: &Path, names: &[&str]) {
    let links: Vec<&str> = page.split("<a href=\"./").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links, names, "{}", file.display());
    for name in names {
        assert!(file.with_file_name(name).exists(), "{name} beside {}", file.display());
    }
}

fn contains(name: &str, page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{name}: no {part:?}");
    }
}

const SORT: [&str; 4] = ["worst", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];

/// The checks do find what they look for.
#[test]
fn a_bad_page_is_noticed() {
    let directory = fresh("bad");
    let policy =
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'\">";
    let pages = [
        ("network", "<img src=\"https://example.invalid/a.png\">"),
        ("error", "<script>console.error('bad')</script>"),
        ("exception", "<script>nothing()</script>"),
    ];
    let Some(browser) = browser() else { return };
    for (name, content) in pages {
        let file = directory.join(format!("{name}.html"));
        let page = format!("<!DOCTYPE html><html><head>{policy}</head><body>{content}</body></html>");
        std::fs::write(&file, page).unwrap();
        let (_, log) = load(browser, &file, &["--dump-dom"]);
        assert_eq!(console(&log).len(), 1, "{name}: {log}");
    }
    // A paragraph cannot contain a table: the browser closes it first.
    let file = directory.join("nested.html");
    let page = "<!DOCTYPE html><html><head></head><body><p><table></table></p></body></html>";
    std::fs::write(&file, page).unwrap();
    let (seen, _) = load(browser, &file, &["--dump-dom"]);
    assert_ne!(check_balance("nested", &seen), check_balance("nested", page));
}

/// The report of a result whose input and cost are those given: what a search finds is not what is tested here.
fn with_input(name: &str, words: &[&str], input: Value, cost: u64) -> (String, PathBuf) {
    let (_, file) = report(name, words);
    let directory = file.parent().unwrap();
    let place = directory.join("result.json");
    let mut result: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    result["input"] = input;
    result["cost"]["value"] = json!(cost);
    std::fs::write(&place, result.to_string()).unwrap();
    pessimum(&["report", directory.to_str().unwrap()]);
    read(directory)
}

#[test]
fn a_sort() {
    let words = [&SORT[..], &["--size", "50", "--paths", "30"]].concat();
    let (page, file) = report("sort", &words);
    check("sort", &page, &file);
    let parts = [
        "Argument 1: 50 numbers",
        "Average run: ",
        "while (j &gt; 0) {",
        "pessimum worst subjects/own/insertion_sort.wasm --call &#39;sort(i32[n], n)&#39; --size 50",
        "--input input.json",
    ];
    contains("sort", &page, &parts);
    // A report made again from what was saved is the same.
    pessimum(&["report", file.parent().unwrap().to_str().unwrap()]);
    assert_eq!(read(file.parent().unwrap()).0, page);

    let descending: Vec<i64> = (0..50).map(|i| 1 - i).collect();
    let (page, file) = with_input("sort-descending", &words, json!([descending, 50]), 31_025);
    check("sort-descending", &page, &file);
    let parts = [
        "31,025",
        "Descending, all different, from -48 to 1.",
        "Worst run: 31,025 instructions",
        "sort (own/insertion_sort.c:16)</td><td class=\"number\">1,225",
        "always false",
    ];
    contains("sort-descending", &page, &parts);
    assert!(!page.contains("class=\"warning\""));
    // The files are where the links say, and the buttons copy what is in them.
    contents_of_links(&page, &file, &["input.json"]);
    if let Some(browser) = browser() {
        let script = r#"
            navigator.clipboard.writeText = async (text) => { console.log(`copied ${text} end`); };
            for (const button of document.querySelectorAll("button.copy")) if (!button.hidden) button.click();
        "#;
        let log = logged(&page, &file, browser, script);
        let copied = format!("copied {} end", json!([descending, 50]));
        assert!(log.len() == 1 && log[0].contains(&copied), "{log:?}");
    }
    // A cost that the module does not have (any more) is pointed out.
    let (page, _) = with_input("sort-changed", &words, json!([descending, 50]), 31_026);
    contains("sort-changed", &page, &["The worst input costs 31,025 instructions now, but 31,026 when it was found"]);
}

#[test]
fn a_parser_of_bytes() {
    let words = ["worst", "subjects/own/json.wasm", "--stdin", "64"];
    let few = [&words[..], &["--paths", "30"]].concat();
    let (page, file) = with_input("json", &few, json!({ "stdin": "5b".repeat(64) }), 5_041);
    check("json", &page, &file);
    contains("json", &page, &["Standard input: 64 bytes", "5b 5b 5b 5b 5b 5b 5b 5b", "parse_value", "65 levels"]);
    // Each of the rows has its name, however many there are.
    assert!(page.matches(">parse_value</div>").count() >= 60 && page.contains("scroll within the graph"));
    contents_of_links(&page, &file, &["input.json", "stdin.bin"]);
    assert!(!page.contains("class=\"warning\""));
    if std::env::var_os("PESSIMUM_ACCEPT").is_some()
        && let Some(browser) = browser()
    {
        let (page, file) = report("json-picture", &[&words[..], &["--paths", "20000"]].concat());
        picture(browser, &page, &file, "report.png", "<html lang=\"en\" data-theme=\"light\">");
        picture(browser, &page, &file, "report-dark.png", "<html lang=\"en\" data-theme=\"dark\">");
    }
}

fn picture(browser: &str, page: &str, file: &Path, name: &str, html: &str) {
    let themed = file.with_file_name("themed.html");
    std::fs::write(&themed, page.replacen("<html lang=\"en\">", html, 1)).unwrap();
    let picture = root().join("docs").join(name);
    let flag = format!("--screenshot={}", picture.display());
    load(browser, &themed, &[&flag, "--window-size=1120,1960"]);
    let bytes = std::fs::metadata(&picture).unwrap().len();
    assert!(bytes < 300_000, "{}: {bytes} bytes", picture.display());
}

#[test]
fn a_policy_and_other_costs() {
    let wise = ["--strategy", "wise", "--size", "20", "--paths", "2000"];
    let (page, file) = report("wise", &[&SORT[..], &wise].concat());
    check("wise", &page, &file);
    contains("wise", &page, &["What the search learnt", "sort (own/insertion_sort.c:16): "]);
    let (page, file) = report("depth", &[&SORT[..], &["--size", "9", "--paths", "50", "--cost", "depth"]].concat());
    check("depth", &page, &file);
    contains(
        "depth",
        &page,
        &["The search maximised depth, which cannot be divided among calls; the graphs show instructions."],
    );
    let user = ["worst", "subjects/ese/merge_sort.wasm", "--call", "merge_sort(i32[n], n, out i32[3*n])"];
    let (page, file) = report("user", &[&user[..], &["--size", "20", "--paths", "200", "--cost", "user"]].concat());
    check("user", &page, &file);
    contains("user", &page, &[" user (100 %)", "the program&#39;s own cost"]);
}

#[test]
fn ten_thousand_numbers() {
    let words = ["worst", "subjects/ese/is_palindrome.wasm", "--call", "is_palindrome(i32[n], n)"];
    let words = [&words[..], &["--size", "10000", "--paths", "20"]].concat();
    let palindrome: Vec<i32> = (0..5000).chain((0..5000).rev()).collect();
    let (page, file) = with_input("large", &words, json!([palindrome, 10_000]), 270_019);
    check("large", &page, &file);
    let parts = ["Argument 1: 10,000 numbers", "5,000 distinct values", "each column shows the range of 50 numbers"];
    contains("large", &page, &parts);
    contains("large", &page, &["9,936 more", "4998, 4999, 4999, 4998"]);
    assert!(!page.contains("class=\"warning\""));
    assert!(page.len() < 220_000, "{}", page.len());
}

#[test]
fn a_curve() {
    let words = ["curve", "subjects/own/insertion_sort.wasm", "--call", "sort(i32[n], n)"];
    let (page, file) = report("curve", &[&words[..], &["--sizes", "4,6,8,12,16,24", "--paths", "400"]].concat());
    check("curve", &page, &file);
    let parts =
        ["Worst found grows as", "quadratic", "Runner-up", "average of random inputs", "Argument 1: 24 numbers"];
    contains("curve", &page, &parts);
    // Sizes and costs span more than an order of magnitude: the axes are logarithmic, and can be linear.
    contains("curve", &page, &["n (logarithmic)", "instructions (logarithmic)", "id=\"growth-axes-linear\""]);
    contents_of_links(&page, &file, &["n-24/input.json"]);
    let directory = file.parent().unwrap();
    pessimum(&["report", directory.to_str().unwrap()]);
    assert_eq!(read(directory).0, page);
}

/// The longest names are those of C++ templates.
#[test]
fn names_of_templates() {
    let words = [&SORT[..], &["--size", "4", "--paths", "30"]].concat();
    let (_, file) = report("templates", &words);
    let directory = file.parent().unwrap();
    let name = format!("void std::__2::sort<{}>(int*, int*)", "std::__2::pair<int, int>, ".repeat(20));
    let place = directory.join("result.json");
    let mut result: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    result["functions"] = json!([{ "name": name, "calls": 1, "own": 5, "total": 5 }]);
    // Without its program a report shows what the result says.
    std::fs::write(&place, result.to_string()).unwrap();
    let module = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    for module in module.filter(|path| path.extension().is_some_and(|extension| extension == "wasm")) {
        std::fs::remove_file(module).unwrap();
    }
    pessimum(&["report", directory.to_str().unwrap()]);
    let (page, file) = read(directory);
    check("templates", &page, &file);
    contains(
        "templates",
        &page,
        &[">void std::sort&lt;…&gt;(…)</td>", "title=\"void std::__2::sort&lt;std::__2::pair"],
    );
}

#[test]
fn a_suite() {
    let words = ["cover", "subjects/own/json.wasm", "--stdin", "12", "--paths", "200"];
    let (page, file) = report("suite", &words);
    check("suite", &page, &file);
}

/// A result whose every text is made to break out of the page, and whose module is gone.
#[test]
fn hostile_texts() {
    let directory = fresh("hostile");
    let small = fresh("hostile-small");
    let words = [&SORT[..], &["--size", "4", "--paths", "50", "--out", small.to_str().unwrap()]].concat();
    pessimum(&words);
    let mut result: Value = serde_json::from_slice(&std::fs::read(small.join("result.json")).unwrap()).unwrap();
    let evil = "</script><script>nothing()</script><img src=x onerror=nothing()>'\"&\u{0}\u{1b}[2J\u{202e}\u{2028}\u{ffff}]]>-->";
    for key in ["module", "call", "strategy", "end", "stopped"] {
        result[key] = json!(evil);
    }
    result["cost"]["model"] = json!(evil);
    result["costs"][evil] = json!(1);
    result["ends"] = json!({ evil: 1 });
    result["solver"]["layers"] = json!({ evil: { "queries": 1, "sat": 1, "unsat": 0, "gave_up": 0, "time_s": 0.1 } });
    result["policy"] = json!([evil, evil]);
    result["command"] = json!([evil]);
    result["arguments"] = json!([evil, "--stdin", "4"]);
    result["hottest"] = json!([{ "site": evil, "count": 3 }]);
    result["functions"] = json!([{ "name": evil, "calls": 1, "own": 5, "total": 5 }]);
    result["lines"] = json!([{ "file": evil, "line": 1, "function": evil, "instructions": 5, "times": 1 }]);
    // `</script>` and bytes that are not UTF-8.
    let bytes = "3c2f7363726970743e00ff1bfeffc080";
    result["input"] = json!({
        "arguments": [evil, [1, evil], evil], "stdin": bytes, "args": [bytes], "files": { evil: bytes },
        "values": [{ evil: evil }, { "bytes": bytes }], evil: evil
    });
    std::fs::write(directory.join("result.json"), result.to_string()).unwrap();
    pessimum(&["report", directory.to_str().unwrap()]);
    let (page, file) = read(&directory);
    check("hostile", &page.replace("src=x", ""), &file);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<img"));
    contains("hostile", &page, &["The program could not be run again", "\u{27e8}202e\u{27e9}", "3c 2f 73 63"]);
}

#[test]
fn a_report_needs_a_result() {
    let directory = fresh("empty");
    let output = assert_cmd::Command::cargo_bin("pessimum").unwrap().arg("report").arg(&directory).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no result.json and no curve.json; `pessimum worst`"), "{message}");
}
