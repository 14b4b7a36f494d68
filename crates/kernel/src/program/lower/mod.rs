//! Lowering of a parsed module to flat instructions: expands calls, resolves labels, names and registers.
//!
//! A function is expanded at each of its call sites: an [`Instance`](expand::Instance) has registers, labels and local variables
//! of its own, while shared variables are one object however often their function is called.

mod calls;
mod expand;
mod instruction;
mod places;

pub(super) use self::instruction::bare;

use self::calls::CallSite;
use self::places::AddressFixup;
use super::layout::{ModuleLayout, Stack};
use super::{Instruction, Pc, Program, RegisterInfo, param_shape};
use crate::ptx::module::Module;
use crate::ptx::problem::{Problem, Span, Trouble};
use crate::ptx::types::Space;
use std::collections::HashMap;

/// Lowers a kernel and every function that it calls.
pub fn lower(module: &Module, kernel: &str) -> Result<Program, Vec<Problem>> {
    let one = |problem| vec![problem];
    let function = module
        .kernel(kernel)
        .ok_or_else(|| one(Problem::new(Trouble::Name, Span::default(), format!("the module has no kernel `{kernel}`"))))?;
    let layout = ModuleLayout::new(module).map_err(one)?;
    let mut lowering = Lowering {
        module,
        layout,
        instructions: Vec::new(),
        tables: Vec::new(),
        registers: Vec::new(),
        planes: 0,
        local: Stack::default(),
        shared: Stack::default(),
        shared_places: HashMap::new(),
        dynamic_shared: Vec::new(),
        calls: Vec::new(),
        names: 0,
        bytes_of_names: 0,
    };
    let mut params = Stack::default();
    let param_offsets: Vec<u32> = function.params.iter().map(|p| params.place(p.bytes.unwrap_or(0), p.align) as u32).collect();
    let call_site = CallSite {
        params: param_offsets.iter().map(|&at| (Space::Param, u64::from(at))).collect(),
        returns: Vec::new(),
        is_kernel: true,
        called_from: None,
    };
    lowering.expand(function, call_site).map_err(|mut problem| {
        problem.function.get_or_insert_with(|| kernel.to_string());
        one(problem)
    })?;
    lowering.place_dynamic_shared();
    Ok(Program {
        kernel: kernel.to_string(),
        instructions: lowering.instructions,
        tables: lowering.tables,
        registers: lowering.registers,
        planes: lowering.planes + 1,
        params: function.params.iter().map(param_shape).collect(),
        param_offsets,
        param_bytes: params.bytes as u32,
        shared_bytes: lowering.shared.bytes.min(u32::MAX.into()) as u32,
        local_bytes: lowering.local.bytes.min(u32::MAX.into()) as u32,
        constants: lowering.layout.constants,
        variables: lowering.layout.variables,
        max_threads: function.max_threads,
        required_threads: function.required_threads,
        files: module.files.clone(),
        cfg: Default::default(),
        reconvergence: Default::default(),
        registers_needed: 0,
        wrapper: None,
        reconverges_within_trip: false,
        param_registers: Vec::new(),
        renamed: Default::default(),
    })
}

struct Lowering<'m> {
    module: &'m Module,
    layout: ModuleLayout,
    instructions: Vec<Instruction>,
    tables: Vec<Box<[Pc]>>,
    registers: Vec<RegisterInfo>,
    planes: u32,
    local: Stack,
    shared: Stack,
    /// Shared variables already placed, by function (or `""`) and name with a space between them.
    shared_places: HashMap<String, (Space, u64)>,
    /// Instructions that refer to the dynamic shared array, whose address is known last.
    dynamic_shared: Vec<(usize, AddressFixup)>,
    /// The functions being expanded, outermost first.
    calls: Vec<&'m str>,
    /// How many registers, variables and branch targets the expansions have, and how long their names are together.
    names: usize,
    bytes_of_names: usize,
}
