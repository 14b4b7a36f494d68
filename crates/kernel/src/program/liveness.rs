//! Live registers, and from them how many registers a thread needs.
//!
//! A backward data-flow analysis over blocks, on planes (32-bit words), so that a 64-bit register counts twice, as it does in a
//! register file. Predicates have a file of their own and are not counted. A guarded write may not happen, so it does not end the
//! live range of the old value, unless a pass says otherwise ([`Instruction::begins`]).
//!
//! The planes are analysed 64 at a time, and only in the blocks where one of them is live: a set of all planes for every block would
//! be quadratic in a program with many of both.

use super::graph::Graph;
use super::{Base, Dst, Instruction, Plane, Program, Src, is_wide};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::Type;

/// Limit on the words of live planes that are kept for all blocks together; beyond it every plane counts as live.
const MOST_KEPT: usize = 1 << 22;

pub struct Liveness {
    /// The largest number of planes that are live at once, without predicates.
    pub registers_needed: u32,
    /// The planes that are live where the program begins, as a bit set.
    at_entry: Vec<u64>,
}

impl Liveness {
    pub fn build(program: &Program) -> Liveness {
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
    words: Option<Vec<Box<[(u32, u64)]>>>,
}

impl LiveIn {
    pub fn build(program: &Program) -> LiveIn {
        let (mut words, mut kept) = (Vec::new(), 0);
        Flow::new(program).run(|touched, live_in| {
            let mut found: Vec<(u32, u64)> = Vec::new();
            if kept < MOST_KEPT {
                found.extend(touched.iter().map(|&at| (at, live_in[at as usize])).filter(|(_, word)| *word != 0));
                found.sort_unstable();
            }
            kept += found.len();
            words.push(found.into());
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

/// What one instruction does to a word of 64 planes.
struct Access {
    pc: u32,
    reads: u64,
    /// Planes whose live range its write begins.
    begins: u64,
}

/// The analysis of one program.
struct Flow<'a> {
    program: &'a Program,
    /// By word: its accesses, in program order.
    accesses: Vec<Vec<Access>>,
    /// By word: the planes that count as registers.
    counted: Vec<u64>,
    next: Graph,
    before: Graph,
    /// The blocks, each behind those that it leads to as far as loops allow, and the place of each block in that order.
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Flow<'_> {
    fn new(program: &Program) -> Flow<'_> {
        let (words, blocks) = ((program.planes as usize).div_ceil(64), &program.cfg.blocks);
        let mut accesses: Vec<Vec<Access>> = Vec::new();
        accesses.resize_with(words, Vec::new);
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let mut access = |plane: Plane, is_read: bool| {
                let of_word = &mut accesses[plane as usize / 64];
                if of_word.last().is_none_or(|last| last.pc != pc as u32) {
                    of_word.push(Access { pc: pc as u32, reads: 0, begins: 0 });
                }
                if let Some(last) = of_word.last_mut() {
                    *if is_read { &mut last.reads } else { &mut last.begins } |= 1 << (plane % 64);
                }
            };
            if instruction.guard.is_none() || instruction.begins {
                for_writes(instruction, program.planes - 1, |plane| access(plane, false));
            }
            for_reads(instruction, program.planes - 1, |plane| access(plane, true));
        }
        let mut counted = vec![0u64; words];
        for register in program.registers.iter().filter(|r| r.bits > 1) {
            for plane in register.plane..register.plane + super::planes_of(register.bits) {
                counted[plane as usize / 64] |= 1 << (plane % 64);
            }
        }
        // In machine code a parameter is an operand, so its register does not count.
        for plane in program.param_registers.iter().flat_map(|register| register.plane..register.plane + register.planes) {
            counted[plane as usize / 64] &= !(1 << (plane % 64));
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

    /// Analyses word by word; `each` gets the blocks that were looked at, some twice, and by block the planes that are live at its
    /// start.
    fn run(self, mut each: impl FnMut(&[u32], &[u64])) -> Liveness {
        let blocks = &self.program.cfg.blocks;
        let n = blocks.len();
        // By block, for the current word: planes read before they are written, planes written before they are read, live planes.
        let (mut reads, mut begins, mut live_in) = (vec![0u64; n], vec![0u64; n], vec![0u64; n]);
        let mut open = Open::new(n);
        let mut touched: Vec<u32> = Vec::new();
        // How many registers are live at the end of each block, and how many more before each instruction than behind it.
        let (mut at_end, mut more) = (vec![0u32; n], vec![0i32; self.program.instructions.len()]);
        let mut at_entry = Vec::with_capacity(self.accesses.len());
        for (accesses, &counted) in self.accesses.iter().zip(&self.counted) {
            let block_of = |access: &Access| self.program.cfg.block_of[access.pc as usize];
            let live_out = |at: u32, live_in: &[u64]| {
                self.next.next(at as usize).iter().fold(0, |live, &next| live | live_in[next as usize])
            };
            let mark = |at: u32, open: &mut Open| {
                self.before.next(at as usize).iter().for_each(|&from| open.add(self.place[from as usize]));
            };
            for of_block in accesses.chunk_by(|a, b| block_of(a) == block_of(b)) {
                let at = block_of(&of_block[0]);
                for access in of_block.iter().rev() {
                    reads[at as usize] = reads[at as usize] & !access.begins | access.reads;
                    begins[at as usize] |= access.begins;
                }
                live_in[at as usize] = reads[at as usize];
                touched.push(at);
                if reads[at as usize] != 0 {
                    mark(at, &mut open);
                }
            }
            while let Some(place) = open.take() {
                let at = self.order[place as usize];
                touched.push(at);
                let live = reads[at as usize] | live_out(at, &live_in) & !begins[at as usize];
                if std::mem::replace(&mut live_in[at as usize], live) != live {
                    mark(at, &mut open);
                }
            }
            for of_block in accesses.chunk_by(|a, b| block_of(a) == block_of(b)) {
                let mut live = live_out(block_of(&of_block[0]), &live_in) & counted;
                for access in of_block.iter().rev() {
                    let before = (live & !access.begins | access.reads) & counted;
                    more[access.pc as usize] += before.count_ones() as i32 - live.count_ones() as i32;
                    live = before;
                }
            }
            at_entry.push(live_in.first().copied().unwrap_or(0));
            touched.sort_unstable();
            touched.dedup();
            for &at in &touched {
                at_end[at as usize] += (live_out(at, &live_in) & counted).count_ones();
            }
            each(&touched, &live_in);
            for at in touched.drain(..) {
                (reads[at as usize], begins[at as usize], live_in[at as usize]) = (0, 0, 0);
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
    pub fn build(program: &Program) -> LiveAfter<'_> {
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
            Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host | Kind::Quiet | Kind::Dispatch => return false,
        },
    };
    is_wide(ty)
}
