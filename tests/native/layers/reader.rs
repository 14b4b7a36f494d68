//! A small reader of Rust text: code without comments, literals and tests, and the rooms that its paths name.

/// Returns a file's code: comments, literals and what is only compiled for tests are blank; lines keep their numbers.
pub fn code(text: &str) -> String {
    without_tests(&without_literals(text))
}

/// Returns the first name behind the crate's root of every path that starts there, with its line. `depth` is the number of
/// modules that the file is below the root: 1 for `src/check.rs` and `src/sim/mod.rs`, 2 for `src/sim/issue.rs`.
pub fn names_at_root(code: &str, depth: usize) -> Vec<(usize, String)> {
    let words = ["crate", "super", "self"].into_iter().flat_map(|word| code.match_indices(word));
    let mut starts: Vec<usize> = words.filter(|(at, word)| is_word(code, *at, word)).map(|(at, _)| at).collect();
    starts.sort_unstable();
    let mut found = Vec::new();
    let mut read_to = 0;
    for at in starts {
        let is_first = !code[..at].trim_end().ends_with("::");
        let in_group = at < read_to;
        if !is_first || in_group {
            continue;
        }
        let end = tree(code, at, Some(depth + inline_modules(code, at)), &mut found);
        read_to = read_to.max(end);
    }
    found.sort();
    found.iter().map(|(at, name)| (code[..*at].matches('\n').count() + 1, name.clone())).collect()
}

/// Reads the path or tree of paths at `at`, which starts at a module `level` modules below the root (`None`: somewhere else), and
/// returns its end.
fn tree(code: &str, at: usize, level: Option<usize>, found: &mut Vec<(usize, String)>) -> usize {
    let at = at + (code.len() - at - code[at..].trim_start().len());
    if code[at..].starts_with('{') {
        let mut at = at + 1;
        loop {
            at = tree(code, at, level, found);
            let rest = code[at..].trim_start();
            at = code.len() - rest.len();
            match rest.chars().next() {
                Some(',') => at += 1,
                Some('}') => return at + 1,
                // No tree of paths: a block behind a path.
                _ => return at,
            }
        }
    }
    let name: &str = &code[at..at + code[at..].find(|c: char| !is_name(c)).unwrap_or(code.len() - at)];
    let end = at + name.len();
    let next = match name {
        "crate" => Some(0),
        "super" => level.and_then(|level| level.checked_sub(1)),
        "self" => level,
        _ => {
            if level == Some(0) && !name.is_empty() {
                found.push((at, name.to_string()));
            }
            None
        }
    };
    let rest = code[end..].trim_start();
    match rest.strip_prefix("::") {
        Some(behind) => tree(code, code.len() - behind.len(), next, found),
        None => match rest.strip_prefix("as ") {
            Some(alias) => {
                let alias = alias.trim_start();
                code.len() - alias.len() + alias.find(|c: char| !is_name(c)).unwrap_or(alias.len())
            }
            None if name.is_empty() && rest.starts_with('*') => code.len() - rest.len() + 1,
            None => end,
        },
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether the word at a position stands alone.
fn is_word(code: &str, at: usize, word: &str) -> bool {
    !code[..at].ends_with(is_name) && !code[at + word.len()..].starts_with(is_name)
}

/// The number of modules written out in the file that a position is in.
fn inline_modules(code: &str, at: usize) -> usize {
    let mut open = Vec::new();
    for (here, c) in code[..at].char_indices() {
        match c {
            '{' => {
                let mut words = code[..here].split_whitespace().rev();
                let name = words.next().is_some_and(|word| word.chars().all(is_name));
                open.push(name && words.next() == Some("mod"));
            }
            '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.iter().filter(|is_module| **is_module).count()
}

/// Blanks comments, and what texts and characters contain.
fn without_literals(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let before_is_name = code.ends_with(is_name);
        let raw = rest.strip_prefix(['b', 'c']).unwrap_or(rest).strip_prefix('r').filter(|_| !before_is_name);
        let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(raw) = raw.filter(|raw| raw[hashes..].starts_with('"')) {
            let begin = rest.len() - raw.len() + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            rest[begin..].find(&end).map_or(rest.len(), |at| begin + at + end.len())
        } else if c == '"' {
            quoted(rest, '"')
        } else if c == '\'' && is_character(rest) {
            quoted(rest, '\'')
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        blank(&mut code, &rest[..length]);
        rest = &rest[length..];
    }
    code
}

/// Whether a quote begins a character, not a lifetime.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    let first = characters.next();
    first == Some('\\') || characters.next() == Some('\'')
}

/// The length of a literal that ends with the quote it begins with.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a comment between `/*` and `*/`, which may hold others.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Appends as many lines as the text has, without what stands in them.
fn blank(code: &mut String, text: &str) {
    code.extend(text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
}

/// Blanks every item that is only compiled for tests, and no more.
fn without_tests(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|attribute| rest.find(attribute)).min() {
        kept.push_str(&rest[..at]);
        let length = item(&rest[at..]);
        blank(&mut kept, &rest[at..at + length]);
        rest = &rest[at + length..];
    }
    kept.push_str(rest);
    kept
}

/// The length of an item, a field, a variant or a statement, with its attributes: to the semicolon or the brace that ends
/// it, and what is no item also to a comma.
fn item(code: &str) -> usize {
    let mut depth = 0;
    let mut begin = code.len() - code.trim_start().len();
    while code[begin..].starts_with("#[") {
        let end = code[begin..].find(']').map_or(code.len(), |at| begin + at + 1);
        begin = code.len() - code[end..].trim_start().len();
    }
    const ITEMS: [&str; 12] =
        ["fn", "mod", "use", "struct", "enum", "impl", "const", "static", "type", "trait", "macro_rules", "unsafe"];
    let words = code[begin..].split(|c: char| !is_name(c)).filter(|word| !word.is_empty());
    let first = words.into_iter().find(|word| !["pub", "crate", "super", "in"].contains(word));
    let is_item = first.is_some_and(|word| ITEMS.contains(&word));
    for (at, c) in code[begin..].char_indices() {
        match c {
            ';' if depth == 0 => return begin + at + 1,
            ',' if depth == 0 && !is_item => return begin + at + 1,
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' if depth == 0 => return begin + at,
            '}' if depth == 1 => return begin + at + 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names at the root, as `LINE NAME`.
    fn names(text: &str, depth: usize) -> Vec<String> {
        names_at_root(&code(text), depth).into_iter().map(|(line, name)| format!("{line} {name}")).collect()
    }

    #[test]
    fn only_the_item_with_the_attribute_is_left_out() {
        let text = "#[cfg(test)]\npub mod test_view;\nuse crate::sim::Sim;\n";
        assert_eq!(names(text, 1), ["3 sim"]);
        let text = "use crate::a::A;\n#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    use crate::web::B;\n    fn f() { if x { y() } }\n}\nuse crate::sim::C;\n";
        assert_eq!(names(text, 1), ["1 a", "8 sim"]);
        let text = "#[cfg(all(test, not(target_arch = \"wasm32\")))]\nuse crate::web::A;\nuse crate::sim::B;\n";
        assert_eq!(names(text, 1), ["3 sim"]);
        let text = "struct S {\n    #[cfg(test)]\n    seen: Vec<crate::web::A>,\n    held: crate::sim::B,\n}\n";
        assert_eq!(names(text, 1), ["4 sim"]);
        let text = "#[cfg(test)]\nfn f<A, B>(a: crate::web::A) -> [u8; 2] { crate::web::g() }\nfn g() { crate::sim::h() }\n";
        assert_eq!(names(text, 1), ["3 sim"]);
        let text = "impl S {\n    #[cfg(test)]\n    const A: [crate::web::A; 2] = [X, Y];\n}\nuse crate::sim::B;\n";
        assert_eq!(names(text, 1), ["5 sim"]);
    }

    #[test]
    fn every_path_of_a_group_is_read() {
        assert_eq!(names("use crate::{ptx::{op::Op, types::Type}, sim::State,\n    event};", 1), ["1 ptx", "1 sim", "2 event"]);
        assert_eq!(names("use crate::{self, sim as s, web::*, lab};", 1), ["1 sim", "1 web", "1 lab"]);
        assert_eq!(names("fn f(a: crate::sim::A, b: crate::web::B<crate::lab::C>) {}", 1), ["1 sim", "1 web", "1 lab"]);
    }

    #[test]
    fn paths_that_leave_the_room_by_super_are_read() {
        assert_eq!(names("use super::web::A;", 1), ["1 web"]);
        assert_eq!(names("use super::own::A;", 2), [""; 0]);
        assert_eq!(names("use super::super::web::A;", 2), ["1 web"]);
        assert_eq!(names("use super::super::own::A;", 3), [""; 0]);
        assert_eq!(names("use super::{super::lab, own::A, super::{web::B}};", 2), ["1 lab", "1 web"]);
        assert_eq!(
            names("mod inner {\n    use super::own;\n    use super::super::web::A;\n}\nuse super::lab;", 1),
            ["3 web", "5 lab"]
        );
        assert_eq!(names("fn f() { self::super::web::g() }", 1), ["1 web"]);
    }

    #[test]
    fn comments_and_literals_name_nothing() {
        assert_eq!(names("// crate::web\n/* crate::web /* nested */ crate::web */ use crate::sim::A;", 1), ["2 sim"]);
        assert_eq!(
            names("f(\"crate::web \\\" crate::web\", r#\"crate::web \" crate::web\"#, '\"', crate::sim::A)", 1),
            ["1 sim"]
        );
        assert_eq!(names("fn f<'a>(a: &'a str) { g('\\'', \"}\") }\nmod tests { \n}\nuse super::lab;", 1), ["4 lab"]);
        assert_eq!(names("use my_crate::web; use superb::web;", 1), [""; 0]);
    }
}
