//! Barrier-aware scheduling (BAWS) on the whole machine: the priority table that schedulers share, and the fetch that follows it.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use crate::machine::setups::setup;
use warpscope_catalogue as catalogue;
use warpscope_machine::event::{Event, Log, NullSink};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::sim::Sim;

/// Odd warps of block 1 go straight to the barrier; all others count for a while first.
const ODD_WARPS_FIRST: &str = r#"
.version 7.5
.target sm_75
.address_size 64
.visible .entry odd(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    and.b32 %r3, %r2, 1;
    mov.u32 %r4, %ctaid.x;
    and.b32 %r5, %r3, %r4;
    setp.eq.u32 %p1, %r5, 1;
    @%p1 bra MEET;
    mov.u32 %r6, 0;
AGAIN:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 200;
    @%p2 bra AGAIN;
MEET:
    bar.sync 0;
    ret;
}
"#;
const LAUNCH: &str =
    "grid = [2, 1, 1]\nblock = [128, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 1\ninit = \"zeros\"\n";

fn at_the_barrier(technique: &str) -> Sim {
    let kernel = Kernel::new(ODD_WARPS_FIRST, LAUNCH, &no_files).expect("a sound kernel");
    let mut sim = machine::load(&kernel, &setup("gtx480", technique, &[]).config).expect("it fits");
    while sim.waiting(0) != [0, 2, 0, 0, 0, 0, 0, 0] {
        assert!(!sim.finished(), "two warps of block 1 come to the barrier");
        sim.step(&mut NullSink);
    }
    sim
}

/// Warps 5 and 7, of the odd scheduler, wait at the barrier, so the even scheduler prefers their block.
#[test]
fn schedulers_share_one_priority_table() {
    let sim = at_the_barrier("MWF-GTO");
    let order = sim.issue_order(0);
    let mut even = order.ports[0].clone();
    assert_eq!(even[..2].iter().map(|warp| warp / 4).collect::<Vec<_>>(), [1, 1], "block 1 first: {even:?}");
    even.sort_unstable();
    assert_eq!(even, [0, 2, 4, 6]);
    assert_eq!(order.ports[1].iter().map(|warp| warp / 4).collect::<Vec<_>>(), [0, 0], "block 1 has no odd warp left");
    let oldest = at_the_barrier("GTO").issue_order(0);
    assert!(oldest.ports[0][1] < 4, "GTO prefers block 0 behind the warp that issued last: {:?}", oldest.ports[0]);
}

#[test]
fn critical_fetches_go_to_the_warp_that_issues_next() {
    let used = |workload: &str, technique: &str| {
        let workload = catalogue::find(workload).expect("a workload");
        let kernel = Kernel::new(workload.ptx, workload.small, &|file| workload.read_file(file)).expect("sound");
        let config = setup("gtx480", technique, &[]).config;
        let mut metrics = Metrics::of(&config);
        let mut sim = machine::load(&kernel, &config).expect("it fits");
        sim.run(10_000_000, &mut metrics);
        assert!(sim.finished() && sim.trap().is_none());
        metrics.fetching.used_next as f64 / metrics.totals.fetches as f64
    };
    for workload in ["scan", "srad", "matmul"] {
        for schedule in ["MWF-GTO", "GTO"] {
            let (plain, critical) = (used(workload, schedule), used(workload, &format!("{schedule}+CFF")));
            assert!(critical > plain, "{workload} {schedule}: {critical:.3} with CFF, {plain:.3} without");
        }
    }
}

/// With `room` as the fetch condition, warps that still have instructions are fetched for, but never beyond the I-buffer's size.
#[test]
fn an_i_buffer_takes_instructions_behind_those_it_has() {
    let workload = catalogue::find("reduce").expect("a workload");
    let kernel = Kernel::new(workload.ptx, workload.small, &|file| workload.read_file(file)).expect("sound");
    let fetches = |keys: &[(&str, &str)]| {
        let mut sim = machine::load(&kernel, &setup("gtx480", "LRR+FEF", keys).config).expect("it fits");
        let most = sim.machine.config.ibuffer as u8;
        let (mut behind, mut log) = (0, Log::default());
        while !sim.finished() {
            let before: Vec<(u32, u8)> = sim.state.sms[0].warps.iter().map(|warp| (warp.place.pc, warp.filled)).collect();
            log.events.clear();
            sim.step(&mut log);
            assert!(sim.state.sms[0].warps.iter().all(|warp| warp.filled <= most));
            for (_, event) in &log.events {
                if let Event::Fetched { warp, pc, .. } = *event {
                    behind += u32::from(pc > before[usize::from(warp)].0 + 1);
                }
            }
        }
        behind
    };
    assert!(fetches(&[]) > 0, "some fetches are for what follows the instructions that are there");
    assert_eq!(fetches(&[("fetch_when", "empty")]), 0, "fetches are for the next instruction alone");
}
