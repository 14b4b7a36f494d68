//! Every instruction form of `tests/forms/*.txt` computes what a real GPU computes: in the scalar reference, on whole
//! warps, and on warps whose threads were gathered out of order.

use crate::common::kernel::{Kernel, no_files, words64};
use crate::common::lanes::{self, Seating};
use crate::common::table::{self, Form};
use crate::common::{entries, read};
use std::fmt::Write;
use warpscope_kernel::launch::{Buffer, Init, Launch, LaunchNumber, Param};
use warpscope_kernel::program;
use warpscope_kernel::ptx::forms::{NoForm, form};
use warpscope_kernel::ptx::types::Type;

/// Mismatches of a form that are printed in full.
const SHOWN: usize = 4;

macro_rules! families {
    ($($name:ident at least $least:literal,)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $least);
        })*

        #[test]
        fn every_table_is_tested() {
            let tables: Vec<String> = entries("forms").iter().filter_map(|f| f.strip_suffix(".txt")).map(String::from).collect();
            assert_eq!(tables, [$(stringify!($name)),*]);
        }
    };
}

families! {
    approx at least 36,
    bits at least 110,
    carry at least 55,
    compare at least 476,
    convert at least 588,
    f32 at least 140,
    f64 at least 50,
    half at least 136,
    integer at least 138,
    mov at least 50,
    predicate at least 16,
    select at least 50,
}

/// Runs every form of a family and reports all wrong results.
fn check(family: &str, least: usize) {
    let forms = table::parse(&read(&format!("forms/{family}.txt")));
    assert!(forms.len() >= least, "{family} has {} forms", forms.len());
    let mut report = String::new();
    let mut failed = 0;
    for form in &forms {
        assert!(!form.rows.is_empty() && form.rows.len() <= 1024, "{family}.txt:{}: {} rows", form.line, form.rows.len());
        if let Err(trouble) = if is_refused(form) { check_refusal(form) } else { check_form(form) } {
            failed += 1;
            let _ = writeln!(report, "{family}.txt:{}: {}\n{trouble}", form.line, form.text);
        }
    }
    assert!(failed == 0, "{failed} of {} forms of {family} fail\n{report}", forms.len());
}

/// Whether a form of the tables is refused: compilers do not write these by themselves.
fn is_refused(form: &Form) -> bool {
    form.text.contains(".xorsign")
}

fn check_refusal(form: &Form) -> Result<(), String> {
    match program::load(&form.kernel(), None) {
        Ok(_) => Err("is not refused any more: strike it from `is_refused`".to_string()),
        Err(problems) if problems.iter().any(|p| p.message.contains("xorsign")) => Ok(()),
        Err(problems) => Err(format!("is refused for another reason: {problems:?}")),
    }
}

fn check_form(form: &Form) -> Result<(), String> {
    let words = form.input_words();
    let buffer =
        |name: &str, len: usize, init| Param::Buffer(Buffer { name: name.into(), ty: Type::U64, len: len.max(1) as u64, init });
    let values = words.iter().map(|&word| LaunchNumber::Int(word.into())).collect();
    let launch = Launch {
        kernel: None,
        grid: [1; 3],
        block: [form.rows.len() as u32, 1, 1],
        shared: 0,
        params: vec![
            buffer("inputs", words.len(), Init::Values(values)),
            buffer("outputs", form.rows.len() * form.outputs.len(), Init::Zeros),
        ],
        globals: Vec::new(),
    };
    let kernel = Kernel::with_launch(&form.kernel(), launch, &no_files)?;
    let outcome = kernel.run();
    if let Some(trap) = outcome.trap {
        return Err(trap.to_string());
    }
    judge(form, &kernel, &outcome.global, "the reference")?;
    for seating in [Seating::Warp, Seating::Gathered] {
        judge(form, &kernel, &lanes::run(&kernel, seating)?, &format!("{seating:?}"))?;
    }
    Ok(())
}

fn judge(form: &Form, kernel: &Kernel, global: &warpscope_kernel::interp::memory::Global, who: &str) -> Result<(), String> {
    let found = words64(&kernel.buffers(global)[1].bytes);
    let mut trouble = String::new();
    let mut wrong = 0;
    for (row, found) in form.rows.iter().zip(found.chunks(form.outputs.len())) {
        if (0..found.len()).all(|at| form.accepts(row, at, found[at])) {
            continue;
        }
        wrong += 1;
        if wrong <= SHOWN {
            let _ = writeln!(trouble, "    {:x?} -> {:x?}, found {found:x?}", row.inputs, row.outputs);
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("  {who}: {wrong} of {} rows differ\n{trouble}", form.rows.len())) }
}

#[test]
fn what_compilers_write_has_a_form_or_a_refusal_that_says_why() {
    let list = read("forms/compilers.list");
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() >= 700, "{} forms", lines.len());
    let mut wrong = Vec::new();
    for line in lines {
        let (text, refused) = line.strip_prefix("refused ").map_or((line, false), |text| (text, true));
        let found = form_of(text);
        let as_it_should = if refused { matches!(found, Err(NoForm::Refused(_))) } else { found.is_ok() };
        if !as_it_should {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} forms are not as listed\n{}", wrong.len(), wrong.join("\n"));
}

/// Parses an opcode with its modifiers, given as one word.
fn form_of(text: &str) -> Result<warpscope_kernel::ptx::forms::Form, NoForm> {
    let mut parts = text.split('.');
    let opcode = parts.next().unwrap_or_default();
    let modifiers: Vec<String> = parts.map(|word| format!(".{word}")).collect();
    form(opcode, &modifiers.iter().map(String::as_str).collect::<Vec<_>>())
}
