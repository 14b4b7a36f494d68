//! Warp operations of a kernel that is made for wider PTX warps than the machine has.
//!
//! A warp operation names its threads by a *member mask*. Masks that say "all", or that the machine itself gives (`activemask`,
//! `vote`, `match`), are right for PTX warps of any width. Any other mask is written for the 32 threads of a GPU's PTX warp: where
//! it names lanes that the machine's narrower ones do not have, the kernel would trap or compute something else.

use super::{Config, ConfigError};
use std::collections::BTreeMap;
use warpscope_kernel::program::{Dst, Pc, Plane, Program, Src};
use warpscope_kernel::ptx::op::{Int2, Op};
use warpscope_kernel::ptx::types::Type;

/// Threads of a PTX warp on every GPU.
const GPU_PTX_WARP: u32 = 32;

/// Registers through which a mask is followed back.
const MOST_COPIES: u32 = 64;

impl Config {
    /// Refuses a kernel whose member masks are made for wider PTX warps.
    pub(super) fn validate_members(&self, program: &Program) -> Result<(), ConfigError> {
        if self.ptx_warp >= GPU_PTX_WARP {
            return Ok(());
        }
        let mut masks = Masks::new(program, u32::MAX >> (GPU_PTX_WARP - self.ptx_warp));
        for (pc, instruction) in (0..).zip(&program.instructions).filter(|(_, instruction)| instruction.op.joins_warp()) {
            let fits = instruction.src.last().is_none_or(|&members| masks.fits(members, MOST_COPIES));
            if !fits {
                let place = instruction.place.map_or(String::new(), |place| format!(", source {}", program.place_name(place)));
                let allowed = format!(
                    "the kernel needs PTX warps of {GPU_PTX_WARP}: the member mask of its warp operation at PC {pc}{place} is made \
                     for them; use `--set ptx_warp={GPU_PTX_WARP}`"
                );
                return Err(ConfigError::Value { key: "ptx_warp", value: self.ptx_warp.to_string(), allowed });
            }
        }
        Ok(())
    }
}

/// What the masks of a program name.
struct Masks<'a> {
    program: &'a Program,
    /// Lanes that a PTX warp of the machine has.
    lanes: u32,
    /// Instructions that write each plane.
    writers: BTreeMap<Plane, Vec<Pc>>,
    /// Answers for the planes that masks have been followed to.
    known: BTreeMap<Plane, bool>,
}

impl Masks<'_> {
    fn new(program: &Program, lanes: u32) -> Masks<'_> {
        let mut writers: BTreeMap<Plane, Vec<Pc>> = BTreeMap::new();
        for (pc, instruction) in (0..).zip(&program.instructions) {
            for dst in &instruction.dst {
                if let Dst::Register { plane, .. } = *dst {
                    writers.entry(plane).or_default().push(pc);
                }
            }
        }
        Masks { program, lanes, writers, known: BTreeMap::new() }
    }

    /// Whether a mask names all threads, only those of `lanes`, or those that the machine gave.
    fn fits(&mut self, mask: Src, most: u32) -> bool {
        let plane = match mask {
            Src::Immediate(bits) => return bits as u32 == u32::MAX || bits as u32 & !self.lanes == 0,
            Src::Special(_) => return true,
            Src::Not(_) => return false,
            Src::Register(plane) => plane,
        };
        if most == 0 {
            return false;
        }
        if let Some(&known) = self.known.get(&plane) {
            return known;
        }
        // In a loop of copies, the others decide.
        self.known.insert(plane, true);
        let writers = self.writers.remove(&plane).unwrap_or_default();
        let fits = writers.iter().all(|&pc| {
            let instruction = &self.program.instructions[pc as usize];
            match instruction.op {
                Op::ActiveMask | Op::Vote(_) | Op::Match { .. } => true,
                Op::Mov(_) => instruction.src.iter().all(|&src| self.fits(src, most - 1)),
                // The third operand chooses one of two masks.
                Op::Selp(_) => instruction.src.iter().take(2).all(|&src| self.fits(src, most - 1)),
                // A part of a mask that fits.
                Op::Int2(Int2::And, Type::B32) => instruction.src.iter().any(|&src| self.fits(src, most - 1)),
                _ => false,
            }
        });
        self.known.insert(plane, fits);
        fits
    }
}
