//! Large kernel texts of one kind each, for the benchmark and the test of how work grows with a text.
//!
//! A family is a text of about `n` statements in which one thing repeats. Most are nothing that a compiler writes: each puts a
//! load on one part of the way from text to program, and a part that takes quadratic time shows in its family.

use std::fmt::Write;
use warpscope_kernel::program::inspect::Inspection;
use warpscope_kernel::program::passes::Pass;
use warpscope_kernel::program::passes::virtualise::Dimensions;
use warpscope_kernel::program::{Program, load_parsed, transformed};
use warpscope_kernel::ptx;

/// A kind of text.
pub struct Family {
    pub name: &'static str,
    /// Returns the text with about so many statements.
    pub text: fn(usize) -> String,
}

const fn family(name: &'static str, text: fn(usize) -> String) -> Family {
    Family { name, text }
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    family("straight", straight),
    family("nested_loops", nested_loops),
    family("loops_in_a_row", loops_in_a_row),
    family("loops_left_by_breaks", loops_left_by_breaks),
    family("continues", continues),
    family("back_branches", back_branches),
    family("barriers_behind_branches", barriers_behind_branches),
    family("ifs_in_a_row", ifs_in_a_row),
    family("nested_ifs", nested_ifs),
    family("branches_to_one_place", branches_to_one_place),
    family("guarded_exits", guarded_exits),
    family("exits", exits),
    family("two_tracks", two_tracks),
    family("blocks_backwards", blocks_backwards),
    family("live_registers", live_registers),
    family("live_across_blocks", live_across_blocks),
    family("registers_one_by_one", registers_one_by_one),
    family("register_ranges", register_ranges),
    family("copies", copies),
    family("copies_backwards", copies_backwards),
    family("turned_predicates", turned_predicates),
    family("constants", constants),
    family("loop_variables", loop_variables),
    family("unread", unread),
    family("products", products),
    family("logic", logic),
    family("high_halves", high_halves),
    family("invariant_backwards", invariant_backwards),
    family("indices", indices),
    family("table_targets", table_targets),
    family("tables", tables),
    family("entries", entries),
    family("functions", functions),
    family("calls", calls),
    family("scopes", scopes),
    family("labels", labels),
    family("variables", variables),
    family("functions_named", functions_named),
    family("shared_variables", shared_variables),
    family("parameters", parameters),
    family("initial_values", initial_values),
    family("places", places),
    family("files", files),
    family("named_files", named_files),
    family("long_names", long_names),
    family("problems", problems),
    family("problems_on_one_line", problems_on_one_line),
    family("undeclared_names", undeclared_names),
    family("problems_everywhere", problems_everywhere),
    family("open_parentheses", open_parentheses),
    family("open_braces", open_braces),
];

/// Does what must be done before a person sees anything of a text: parses it, loads its kernels, and lists their blocks or the
/// problems. Returns the kernels and the length of what is shown.
pub fn show(text: &str) -> (Vec<Program>, usize) {
    let (module, problems) = ptx::parse(text);
    // Of a text with problems, one kernel: each is refused with its own problems, which are looked for among all.
    let most = if problems.is_empty() { usize::MAX } else { 1 };
    let loaded = module.kernels().take(most).filter_map(|kernel| load_parsed(&module, &problems, Some(&kernel.name)).ok());
    let kernels: Vec<Program> = loaded.collect();
    let report = |program: &Program| {
        let report = Inspection::new(program, text);
        report.text().len() + report.dot().len() + serde_json::to_string(&report).map_or(0, |json| json.len())
    };
    let shown: usize = kernels.iter().map(report).sum();
    let located = serde_json::to_string(&ptx::problem::located(&problems, text)).map_or(0, |json| json.len());
    (kernels, shown + located + ptx::render(&problems, "text", text, 20).len())
}

/// Rewrites a kernel as machines with native code and with virtual blocks run it; returns the length of the new texts.
pub fn rewrite(kernel: &Program, text: &str) -> usize {
    let dimensions = Dimensions::named(kernel);
    let virtualise = Pass::Virtualise { dimensions, most_registers: u32::MAX };
    let passes = [Pass::Native { meetings: true }, Pass::Converge, virtualise];
    passes.into_iter().map(|pass| transformed::text(&kernel.clone().through(&[pass]), text).len()).sum()
}

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n";
const REGISTERS: &str = ".reg .pred %p<1000000>;\n.reg .b32 %r<1000000>;\n.reg .b64 %rd<1000000>;\n";
/// Computes a predicate that differs between threads.
const SPLIT: &str = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 7;\n";

/// Returns a module with one kernel; `each` appends the statements with a number.
fn kernel(front: &str, n: usize, each: impl Fn(&mut String, usize), behind: &str) -> String {
    let mut text = format!("{HEAD}.visible .entry k(.param .u64 k_0, .param .u32 k_1)\n{{\n{REGISTERS}{SPLIT}{front}");
    (0..n).for_each(|at| each(&mut text, at));
    text + behind + "ld.param.u64 %rd0, [k_0];\nst.global.u32 [%rd0], %r0;\nret;\n}\n"
}

/// Appends formatted text.
macro_rules! put {
    ($text:expr, $($arg:tt)*) => { write!($text, $($arg)*).unwrap_or_default() };
}

fn straight(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "add.u32 %r{}, %r{}, %r0;\n", i % 100 + 1, (i + 1) % 100 + 1), "")
}

fn nested_loops(n: usize) -> String {
    let heads: String = (0..n / 2).map(|i| format!("L{i}: add.u32 %r0, %r0, {};\n", i % 9)).collect();
    kernel(&heads, n / 2, |t, i| put!(t, "@%p1 bra L{};\nadd.u32 %r0, %r0, 1;\n", n / 2 - 1 - i), "")
}

fn loops_in_a_row(n: usize) -> String {
    let each = |t: &mut String, i| put!(t, "L{i}: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p2, %r0, {i};\n@%p2 bra L{i};\n");
    kernel("", n / 3, each, "")
}

fn loops_left_by_breaks(n: usize) -> String {
    let each = |t: &mut String, i| {
        put!(t, "L{i}: add.u32 %r0, %r0, 1;\n@%p1 bra E{i};\nadd.u32 %r0, %r0, 2;\n@%p2 bra L{i};\nE{i}: add.u32 %r0, %r0, 3;\n");
    };
    kernel("", n / 5, each, "")
}

fn continues(n: usize) -> String {
    kernel("L: add.u32 %r0, %r0, 1;\n", n / 2, |t, i| put!(t, "@%p{} bra L;\nst.shared.u32 [%r0], 1;\n", i % 7), "")
}

fn back_branches(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "L{i}: @%p1 bra L{};\n", i.saturating_sub(3)), "")
}

fn barriers_behind_branches(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, "@%p1 bra L{i};\nbar.sync 0;\nL{i}:\n"), "")
}

fn ifs_in_a_row(n: usize) -> String {
    let each = |t: &mut String, i| {
        put!(t, "@%p1 bra A{i};\nst.shared.u32 [%r0], 1;\nadd.u32 %r0, %r0, 1;\nbra B{i};\nA{i}: add.u32 %r0, %r0, 2;\nB{i}:\n")
    };
    kernel("", n / 5, each, "")
}

fn nested_ifs(n: usize) -> String {
    let heads: String = (0..n / 3).map(|i| format!("@%p1 bra L{i};\nst.shared.u32 [%r0], {};\n", i % 9)).collect();
    kernel(&heads, n / 3, |t, i| put!(t, "L{}: add.u32 %r0, %r0, 1;\n", n / 3 - 1 - i), "")
}

fn branches_to_one_place(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, "@%p{} bra END;\nst.shared.u32 [%r0], 1;\n", i % 7), "END: st.shared.u32 [%r0], 2;\n")
}

fn guarded_exits(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, "@%p{} exit;\nst.shared.u32 [%r0], 1;\n", i % 7), "")
}

fn exits(n: usize) -> String {
    let each =
        |t: &mut String, i| put!(t, "@%p{} bra L{i};\nst.shared.u32 [%r0], 1;\nexit;\nL{i}: add.u32 %r0, %r0, 1;\n", i % 7);
    kernel("", n / 4, each, "bar.sync 0;\n")
}

/// Two paths that cross at every step, and meet only at many ends.
fn two_tracks(n: usize) -> String {
    let each = |t: &mut String, i| {
        let next = i + 1;
        put!(t, "X{i}: st.shared.u32 [%r0], 1;\n@%p1 bra Y{next};\nbra X{next};\n");
        put!(t, "Y{i}: st.shared.u32 [%r0], 2;\n@%p2 bra X{next};\nbra Y{next};\n");
    };
    let (mut ends, steps, exits) = (String::new(), n / 6, 40);
    for track in ["X", "Y"] {
        put!(ends, "{track}{steps}: st.shared.u32 [%r0], 3;\n");
        (0..exits).for_each(|e| put!(ends, "@%p3 bra EXIT{e};\n"));
    }
    (0..exits).for_each(|e| put!(ends, "EXIT{e}: st.shared.u32 [%r0], 4;\nbar.sync 0;\nexit;\n"));
    kernel("@%p1 bra Y0;\n", steps, each, &ends)
}

fn blocks_backwards(n: usize) -> String {
    let blocks = n / 2;
    let each = |t: &mut String, i| {
        let at = blocks - i;
        put!(t, "L{at}: add.u32 %r{at}, %r{}, 1;\n@%p1 bra L{};\nbra L{};\n", at - 1, at + 1, at + 1);
    };
    kernel("bra L1;\n", blocks, each, &format!("L{}: st.shared.u32 [%r0], %r{blocks};\n", blocks + 1))
}

fn live_registers(n: usize) -> String {
    let heads: String = (1..n / 2).map(|i| format!("mul.lo.u32 %r{i}, %r0, %r{};\n", i - 1)).collect();
    kernel(&heads, n / 2, |t, i| put!(t, "add.u32 %r0, %r0, %r{i};\n"), "")
}

fn live_across_blocks(n: usize) -> String {
    let heads: String = (1..n / 4).map(|i| format!("mul.lo.u32 %r{i}, %r0, %r{};\n", i - 1)).collect();
    let sums: String = (0..n / 4).map(|i| format!("add.u32 %r0, %r0, %r{i};\n")).collect();
    kernel(&heads, n / 4, |t, i| put!(t, "@%p1 bra L{i};\nst.shared.u32 [%r0], 1;\nL{i}:\n"), &sums)
}

fn registers_one_by_one(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, ".reg .b32 %x{i};\nadd.u32 %x{i}, %r0, 1;\n"), "")
}

fn register_ranges(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, ".reg .b32 %x{i}_<3>;\nadd.u32 %x{i}_1, %r0, 1;\n"), "")
}

fn copies(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "mov.u32 %r{}, %r{i};\n", i + 1), &format!("st.shared.u32 [%r0], %r{n};\n"))
}

/// Copies of copies whose last stands first in the text, and many readers of it.
fn copies_backwards(n: usize) -> String {
    let steps = n / 3;
    let mut blocks = String::new();
    (0..steps).for_each(|i| put!(blocks, "add.u32 %r{}, %r{steps}, %r0;\n", 2 * steps + i));
    put!(blocks, "bra END;\n");
    let each = |t: &mut String, i| {
        let at = steps - i;
        put!(t, "L{at}: mov.u32 %r{at}, %r{};\nbra L{};\n", at - 1, at + 1);
    };
    kernel("bra L1;\n", steps, each, &format!("L{}:\n{blocks}END: st.shared.u32 [%r0], 1;\n", steps + 1))
}

fn turned_predicates(n: usize) -> String {
    let turns: String = (1..n / 2).map(|i| format!("not.pred %p{}, %p{i};\n", i + 1)).collect();
    kernel(&turns, n / 2, |t, i| put!(t, "@%p{} add.u32 %r0, %r0, {};\n", n / 2, i % 5), "")
}

fn constants(n: usize) -> String {
    let each = |t: &mut String, i| put!(t, "mov.u32 %r{}, {i};\nadd.u32 %r0, %r0, %r{};\n", i + 1, i + 1);
    kernel("", n / 2, each, "")
}

fn loop_variables(n: usize) -> String {
    let each = |t: &mut String, i| {
        let (now, next) = (2 * i + 1, 2 * i + 2);
        put!(t, "mov.u32 %r{now}, 0;\nL{i}: add.u32 %r{next}, %r{now}, 1;\nsetp.lt.u32 %p2, %r{next}, 9;\n");
        put!(t, "mov.u32 %r{now}, %r{next};\n@%p2 bra L{i};\n");
    };
    kernel("", n / 5, each, "")
}

fn unread(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "add.u32 %r{}, %r{i}, 1;\n", i + 1), "")
}

fn products(n: usize) -> String {
    let each = |t: &mut String, i| {
        let (product, sum) = (2 * i + 1, 2 * i + 2);
        put!(t, "mul.lo.u32 %r{product}, %r0, %r{};\nadd.u32 %r{sum}, %r{product}, %r0;\n", 2 * i);
    };
    kernel("", n / 2, each, &format!("st.shared.u32 [%r0], %r{};\n", n / 2 * 2))
}

fn logic(n: usize) -> String {
    let each = |t: &mut String, i| put!(t, "xor.b32 %r{}, %r{i}, %r{};\n", i + 1, n + i % 2);
    kernel("", n, each, &format!("st.shared.u32 [%r0], %r{n};\n"))
}

fn high_halves(n: usize) -> String {
    let each = |t: &mut String, i| {
        let wide = 2 * i + 1;
        put!(t, "mul.wide.u32 %rd{wide}, %r0, 3;\nshr.u64 %rd{}, %rd{wide}, {};\n", wide + 1, 32 + i % 2 * 3);
        put!(t, "cvt.u32.u64 %r{}, %rd{};\nadd.u32 %r0, %r0, %r{};\n", i + 1, wide + 1, i + 1);
    };
    kernel("", n / 4, each, "")
}

/// Each value is computed from one that stands behind it in the text.
fn invariant_backwards(n: usize) -> String {
    let blocks = n / 2;
    let each = |t: &mut String, i| {
        let at = blocks - i;
        put!(t, "L{at}: mad.lo.u32 %r{at}, %r{}, 3, 1;\nbra L{};\n", at - 1, at + 1);
    };
    let end = format!("L{}: st.shared.u32 [%r0], %r{blocks};\n", blocks + 1);
    kernel("ld.param.u32 %r0, [k_1];\nbra L1;\n", blocks, each, &end).replacen("mov.u32 %r0, %tid.x;\n", "", 1)
}

fn indices(n: usize) -> String {
    kernel("", n / 2, |t, i| put!(t, "mov.u32 %r{}, %ctaid.x;\nadd.u32 %r0, %r0, %r{};\n", i + 1, i + 1), "")
}

fn table_targets(n: usize) -> String {
    let labels: Vec<String> = (0..n / 2).map(|i| format!("L{i}")).collect();
    let table = format!("T: .branchtargets {};\nbrx.idx %r0, T;\n", labels.join(", "));
    kernel(&table, n / 2, |t, i| put!(t, "L{i}: add.u32 %r0, %r0, 1;\nst.shared.u32 [%r0], 1;\n"), "")
}

fn tables(n: usize) -> String {
    let each = |t: &mut String, i| {
        let next = i + 1;
        put!(t, "L{i}: add.u32 %r0, %r0, 1;\nT{i}: .branchtargets L{i}, L{next};\nbrx.idx %r0, T{i};\n");
    };
    kernel("", n / 3, each, &format!("L{}:\n", n / 3))
}

fn entries(n: usize) -> String {
    let one = |i| format!(".visible .entry k{i}(.param .u64 k{i}_0)\n{{\nret;\n}}\n");
    HEAD.to_string() + &(0..n).map(one).collect::<String>()
}

fn functions(n: usize) -> String {
    let one = |i| format!(".func f{i}()\n{{\n.reg .b32 %r<4>;\nmov.u32 %r1, {i};\nret;\n}}\n");
    let all: String = (0..n / 3).map(one).collect();
    kernel("", n / 3, |t, i| put!(t, "call.uni f{i}, ();\n"), "").replacen(".visible", &(all + ".visible"), 1)
}

fn calls(n: usize) -> String {
    let registers = ".reg .b32 %r<4>;\n.reg .pred %p;\nmov.u32 %r1, %laneid;\nsetp.lt.u32 %p, %r1, 7;\n";
    let function = format!(".func f()\n{{\n{registers}@%p bra L;\nret;\nL: ret;\n}}\n.visible");
    kernel("", n / 6, |t, _| put!(t, "call.uni f, ();\n"), "").replacen(".visible", &function, 1)
}

fn scopes(n: usize) -> String {
    let (deep, open, close) = (150, "{\n.reg .b32 %x;\n".repeat(150), "}\n".repeat(150));
    let each = |t: &mut String, i| {
        put!(t, "{open}@%p1 bra OUT{i};\nadd.u32 %x, %r0, 1;\n{close}OUT{i}:\n");
    };
    kernel("", n / deep, each, "")
}

fn labels(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "L{i}:\n"), "@%p1 bra L0;\n")
}

fn variables(n: usize) -> String {
    let all: String = (0..n / 2).map(|i| format!(".global .u32 v{i} = {i};\n")).collect();
    let each = |t: &mut String, i| put!(t, "mov.u64 %rd{}, v{i};\n", i % 100);
    kernel("", n / 2, each, "").replacen(".visible", &(all + ".visible"), 1)
}

fn functions_named(n: usize) -> String {
    let all: String = (0..n / 2).map(|i| format!(".func f{i}()\n{{\nret;\n}}\n")).collect();
    let each = |t: &mut String, i| put!(t, "mov.u64 %rd{}, f{i};\n", i % 100);
    kernel("", n / 2, each, "").replacen(".visible", &(all + ".visible"), 1)
}

fn shared_variables(n: usize) -> String {
    let all: String = (0..n / 2).map(|i| format!(".shared .u32 v{i};\n")).collect();
    let each = |t: &mut String, i| put!(t, "mov.u64 %rd{}, v{i};\n", i % 100);
    kernel("", n / 2, each, "").replacen(".visible", &(all + ".visible"), 1)
}

fn parameters(n: usize) -> String {
    let all: String = (2..n / 2).map(|i| format!(",\n.param .u32 k_{i}")).collect();
    let each = |t: &mut String, i| put!(t, "ld.param.u32 %r{}, [k_{i}];\n", i % 100);
    kernel("", n / 2, each, "").replacen(")\n{", &(all + ")\n{"), 1).replacen("u32 %r0, [k_0]", "u64 %rd0, [k_0]", 1)
}

fn initial_values(n: usize) -> String {
    let numbers: Vec<String> = (0..n / 2).map(|i| i.to_string()).collect();
    let places: Vec<String> = (0..n / 2).map(|i| format!("generic(v)+{}", i * 4)).collect();
    let (numbers, places) = (numbers.join(", "), places.join(", "));
    let all = format!(".global .u32 v[{}] = {{{numbers}}};\n.global .u64 w[{}] = {{{places}}};\n", n / 2, n / 2);
    kernel("", 1, |t, _| put!(t, "mov.u64 %rd1, v;\n"), "").replacen(".visible", &(all + ".visible"), 1)
}

fn places(n: usize) -> String {
    let each = |t: &mut String, i| {
        put!(t, ".loc 1 {i} 3, function_name $L__info_string0, inlined_at 1 {} 5\nadd.u32 %r0, %r0, 1;\n", i / 2);
    };
    kernel("", n / 2, each, "").replacen(".visible", ".file 1 \"a.cu\"\n.visible", 1)
}

fn files(n: usize) -> String {
    let all: String = (0..n / 3).map(|i| format!(".file {i} \"file{i}.cu\"\n")).collect();
    let each = |t: &mut String, i| put!(t, ".loc {i} 1 1\n@%p1 bra L{i};\nst.shared.u32 [%r0], 1;\nL{i}:\n");
    kernel("", n / 3, each, "").replacen(".visible", &(all + ".visible"), 1)
}

fn named_files(n: usize) -> String {
    let all: String = (1..n / 3).map(|i| format!(".file {i} \"/src/file{i}.cu\"\n")).collect();
    let each = |t: &mut String, i| put!(t, ".loc 1 1 1 // file1.cu:1:1 @[ other{i}.cu:2:2 ]\nadd.u32 %r0, %r0, 1;\n");
    kernel("", n / 3, each, "").replacen(".visible", &(all + ".visible"), 1)
}

/// Few names as long as the text is, each in many copies of a function.
fn long_names(n: usize) -> String {
    let name = "x".repeat(n);
    let function =
        format!(".func f()\n{{\n.reg .b32 %{name};\n.shared .u32 {name};\nmov.u32 %{name}, {name};\nret;\n}}\n.visible");
    kernel("", n / 5, |t, _| put!(t, "call.uni f, ();\n"), "").replacen(".visible", &function, 1)
}

fn problems(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "add.u32 %nothing{i}, 1, 2;\n"), "")
}

fn problems_on_one_line(n: usize) -> String {
    let one = |i| format!(".func f{i}(){{mov.u32 %r1, {i};\u{20}}}");
    HEAD.to_string() + &(0..n).map(one).collect::<String>()
}

fn undeclared_names(n: usize) -> String {
    kernel("", n, |t, i| put!(t, "mov.u64 %rd1, nothing{i}; "), "")
}

fn problems_everywhere(n: usize) -> String {
    let one = |i| format!(".visible .entry k{i}()\n{{\nmov.u32 %r1, {i};\n}}\n");
    HEAD.to_string() + &(0..n).map(one).collect::<String>()
}

fn open_parentheses(n: usize) -> String {
    format!("{HEAD}{}{} f;", ".func ( ; ".repeat(n), ") ".repeat(n))
}

fn open_braces(n: usize) -> String {
    kernel("", n / 2, |t, _| put!(t, "{{ x\n"), "") + &"}".repeat(n)
}
