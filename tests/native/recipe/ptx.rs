//! Writes a recipe as PTX text, and its launch.

use super::{
    Arithmetic, COUNTERS, Compute, Counting, INPUTS, Meeting, NESTING, Phase, Recipe, Relation, Shuffle, Step, Test, VARIABLES,
};
use std::fmt::Write;

/// Words of each thread's own array.
const OWN: u32 = 4;

impl Recipe {
    /// Returns the launch file.
    pub fn launch(&self) -> String {
        let Recipe { block: [width, height], grid: [across, down], seed, .. } = *self;
        let output = self.threads() * across * down * u32::from(VARIABLES);
        format!(
            "grid = [{across}, {down}]\nblock = [{width}, {height}]\n\
             [[param]]\nbuffer = 'input'\ntype = 'u32'\nlen = {INPUTS}\n\
             init = {{ random = {{ seed = {seed}, min = 0, max = {} }} }}\n\
             [[param]]\nbuffer = 'output'\ntype = 'u32'\nlen = {output}\n\
             [[param]]\nbuffer = 'counters'\ntype = 'u32'\nlen = {COUNTERS}\n",
            1 << 20,
        )
    }

    /// Returns the threads of a block.
    pub fn threads(&self) -> u32 {
        self.block[0] * self.block[1]
    }

    pub fn ptx(&self) -> String {
        let mut writer = Writer { threads: self.threads(), ..Writer::default() };
        writer.prologue();
        for phase in &self.phases {
            writer.phase(phase);
        }
        for variable in 0..VARIABLES {
            writer.line(&format!("st.global.u32 [%mine+{}], %v{variable};", 4 * variable));
        }
        writer.text + "ret;\n}\n"
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    threads: u32,
    labels: u32,
    /// Labels to continue at and to leave at, for each enclosing loop.
    loops: Vec<[String; 2]>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn label(&mut self, name: &str) -> String {
        self.labels += 1;
        format!("{name}_{}", self.labels)
    }

    fn prologue(&mut self) {
        let _ = write!(
            self.text,
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry recipe(.param .u64 input, .param .u64 output, .param .u64 counters)\n{{\n\
             .shared .align 4 .b8 slots[{}];\n.shared .align 4 .b8 total[4];\n.local .align 4 .b8 own[{}];\n\
             .reg .b32 %v<{VARIABLES}>;\n.reg .b32 %n<{NESTING}>;\n.reg .b32 %m<{NESTING}>;\n\
             .reg .b32 %t, %x, %y, %trip;\n.reg .b64 %in, %mine, %cnt, %a, %s;\n.reg .f32 %f;\n.reg .pred %p;\n",
            4 * self.threads,
            4 * OWN,
        );
        let (bytes, threads) = (4 * u32::from(VARIABLES), self.threads);
        let _ = write!(
            self.text,
            "ld.param.u64 %in, [input];\nld.param.u64 %mine, [output];\nld.param.u64 %cnt, [counters];\n\
             mov.u32 %t, %tid.x;\nmov.u32 %x, %ntid.x;\nmov.u32 %y, %tid.y;\nmad.lo.u32 %t, %y, %x, %t;\n\
             mov.u32 %v4, %ctaid.x;\nmov.u32 %x, %nctaid.x;\nmov.u32 %y, %ctaid.y;\nmad.lo.u32 %v4, %y, %x, %v4;\n\
             mad.lo.u32 %v0, %v4, {threads}, %t;\n\
             mad.wide.u32 %mine, %v0, {bytes}, %mine;\nmov.u32 %v2, %t;\nmov.u32 %v5, 1;\n"
        );
        // Threads that leave early leave a word to read in their slot.
        self.line("mov.u64 %s, slots;\nmad.wide.u32 %a, %t, 4, %s;\nst.shared.u32 [%a], %v0;");
        // The first barrier before an addition comes behind it.
        self.line("setp.eq.u32 %p, %t, 0;\n@%p st.shared.u32 [total], 0;");
        for (to, at) in [(1, 0), (3, 1)] {
            self.load(to, at);
        }
    }

    fn load(&mut self, to: u8, at: u8) {
        self.line(&format!("and.b32 %x, %v{at}, {};\nmad.wide.u32 %a, %x, 4, %in;\nld.global.u32 %v{to}, [%a];", INPUTS - 1));
    }

    /// Leaves the result of the test in `%p`.
    fn test(&mut self, test: Test) {
        let relation = match test.relation {
            Relation::Less => "lt",
            Relation::Equal => "eq",
            Relation::NotEqual => "ne",
        };
        self.line(&format!("and.b32 %x, %v{}, 7;\nsetp.{relation}.u32 %p, %x, {};", test.variable, test.number));
    }

    fn compute(&mut self, guard: &str, Compute { op, to, a, b }: Compute) {
        let text = match op {
            Arithmetic::Add => format!("{guard}add.u32 %v{to}, %v{a}, %v{b};"),
            Arithmetic::Sub => format!("{guard}sub.u32 %v{to}, %v{a}, %v{b};"),
            Arithmetic::Xor => format!("{guard}xor.b32 %v{to}, %v{a}, %v{b};"),
            Arithmetic::Multiply => format!("{guard}mad.lo.u32 %v{to}, %v{a}, %v{b}, 3;"),
            Arithmetic::Shift => format!("and.b32 %x, %v{b}, 31;\n{guard}shr.u32 %v{to}, %v{a}, %x;"),
            Arithmetic::Least => format!("{guard}min.u32 %v{to}, %v{a}, %v{b};"),
            Arithmetic::Divide => format!("or.b32 %x, %v{b}, 1;\n{guard}div.u32 %v{to}, %v{a}, %x;"),
            Arithmetic::Root => format!("cvt.rn.f32.u32 %f, %v{a};\nsqrt.rn.f32 %f, %f;\n{guard}cvt.rzi.u32.f32 %v{to}, %f;"),
        };
        self.line(&text);
    }

    fn phase(&mut self, Phase { trips, steps, then }: &Phase) {
        if *trips < 2 {
            self.steps(steps);
            return self.meeting(then);
        }
        let top = self.label("PHASE");
        self.line(&format!("mov.u32 %trip, 0;\n{top}:"));
        self.steps(steps);
        self.meeting(then);
        self.line(&format!("add.u32 %trip, %trip, 1;\nsetp.lt.u32 %p, %trip, {trips};\n@%p bra {top};"));
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Compute(compute) => self.compute("", *compute),
            Step::Guarded { test, negated, compute } => {
                self.test(*test);
                self.compute(if *negated { "@!%p " } else { "@%p " }, *compute);
            }
            Step::Load { to, at } => self.load(*to, *at),
            Step::Local { put, at, get, from } => {
                for (word, access) in
                    [(at, format!("st.local.u32 [%a], %v{put};")), (from, format!("ld.local.u32 %v{get}, [%a];"))]
                {
                    self.line(&format!(
                        "and.b32 %x, %v{word}, {};\nmov.u64 %s, own;\nmad.wide.u32 %a, %x, 4, %s;\n{access}",
                        OWN - 1
                    ));
                }
            }
            Step::Count { counting, at, value } => {
                let (name, first) = match counting {
                    Counting::Add => ("add", 0),
                    Counting::Min => ("min", COUNTERS / 3),
                    Counting::Max => ("max", 2 * COUNTERS / 3),
                };
                let word = first + u32::from(*at) % (COUNTERS / 3);
                self.line(&format!("red.global.{name}.u32 [%cnt+{}], %v{value};", 4 * word));
            }
            Step::Swap { shared: true, value, take } => self.line(&format!(
                "mov.u64 %s, slots;\nmad.wide.u32 %a, %t, 4, %s;\natom.shared.exch.b32 %v{take}, [%a], %v{value};"
            )),
            Step::Swap { shared: false, value, take } => {
                self.line(&format!("atom.global.exch.b32 %v{take}, [%mine], %v{value};"));
            }
            Step::If { test, then, other } => {
                let (otherwise, end) = (self.label("ELSE"), self.label("END"));
                self.test(*test);
                self.line(&format!("@!%p bra {otherwise};"));
                self.steps(then);
                self.line(&format!("bra.uni {end};\n{otherwise}:"));
                self.steps(other);
                self.line(&format!("{end}:"));
            }
            Step::Loop { trips, most, checks_first, body } => self.repeat(*trips, *most, *checks_first, body),
            Step::Break(test) => self.jump(*test, 1),
            Step::Continue(test) => self.jump(*test, 0),
            Step::Leave { test, stores: false } => {
                self.test(*test);
                self.line("@%p ret;");
            }
            Step::Leave { test, stores: true } => {
                let stay = self.label("STAY");
                self.test(*test);
                self.line(&format!("@!%p bra {stay};\nst.global.u32 [%mine], %v{};\nret;\n{stay}:", test.variable));
            }
            Step::Switch { by, arms } => {
                let (table, end) = (self.label("WAYS"), self.label("END"));
                let names: Vec<String> = arms.iter().map(|_| self.label("ARM")).collect();
                self.line(&format!(
                    "rem.u32 %x, %v{by}, {};\n{table}: .branchtargets {};\nbrx.idx %x, {table};",
                    arms.len(),
                    names.join(", ")
                ));
                for (arm, name) in arms.iter().zip(names) {
                    self.line(&format!("{name}:"));
                    self.steps(arm);
                    self.line(&format!("bra.uni {end};"));
                }
                self.line(&format!("{end}:"));
            }
        }
    }

    fn repeat(&mut self, trips: u8, most: u8, checks_first: bool, body: &[Step]) {
        let depth = self.loops.len();
        assert!(depth < NESTING, "deeper than recipes nest");
        let (top, next, end) = (self.label("LOOP"), self.label("NEXT"), self.label("END"));
        self.line(&format!("rem.u32 %m{depth}, %v{trips}, {};\nmov.u32 %n{depth}, 0;", u32::from(most) + 1));
        if checks_first {
            self.line(&format!("bra.uni {next};"));
        }
        self.line(&format!("{top}:"));
        self.loops.push([next.clone(), end.clone()]);
        self.steps(body);
        self.loops.pop();
        self.line(&format!(
            "{next}:\nsetp.lt.u32 %p, %n{depth}, %m{depth};\nadd.u32 %n{depth}, %n{depth}, 1;\n@%p bra {top};\n{end}:"
        ));
    }

    fn jump(&mut self, test: Test, to: usize) {
        if let Some(labels) = self.loops.last().cloned() {
            self.test(test);
            self.line(&format!("@%p bra {};", labels[to]));
        }
    }

    fn meeting(&mut self, meeting: &Meeting) {
        match meeting {
            Meeting::None => {}
            Meeting::Exchange { give, take, distance } => {
                let partner = format!("add.u32 %x, %t, {distance};\nrem.u32 %x, %x, {};", self.threads);
                let own = "mov.u64 %s, slots;\nmad.wide.u32 %a, %t, 4, %s;";
                self.line(&format!("{own}\nst.shared.u32 [%a], %v{give};\nbar.sync 0;"));
                self.line(&format!("{partner}\nmad.wide.u32 %a, %x, 4, %s;\nld.shared.u32 %v{take}, [%a];\nbar.sync 0;"));
            }
            Meeting::Sum { value, take } => {
                let sum = format!("red.shared.add.u32 [total], %v{value};\nbar.sync 1;\nld.shared.u32 %v{take}, [total];");
                self.line(&format!("bar.sync 1;\n{sum}"));
            }
            Meeting::Census { test, take } => {
                self.test(*test);
                self.line(&format!("bar.red.popc.u32 %v{take}, 2, %p;"));
            }
            Meeting::Ballot { test, take } => {
                self.test(*test);
                self.line(&format!("vote.sync.ballot.b32 %v{take}, %p, 0xffffffff;"));
            }
            Meeting::Shuffle { mode, value, offset, take } => {
                let (mode, clamp) = match mode {
                    Shuffle::Index => ("idx", 31),
                    Shuffle::Up => ("up", 0),
                    Shuffle::Down => ("down", 31),
                    Shuffle::Butterfly => ("bfly", 31),
                };
                self.line(&format!("shfl.sync.{mode}.b32 %v{take}, %v{value}, %v{offset}, {clamp}, 0xffffffff;"));
            }
            Meeting::Reduce { value, take } => self.line(&format!("redux.sync.add.s32 %v{take}, %v{value}, 0xffffffff;")),
            Meeting::Halves { bit, value, take } => {
                let (set, end) = (self.label("SET"), self.label("END"));
                let members = (0..32).filter(|lane| lane >> bit & 1 != 0).fold(0u32, |mask, lane| mask | 1 << lane);
                let reduce = |members: u32| format!("redux.sync.add.s32 %v{take}, %v{value}, {members:#x};");
                self.line(&format!("mov.u32 %x, %laneid;\nand.b32 %x, %x, {};\nsetp.ne.u32 %p, %x, 0;", 1 << bit));
                self.line(&format!("@%p bra {set};\n{}\nbra.uni {end};", reduce(!members)));
                self.line(&format!("{set}:\n{}\n{end}:", reduce(members)));
            }
        }
    }
}
