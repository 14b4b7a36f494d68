//! Instruction forms: map an opcode and its dotted modifiers to an [`Op`] and the operands that it expects.
//!
//! Compilers vary in the order of modifiers (`atom.global.sys.add.u32`, `vote.ballot.sync.b32`), so a form *takes* the
//! modifiers that it knows from an unordered list, and any that are left over are reported. Types keep their order, because
//! `cvt.f32.s32` and `cvt.s32.f32` differ.
//!
//! # Adding an instruction
//! Write its arm in the family's file, add the opcode to [`form`], give [`Op`] a variant with its operand order, execute
//! it in `interp`, and add a line to a table under `tests/forms/`.

mod arith;
mod bits;
mod control;
mod convert;
mod float;
mod memory;
mod warp;

use super::op::Op;
use super::types::{Rounding, Type};

/// The kind of operand that a form expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A destination register of this width, or `_`.
    Dst(u32),
    /// A destination register at least this wide.
    DstWide(u32),
    /// A destination, with an optional predicate behind `|`.
    DstAndPred(u32),
    /// A source of the type's width: register, constant, special register or symbol.
    Src(Type),
    /// A source at least as wide as the type.
    SrcWide(Type),
    /// A source predicate, possibly negated.
    Pred,
    /// A source that may be left out.
    Optional(Type),
    /// `[address]`.
    Address,
    /// Registers in braces (or one register for a count of one), each at least this wide.
    DstVector(u8, u32),
    /// Sources in braces (or one), each at least as wide as the type.
    SrcVector(u8, Type),
    /// A label of the function's code.
    CodeLabel,
    /// A `.branchtargets` table.
    Table,
    /// The results, callee and arguments of a `call`.
    Call,
}

/// An operation and the operands that it expects, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The operation, with its modifiers.
    pub op: Op,
    /// What each operand must be, in the order of the text.
    pub wants: Vec<Want>,
}

/// Why an opcode and its modifiers have no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoForm {
    /// The opcode is not a known PTX instruction.
    Unknown,
    /// PTX that Warpscope does not run; the text says what it is.
    Refused(&'static str),
    /// A known instruction whose modifiers are wrong or missing; the text says which.
    Modifiers(String),
}

type Result<T> = std::result::Result<T, NoForm>;

/// Returns the form of `opcode` and its modifiers (each with its dot).
pub fn form(opcode: &str, modifiers: &[&str]) -> Result<Form> {
    let mut mods = Mods::new(modifiers);
    let form = match opcode {
        "add" | "sub" | "mul" | "mad" | "div" | "rem" | "min" | "max" | "neg" | "abs" | "addc" | "subc" | "madc" | "mul24"
        | "mad24" | "sad" | "dp4a" | "dp2a" | "vabsdiff2" | "vabsdiff4" => arith::form(opcode, &mut mods),
        "fma" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" | "testp" => {
            float::form(opcode, &mut mods)
        }
        "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "popc" | "clz" | "brev" | "bfind" | "bfe" | "bfi" | "shf"
        | "lop3" | "prmt" | "bmsk" | "szext" | "fns" => bits::form(opcode, &mut mods),
        "setp" | "set" | "selp" | "slct" | "cvt" | "mov" => convert::form(opcode, &mut mods),
        "ld" | "ldu" | "st" | "atom" | "red" | "cvta" | "isspacep" | "prefetch" | "prefetchu" | "membar" | "fence"
        | "discard" | "applypriority" => memory::form(opcode, &mut mods),
        "shfl" | "vote" | "match" | "activemask" | "redux" | "bar" | "barrier" => warp::form(opcode, &mut mods),
        "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" | "nanosleep" | "pmevent" | "griddepcontrol" => {
            control::form(opcode, &mut mods)
        }
        _ => return Err(refusal(opcode)),
    }?;
    mods.finish()?;
    Ok(form)
}

/// Returns why an opcode has no form: it is PTX that Warpscope does not run (tier 3), or unknown.
fn refusal(opcode: &str) -> NoForm {
    const REFUSED: [(&str, &str); 23] = [
        ("tex", "a texture fetch"),
        ("tld4", "a texture gather"),
        ("txq", "a texture query"),
        ("suld", "a surface load"),
        ("sust", "a surface store"),
        ("sured", "a surface reduction"),
        ("suq", "a surface query"),
        ("wmma", "a tensor-core operation"),
        ("mma", "a tensor-core operation"),
        ("wgmma", "a tensor-core operation"),
        ("tcgen05", "a tensor-core operation"),
        ("ldmatrix", "a matrix load for tensor cores"),
        ("stmatrix", "a matrix store for tensor cores"),
        ("movmatrix", "a matrix move for tensor cores"),
        ("cp", "an asynchronous copy"),
        ("mbarrier", "an asynchronous barrier object"),
        ("istypep", "a test for texture handles"),
        ("alloca", "a dynamic stack allocation"),
        ("stacksave", "a dynamic stack operation"),
        ("stackrestore", "a dynamic stack operation"),
        ("mapa", "a cluster address"),
        ("getctarank", "a cluster address"),
        ("setmaxnreg", "a register-file hint"),
    ];
    if let Some(&(_, what)) = REFUSED.iter().find(|&&(name, _)| name == opcode) {
        return NoForm::Refused(what);
    }
    let video = ["vadd", "vsub", "vmad", "vmin", "vmax", "vshl", "vshr", "vset", "vavrg", "vabsdiff"];
    if video.iter().any(|name| opcode.starts_with(name)) {
        return NoForm::Refused("a video instruction");
    }
    if ["multimem", "elect", "createpolicy", "clusterlaunchcontrol", "st_async", "red_async", "tensormap"].contains(&opcode) {
        return NoForm::Refused("an instruction of later GPUs");
    }
    NoForm::Unknown
}

/// The modifiers of one instruction, of which a form takes those that it knows.
struct Mods<'a> {
    words: &'a [&'a str],
    taken: u32,
}

impl<'a> Mods<'a> {
    fn new(words: &'a [&'a str]) -> Mods<'a> {
        Mods { words: &words[..words.len().min(32)], taken: 0 }
    }

    /// Takes `.word` if it is present.
    fn take(&mut self, word: &str) -> bool {
        match self.words.iter().position(|w| w.get(1..) == Some(word)) {
            Some(at) if self.taken & 1 << at == 0 => {
                self.taken |= 1 << at;
                true
            }
            _ => false,
        }
    }

    /// Takes the first of `choices` that is present.
    fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let mut found = None;
        for (at, word) in self.words.iter().enumerate() {
            if self.taken & 1 << at != 0 {
                continue;
            }
            if let Some(&(_, value)) = choices.iter().find(|(name, _)| word.get(1..) == Some(name)) {
                self.taken |= 1 << at;
                found = Some(value);
                break;
            }
        }
        found
    }

    /// Takes the next type, in the order of the text.
    fn ty(&mut self) -> Result<Type> {
        self.optional_ty().ok_or_else(|| self.no_type())
    }

    /// Returns why no type was found: it is missing, or a format that Warpscope does not compute with.
    fn no_type(&self) -> NoForm {
        let word = |at: usize| self.words[at].get(1..).unwrap_or("");
        if (0..self.words.len()).any(|at| self.taken & 1 << at == 0 && is_foreign(word(at))) {
            return NoForm::Refused("on a number format of tensor cores or later GPUs");
        }
        NoForm::Modifiers("a type such as `.u32` is missing".into())
    }

    fn optional_ty(&mut self) -> Option<Type> {
        for (at, word) in self.words.iter().enumerate() {
            if self.taken & 1 << at == 0
                && let Some(ty) = word.get(1..).and_then(Type::from_name)
            {
                self.taken |= 1 << at;
                return Some(ty);
            }
        }
        None
    }

    /// Takes the next type, which must be one of `allowed`.
    fn ty_of(&mut self, allowed: &[Type]) -> Result<Type> {
        let ty = self.ty()?;
        if allowed.contains(&ty) {
            return Ok(ty);
        }
        let names: Vec<String> = allowed.iter().map(|t| format!("`.{t}`")).collect();
        Err(NoForm::Modifiers(format!("type `.{ty}` is not one of {}", names.join(", "))))
    }

    /// Takes a rounding of a floating-point result.
    fn rounding(&mut self) -> Option<Rounding> {
        self.one_of(&[("rn", Rounding::Near), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)])
    }

    /// Takes and ignores every modifier for which `known` holds.
    fn ignore(&mut self, known: impl Fn(&str) -> bool) {
        for (at, word) in self.words.iter().enumerate() {
            if self.taken & 1 << at == 0 && word.get(1..).is_some_and(&known) {
                self.taken |= 1 << at;
            }
        }
    }

    /// Returns an error if a modifier has not been taken.
    fn finish(&self) -> Result<()> {
        match (0..self.words.len()).find(|at| self.taken & 1 << at == 0) {
            None => Ok(()),
            Some(at) => Err(NoForm::Modifiers(format!("modifier `{}` has no meaning here", self.words[at]))),
        }
    }
}

/// Returns whether a word is a number format that PTX has and [`Type`] lacks: 4 to 8 bits, pairs of f32, packed integers.
fn is_foreign(word: &str) -> bool {
    let small = matches!(word.as_bytes(), [b'e', b'0'..=b'9', b'm', b'0'..=b'9', ..]) || word.starts_with("ue8m0");
    small || matches!(word, "tf32" | "f32x2" | "s2f6x2" | "u8x4" | "s8x4" | "u4" | "s4" | "b1" | "b4" | "u16x2" | "s16x2")
}

fn made(op: Op, wants: &[Want]) -> Result<Form> {
    Ok(Form { op, wants: wants.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Result<Form> {
        let at = text.find('.').unwrap_or(text.len());
        let mods: Vec<&str> = text[at..].split_inclusive(|_| false).flat_map(|m| m.split('.').skip(1)).collect();
        let dotted: Vec<String> = mods.iter().map(|m| format!(".{m}")).collect();
        form(&text[..at], &dotted.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn modifier_order_does_not_matter_but_type_order_does() {
        assert_eq!(split("atom.global.sys.add.u32"), split("atom.add.sys.global.u32"));
        assert_eq!(split("vote.ballot.sync.b32"), split("vote.sync.ballot.b32"));
        assert_ne!(split("cvt.rn.f32.s32"), split("cvt.rzi.s32.f32"));
    }

    #[test]
    fn left_over_modifiers_unknown_names_and_tier_three_are_told_apart() {
        assert!(matches!(split("add.global.s32"), Err(NoForm::Modifiers(m)) if m.contains(".global")));
        assert!(matches!(split("add"), Err(NoForm::Modifiers(m)) if m.contains("type")));
        assert_eq!(split("frobnicate.u32"), Err(NoForm::Unknown));
        assert!(matches!(split("tex.2d.v4.f32.f32"), Err(NoForm::Refused(_))));
        for text in [
            "vadd4.u32",
            "cvt.rn.satfinite.e4m3x2.f32",
            "cvt.rn.f16x2.e5m2x2",
            "cvt.rna.tf32.f32",
            "cvt.pack.sat.s8.s32.b32",
            "fma.rn.f32x2",
            "add.f32.f16",
            "max.relu.s32",
            "ld.global.b128",
            "st.async.shared::cluster.u32",
            "red.async.add.u32",
            "atom.cas.b128",
            "atom.global.v2.f32.add",
            "fence.proxy.async",
            "min.xorsign.abs.f32",
        ] {
            assert!(matches!(split(text), Err(NoForm::Refused(_))), "{text}: {:?}", split(text));
        }
    }
}
