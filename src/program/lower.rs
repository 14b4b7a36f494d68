//! Lowering of a parsed module to flat instructions: expands calls, resolves labels, names and registers.

use super::address::align_up;
use super::layout::{ModuleLayout, Stack, code_address};
use super::{
    Address, Base, Dst, Guard, Instruction, Pc, Plane, Program, RegisterInfo, Src, param_shape, planes_of, source_place,
    unsupported,
};
use crate::ptx::module::{AddressBase, Function, FunctionBody, Module, Operand, RegisterId, Symbol};
use crate::ptx::op::{AccessForm, Kind, Op};
use crate::ptx::problem::{Problem, Span, Trouble};
use crate::ptx::types::Space;
use std::collections::HashMap;

/// Limit on the instructions of a kernel with its calls expanded.
const MOST_INSTRUCTIONS: usize = 2_000_000;
/// Limit on the depth of calls; no compiler leaves deeper chains.
const MOST_DEPTH: usize = 64;

pub fn lower(module: &Module, kernel: &str) -> Result<Program, Vec<Problem>> {
    let one = |problem| vec![problem];
    let function = module
        .kernels()
        .find(|f| f.name == kernel)
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
        renamed: Vec::new(),
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
    calls: Vec<String>,
}

/// The operand of an instruction that receives an address once it is known.
#[derive(Clone, Copy)]
enum AddressFixup {
    Source(usize),
    Address,
}

/// The parameters and results of a function at one of its call sites.
struct CallSite {
    params: Vec<(Space, u64)>,
    returns: Vec<(Space, u64)>,
    is_kernel: bool,
    /// File and line of the call in the kernel that led to this function.
    called_from: Option<(u32, u32)>,
}

/// One expansion of a function: its registers, variables and labels.
struct Instance<'f> {
    body: &'f FunctionBody,
    call_site: CallSite,
    planes: Vec<Plane>,
    /// Space and address of each body variable.
    variables: Vec<(Space, u64)>,
    /// Index of its first branch table among the program's.
    first_table: usize,
    /// Position of each original instruction in the program, then the position behind the last one.
    positions: Vec<Pc>,
}

impl<'m> Lowering<'m> {
    fn expand(&mut self, function: &'m Function, call_site: CallSite) -> Result<(), Problem> {
        let body = function
            .body
            .as_ref()
            .ok_or_else(|| unsupported(function.span, format!("`{}` is declared but never defined", function.name)))?;
        if self.calls.contains(&function.name) {
            return Err(unsupported(
                function.span,
                format!("`{}` calls itself: recursion is not supported, because calls are expanded", function.name),
            )
            .label("recursive"));
        }
        if self.calls.len() >= MOST_DEPTH {
            return Err(unsupported(function.span, format!("calls are nested more than {MOST_DEPTH} deep")));
        }
        self.calls.push(function.name.clone());
        let planes = body.registers.iter().map(|r| self.add_register(&r.name, r.bits)).collect();
        let variables = body.variables.iter().map(|v| self.place_variable(function, v)).collect::<Result<_, _>>()?;
        let first_table = self.tables.len();
        self.tables.resize(first_table + body.tables.len(), Box::default());
        let mut instance = Instance {
            body,
            call_site,
            planes,
            variables,
            first_table,
            positions: Vec::with_capacity(body.instructions.len() + 1),
        };
        // Branches are patched when every position is known.
        let mut branches = Vec::new();
        for instruction in &body.instructions {
            instance.positions.push(self.instructions.len() as Pc);
            if self.instructions.len() > MOST_INSTRUCTIONS {
                return Err(unsupported(
                    instruction.span,
                    format!("the kernel grows past {MOST_INSTRUCTIONS} instructions when its calls are expanded"),
                ));
            }
            let at = self.instructions.len();
            match (instruction.op, &instruction.operands[..]) {
                (Op::Call, [Operand::Callee { name, returns, arguments }]) => {
                    self.call(&instance, instruction, name, returns, arguments)?
                }
                (Op::Bra { .. }, [Operand::CodeLabel(label)]) => {
                    branches.push((at, *label));
                    let lowered = self.plain(&instance, instruction, instruction.op)?;
                    self.instructions.push(lowered);
                }
                (Op::BrxIdx, [_, Operand::Table(table)]) => {
                    let mut lowered = self.plain(&instance, instruction, instruction.op)?;
                    lowered.target = first_table as Pc + *table;
                    self.instructions.push(lowered);
                }
                (Op::Ret, _) => {
                    // In a called function `ret` jumps behind the function's end; in a kernel it ends the thread.
                    let op = if instance.call_site.is_kernel { Op::Exit } else { Op::Bra { uniform: false } };
                    let mut lowered = self.plain(&instance, instruction, op)?;
                    lowered.target = Pc::MAX;
                    self.instructions.push(lowered);
                }
                _ => {
                    let lowered = self.plain(&instance, instruction, instruction.op)?;
                    self.instructions.push(lowered);
                }
            }
        }
        // A kernel that runs off its end stops there, as one that ends in `ret` does.
        let falls_off = instance.call_site.is_kernel
            && !self.instructions.last().is_some_and(|i| i.guard.is_none() && matches!(i.op, Op::Exit | Op::Bra { .. }));
        let jumps_to_end = branches.iter().map(|(_, label)| label).chain(body.tables.iter().flat_map(|t| &t.targets));
        let label_at_end =
            jumps_to_end.into_iter().any(|label| body.labels[label.0 as usize].at as usize == body.instructions.len());
        let end = self.instructions.len() as Pc;
        instance.positions.push(end);
        if instance.call_site.is_kernel && (falls_off || label_at_end) {
            self.instructions.push(bare(Op::Exit, function.span));
        }
        self.patch(&instance, &branches, end);
        self.calls.pop();
        Ok(())
    }

    fn patch(&mut self, instance: &Instance, branches: &[(usize, crate::ptx::module::LabelId)], end: Pc) {
        let position =
            |label: crate::ptx::module::LabelId| instance.positions[instance.body.labels[label.0 as usize].at as usize];
        for &(at, label) in branches {
            self.instructions[at].target = position(label);
        }
        let first = instance.positions[0] as usize;
        for instruction in &mut self.instructions[first..end as usize] {
            if matches!(instruction.op, Op::Bra { .. }) && instruction.target == Pc::MAX {
                instruction.target = end;
            }
        }
        for (at, table) in instance.body.tables.iter().enumerate() {
            self.tables[instance.first_table + at] = table.targets.iter().map(|&label| position(label)).collect();
        }
    }

    fn add_register(&mut self, name: &str, bits: u32) -> Plane {
        let plane = self.planes;
        self.planes += planes_of(bits);
        self.registers.push(RegisterInfo { name: name.to_string(), bits, plane });
        plane
    }

    fn place_variable(&mut self, function: &Function, variable: &crate::ptx::module::Variable) -> Result<(Space, u64), Problem> {
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
    fn symbol(&mut self, instance: &Instance, symbol: &Symbol, span: Span) -> Result<(Space, u64), Problem> {
        match symbol {
            Symbol::FunctionBody(index) => Ok(instance.variables[*index as usize]),
            Symbol::Param(index) => Ok(instance.call_site.params[*index as usize]),
            Symbol::Return(index) => Ok(instance.call_site.returns[*index as usize]),
            Symbol::Module(name) => {
                if let Some(place) = self.layout.find(name) {
                    return Ok(place);
                }
                let Some(variable) = self.module.variables.iter().find(|v| v.name == *name) else {
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
    fn place_dynamic_shared(&mut self) {
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

    // ---- One instruction ----

    /// Lowers any instruction except a call, for the end of the program.
    fn plain(
        &mut self,
        instance: &Instance,
        instruction: &crate::ptx::module::PtxInstruction,
        op: Op,
    ) -> Result<Instruction, Problem> {
        let here = self.instructions.len();
        let mut lowered = bare(op, instruction.span);
        lowered.guard = instruction.guard.map(|guard| Guard { plane: instance.plane(guard.register), negated: guard.negated });
        lowered.place = instruction.place.and_then(|index| source_place(&instance.body.places, index));
        if let Some(place) = &mut lowered.place {
            place.outer = instance.call_site.called_from.or(place.outer);
        }
        let writes = destinations(op);
        let (mut dst, mut src) = (Vec::new(), Vec::new());
        for operand in &instruction.operands {
            match operand {
                Operand::Address { base, offset } => {
                    let (space, address) = self.address(instance, op, base, *offset, instruction.span, here)?;
                    lowered.op = with_space(lowered.op, space);
                    lowered.address = Some(address);
                }
                _ if dst.len() < writes => dst.push(match operand {
                    Operand::Register(id) => {
                        Dst::Register { plane: instance.plane(*id), bits: instance.body.registers[id.0 as usize].bits as u8 }
                    }
                    _ => Dst::Sink,
                }),
                Operand::Register(id) => src.push(Src::Register(instance.plane(*id))),
                Operand::Not(id) => src.push(Src::Not(instance.plane(*id))),
                Operand::Immediate(bits) => src.push(Src::Immediate(*bits)),
                Operand::Special(special) => src.push(Src::Special(*special)),
                Operand::Sink => src.push(Src::Immediate(0)),
                Operand::Symbol { symbol, offset } => {
                    let (_, mut address) = self.symbol(instance, symbol, instruction.span)?;
                    if address == u64::MAX {
                        self.dynamic_shared.push((here, AddressFixup::Source(src.len())));
                        address = 0;
                    }
                    src.push(Src::Immediate(address.wrapping_add(*offset as u64)));
                }
                Operand::CodeLabel(_) | Operand::Table(_) | Operand::Callee { .. } => {}
            }
        }
        lowered.dst = dst.into();
        lowered.src = src.into();
        Ok(lowered)
    }

    /// Lowers an address operand. For an access to `.param` it also returns the space in which the operand really lies.
    fn address(
        &mut self,
        instance: &Instance,
        op: Op,
        base: &AddressBase,
        offset: i64,
        span: Span,
        here: usize,
    ) -> Result<(Option<Space>, Address), Problem> {
        match base {
            AddressBase::None => Ok((None, Address { base: Base::None, offset })),
            AddressBase::Register(id) => {
                let plane = instance.plane(*id);
                let base = match instance.body.registers[id.0 as usize].bits {
                    64 => Base::Register64(plane),
                    32 => Base::Register32(plane),
                    bits => return Err(Problem::new(Trouble::Operand, span, format!("an address is 32 or 64 bits, not {bits}"))),
                };
                // Parameters of an expanded function lie in the caller's frame.
                let space = (space_of(op) == Some(Space::Param) && !instance.call_site.is_kernel).then_some(Space::Local);
                Ok((space, Address { base, offset }))
            }
            AddressBase::Symbol(symbol) => {
                let (space, mut start) = self.symbol(instance, symbol, span)?;
                if start == u64::MAX {
                    self.dynamic_shared.push((here, AddressFixup::Address));
                    start = 0;
                }
                let named = space_of(op);
                if named == Some(Space::Generic) {
                    start = start.wrapping_add(super::address::window(space));
                } else if let Some(named) = named
                    && named != space
                    && named != Space::Param
                {
                    return Err(Problem::new(
                        Trouble::Operand,
                        span,
                        format!("a `.{named}` access names a variable in `.{space}`"),
                    )
                    .label(format!("the variable is in `.{space}`")));
                }
                let space = (named == Some(Space::Param)).then_some(space);
                Ok((space, Address { base: Base::None, offset: (start as i64).wrapping_add(offset) }))
            }
        }
    }

    // ---- Calls ----

    fn call(
        &mut self,
        instance: &Instance,
        instruction: &crate::ptx::module::PtxInstruction,
        name: &str,
        returns: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), Problem> {
        let callee = self
            .module
            .function(name)
            .ok_or_else(|| Problem::new(Trouble::Name, instruction.span, format!("there is no function `{name}`")))?;
        let places = |lowering: &mut Self, list: &[Operand]| -> Result<Vec<(Space, u64)>, Problem> {
            list.iter()
                .map(|operand| match operand {
                    Operand::Symbol { symbol, .. } => lowering.symbol(instance, symbol, instruction.span),
                    _ => Err(Problem::new(Trouble::Operand, instruction.span, "a call passes `.param` variables")),
                })
                .collect()
        };
        let (arguments, returns) = (places(self, arguments)?, places(self, returns)?);
        let builtin = match name {
            "vprintf" => Some(Op::Printf),
            "__assertfail" => Some(Op::AssertFail),
            _ => None,
        };
        if let Some(op) = builtin {
            let mut lowered = self.plain(instance, instruction, op)?;
            lowered.src = arguments.iter().chain(&returns).map(|&(_, at)| Src::Immediate(at)).collect();
            self.instructions.push(lowered);
            return Ok(());
        }
        if callee.body.is_none() {
            return Err(unsupported(
                instruction.span,
                format!("`{name}` is an external function: it is declared but never defined"),
            )
            .label("refused")
            .help("of external functions only `vprintf` and `__assertfail` are supported"));
        }
        for (what, wanted, given) in
            [("arguments", callee.params.len(), arguments.len()), ("results", callee.returns.len(), returns.len())]
        {
            if wanted != given {
                return Err(Problem::new(
                    Trouble::Operand,
                    instruction.span,
                    format!("`{name}` has {wanted} {what}, the call gives {given}"),
                ));
            }
        }
        // The call itself takes one instruction: a jump to what follows, or past the function when guarded off.
        let here = self.instructions.len();
        let mut jump = self.plain(instance, instruction, Op::Bra { uniform: instruction.guard.is_none() })?;
        jump.target = here as Pc + 1;
        if let Some(guard) = &mut jump.guard {
            guard.negated = !guard.negated;
        }
        let called_from = jump.place.map(|place| place.outer.unwrap_or((place.file, place.line)));
        self.instructions.push(jump);
        self.expand(callee, CallSite { params: arguments, returns, is_kernel: false, called_from }).map_err(|problem| {
            // A problem with the callee as a whole is reported at the call.
            if problem.span == callee.span { Problem { span: instruction.span, ..problem } } else { problem }
        })?;
        if instruction.guard.is_some() {
            self.instructions[here].target = self.instructions.len() as Pc;
        }
        Ok(())
    }
}

impl Instance<'_> {
    fn plane(&self, id: RegisterId) -> Plane {
        self.planes[id.0 as usize]
    }
}

pub(super) fn bare(op: Op, span: Span) -> Instruction {
    Instruction {
        op,
        guard: None,
        begins: false,
        dst: Box::default(),
        src: Box::default(),
        address: None,
        target: 0,
        span,
        place: None,
        rewrite: None,
        text: None,
    }
}

/// Returns how many of the first operands an operation writes.
fn destinations(op: Op) -> usize {
    match op {
        Op::Load(AccessForm { vector, .. }) => vector as usize,
        Op::Unpack { parts, .. } => parts as usize,
        Op::Setp { .. } | Op::Shfl(_) | Op::Match { .. } | Op::Lop3Test(_) | Op::NextBlock => 2,
        Op::Atom { result, .. } => result as usize,
        Op::Store(_) | Op::WarpBarrier | Op::Barrier | Op::BarrierArrive => 0,
        op => match op.kind() {
            Kind::Alu | Kind::Memory | Kind::Join | Kind::ActiveMask | Kind::Barrier | Kind::Dispatch => 1,
            Kind::Branch | Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host | Kind::Quiet => 0,
        },
    }
}

fn space_of(op: Op) -> Option<Space> {
    match op {
        Op::Load(access) | Op::Store(access) => Some(access.space),
        Op::Atom { space, .. } => Some(space),
        _ => None,
    }
}

fn with_space(op: Op, space: Option<Space>) -> Op {
    match (op, space) {
        (Op::Load(access), Some(space)) => Op::Load(AccessForm { space, ..access }),
        (Op::Store(access), Some(space)) => Op::Store(AccessForm { space, ..access }),
        (op, _) => op,
    }
}
