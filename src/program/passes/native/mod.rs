//! Effects of native code: what a compiler for the machine leaves of PTX, as far as it changes how many threads are active.
//!
//! PTX has instructions that machine code does not: copies between registers, loads of parameters (constants are operands
//! there), negations of predicates, jumps to the next instruction. And where PTX branches around a few instructions, machine code
//! predicates them. The pass does both:
//!
//! - [`copies`]: copies, parameters and constants become operands; registers that are copied into each other become one.
//! - [`predicate`]: short forward branches become predication.
//! - [`layout`]: blocks are put together again without jumps to the next instruction.
//!
//! Instructions that the machine has no single counterpart of (64-bit integers, divisions) stay single.

mod copies;
mod layout;
mod predicate;

use crate::program::liveness::Liveness;
use crate::program::{Dst, Plane, Program};

/// A register that holds a parameter from the start: machine code has the parameter as an operand in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub plane: Plane,
    /// Planes of the register.
    pub planes: u32,
    /// Where the parameter lies in the parameter space.
    pub offset: u32,
}

pub fn run(program: &mut Program) {
    copies::run(program);
    let mut code = layout::Code::of(program);
    predicate::run(&mut code, &Liveness::build(program).live_in);
    code.lay_out(program);
}

impl Program {
    /// An instruction's text with the operands that have come in place of those in the PTX.
    pub fn with_operands(&self, text: &str) -> String {
        let named = |text: String, (from, to): &(String, String)| replace_word(&text, from, to);
        self.renamed.iter().fold(text.to_string(), named).replace("!!", "")
    }
}

/// Replaces a register's name, but not names that begin with it.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let behind = &rest[at + from.len()..];
        let is_word = !behind.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
        replaced += &rest[..at];
        replaced += if is_word { to } else { from };
        rest = behind;
    }
    replaced + rest
}

/// The register of that plane: its first plane and its bits.
fn register_bits(program: &Program, plane: Plane) -> Option<u32> {
    program.registers.iter().find(|register| register.plane == plane).map(|register| register.bits)
}

/// The only destination, with its bits.
fn only_destination(dst: &[Dst]) -> Option<(Plane, u32)> {
    match *dst {
        [Dst::Register { plane, bits }] => Some((plane, bits.into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::program::load;
    use crate::program::passes::Pass;
    use crate::program::transformed;

    /// What the pass leaves of a kernel's body, line by line, without the braces and comments.
    fn native(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{{\n\
             .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n{body}\n}}\n"
        );
        let program = load(&text, None).expect("a sound kernel").through(&[Pass::Native]);
        let lines = transformed::lines(&program, &text).into_iter().map(|(line, _)| line);
        let plain = |line: String| line.split("//").next().unwrap_or_default().trim().to_string();
        lines.map(plain).filter(|line| !line.is_empty() && !line.starts_with(['.', '{', '}'])).collect()
    }

    #[test]
    fn copies_parameters_and_constants_are_operands() {
        let body = "ld.param.u64 %d1, [out]; cvta.to.global.u64 %d2, %d1; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; \
                    mov.u32 %r3, 5; mad.lo.s32 %r4, %r2, %r1, %r2; add.u32 %r5, %r4, %r3; st.global.u32 [%d2], %r5; ret;";
        assert_eq!(
            native(body),
            [
                "mov.u32 %r2, %ctaid.x;",
                "mad.lo.s32 %r4, %r2, %ntid.x, %r2;",
                "add.u32 %r5, %r4, 5;",
                "st.global.u32 [param[0]], %r5;",
                "ret;"
            ]
        );
    }

    #[test]
    fn a_loops_registers_are_not_copied() {
        let body = "ld.param.u64 %d1, [out]; mov.u32 %r1, 0; L: mov.u32 %r2, %r1; add.u32 %r3, %r2, 1; mov.u32 %r1, %r3; \
                    setp.lt.u32 %p1, %r3, 9; not.pred %p2, %p1; @%p2 bra M; bra.uni L; M: st.global.u32 [%d1], %r1; ret;";
        let found = native(body);
        assert_eq!(
            found.len(),
            7,
            "{found:?}: a constant, a label, the addition, the comparison, the branch, the store, the return"
        );
        assert!(found[4].starts_with("@%p1 bra"), "{found:?}");
    }

    #[test]
    fn short_branches_become_predication() {
        let sides = "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra A; add.u32 %r2, %r1, 1; \
                     bra.uni J; A: add.u32 %r2, %r1, 2; J: st.global.u32 [%d1], %r2; ret;";
        let found = native(sides);
        assert_eq!(found[2..4], ["@!%p1 add.u32 %r2, %r1, 1;", "@%p1 add.u32 %r2, %r1, 2;"], "{found:?}");
        let skip = "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra J; add.u32 %r1, %r1, 1; \
                    J: st.global.u32 [%d1], %r1; ret;";
        assert_eq!(native(skip)[2], "@!%p1 add.u32 %r1, %r1, 1;");
    }

    /// Four registers are live at once on one side of the branch, and none of them before it.
    #[test]
    fn predicated_values_begin_where_they_are_written() {
        let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
                    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d;\nld.param.u64 %d, [out]; mov.u32 %r0, %tid.x;\n\
                    setp.lt.u32 %p, %r0, 9; @%p bra J; mul.lo.u32 %r1, %r0, %r0; mul.lo.u32 %r2, %r1, %r0;\n\
                    mul.lo.u32 %r3, %r2, %r1; mad.lo.u32 %r4, %r1, %r2, %r3; st.global.u32 [%d], %r4; J: ret;\n}\n";
        let plain = load(text, None).expect("a sound kernel");
        let native = plain.clone().through(&[Pass::Native]);
        assert!(native.reconvergence.meetings.is_empty(), "no branch is left");
        assert_eq!((plain.registers_needed, native.registers_needed), (5, 3), "a 64-bit parameter is an operand");
    }

    #[test]
    fn long_branches_barriers_and_changed_predicates_stay() {
        let stays = |side: &str| {
            let body = format!(
                "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra J; {side} \
                 J: st.global.u32 [%d1], %r1; ret;"
            );
            native(&body).iter().any(|line| line.contains(" bra "))
        };
        assert!(!stays(&"add.u32 %r1, %r1, 1; ".repeat(7)));
        assert!(stays(&"add.u32 %r1, %r1, 1; ".repeat(8)), "more than seven instructions");
        assert!(stays("bar.sync 0;"));
        assert!(stays("setp.eq.u32 %p1, %r1, 3; @%p1 add.u32 %r1, %r1, 1;"));
    }
}
