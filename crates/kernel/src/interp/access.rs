//! Loads, stores and atomics, executed lane by lane in ascending lane order.

use super::alu::{Exec, extend};
use super::memory::{Spaces, Target};
use super::num::{Bf16, F16, Half, HalfModes, add32_near, add64_near, ftz32};
use super::trap::Fault;
use crate::program::{Base, Dst, Src};
use crate::ptx::op::{AccessForm, AtomOp, Op};
use crate::ptx::types::{Space, Type};

/// The addresses that the lanes of a memory instruction accessed, for the timing model.
#[derive(Clone, Copy, Debug)]
pub struct Traffic<const W: usize> {
    /// Whether it may write: a store or an atomic.
    pub write: bool,
    /// Whether lanes with the same address take turns.
    pub atomic: bool,
    /// Bytes of one lane's access.
    pub size: u32,
    /// Valid in active lanes only.
    pub targets: [Target; W],
}

impl<const W: usize> Traffic<W> {
    /// Adds `by`, the offset of a block's part in the SM's shared memory, to the active lanes' shared-memory targets.
    pub fn shift_shared(&mut self, mask: u32, by: u64) {
        for lane in active(mask).filter(|&lane| self.targets[lane].space == Space::Shared).collect::<Vec<_>>() {
            self.targets[lane].address += by;
        }
    }
}

/// The lane in which a fault happened, and the fault.
pub type LaneFault = (usize, Fault);

impl<const W: usize> Exec<'_, W> {
    /// Executes a load, store or atomic.
    #[inline(never)]
    pub fn memory(&mut self, spaces: &mut Spaces) -> Result<Traffic<W>, LaneFault> {
        match self.instruction.op {
            Op::Load(access) => self.load(spaces, access),
            Op::Store(access) => self.store(spaces, access),
            Op::Atom { space, op, ty, .. } => self.atomic(spaces, space, op, ty),
            _ => Ok(Traffic { write: false, atomic: false, size: 1, targets: [NOWHERE; W] }),
        }
    }

    /// Returns the address operand of each lane.
    #[inline(always)]
    fn addresses(&self) -> [u64; W] {
        let Some(address) = self.instruction.address else { return [0; W] };
        let offset = address.offset as u64;
        match address.base {
            Base::None => [offset; W],
            Base::Register64(plane) => {
                let base = self.registers.read::<u64, W>(plane, self.lanes);
                std::array::from_fn(|lane| base[lane].wrapping_add(offset))
            }
            Base::Register32(plane) => {
                let base = self.registers.read::<u32, W>(plane, self.lanes);
                std::array::from_fn(|lane| u64::from(base[lane].wrapping_add(offset as u32)))
            }
        }
    }

    /// Returns the target of each active lane, checked for alignment and null.
    #[inline(always)]
    fn targets(&self, spaces: &Spaces, space: Space, size: u32) -> Result<[Target; W], LaneFault> {
        let addresses = self.addresses();
        let mut targets = [NOWHERE; W];
        for lane in active(self.active) {
            targets[lane] = spaces.target(space, addresses[lane], size).map_err(|fault| (lane, fault))?;
        }
        Ok(targets)
    }

    #[inline(never)]
    fn load(&mut self, spaces: &mut Spaces, access: AccessForm) -> Result<Traffic<W>, LaneFault> {
        let element = access.ty.bytes();
        let size = element * u32::from(access.vector);
        let targets = self.targets(spaces, access.space, size)?;
        let wide = access.ty.bits() == 64;
        // Each lane's destination is written as soon as its value is read; a fault leaves the later lanes unread.
        // Most loads of a warp access one space; global and shared memory are called directly, which keeps their path short.
        let first = targets[self.active.trailing_zeros() as usize % W].space;
        let space = if active(self.active).all(|lane| targets[lane].space == first) { first } else { Space::Generic };
        for at in 0..access.vector as usize {
            let Dst::Register { plane, bits } = self.instruction.dst[at] else { continue };
            for lane in active(self.active) {
                let target = targets[lane].plus(at as u32 * element);
                let thread = self.lanes.threads[lane];
                let value = match space {
                    Space::Global => match spaces.global.load(target.address, element) {
                        Some(value) => Ok(value),
                        None => spaces.load(thread, target, element),
                    },
                    Space::Shared => spaces.shared.load(target.address, element),
                    _ => spaces.load(thread, target, element),
                };
                let value = value.map_err(|fault| (lane, fault))?;
                let value = extend(value, access.ty);
                if wide || bits == 64 {
                    self.registers.set_word(plane, thread, value as u32);
                    self.registers.set_word(plane + 1, thread, (value >> 32) as u32);
                } else {
                    self.registers.set_word(plane, thread, if bits == 16 { value as u16 as u32 } else { value as u32 });
                }
            }
        }
        Ok(Traffic { write: false, atomic: false, size, targets })
    }

    #[inline(never)]
    fn store(&mut self, spaces: &mut Spaces, access: AccessForm) -> Result<Traffic<W>, LaneFault> {
        let element = access.ty.bytes();
        let size = element * u32::from(access.vector);
        let targets = self.targets(spaces, access.space, size)?;
        for at in 0..access.vector as usize {
            let values: [u64; W] = self.source_bits(at, access.ty);
            for lane in active(self.active) {
                let target = targets[lane].plus(at as u32 * element);
                spaces.store(self.lanes.threads[lane], target, element, values[lane]).map_err(|fault| (lane, fault))?;
            }
        }
        Ok(Traffic { write: true, atomic: false, size, targets })
    }

    #[inline(never)]
    fn atomic(&mut self, spaces: &mut Spaces, space: Space, op: AtomOp, ty: Type) -> Result<Traffic<W>, LaneFault> {
        let size = ty.bytes();
        let targets = self.targets(spaces, space, size)?;
        let a = self.source_bits(0, ty);
        let b = if op == AtomOp::Cas { self.source_bits(1, ty) } else { a };
        let mut old = [0u64; W];
        for lane in active(self.active) {
            let thread = self.lanes.threads[lane];
            let fault = |fault| (lane, fault);
            old[lane] = spaces.load(thread, targets[lane], size).map_err(fault)?;
            let new = match (op, targets[lane].space) {
                (AtomOp::Add, Space::Global) if ty.is_float() => global_sum(ty, old[lane], a[lane]),
                _ => updated(op, ty, old[lane], a[lane], b[lane]),
            };
            spaces.store(thread, targets[lane], size, new).map_err(fault)?;
        }
        if let Some(Dst::Register { .. }) = self.instruction.dst.first() {
            match ty.bits() {
                64 => self.put(0, &old),
                16 => self.put(0, &old.map(|v| v as u16)),
                _ => self.put(0, &old.map(|v| v as u32)),
            }
        }
        Ok(Traffic { write: true, atomic: true, size, targets })
    }

    /// Returns source `at` as bits of the type's width, or more: stores drop the excess bits.
    #[inline(always)]
    fn source_bits(&self, at: usize, ty: Type) -> [u64; W] {
        match self.instruction.src[at] {
            Src::Immediate(bits) => [bits; W],
            _ if ty.bits() == 64 => self.get::<u64>(at),
            _ => self.get::<u32>(at).map(u64::from),
        }
    }
}

const NOWHERE: Target = Target { space: Space::Generic, address: 0 };

impl Target {
    #[inline(always)]
    fn plus(self, offset: u32) -> Target {
        Target { address: self.address + u64::from(offset), ..self }
    }
}

/// Iterates over the lanes of a mask, lowest first.
#[inline(always)]
pub fn active(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

/// Returns the value that an atomic writes to memory.
fn updated(op: AtomOp, ty: Type, old: u64, a: u64, b: u64) -> u64 {
    let signed = |bits: u64| extend(bits, ty) as i64;
    match op {
        AtomOp::And => old & a,
        AtomOp::Or => old | a,
        AtomOp::Xor => old ^ a,
        AtomOp::Exch => a,
        AtomOp::Cas => {
            if extend(old, ty) == extend(a, ty) {
                b
            } else {
                old
            }
        }
        AtomOp::Add => match ty {
            Type::F32 => add32_near(f32::from_bits(old as u32), f32::from_bits(a as u32)).to_bits().into(),
            Type::F64 => add64_near(f64::from_bits(old), f64::from_bits(a)).to_bits(),
            Type::F16 => F16::add(old as u16, a as u16, HalfModes::default()).into(),
            Type::Bf16 => Bf16::add(old as u16, a as u16, HalfModes::default()).into(),
            Type::F16x2 => add_pair::<F16>(old, a),
            Type::Bf16x2 => add_pair::<Bf16>(old, a),
            _ => old.wrapping_add(a),
        },
        AtomOp::Inc => {
            if old >= (a & u64::from(u32::MAX)) {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            let limit = a & u64::from(u32::MAX);
            if old == 0 || old > limit { limit } else { old - 1 }
        }
        AtomOp::Min if ty.is_signed() => signed(old).min(signed(a)) as u64,
        AtomOp::Max if ty.is_signed() => signed(old).max(signed(a)) as u64,
        AtomOp::Min => extend(old, ty).min(extend(a, ty)),
        AtomOp::Max => extend(old, ty).max(extend(a, ty)),
    }
}

/// Adds floats as the adder beside the cache does for atomics on global memory.
/// It flushes f32 subnormals and passes an f64 NaN through unchanged.
fn global_sum(ty: Type, old: u64, a: u64) -> u64 {
    match ty {
        Type::F32 => {
            let flushed = |bits: u64| ftz32(f32::from_bits(bits as u32));
            ftz32(add32_near(flushed(old), flushed(a))).to_bits().into()
        }
        Type::F64 if f64::from_bits(a).is_nan() => a,
        Type::F64 if f64::from_bits(old).is_nan() => old,
        _ => updated(AtomOp::Add, ty, old, a, a),
    }
}

fn add_pair<H: Half>(a: u64, b: u64) -> u64 {
    let half = |shift: u32| u64::from(H::add((a >> shift) as u16, (b >> shift) as u16, HalfModes::default())) << shift;
    half(16) | half(0)
}
