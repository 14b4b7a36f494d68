//! Live registers, and from them how many registers a thread needs.
//!
//! A backward data-flow analysis over blocks, on planes (32-bit words), so that a 64-bit register counts twice, as it does in a
//! register file. Predicates have a file of their own and are not counted. A guarded write may not happen, so it does not end the
//! live range of the old value, unless a pass says otherwise ([`Instruction::begins`]).
//!
//! The planes are analysed some hundreds at a time ([`Set`]), and only in the blocks where one of them is live: a set of all
//! planes for every block would be quadratic in a program with many of both.

use super::graph::Graph;
use super::{Base, Dst, Instruction, Plane, Program, Src, is_wide};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::Type;

/// Limit on the words of live planes that are kept for all blocks together; beyond it every plane counts as live.
const MOST_KEPT: usize = 1 << 22;

/// The registers that are live in a program.
pub struct Liveness {
    /// The largest number of planes that are live at once, without predicates.
    pub registers_needed: u32,
    /// The planes that are live where the program begins, as a bit set.
    at_entry: Vec<u64>,
}

impl Liveness {
    pub(crate) fn build(program: &Program) -> Liveness {
        Flow::new(program).run(|_, _| {})
    }

    /// Whether a plane may be read before it is written.
    pub fn is_read_first(&self, plane: Plane) -> bool {
        self.at_entry.get(plane as usize / 64).is_some_and(|word| word >> (plane % 64) & 1 != 0)
    }
}

/// The planes that are live at the start of each block.
pub struct LiveIn {
    /// By word of 64 planes: the blocks where any of them is live, with the word; `None` where there are too many.
    words: Option<Vec<OfWord>>,
}

/// The blocks where any of 64 planes is live, in order, each with a bit set of these planes.
type OfWord = Box<[(u32, u64)]>;

impl LiveIn {
    pub(crate) fn build(program: &Program) -> LiveIn {
        let (mut words, mut kept) = (Vec::new(), 0);
        Flow::new(program).run(|touched, live_in| {
            for word in 0..WORDS {
                let mut found: Vec<(u32, u64)> = Vec::new();
                if kept < MOST_KEPT {
                    let of_word = touched.iter().map(|&at| (at, live_in[at as usize].0[word]));
                    found.extend(of_word.filter(|(_, word)| *word != 0));
                    found.sort_unstable();
                }
                kept += found.len();
                words.push(found.into());
            }
        });
        LiveIn { words: (kept < MOST_KEPT).then_some(words) }
    }

    /// Whether a plane is live at the start of a block.
    pub fn is_live(&self, block: usize, plane: Plane) -> bool {
        let Some(words) = &self.words else { return true };
        let Some(of_word) = words.get(plane as usize / 64) else { return false };
        let at = of_word.binary_search_by_key(&(block as u32), |(at, _)| *at);
        at.is_ok_and(|at| of_word[at].1 >> (plane % 64) & 1 != 0)
    }
}

/// Words of 64 planes that are analysed together.
const WORDS: usize = 8;
const PLANES: u32 = 64 * WORDS as u32;

/// A set of neighbouring planes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Set([u64; WORDS]);

impl Set {
    fn has(&self, plane: u32) -> bool {
        self.0[plane as usize / 64] >> (plane % 64) & 1 != 0
    }

    fn add(&mut self, plane: u32) {
        self.0[plane as usize / 64] |= 1 << (plane % 64);
    }

    fn remove(&mut self, plane: u32) {
        self.0[plane as usize / 64] &= !(1 << (plane % 64));
    }

    fn unite(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    fn count(&self, of: &Set) -> u32 {
        self.0.iter().zip(&of.0).map(|(word, of)| (word & of).count_ones()).sum()
    }
}

/// What one instruction does to a plane: it reads it, or begins its live range by a write.
struct Access {
    pc: u32,
    /// The plane's number in its set.
    plane: u16,
    is_read: bool,
}

/// The analysis of one program.
struct Flow<'a> {
    program: &'a Program,
    /// By set: its accesses in program order, those of one instruction with the reads first.
    accesses: Vec<Vec<Access>>,
    /// By set: the planes that count as registers.
    counted: Vec<Set>,
    next: Graph,
    before: Graph,
    /// The blocks, each behind those that it leads to as far as loops allow, and the place of each block in that order.
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Flow<'_> {
    fn new(program: &Program) -> Flow<'_> {
        let (sets, blocks) = (program.planes.div_ceil(PLANES) as usize, &program.cfg.blocks);
        let mut accesses: Vec<Vec<Access>> = Vec::new();
        accesses.resize_with(sets, Vec::new);
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let mut access = |plane: Plane, is_read: bool| {
                let plane_in_set = (plane % PLANES) as u16;
                accesses[(plane / PLANES) as usize].push(Access { pc: pc as u32, plane: plane_in_set, is_read });
            };
            for_reads(instruction, program.planes - 1, |plane| access(plane, true));
            if instruction.guard.is_none() || instruction.begins {
                for_writes(instruction, program.planes - 1, |plane| access(plane, false));
            }
        }
        let mut counted = vec![Set::default(); sets];
        for register in program.registers.iter().filter(|r| r.bits > 1) {
            for plane in register.plane..register.plane + super::planes_of(register.bits) {
                counted[(plane / PLANES) as usize].add(plane % PLANES);
            }
        }
        // In machine code a parameter is an operand, so its register does not count.
        for plane in program.param_registers.iter().flat_map(|register| register.plane..register.plane + register.planes) {
            counted[(plane / PLANES) as usize].remove(plane % PLANES);
        }
        // The CFG treats a jump to the head of the loop over logical blocks as an exit; values stay live across it.
        let head = program.wrapper.as_ref().map(|wrapper| program.cfg.block_of[wrapper.head as usize] as usize);
        let again = |at: usize| head.filter(|_| program.instructions[blocks[at].end as usize - 1].op == Op::Again);
        let edges = (0..blocks.len()).flat_map(|at| {
            let ways = blocks[at].successors.iter().copied().chain(again(at));
            ways.map(move |next| (at, next))
        });
        let next = Graph::new(blocks.len(), edges);
        let order = next.last_first();
        let mut place = vec![0; blocks.len()];
        order.iter().enumerate().for_each(|(at, &block)| place[block as usize] = at as u32);
        Flow { program, accesses, counted, before: next.turned(), next, order, place }
    }

    /// Analyses set by set; `each` gets the blocks that were looked at, and by block the planes that are live at its start.
    fn run(self, mut each: impl FnMut(&[u32], &[Set])) -> Liveness {
        let blocks = &self.program.cfg.blocks;
        let n = blocks.len();
        let mut open = Open::new(n);
        // By block, for the current set: planes read before they are written, planes written, live planes.
        let (mut reads, mut begins, mut live_in) = (vec![Set::default(); n], vec![Set::default(); n], vec![Set::default(); n]);
        let (mut touched, mut is_touched): (Vec<u32>, Vec<bool>) = (Vec::new(), vec![false; n]);
        // How many registers are live at the end of each block, and how many more before each instruction than behind it.
        let (mut at_end, mut more) = (vec![0u32; n], vec![0i32; self.program.instructions.len()]);
        let mut at_entry = Vec::with_capacity(self.accesses.len() * WORDS);
        for (accesses, counted) in self.accesses.iter().zip(&self.counted) {
            let block_of = |access: &Access| self.program.cfg.block_of[access.pc as usize];
            let live_out = |at: u32, live_in: &[Set]| {
                let mut live = Set::default();
                self.next.next(at as usize).iter().for_each(|&next| live.unite(&live_in[next as usize]));
                live
            };
            let mut touch = |at: u32, touched: &mut Vec<u32>| {
                if !std::mem::replace(&mut is_touched[at as usize], true) {
                    touched.push(at);
                }
            };
            let mark = |at: u32, open: &mut Open| {
                self.before.next(at as usize).iter().for_each(|&from| open.add(self.place[from as usize]));
            };
            for of_block in accesses.chunk_by(|a, b| block_of(a) == block_of(b)) {
                let at = block_of(&of_block[0]);
                let (reads, begins) = (&mut reads[at as usize], &mut begins[at as usize]);
                for access in of_block.iter().rev() {
                    if access.is_read {
                        reads.add(access.plane.into());
                    } else {
                        reads.remove(access.plane.into());
                        begins.add(access.plane.into());
                    }
                }
                live_in[at as usize] = *reads;
                touch(at, &mut touched);
                if *reads != Set::default() {
                    mark(at, &mut open);
                }
            }
            while let Some(place) = open.take() {
                let at = self.order[place as usize];
                touch(at, &mut touched);
                let (mut live, begins) = (live_out(at, &live_in), &begins[at as usize]);
                live.0.iter_mut().zip(&begins.0).for_each(|(word, begins)| *word &= !begins);
                live.unite(&reads[at as usize]);
                if std::mem::replace(&mut live_in[at as usize], live) != live {
                    mark(at, &mut open);
                }
            }
            for of_block in accesses.chunk_by(|a, b| block_of(a) == block_of(b)) {
                let mut live = live_out(block_of(&of_block[0]), &live_in);
                for Access { pc, plane, is_read } in of_block.iter().rev() {
                    let plane = u32::from(*plane);
                    let one = i32::from(counted.has(plane));
                    if *is_read && !live.has(plane) {
                        live.add(plane);
                        more[*pc as usize] += one;
                    } else if !is_read && live.has(plane) {
                        live.remove(plane);
                        more[*pc as usize] -= one;
                    }
                }
            }
            at_entry.extend(live_in.first().copied().unwrap_or_default().0);
            for &at in &touched {
                at_end[at as usize] += live_out(at, &live_in).count(counted);
            }
            each(&touched, &live_in);
            for at in touched.drain(..).map(|at| at as usize) {
                (reads[at], begins[at], live_in[at]) = Default::default();
                is_touched[at] = false;
            }
        }
        let mut most = 0;
        for (block, &at_end) in blocks.iter().zip(&at_end) {
            let mut live = at_end;
            most = most.max(live);
            for pc in (block.start..block.end).rev() {
                live = live.wrapping_add_signed(more[pc as usize]);
                most = most.max(live);
            }
        }
        Liveness { registers_needed: most, at_entry }
    }
}

/// A set of places from which the next one is taken in order, again and again from the first.
struct Open {
    words: Vec<u64>,
    count: usize,
    /// The word to look at next.
    at: usize,
}

impl Open {
    fn new(places: usize) -> Open {
        Open { words: vec![0; places.div_ceil(64)], count: 0, at: 0 }
    }

    fn add(&mut self, place: u32) {
        let word = &mut self.words[place as usize / 64];
        self.count += usize::from(*word >> (place % 64) & 1 == 0);
        *word |= 1 << (place % 64);
    }

    fn take(&mut self) -> Option<u32> {
        if self.count == 0 {
            self.at = 0;
            return None;
        }
        while self.words[self.at] == 0 {
            self.at = (self.at + 1) % self.words.len();
        }
        let place = self.at as u32 * 64 + self.words[self.at].trailing_zeros();
        self.words[self.at] &= self.words[self.at] - 1;
        self.count -= 1;
        Some(place)
    }
}

/// When each plane is next read or begun, for questions about single instructions.
pub struct LiveAfter<'a> {
    program: &'a Program,
    live_in: LiveIn,
    /// By plane: the instructions that read it or begin its live range, in program order, and whether they read it.
    events: Vec<Vec<(u32, bool)>>,
}

impl LiveAfter<'_> {
    pub(crate) fn build(program: &Program) -> LiveAfter<'_> {
        let carry = program.planes - 1;
        let mut events: Vec<Vec<(u32, bool)>> = vec![Vec::new(); program.planes as usize];
        for (pc, instruction) in program.instructions.iter().enumerate() {
            // What an instruction reads it reads before it writes.
            for_reads(instruction, carry, |plane| events[plane as usize].push((pc as u32, true)));
            if instruction.guard.is_none() || instruction.begins {
                for_writes(instruction, carry, |plane| events[plane as usize].push((pc as u32, false)));
            }
        }
        LiveAfter { program, live_in: LiveIn::build(program), events }
    }

    /// Whether a plane may be read before it is written.
    pub fn is_read_first(&self, plane: Plane) -> bool {
        !self.program.cfg.blocks.is_empty() && self.live_in.is_live(0, plane)
    }

    /// Whether a plane is live after an instruction.
    pub fn is_live(&self, pc: usize, plane: Plane) -> bool {
        let block = &self.program.cfg.blocks[self.program.cfg.block_of[pc] as usize];
        let events = &self.events[plane as usize];
        match events.get(events.partition_point(|(at, _)| *at as usize <= pc)) {
            Some((at, is_read)) if *at < block.end => *is_read,
            _ => block.successors.iter().any(|&next| self.live_in.is_live(next, plane)),
        }
    }
}

/// Calls `each` for every plane that the instruction writes; `carry` is the carry flag's plane.
pub fn for_writes(instruction: &Instruction, carry: Plane, mut each: impl FnMut(Plane)) {
    for dst in &instruction.dst {
        if let Dst::Register { plane, bits } = *dst {
            each(plane);
            if bits == 64 {
                each(plane + 1);
            }
        }
    }
    if matches!(instruction.op, Op::Carry { carry_out: true, .. }) {
        each(carry);
    }
}

/// Calls `each` for every plane that the instruction reads.
pub fn for_reads(instruction: &Instruction, carry: Plane, mut each: impl FnMut(Plane)) {
    if let Some(guard) = instruction.guard {
        each(guard.plane);
    }
    match instruction.address.map(|address| address.base) {
        Some(Base::Register32(plane)) => each(plane),
        Some(Base::Register64(plane)) => {
            each(plane);
            each(plane + 1);
        }
        _ => {}
    }
    for (at, src) in instruction.src.iter().enumerate() {
        match *src {
            Src::Register(plane) => {
                each(plane);
                if source_is_wide(instruction.op, at) {
                    each(plane + 1);
                }
            }
            Src::Not(plane) => each(plane),
            Src::Immediate(_) | Src::Special(_) => {}
        }
    }
    if matches!(instruction.op, Op::Carry { carry_in: true, .. }) {
        each(carry);
    }
}

/// Whether source number `at` of the operation is 64 bits wide.
fn source_is_wide(op: Op, at: usize) -> bool {
    let ty: Type = match op {
        Op::Mov(ty) | Op::Cvta { ty, .. } | Op::Int2(_, ty) | Op::Int3(_, ty) => ty,
        Op::Carry { ty, .. } | Op::CopySign(ty) | Op::TestP(_, ty) => ty,
        Op::Int1(_, ty) => ty,
        Op::Load(_) => return false,
        Op::Store(access) => access.ty,
        Op::Atom { ty, .. } => ty,
        Op::Float1(_, mode) | Op::Float2(_, mode) | Op::Fma(mode) => mode.ty,
        Op::Setp { ty, .. } | Op::Set { ty, .. } if at < 2 => ty,
        Op::Selp(ty) | Op::Slct { ty, .. } if at < 2 => ty,
        Op::Cvt { src, .. } => src,
        Op::Match { ty, .. } if at == 0 => ty,
        Op::Shift { ty, .. } | Op::Bfe(ty) if at == 0 => ty,
        Op::Bfi(ty) if at < 2 => ty,
        Op::MadWide(ty) if at == 2 => return ty.bits() == 32,
        Op::Pack { part, .. } => part,
        Op::Unpack { part, parts } => return part.bits() * u32::from(parts) == 64,
        Op::IsSpace(_) => return true,
        op => match op.kind() {
            Kind::Alu | Kind::Memory | Kind::Join | Kind::Branch | Kind::Barrier | Kind::ActiveMask => return false,
            Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host | Kind::Quiet | Kind::Converge | Kind::Dispatch => {
                return false;
            }
        },
    };
    is_wide(ty)
}
