//! Virtual blocks and warps (VTW, CGO 2017): figure 1, what warps may and may not do ahead of their siblings, and kernels of
//! every shape that leave the same memory with and without virtual blocks.

use crate::common::kernel::{self, Kernel, no_files};
use crate::machine;
use crate::machine::setups::{Setup, setup, virtual_blocks};
use crate::sample::sampled;
use std::collections::BTreeMap;
use warpscope_catalogue as catalogue;
use warpscope_kernel::ptx::types::Space;
use warpscope_machine::config::{MachineSpec, TECHNIQUES};
use warpscope_machine::event::{Event, Log, Reason};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::sim::Sim;

/// Every warp runs as many iterations of a loop as a table says for its warp and block.
const TIMES: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 times, .param .u32 unit)
{
    .reg .b32 %t, %w, %b, %n, %i, %u;
    .reg .b64 %a;
    .reg .pred %p;
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    shr.u32 %w, %t, 2;
    mad.lo.u32 %i, %b, 3, %w;
    ld.param.u64 %a, [times];
    mad.wide.u32 %a, %i, 4, %a;
    ld.global.u32 %n, [%a];
    ld.param.u32 %u, [unit];
    mul.lo.u32 %n, %n, %u;
LOOP:
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra LOOP;
    ret;
}
";

/// Returns the cycles of blocks of three warps of four threads with these times, on a machine where warps do not contend.
fn cycles(technique: &str, times: &[u32], unit: u32) -> u64 {
    run_times(technique, times, unit).1
}

fn run_times(technique: &str, times: &[u32], unit: u32) -> (Log, u64) {
    let own = [("schedulers", "3"), ("sp_units", "3"), ("ldst_units", "3"), ("max_blocks", "1"), ("max_threads", "12")];
    let config = MachineSpec::new("toy", technique, own).config().expect("a machine");
    let launch = format!(
        "grid = [{}]\nblock = [12]\n[[param]]\nbuffer = \"times\"\ntype = \"u32\"\ninit = {{ values = {times:?} }}\n[[param]]\ntype = \"u32\"\nvalue = {unit}\n",
        times.len() / 3
    );
    let kernel = Kernel::new(TIMES, &launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut sim = machine::load(&kernel, &config).expect("it fits");
    let mut log = Log::default();
    sim.run(10_000_000, &mut log);
    assert!(sim.finished() && sim.trap().is_none(), "{technique}");
    (log, sim.state.cycle)
}

/// Figure 1: three blocks of three warps, one at a time. The code around a block's loop takes the same time however long a unit
/// is, so the difference between two lengths of a unit gives the exact number of units.
#[test]
fn figure_1_takes_145_units_and_120_in_virtual_blocks() {
    let times = [40, 50, 30, 50, 30, 40, 25, 40, 45];
    let units = |technique: &str, times: &[u32]| {
        let more = cycles(technique, times, 20) - cycles(technique, times, 10);
        let one = cycles("LRR", &[1, 1, 1], 20) - cycles("LRR", &[1, 1, 1], 10);
        assert_eq!(more % one, 0, "{technique}: whole units");
        more / one
    };
    assert_eq!(units("LRR", &times), 145);
    for technique in ["vLRR", "vGTO", "VTW"] {
        assert_eq!(units(technique, &times), 120, "{technique}");
    }
}

/// The iteration that each warp of a slot is in, and the iteration that has ended, as a run goes on.
#[derive(Default)]
struct Iterations {
    warps: BTreeMap<(u16, u16), (u16, u32)>,
    ended: BTreeMap<(u16, u16), u32>,
}

impl Iterations {
    /// Takes an event; the error says what a warp did too early.
    fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Assigned { sm, slot, warp, iteration, .. } => {
                self.warps.insert((sm, warp), (slot, iteration));
                let of_slot = |((on, _), (at, _)): &(&(u16, u16), &(u16, u32))| (*on, *at) == (sm, slot);
                let lowest = self.warps.iter().filter(of_slot).map(|(_, (_, iteration))| *iteration).min();
                if lowest.is_some_and(|lowest| iteration > lowest + 1) {
                    return Err(format!("warp {warp} begins iteration {iteration}, a sibling is in {lowest:?}"));
                }
            }
            Event::LogicalEnd { sm, slot, iteration, .. } => {
                self.ended.insert((sm, slot), iteration + 1);
            }
            Event::BlockEnd { sm, slot, .. } => {
                self.warps.retain(|(on, _), (at, _)| (*on, *at) != (sm, slot));
                self.ended.remove(&(sm, slot));
            }
            Event::Memory { sm, warp, space: Space::Shared, .. } => {
                if let Some(&(slot, iteration)) = self.warps.get(&(sm, warp))
                    && iteration > self.ended.get(&(sm, slot)).copied().unwrap_or(0)
                {
                    return Err(format!(
                        "warp {warp} is at shared memory in iteration {iteration}, before siblings ended the one before"
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

#[test]
fn no_warp_is_two_iterations_ahead_or_at_shared_memory_too_early() {
    let mut shared = 0;
    for workload in catalogue::all() {
        for technique in ["vLRR", "VTW", "VTW-SL", "VTW-LH"] {
            let config = MachineSpec::new("gtx480", technique, [("max_blocks", "1")]).config().expect("a machine");
            let mut sim = Sim::of(&kernel::small(workload), config).expect("it fits");
            let mut log = Log::default();
            sim.run(10_000_000, &mut log);
            assert!(sim.finished() && sim.trap().is_none(), "{} {technique}", workload.name);
            let mut iterations = Iterations::default();
            for &(cycle, event) in &log.events {
                let done = iterations.event(event);
                assert_eq!(done, Ok(()), "{} {technique}, cycle {cycle}", workload.name);
                shared += u32::from(matches!(event, Event::Memory { space: Space::Shared, .. }));
            }
        }
    }
    assert!(shared > 1000, "shared memory was used");
}

#[test]
fn a_warp_that_would_be_two_ahead_waits() {
    // Warp 0 is quick in every block, warp 1 slow in the first.
    let (log, _) = run_times("vLRR", &[1, 90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 10);
    let ahead = |event: &Event| matches!(event, Event::Warp { warp: 0, reason: Some(Reason::Ahead), .. });
    assert!(log.events.iter().any(|(_, event)| ahead(event)));
}

/// Warps are slow in turn, and exchange a word with the next warp at the start of each block.
const EXCHANGE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %t, %w, %b, %n, %i, %v, %s, %m;
    .reg .b64 %a;
    .reg .pred %p;
    .shared .b32 words[128];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mov.u32 %s, words;
    mad.lo.u32 %i, %t, 4, %s;
    add.u32 %v, %t, %b;
    st.shared.u32 [%i], %v;
    bar.sync 0;
    xor.b32 %w, %t, 32;
    mad.lo.u32 %i, %w, 4, %s;
    ld.shared.u32 %v, [%i];
    shr.u32 %w, %t, 5;
    add.u32 %w, %w, %b;
    and.b32 %w, %w, 3;
    mad.lo.u32 %n, %w, 200, 1;
LOOP:
    mad.lo.u32 %v, %v, 5, %n;
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra LOOP;
    mov.u32 %m, %ntid.x;
    mad.lo.u32 %i, %b, %m, %t;
    ld.param.u64 %a, [out];
    mad.wide.u32 %a, %i, 4, %a;
    st.global.u32 [%a], %v;
    ret;
}
";

fn buffer_launch(grid: [u32; 3], block: [u32; 3]) -> String {
    let len: u32 = grid.iter().chain(&block).product();
    format!("grid = {grid:?}\nblock = {block:?}\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = {len}\ninit = \"zeros\"\n")
}

/// Asserts that the kernel leaves what the reference leaves on a machine, and that its accounts balance.
fn check(text: &str, launch: &str, setup: &Setup) -> Metrics {
    let kernel = Kernel::new(text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let expected = machine::reference(&kernel, &setup.config);
    assert!(expected.trap.is_none(), "{:?}", expected.trap);
    let sim = machine::load(&kernel, &setup.config).unwrap_or_else(|error| panic!("{}: {error}", setup.name));
    let finished = machine::finish(sim).unwrap_or_else(|trouble| panic!("{}, {launch}: {trouble}", setup.name));
    for (found, wanted) in finished.buffers(&kernel).iter().zip(kernel.buffers(&expected.global)) {
        assert_eq!(found.bytes, wanted.bytes, "{}: `{}`, {launch}", setup.name, found.name);
    }
    finished.metrics
}

#[test]
fn shared_memory_holds_a_warp_back() {
    for technique in ["vLRR", "vGTO", "VTW", "VTW-SL", "VTW-LH"] {
        let setup = setup("gtx480", technique, &[("max_blocks", "1")]);
        let metrics = check(EXCHANGE, &buffer_launch([8, 1, 1], [128, 1, 1]), &setup);
        assert!(metrics.totals.warp_cycles[Reason::Siblings as usize] > 0, "{technique}");
    }
}

/// Every thread counts itself, after a delay that depends on its warp.
const COUNT: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %t, %w, %b, %n, %i, %m;
    .reg .b64 %a;
    .reg .pred %p;
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    shr.u32 %w, %t, 5;
    mad.lo.u32 %n, %b, 7, %w;
    mul.lo.u32 %n, %n, 0x9e3779b1;
    shr.u32 %n, %n, 25;
    add.u32 %n, %n, 1;
LOOP:
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra LOOP;
    mov.u32 %m, %ntid.x;
    mad.lo.u32 %i, %b, %m, %t;
    ld.param.u64 %a, [out];
    mad.wide.u32 %a, %i, 4, %a;
    red.global.add.u32 [%a], 1;
    ret;
}
";

#[test]
fn every_thread_of_the_launch_runs_once_however_warps_drift() {
    for setup in virtual_blocks() {
        check(COUNT, &buffer_launch([24, 1, 1], [72, 1, 1]), &setup);
    }
}

/// Each thread writes its special registers.
const PLACE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %x, %y, %z, %n, %l, %v, %k;
    .reg .b64 %a;
    mov.u32 %x, %ctaid.x;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    mov.u32 %n, %nctaid.y;
    mad.lo.u32 %l, %z, %n, %y;
    mov.u32 %n, %nctaid.x;
    mad.lo.u32 %l, %l, %n, %x;
    mad.lo.u32 %v, %z, 64, %y;
    mad.lo.u32 %v, %v, 64, %x;
    mov.u32 %n, %ntid.z;
    mov.u32 %z, %tid.z;
    mad.lo.u32 %l, %l, %n, %z;
    mov.u32 %n, %ntid.y;
    mov.u32 %y, %tid.y;
    mad.lo.u32 %l, %l, %n, %y;
    mov.u32 %n, %ntid.x;
    mov.u32 %x, %tid.x;
    mad.lo.u32 %l, %l, %n, %x;
    mad.lo.u32 %v, %v, 8, %z;
    mad.lo.u32 %v, %v, 8, %y;
    mad.lo.u32 %v, %v, 64, %x;
    mov.u32 %k, %laneid;
    mad.lo.u32 %v, %v, 32, %k;
    ld.param.u64 %a, [out];
    mad.wide.u32 %a, %l, 4, %a;
    st.global.u32 [%a], %v;
    ret;
}
";

#[test]
fn grids_and_blocks_of_every_shape() {
    let shapes = [
        ([1, 1, 1], [64, 1, 1]),
        ([2, 1, 1], [33, 1, 1]),
        ([5, 1, 1], [45, 1, 1]),
        ([3, 2, 2], [5, 3, 3]),
        ([1, 4, 1], [32, 2, 1]),
        ([2, 1, 3], [1, 7, 5]),
        ([1, 1, 7], [1, 1, 9]),
    ];
    for setup in virtual_blocks() {
        for (grid, block) in shapes {
            check(PLACE, &buffer_launch(grid, block), &setup);
        }
    }
}

#[test]
fn every_workload_leaves_the_same_memory() {
    // Workloads that rely on lock-step are wrong in the scalar reference; `machine_golden` checks them.
    for (case, workload) in catalogue::all().iter().enumerate().filter(|(_, workload)| !workload.lock_step) {
        for (at, setup) in virtual_blocks().into_iter().enumerate() {
            if !sampled(case * 31 + at, 8) {
                continue;
            }
            let launch = workload.small;
            let kernel = Kernel::new(workload.ptx, launch, &|file| workload.read_file(file)).expect("a sound job");
            let Ok(sim) = machine::load(&kernel, &setup.config) else { continue };
            let expected = machine::reference(&kernel, &setup.config);
            let finished = machine::finish(sim).unwrap_or_else(|trouble| panic!("{} {}: {trouble}", workload.name, setup.name));
            for (found, wanted) in finished.buffers(&kernel).iter().zip(kernel.buffers(&expected.global)) {
                assert_eq!(found.bytes, wanted.bytes, "{} {}: `{}`", workload.name, setup.name, found.name);
            }
        }
    }
}

#[test]
fn techniques_that_do_not_go_together_say_why() {
    for (preset, techniques, word) in [("tbc", "TBC,VTW-SL", "re-forms"), ("vws", "WS4,vLRR", "slice")] {
        let config = MachineSpec::new(preset, techniques, []).config();
        assert!(config.is_err_and(|error| error.to_string().contains(word)), "{techniques}");
    }
    assert!(MachineSpec::new("vws", "I-VWS,VTW", []).config().is_err_and(|error| error.to_string().contains("schedule")));
    assert_eq!(TECHNIQUES.iter().filter(|technique| technique.decides == "dispatch").count(), 5);
}
