//! Addresses of variables: module globals and constants, shared arrays, local depots and call frames.

use super::address::{CODE_WINDOW, GLOBAL_BASE, GRANULE, align_up, window};
use super::{ModuleVariable, unsupported};
use crate::ptx::module::{InitValue, Module, Variable};
use crate::ptx::problem::Problem;
use crate::ptx::types::Space;
use std::collections::HashMap;

/// Limit on the module's global variables, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Limit on the module's constant variables, in bytes; real machines have 64 KiB.
const MOST_CONSTANT_BYTES: u64 = 1 << 20;

/// The layout of the variables that all kernels of a module share.
pub struct ModuleLayout {
    pub constants: Vec<u8>,
    pub variables: Vec<ModuleVariable>,
    addresses: HashMap<String, (Space, u64)>,
}

impl ModuleLayout {
    pub fn new(module: &Module) -> Result<ModuleLayout, Problem> {
        let mut layout = ModuleLayout { constants: Vec::new(), variables: Vec::new(), addresses: HashMap::new() };
        let (mut global, mut constant) = (GLOBAL_BASE, 0);
        for variable in &module.variables {
            let bytes = variable.bytes.unwrap_or(0);
            let (filled, most) = match variable.space {
                Space::Const => (constant, MOST_CONSTANT_BYTES),
                _ => (global - GLOBAL_BASE, MOST_BYTES),
            };
            if filled + bytes > most {
                let space = variable.space;
                return Err(unsupported(
                    variable.span,
                    format!("the module's `.{space}` variables need more than {} MiB", most >> 20),
                ));
            }
            match variable.space {
                Space::Global => {
                    // A free granule between neighbours, so that an overrun lands outside of both.
                    layout.addresses.insert(variable.name.clone(), (Space::Global, global));
                    global = align_up(global + bytes, GRANULE.max(variable.align.into())) + GRANULE;
                }
                Space::Const => {
                    constant = align_up(constant, variable.align.into());
                    layout.addresses.insert(variable.name.clone(), (Space::Const, constant));
                    constant += bytes;
                }
                _ => {}
            }
        }
        layout.constants = vec![0; constant as usize];
        for variable in &module.variables {
            let Some(&(space, address)) = layout.addresses.get(&variable.name) else { continue };
            let (name, ty, bytes) = (variable.name.clone(), variable.ty, variable.bytes.unwrap_or(0));
            let init = layout.init(module, variable)?;
            let variable = ModuleVariable { name, space, address, ty, bytes, init };
            if space == Space::Const {
                layout.constants[address as usize..][..bytes as usize].copy_from_slice(&variable.image());
            }
            layout.variables.push(variable);
        }
        Ok(layout)
    }

    /// Returns the space of a module variable, and its address in that space.
    pub fn find(&self, name: &str) -> Option<(Space, u64)> {
        self.addresses.get(name).copied()
    }

    /// Returns the pieces of a variable's initial value with addresses resolved; drops pieces outside of the variable.
    fn init(&self, module: &Module, variable: &Variable) -> Result<Vec<(u64, Vec<u8>)>, Problem> {
        let mut pieces = Vec::with_capacity(variable.init.len());
        for part in &variable.init {
            let bytes = match &part.value {
                InitValue::Bytes(bytes) => bytes.clone(),
                InitValue::Address { name, offset, bytes, shift, generic } => {
                    let Some((space, address)) = self.find(name).or_else(|| code_address(module, name)) else {
                        return Err(unsupported(
                            variable.span,
                            format!("`{}` holds the address of `{name}`, which is not a variable in memory", variable.name),
                        ));
                    };
                    let base = if *generic { window(space) } else { 0 };
                    let value = address.wrapping_add(base).wrapping_add(*offset as u64) >> shift;
                    value.to_le_bytes()[..*bytes as usize].to_vec()
                }
            };
            if part.offset.saturating_add(bytes.len() as u64) <= variable.bytes.unwrap_or(0) {
                pieces.push((part.offset, bytes));
            }
        }
        Ok(pieces)
    }
}

/// Returns the address of a function. Compilers put functions into tables that a kernel may hold without calling through them.
pub fn code_address(module: &Module, name: &str) -> Option<(Space, u64)> {
    let at = module.position(name)?;
    Some((Space::Generic, CODE_WINDOW + 16 * at as u64))
}

/// Allocates one variable after another: shared memory of a kernel, or local memory of a thread.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    pub bytes: u64,
}

impl Stack {
    pub fn place(&mut self, bytes: u64, align: u32) -> u64 {
        let at = align_up(self.bytes, u64::from(align.max(1)));
        self.bytes = at + bytes;
        at
    }
}
