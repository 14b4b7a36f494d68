//! Effects of native code: how compiling PTX for the machine changes the number of active threads.
//!
//! A GPU does not run PTX, and the average number of active threads depends on how many instructions stand on paths that few
//! threads take. The pass imitates what is general in the machine code that ptxas 13.0 makes for sm_90:
//!
//! - [`copies`]: copies, parameters and constants become operands.
//! - [`merge`]: registers that are copied into each other become one.
//! - [`fuse`]: products and sums, and logical operations, become one instruction.
//! - [`predicate`]: short forward branches become predication.
//! - [`lengths`]: instructions without a counterpart in the machine become several.
//! - [`layout`]: blocks stand behind their predecessors, without jumps to the next instruction.
//! - [`meet`]: each side of a branch executes an instruction of its own where the sides meet.
//!
//! Threads that leave a loop by a `break` do not keep the others from meeting at the loop's end, as on that GPU, where the
//! technique uses likely-convergence points (`PDOM-LCP`): machine code names the threads that will not arrive (`BREAK`).

mod copies;
mod edits;
mod fuse;
mod lengths;
mod meet;
mod merge;
mod predicate;
mod writers;

use super::virtualise::register;
use super::{Rewrite, layout, machine};
use crate::program::liveness::LiveIn;
use crate::program::{Dst, Plane, Program};
use lengths::Lengths;
use std::collections::HashMap;

/// A register that holds a parameter when the block starts: machine code has the parameter as an operand instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamRegister {
    pub plane: Plane,
    /// Planes of the register.
    pub planes: u32,
    /// Offset of the parameter in the parameter space.
    pub offset: u32,
}

/// Rewrites a program as native code. With `meetings`, instructions stand where threads reconverge; a machine with convergence
/// barriers puts its own there ([`converge`](super::converge)).
pub fn run(program: &mut Program, meetings: bool) {
    copies::run(program);
    fuse::run(program);
    let mut code = layout::Code::of(program);
    let lengths = Lengths::new(program);
    predicate::run(&mut code, &LiveIn::build(program), &lengths);
    for part in &mut code.parts {
        lengths.expand(&mut part.body);
    }
    code.put_in_order();
    program.reconverges_within_trip = true;
    code.lay_out(program);
    if meetings {
        meet::run(program);
    }
    program.count_registers();
}

/// What stands in a text for the registers that passes replaced.
#[derive(Clone, Debug, Default)]
pub struct Renames {
    /// PTX names, each with its new operand; a later entry may replace the operand of an earlier one.
    list: Vec<(String, String)>,
    /// The final operand of each name, as of the last [`settle`](Renames::settle).
    operands: HashMap<String, String>,
}

impl Renames {
    fn push(&mut self, from: String, to: String) {
        self.list.push((from, to));
    }

    /// Finds the final operand of each name.
    fn settle(&mut self) {
        self.operands.clear();
        for (from, to) in self.list.iter().rev() {
            let to = self.put(to);
            self.operands.insert(from.clone(), to);
        }
    }

    /// Replaces the operands in an instruction's PTX text by those that the passes chose.
    pub fn put(&self, text: &str) -> String {
        if self.operands.is_empty() {
            return text.to_string();
        }
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%');
        let mut replaced = String::with_capacity(text.len());
        for part in text.split_inclusive(|letter| !is_word(letter)) {
            let word = part.trim_end_matches(|letter| !is_word(letter));
            replaced += self.operands.get(word).map_or(word, String::as_str);
            replaced += &part[word.len()..];
        }
        replaced.replace("!!", "")
    }
}

/// Returns the bits of the register that begins at a plane.
fn register_bits(program: &Program, plane: Plane) -> Option<u32> {
    register(&program.registers, plane).map(|register| register.bits)
}

/// Returns the plane and the bits of the only destination.
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

    /// Returns the kernel's body after the pass, line by line, without braces and comments.
    fn native(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{{\n\
             .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n{body}\n}}\n"
        );
        let program = load(&text, None).expect("a sound kernel").through(&[Pass::Native { meetings: true }]);
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
        let native = plain.clone().through(&[Pass::Native { meetings: true }]);
        assert!(native.reconvergence.meetings.is_empty(), "no branch is left");
        assert_eq!((plain.registers_needed, native.registers_needed), (5, 3), "a 64-bit parameter is an operand");
    }

    #[test]
    fn products_shifts_and_logic_are_taken_into_what_reads_them() {
        let body = "ld.param.u64 %d1, [out]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; \
                    add.s64 %d3, %d1, %d2; add.s64 %d4, %d2, 64; mul.wide.u32 %d5, %r1, %r9; shr.u64 %d6, %d5, 32; \
                    cvt.u32.u64 %r2, %d6; mul.lo.s32 %r3, %r2, 7; sub.s32 %r4, %r1, %r3; not.b32 %r5, %r4; \
                    and.b32 %r6, %r5, %r9; or.b32 %r7, %r6, %r1; st.global.u32 [%d3], %r7; st.global.u32 [%d4], %r7; ret;";
        assert_eq!(
            native(body),
            [
                "mov.u32 %r1, %tid.x;",
                "mul.wide.u32 %d2, %r1, 4;",
                "add.s64 %d3, param[0], %d2;",
                "add.s64 %d4, %d2, 64;",
                "mul.wide.u32 %d5, %r1, param[8];",
                "mad.lo.s32 %r4, %d5.hi, 4294967289, %r1;",
                "lop3.b32 %r7, %r4, param[8], %r1, 174;",
                "st.global.u32 [%d3], %r7;",
                "st.global.u32 [%d4], %r7;",
                "ret;"
            ],
            "a sum with a second constant keeps the product"
        );
        assert_eq!(0xaeu8, 0xaa | !0xf0 & 0xcc, "the table: the third value, or the second without the first");
    }

    #[test]
    fn sides_execute_an_instruction_of_their_own_where_they_meet() {
        let long = "mul.lo.u32 %r2, %r2, %r1; ".repeat(8);
        let body = format!(
            "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra J; {long} \
             J: st.global.u32 [%d1], %r2; ret;"
        );
        let found = native(&body);
        assert_eq!(found[3..5], ["bssy;", "@%p1 bra $L13;"], "{found:?}");
        assert_eq!(found[13..], ["$L13:", "bsync;", "st.global.u32 [param[0]], %r2;", "ret;"], "{found:?}");
        let uniform = native(&body.replace("mov.u32 %r1, %tid.x", "mov.u32 %r1, %ctaid.x"));
        assert!(!uniform.iter().any(|line| line.contains("sync")), "a block takes this branch as a whole: {uniform:?}");
        let leaves = native(&body.replace("J: st", "st.global.u32 [%d1], %r2; exit; J: st"));
        assert!(!leaves.iter().any(|line| line.contains("sync")), "nobody waits for those who exit: {leaves:?}");
    }

    #[test]
    fn a_division_is_many_instructions_and_not_predicated() {
        let body = "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9; @%p1 bra J; div.u32 %r1, 99, %r1; \
                    J: st.global.u32 [%d1], %r1; ret;";
        let found = native(body);
        assert_eq!(found.iter().filter(|line| *line == "step;").count(), 17, "{found:?}");
        assert!(found.iter().any(|line| line.starts_with("@%p1 bra")), "{found:?}");
    }

    /// The decisions of ptxas 13.0 for sm_90 in kernels like these, for an array of 16 words: by accesses at known and at unknown
    /// offsets, and by which of them stand in a loop.
    #[test]
    fn an_array_lies_in_registers_where_known_places_outweigh_unknown_ones() {
        let steps = |known: usize, unknown: usize, form: &str| {
            let known: String = (0..known).map(|n| format!("st.local.u32 [a+{}], %r1; ", n % 16 * 4)).collect();
            let unknown = "ld.local.u32 %r3, [%d3]; add.u32 %r2, %r2, %r3; ".repeat(unknown);
            let code = form.replace("KNOWN", &known).replace("ELSE", &unknown);
            let body = format!(
                ".local .align 4 .b8 a[64]; ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u64 %d2, a; \
                 mul.wide.u32 %d3, %r1, 4; add.s64 %d3, %d2, %d3; {code} st.global.u32 [%d1], %r2; ret;"
            );
            native(&body).iter().filter(|line| *line == "step;").count()
        };
        let in_loop = |what: &str| format!("L: {what} add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 99; @%p1 bra L;");
        assert_eq!(steps(16, 4, "KNOWN ELSE"), 4 * 31);
        assert_eq!(steps(8, 12, "KNOWN ELSE"), 0);
        assert_eq!(steps(0, 1, "KNOWN ELSE"), 0, "nothing is accessed at a known place");
        assert_eq!(steps(2, 12, &format!("{} ELSE", in_loop("KNOWN"))), 12 * 31);
        assert_eq!(steps(16, 4, &format!("KNOWN {}", in_loop("ELSE"))), 0);
    }

    /// Threads meet before the next iteration, in one block that stands behind the rest of the loop.
    #[test]
    fn a_loop_has_one_way_back() {
        let long = "mul.lo.u32 %r2, %r2, %r1; ".repeat(8);
        let body = format!(
            "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 1; bra.uni H; B: {long} bra.uni H; \
             H: add.u32 %r1, %r1, 1; and.b32 %r3, %r1, 3; setp.eq.u32 %p1, %r3, 0; @%p1 bra B; setp.lt.u32 %p2, %r1, 40; \
             @%p2 bra H; st.global.u32 [%d1], %r2; ret;"
        );
        let found = native(&body);
        let jumps: Vec<&String> = found.iter().filter(|line| line.starts_with("bra ")).collect();
        assert_eq!(jumps.len(), 2, "{found:?}: from behind the product to the end, and from the end to the head");
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
