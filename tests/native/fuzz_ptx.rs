//! No text, however broken, makes the parser, the program's analyses or their report panic or take long.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use warpscope_kernel::program::Program;
use warpscope_kernel::program::inspect::Inspection;
use warpscope_kernel::ptx::{self, problem};

/// Far more than any text of these sizes needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does everything that `inspect` does with a text.
fn inspect(text: &str) {
    let start = Instant::now();
    let (module, mut problems) = ptx::parse(text);
    for kernel in module.kernels() {
        match Program::build(&module, &kernel.name) {
            Ok(program) => {
                let report = Inspection::new(&program, text);
                assert!(!report.text().is_empty() && !report.dot().is_empty());
            }
            Err(more) => problems.extend(more),
        }
    }
    for problem in &problems {
        assert!(!problem.message.is_empty());
        assert!(problem.span.end as usize <= text.len(), "a span behind the end: {problem:?}");
    }
    let places = problem::located(&problems, text);
    assert!(places.iter().all(|place| place.line >= 1 && place.column >= 1));
    ptx::render(&problems, "fuzz.ptx", text, 5);
    assert!(start.elapsed() < PATIENCE, "took {:?}", start.elapsed());
}

/// PTX of real compilers in this repository.
static REAL: LazyLock<Vec<String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["static/kernels", "tests/golden"] {
        let kernels = std::fs::read_dir(root.join(folder)).expect(folder).flatten().filter(|entry| entry.path().is_dir());
        let inside = kernels.flat_map(|kernel| std::fs::read_dir(kernel.path()).expect("a folder").flatten());
        files.extend(inside.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "ptx")));
    }
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).expect("PTX")).filter(|text| text.len() < 60_000).collect()
});

const WORDS: &[&str] = &[
    ".version",
    "8.0",
    ".target",
    "sm_75",
    ".address_size",
    "64",
    ".visible",
    ".extern",
    ".entry",
    ".func",
    "k",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "<",
    ">",
    "=",
    "_",
    ".reg",
    ".param",
    ".shared",
    ".local",
    ".global",
    ".const",
    ".align",
    ".b8",
    ".b32",
    ".u64",
    ".pred",
    ".f32",
    ".v4",
    ".loc",
    ".file",
    ".section",
    ".pragma",
    ".branchtargets",
    ".alias",
    "\"x\"",
    "\"",
    "/*",
    "//",
    "#",
    "%r1",
    "%r",
    "%p1",
    "%rd1",
    "%tid.x",
    "0",
    "1",
    "-1",
    "0x",
    "0f3f800000",
    "18446744073709551615",
    "1e9",
    "4294967296",
    "mov.u32",
    "add",
    ".s32",
    "ld.global.v4.f32",
    "st.shared.u32",
    "bra",
    "bra.uni",
    "L",
    "L:",
    "brx.idx",
    "call",
    "call.uni",
    "ret",
    "exit",
    "setp.lt.s32",
    "atom.add.u32",
    "tex.2d.v4.f32.f32",
    "shfl.sync.down.b32",
    "mov.b64",
    "inlined_at",
    "function_name",
    "generic",
    "é",
    "\u{0}",
];

/// One change to a text.
#[derive(Clone, Debug)]
enum Change {
    Remove(Index, usize),
    Repeat(Index, usize),
    Insert(Index, &'static str),
    /// Replaces a run of digits by another number.
    Number(Index, &'static str),
    /// Inserts a piece of another text.
    Graft(Index, Index, Index, usize),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    let number = select(&["0", "-1", "3", "4294967295", "18446744073709551616", "99999999999999999999", "1073741824"][..]);
    prop_oneof![
        (at(), 1usize..200).prop_map(|(i, n)| Change::Remove(i, n)),
        (at(), 1usize..400).prop_map(|(i, n)| Change::Repeat(i, n)),
        (at(), select(WORDS)).prop_map(|(i, w)| Change::Insert(i, w)),
        (at(), number).prop_map(|(i, n)| Change::Number(i, n)),
        (at(), at(), at(), 1usize..400).prop_map(|(i, t, j, n)| Change::Graft(i, t, j, n)),
        at().prop_map(Change::Cut),
    ]
}

/// Returns a position between two characters.
fn boundary(text: &str, at: Index) -> usize {
    let mut at = at.index(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn piece(text: &str, at: Index, length: usize) -> std::ops::Range<usize> {
    let start = boundary(text, at);
    let mut end = (start + length).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

fn apply(text: &mut String, change: &Change) {
    match *change {
        Change::Remove(at, length) => text.replace_range(piece(text, at, length), ""),
        Change::Repeat(at, length) => {
            let range = piece(text, at, length);
            let copy = text[range.clone()].to_string();
            text.insert_str(range.end, &copy);
        }
        Change::Insert(at, word) => text.insert_str(boundary(text, at), &format!(" {word} ")),
        Change::Number(at, number) => {
            let from = boundary(text, at);
            if let Some(start) = text[from..].find(|c: char| c.is_ascii_digit()).map(|n| from + n) {
                let end = text[start..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| start + n);
                text.replace_range(start..end, number);
            }
        }
        Change::Graft(at, other, from, length) => {
            let other = other.get(&REAL);
            let graft = &other[piece(other, from, length)];
            text.insert_str(boundary(text, at), graft);
        }
        Change::Cut(at) => text.truncate(boundary(text, at)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_of_any_kind(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        inspect(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(select(WORDS), 0..300), head in any::<bool>(), spaced in any::<bool>()) {
        let head = if head { ".version 8.0\n.target sm_75\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n" } else { "" };
        inspect(&format!("{head}{}", words.join(if spaced { " " } else { "" })));
    }

    #[test]
    fn real_texts_changed(at in any::<Index>(), changes in prop::collection::vec(change(), 1..9)) {
        let mut text = at.get(&REAL).clone();
        for change in &changes {
            apply(&mut text, change);
        }
        inspect(&text);
    }
}

#[test]
fn real_texts_as_they_are() {
    assert!(REAL.len() >= 30, "{} texts", REAL.len());
    REAL.iter().for_each(|text| inspect(text));
}

#[test]
fn texts_made_to_be_slow() {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    // Calls that double at every level, deep nesting, and thousands of tables, labels, lines and names.
    let mut doubling = format!("{head}.func f0() {{ ret; }}\n");
    for level in 1..40 {
        doubling.push_str(&format!(".func f{level}() {{ call.uni f{0}; call.uni f{0}; ret; }}\n", level - 1));
    }
    inspect(&format!("{doubling}.entry k() {{ call.uni f39; ret; }}"));
    inspect(&format!("{head}.entry k() {}", "{".repeat(50_000)));
    inspect(&format!("{head}.global .u32 x[4] = {}", "{".repeat(50_000)));
    inspect(&format!("{head}.entry k() {{ {} ret; }}", "mov.b32 {{{{{{".repeat(20_000)));
    let many = |f: &dyn Fn(usize) -> String| (0..5_000).map(f).collect::<String>();
    inspect(&format!(
        "{head}.entry k() {{ .reg .b32 %r<9>;\n{} ret; }}",
        many(&|i| format!(".loc 1 {i} 1\nmov.u32 %r1, {i};\n"))
    ));
    inspect(&format!(
        "{head}.entry k() {{ .reg .pred p;\n{} ret; }}",
        many(&|i| format!("L{i}: @p bra L{};\n", (i * 7919) % 5_000))
    ));
    inspect(&format!("{head}{}.entry k() {{ ret; }}", many(&|i| format!(".global .u32 v{i};\n"))));
    inspect(&format!("{head}{}", many(&|i| format!(".entry k{i}() {{ frob; ret; }}\n"))));
    inspect(&format!("{head}.const .b8 c[1073741824]; .global .b8 g[1073741824]; .entry k() {{ ret; }}"));
    inspect(&format!(
        "{head}.entry k() {{ .reg .b32 %r<18446744073709551615>; .shared .b8 s[4294967295]; mov.u32 %r4294967294, s; ret; }}"
    ));
}
