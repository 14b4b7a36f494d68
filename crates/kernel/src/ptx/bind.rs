//! Binds written operands to an instruction's form: checks kinds and widths, and converts constants to bits.

use super::body::Builder;
use super::cursor::shorten;
use super::forms::Want;
use super::module::{Operand, Special};
use super::op::Op;
use super::operands::Raw;
use super::parser::Result;
use super::problem::{Problem, Span, Trouble};
use super::types::Type;

/// The special registers that hold the address of a cooperative grid's barrier.
const GRID_SYNC: [&str; 2] = ["%envreg1", "%envreg2"];

impl Builder<'_, '_> {
    /// Binds the operands as written to those that the form expects.
    pub fn bind(&mut self, whole: &str, span: Span, op: Op, wants: &[Want], raw: Vec<Raw>) -> Result<(Op, Vec<Operand>)> {
        if let Op::Mov(ty) = op
            && raw.iter().any(|operand| matches!(operand, Raw::Vector(..)))
        {
            return self.bind_vector_move(whole, span, ty, raw);
        }
        let optional = wants.iter().filter(|want| matches!(want, Want::Optional(_))).count();
        if raw.len() > wants.len() || raw.len() + optional < wants.len() {
            let count =
                if optional > 0 { format!("{} or {}", wants.len() - optional, wants.len()) } else { wants.len().to_string() };
            return Err(Problem::new(Trouble::Operand, span, format!("`{whole}` takes {count} operands, found {}", raw.len()))
                .label(format!("takes {}", wants.iter().map(describe).collect::<Vec<_>>().join(", "))));
        }
        let skip_optional = raw.len() < wants.len();
        let mut operands = Vec::with_capacity(wants.len() + 1);
        let mut raw = raw.into_iter();
        for want in wants {
            if skip_optional && matches!(want, Want::Optional(_)) {
                continue;
            }
            let Some(operand) = raw.next() else { break };
            self.bind_one(whole, *want, operand, &mut operands)?;
        }
        Ok((op, operands))
    }

    fn bind_one(&mut self, whole: &str, want: Want, raw: Raw, operands: &mut Vec<Operand>) -> Result<()> {
        let span = raw.span();
        let mismatch = |found: String| {
            Err(Problem::new(Trouble::Operand, span, format!("`{whole}` expects {} here, found {found}", describe(&want)))
                .label(format!("expected {}", describe(&want))))
        };
        match (want, raw) {
            (Want::Dst(bits), raw) => operands.push(self.destination(whole, bits, true, raw)?),
            (Want::DstWide(bits), raw) => operands.push(self.destination(whole, bits, false, raw)?),
            (Want::DstAndPred(bits), Raw::Pair(first, second, _)) => {
                operands.push(self.destination(whole, bits, true, *first)?);
                operands.push(self.destination(whole, 1, true, *second)?);
            }
            (Want::DstAndPred(bits), raw) => {
                operands.push(self.destination(whole, bits, true, raw)?);
                operands.push(Operand::Sink);
            }
            (Want::Src(ty) | Want::Optional(ty), raw) => operands.push(self.source(whole, ty, true, raw)?),
            (Want::SrcWide(ty), raw) => operands.push(self.source(whole, ty, false, raw)?),
            (Want::Pred, Raw::Not(token)) => {
                let register = self.register(token)?;
                if self.bits(register) != 1 {
                    return mismatch(format!("a register of {} bits", self.bits(register)));
                }
                operands.push(Operand::Not(register));
            }
            (Want::Pred, raw) => operands.push(self.source(whole, Type::Pred, true, raw)?),
            (Want::Address, Raw::Address(base, offset, _)) => operands.push(Operand::Address { base, offset }),
            (Want::DstVector(count, bits), raw) => {
                for element in elements(raw, count).or_else(|found| mismatch(found).map(|()| Vec::new()))? {
                    operands.push(self.destination(whole, bits, false, element)?);
                }
            }
            (Want::SrcVector(count, ty), raw) => {
                for element in elements(raw, count).or_else(|found| mismatch(found).map(|()| Vec::new()))? {
                    operands.push(self.source(whole, ty, false, element)?);
                }
            }
            (Want::CodeLabel, Raw::Name(token, _)) => operands.push(Operand::CodeLabel(self.label_id(token))),
            (Want::Table, Raw::Name(token, _)) => {
                let name = self.p.word(token);
                let table = self.scopes.iter().rev().find_map(|scope| scope.tables.get(name).copied());
                match table {
                    Some(index) => operands.push(Operand::Table(index)),
                    None => {
                        return Err(Problem::new(Trouble::Name, span, format!("there is no branch table `{name}`"))
                            .label("not a `.branchtargets`"));
                    }
                }
            }
            (_, raw) => return mismatch(format!("`{}`", shorten(raw.span().text(self.p.text)))),
        }
        Ok(())
    }

    fn destination(&mut self, whole: &str, bits: u32, exact: bool, raw: Raw) -> Result<Operand> {
        match raw {
            Raw::Sink(_) => Ok(Operand::Sink),
            Raw::Name(token, span) if span == token.span => {
                let register = self.register(token)?;
                self.check_width(whole, span, self.bits(register), bits, exact)?;
                Ok(Operand::Register(register))
            }
            raw => Err(Problem::new(
                Trouble::Operand,
                raw.span(),
                format!("`{whole}` writes a register, not `{}`", shorten(raw.span().text(self.p.text))),
            )
            .label("expected a register")),
        }
    }

    fn check_width(&self, whole: &str, span: Span, found: u32, wanted: u32, exact: bool) -> Result<()> {
        // 8-bit values live in 16-bit registers.
        let wanted = if wanted == 8 { 16 } else { wanted };
        if found == wanted || !exact && found > wanted && wanted != 1 {
            return Ok(());
        }
        let name = span.text(self.p.text);
        let width = |bits| if bits == 1 { "a predicate".to_string() } else { format!("{bits} bits wide") };
        Err(Problem::new(
            Trouble::Operand,
            span,
            format!(
                "`{name}` is {}, but `{whole}` expects {} here",
                width(found),
                if wanted == 1 { "a predicate".into() } else { format!("{wanted} bits") }
            ),
        )
        .label(format!("declared as {}", width(found))))
    }

    fn source(&mut self, whole: &str, ty: Type, exact: bool, raw: Raw) -> Result<Operand> {
        match raw {
            Raw::Name(token, span) => {
                let name = self.p.word(token);
                if span == token.span
                    && let Some(register) = self.find_register(name)
                {
                    self.check_width(whole, span, self.bits(register), ty.bits(), exact)?;
                    return Ok(Operand::Register(register));
                }
                if GRID_SYNC.contains(&span.text(self.p.text)) {
                    return Err(Problem::new(
                        Trouble::Unsupported,
                        span,
                        "grid-wide synchronisation (cooperative groups) is not supported: blocks run independently of each other",
                    )
                    .label("where a cooperative launch keeps its barrier")
                    .help("end the kernel where `grid.sync()` stands, and launch the rest as a kernel of its own"));
                }
                if let Some(special) = Special::from_name(span.text(self.p.text)) {
                    return Ok(Operand::Special(special));
                }
                if name.starts_with('%') {
                    self.register(token)?;
                }
                Ok(Operand::Symbol { symbol: self.find_variable(name), offset: 0 })
            }
            Raw::Offset(token, offset, _) => {
                let name = self.p.word(token);
                if name.starts_with('%') {
                    return Err(Problem::new(Trouble::Operand, token.span, "a register takes an offset only in brackets"));
                }
                Ok(Operand::Symbol { symbol: self.find_variable(name), offset })
            }
            Raw::Number(literal, span) => match literal.bits(ty) {
                Some(bits) => Ok(Operand::Immediate(bits)),
                None => Err(Problem::new(Trouble::Operand, span, format!("`{whole}` expects a constant of type `.{ty}` here"))
                    .label(format!("not a `.{ty}`"))
                    .help(if ty.is_float() {
                        "write it with a point (1.0) or as bits (0f3f800000)"
                    } else {
                        "write an integer"
                    })),
            },
            Raw::Sink(_) => Ok(Operand::Sink),
            raw => Err(Problem::new(
                Trouble::Operand,
                raw.span(),
                format!("`{whole}` expects a value here, found `{}`", shorten(raw.span().text(self.p.text))),
            )
            .label(format!("expected a `.{ty}`"))),
        }
    }

    /// `mov.b64 {a, b}, c` and `mov.b64 c, {a, b}`.
    fn bind_vector_move(&mut self, whole: &str, span: Span, ty: Type, raw: Vec<Raw>) -> Result<(Op, Vec<Operand>)> {
        let wrong = || {
            Problem::new(Trouble::Operand, span, format!("`{whole}` packs into, or unpacks from, one register"))
                .label("expected e.g. `mov.b64 {%r1, %r2}, %rd1`")
        };
        let [first, second]: [Raw; 2] = raw.try_into().map_err(|_| wrong())?;
        let part = |count: usize| match (ty.bits() as usize).checked_div(count) {
            Some(8) => Some(Type::B8),
            Some(16) => Some(Type::B16),
            Some(32) => Some(Type::B32),
            Some(64) => Some(Type::B64),
            _ => None,
        };
        let mut operands = Vec::new();
        match (first, second) {
            (Raw::Vector(list, _), whole_value) => {
                let (parts, part) = (list.len() as u8, part(list.len()).ok_or_else(wrong)?);
                for element in list {
                    operands.push(self.destination(whole, part.bits(), false, element)?);
                }
                operands.push(self.source(whole, ty, true, whole_value)?);
                Ok((Op::Unpack { part, parts }, operands))
            }
            (whole_value, Raw::Vector(list, _)) => {
                let (parts, part) = (list.len() as u8, part(list.len()).ok_or_else(wrong)?);
                operands.push(self.destination(whole, ty.bits(), true, whole_value)?);
                for element in list {
                    operands.push(self.source(whole, part, false, element)?);
                }
                Ok((Op::Pack { part, parts }, operands))
            }
            _ => Err(wrong()),
        }
    }
}

/// Returns the elements of a vector operand of `count` elements, or a description of what was found instead.
fn elements(raw: Raw, count: u8) -> std::result::Result<Vec<Raw>, String> {
    match raw {
        Raw::Vector(list, _) if list.len() == count as usize => Ok(list),
        Raw::Vector(list, _) => Err(format!("{} of them", list.len())),
        raw if count == 1 => Ok(vec![raw]),
        _ => Err("a single value".into()),
    }
}

fn describe(want: &Want) -> String {
    match want {
        Want::Dst(1) => "a predicate register".into(),
        Want::Dst(bits) | Want::DstAndPred(bits) => format!("a {bits}-bit register"),
        Want::DstWide(bits) => format!("a register of at least {bits} bits"),
        Want::Src(ty) | Want::SrcWide(ty) => format!("a `.{ty}`"),
        Want::Pred => "a predicate".into(),
        Want::Optional(ty) => format!("optionally a `.{ty}`"),
        Want::Address => "an address in brackets".into(),
        Want::DstVector(1, bits) => format!("a register of at least {bits} bits"),
        Want::DstVector(count, bits) => format!("{count} registers of at least {bits} bits in braces"),
        Want::SrcVector(1, ty) => format!("a `.{ty}`"),
        Want::SrcVector(count, ty) => format!("{count} values of `.{ty}` in braces"),
        Want::CodeLabel => "a label".into(),
        Want::Table => "a branch table".into(),
        Want::Call => "a call".into(),
    }
}
