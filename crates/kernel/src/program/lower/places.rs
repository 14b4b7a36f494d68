//! Where names lie: the planes of registers, the addresses of variables, and dynamic shared memory behind all static arrays.

use super::Lowering;
use super::expand::Instance;
use crate::program::address::align_up;
use crate::program::layout::code_address;
use crate::program::{Plane, RegisterInfo, Src, planes_of, unsupported};
use crate::ptx::module::{Function, Symbol, Variable};
use crate::ptx::problem::{Problem, Span, Trouble};
use crate::ptx::types::Space;

/// The operand of an instruction that receives an address once it is known.
#[derive(Clone, Copy)]
pub enum AddressFixup {
    Source(usize),
    Address,
}

impl Lowering<'_> {
    pub(super) fn add_register(&mut self, name: &str, bits: u32) -> Plane {
        let plane = self.planes;
        self.planes += planes_of(bits);
        self.registers.push(RegisterInfo { name: name.to_string(), bits, plane });
        plane
    }

    pub(super) fn place_variable(&mut self, function: &Function, variable: &Variable) -> Result<(Space, u64), Problem> {
        match variable.space {
            Space::Shared => {
                let Some(bytes) = variable.bytes else {
                    return Ok((Space::Shared, u64::MAX));
                };
                // A function's shared array is one object however often the function is called.
                Ok(self.place_shared(&function.name, &variable.name, bytes, variable.align))
            }
            Space::Local | Space::Param => Ok((Space::Local, self.local.place(variable.bytes.unwrap_or(0), variable.align))),
            Space::Global | Space::Const | Space::Generic => {
                Err(unsupported(variable.span, format!("`.{}` variables inside a function are not supported", variable.space)))
            }
        }
    }

    fn place_shared(&mut self, function: &str, name: &str, bytes: u64, align: u32) -> (Space, u64) {
        let key = format!("{function} {name}");
        if let Some(place) = self.shared_places.get(&key) {
            return *place;
        }
        let place = (Space::Shared, self.shared.place(bytes, align));
        self.shared_places.insert(key, place);
        place
    }

    /// Returns a symbol's space and address; the address is `u64::MAX` for the dynamic shared array.
    pub(super) fn symbol(&mut self, instance: &Instance, symbol: &Symbol, span: Span) -> Result<(Space, u64), Problem> {
        match symbol {
            Symbol::FunctionBody(index) => Ok(instance.variables[*index as usize]),
            Symbol::Param(index) => Ok(instance.call_site.params[*index as usize]),
            Symbol::Return(index) => Ok(instance.call_site.returns[*index as usize]),
            Symbol::Module(name) => {
                if let Some(place) = self.layout.find(name) {
                    return Ok(place);
                }
                let Some(variable) = self.module.variable(name) else {
                    return code_address(self.module, name)
                        .ok_or_else(|| Problem::new(Trouble::Name, span, format!("`{name}` is not declared")));
                };
                let Some(bytes) = variable.bytes else {
                    return Ok((Space::Shared, u64::MAX));
                };
                Ok(self.place_shared("", name, bytes, variable.align))
            }
        }
    }

    /// Places dynamic shared memory behind all static arrays, on a 16-byte boundary.
    pub(super) fn place_dynamic_shared(&mut self) {
        if self.dynamic_shared.is_empty() {
            return;
        }
        self.shared.bytes = align_up(self.shared.bytes, 16);
        for &(at, fixup) in &self.dynamic_shared {
            let instruction = &mut self.instructions[at];
            match fixup {
                AddressFixup::Source(index) => {
                    if let Src::Immediate(value) = &mut instruction.src[index] {
                        *value = value.wrapping_add(self.shared.bytes);
                    }
                }
                AddressFixup::Address => {
                    if let Some(address) = &mut instruction.address {
                        address.offset = address.offset.wrapping_add(self.shared.bytes as i64);
                    }
                }
            }
        }
    }
}
