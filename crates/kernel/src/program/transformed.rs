//! A program as PTX-like text: the kernel as the passes leave it, in program order.

use super::inspect::code;
use super::{Pc, Program, cfg};
use crate::ptx::op::Op;
use std::collections::BTreeMap;

/// Returns the whole kernel as text; `source` is the PTX that it was built from.
pub fn text(program: &Program, source: &str) -> String {
    lines(program, source).into_iter().fold(String::new(), |text, (line, _)| text + &line + "\n")
}

/// Returns the same text line by line, each with the instruction that it holds.
pub fn lines(program: &Program, source: &str) -> Vec<(String, Option<Pc>)> {
    let labels = labels(program, source);
    let mut lines = vec![(format!(".visible .entry {}", program.kernel), None), ("{".to_string(), None)];
    if let Some(wrapper) = &program.wrapper {
        let (now, before) = (program.registers_needed, wrapper.registers_before);
        let front = wrapper.head;
        lines.push((
            format!("  // {front} instructions in front of the loop; {now} registers a thread, {before} without it"),
            None,
        ));
    }
    for pc in 0..program.instructions.len() as Pc {
        if program.wrapper.as_ref().is_some_and(|wrapper| wrapper.head == pc) {
            lines.push(("WWL:".to_string(), None));
        }
        lines.extend(labels.get(&pc).map(|label| (format!("{label}:"), None)));
        lines.push((format!("  {}", code(program, source, pc)), Some(pc)));
    }
    lines.push(("}".to_string(), None));
    lines
}

/// Returns a label for every branch target: the name in the branch, or else `$L` and the PC.
fn labels(program: &Program, source: &str) -> BTreeMap<Pc, String> {
    let mut labels = BTreeMap::new();
    for instruction in &program.instructions {
        for target in cfg::targets(instruction, &program.tables) {
            let text = instruction.text.as_deref().unwrap_or_else(|| instruction.span.text(source));
            let written = text.trim_end_matches(';').split_whitespace().next_back().unwrap_or_default();
            let is_plain = matches!(instruction.op, Op::Bra { .. }) && !written.is_empty();
            let label = if is_plain { written.to_string() } else { format!("$L{target}") };
            labels.entry(target).or_insert(label);
        }
    }
    labels
}
