//! The tables of `tests/forms`: forms with rows of inputs and outputs, and the kernel that runs a form on its rows.

use super::tolerance::{Format, Tolerance};
use std::fmt::Write;

/// A form and the results of a real GPU.
#[derive(Debug)]
pub struct Form {
    /// Line of the table, for messages.
    pub line: usize,
    /// PTX, one or more instructions.
    pub text: String,
    pub outputs: Vec<Operand>,
    pub inputs: Vec<Operand>,
    pub tolerance: Tolerance,
    pub rows: Vec<Row>,
}

#[derive(Debug)]
pub struct Operand {
    pub name: String,
    pub width: Width,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    Pred,
    Bits(u32),
}

#[derive(Debug)]
pub struct Row {
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
}

/// Parses a table; panics with the line number if it is invalid.
pub fn parse(text: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |what: &str| -> ! { panic!("line {number}: {what}: {line}") };
        if let Some(head) = line.strip_prefix("form ") {
            forms.push(parse_head(head, number).unwrap_or_else(|| bad("not a form")));
            continue;
        }
        let Some(form) = forms.last_mut() else { bad("a row before any form") };
        let row = parse_row(line).unwrap_or_else(|| bad("not a row"));
        if row.inputs.len() != form.inputs.len() || row.outputs.len() != form.outputs.len() {
            bad("as many values as operands expected");
        }
        form.rows.push(row);
    }
    forms
}

fn parse_head(head: &str, line: usize) -> Option<Form> {
    let mut parts = head.split(" | ");
    // A destination pair (`%d|%e`) has no spaces around its bar.
    let text = parts.next()?.to_string();
    let operands: Vec<Operand> = parts.next()?.split_whitespace().map(parse_operand).collect::<Option<_>>()?;
    let tolerance = parts.next().map_or(Some(Tolerance::Exact), Tolerance::parse)?;
    let (outputs, inputs) = operands.into_iter().partition(|o| matches!(o.name.as_str(), "d" | "e" | "h"));
    Some(Form { line, text, outputs, inputs, tolerance, rows: Vec::new() })
}

fn parse_operand(text: &str) -> Option<Operand> {
    let (name, width) = text.split_once(':')?;
    let width = if width == "pred" { Width::Pred } else { Width::Bits(width.strip_prefix('b')?.parse().ok()?) };
    Some(Operand { name: name.to_string(), width })
}

fn parse_row(line: &str) -> Option<Row> {
    let (inputs, outputs) = line.split_once("->")?;
    let values =
        |text: &str| text.split_whitespace().map(|word| u64::from_str_radix(word, 16).ok()).collect::<Option<Vec<u64>>>();
    Some(Row { inputs: values(inputs)?, outputs: values(outputs)? })
}

impl Form {
    /// Whether the value of output `at` is acceptable in that row.
    pub fn accepts(&self, row: &Row, at: usize, found: u64) -> bool {
        let wanted = row.outputs[at];
        match (self.tolerance, Format::of(&self.text)) {
            (Tolerance::Exact, _) | (_, None) => wanted == found,
            (tolerance, Some(format)) => tolerance.allows(format, wanted, found),
        }
    }

    /// Returns the inputs of all rows as the kernel reads them: 64 bits a value, row after row.
    pub fn input_words(&self) -> Vec<u64> {
        self.rows.iter().flat_map(|row| row.inputs.iter().copied()).collect()
    }

    /// Returns a kernel whose thread `t` runs the form on row `t`; its parameters are the inputs and the outputs.
    pub fn kernel(&self) -> String {
        let mut out = String::from(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry form(.param .u64 inputs, .param .u64 outputs)\n{\n\
             .reg .b64 %in, %out;\n.reg .b32 %row, %word;\n",
        );
        for operand in self.outputs.iter().chain(&self.inputs) {
            let _ = writeln!(out, ".reg .{} %{};", operand.width.ty(), operand.name);
        }
        let _ = writeln!(
            out,
            "ld.param.u64 %in, [inputs];\nld.param.u64 %out, [outputs];\nmov.u32 %row, %tid.x;\n\
             mad.wide.u32 %in, %row, {}, %in;\nmad.wide.u32 %out, %row, {}, %out;",
            8 * self.inputs.len(),
            8 * self.outputs.len()
        );
        for (at, Operand { name, width }) in self.inputs.iter().enumerate() {
            let _ = match width {
                Width::Pred => writeln!(out, "ld.global.b32 %word, [%in+{}];\nsetp.ne.b32 %{name}, %word, 0;", 8 * at),
                Width::Bits(bits) => writeln!(out, "ld.global.b{bits} %{name}, [%in+{}];", 8 * at),
            };
        }
        let _ = writeln!(out, "{}", self.text);
        for (at, Operand { name, width }) in self.outputs.iter().enumerate() {
            let _ = match width {
                Width::Pred => writeln!(out, "selp.b32 %word, 1, 0, %{name};\nst.global.b32 [%out+{}], %word;", 8 * at),
                Width::Bits(bits) => writeln!(out, "st.global.b{bits} [%out+{}], %{name};", 8 * at),
            };
        }
        out.push_str("ret;\n}\n");
        out
    }
}

impl Width {
    fn ty(self) -> String {
        match self {
            Width::Pred => "pred".to_string(),
            Width::Bits(bits) => format!("b{bits}"),
        }
    }
}
