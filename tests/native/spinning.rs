//! Threads that spin on a flag or a lock: no order of gangs or warps needs to keep the warp that they wait for from issuing, and a
//! run that only spins says so when it is stopped.

use crate::common::kernel::{Kernel, no_files, words32};
use crate::machine;
use crate::machine::setups::setup;
use warpscope_machine::event::NullSink;
use warpscope_machine::sim::{Sim, too_long};

/// The four threads of a narrow warp count to 20 and set a flag; all others spin until it is set.
const KERNEL: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p0)
{
.reg .pred %p<4>;
.reg .b32 %r<5>;
.reg .b64 %rd<5>;
ld.param.u64 %rd1, [p0];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 2;
setp.eq.u32 %p1, %r2, 201;
@%p1 bra SET;
WAIT: ld.volatile.global.u32 %r3, [%rd1];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra WAIT;
bra.uni DONE;
SET: mov.u32 %r4, 0;
LOOP: add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, 20;
@%p3 bra LOOP;
st.volatile.global.u32 [%rd1], 1;
DONE: mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
st.global.u32 [%rd4+4], %r1;
ret;
}
";

fn kernel() -> Kernel {
    let launch = "grid = [1]\nblock = [1024]\n[[param]]\nbuffer = \"a\"\ntype = \"u32\"\nlen = 1025\ninit = \"zeros\"\n";
    Kernel::new(KERNEL, launch, &no_files).expect("a sound kernel")
}

/// Runs the machine for `cycles`, under a technique with a bound on how long gangs keep other warps waiting.
fn run(technique: &str, patience: &str, cycles: u64) -> (Kernel, Sim) {
    let kernel = kernel();
    let config = setup("vws", technique, &[("gang_patience", patience)]).config;
    let mut sim = machine::load(&kernel, &config).expect("it fits");
    sim.run(cycles, &mut NullSink);
    (kernel, sim)
}

#[test]
fn gangs_that_spin_do_not_starve_the_warp_they_wait_for() {
    for technique in ["I-VWS", "I-VWS-GTO", "I-VWS-LRR", "I-VWS-LPC", "I-VWS-LGTO", "I-VWS-GroupMem", "E-VWS", "E-VWS-Sync20"] {
        let (kernel, sim) = run(technique, "50", 100_000);
        assert!(sim.finished(), "{technique}: {}", too_long(&sim, 100_000));
        let left = words32(&kernel.buffers(&sim.state.uncore.global)[0].bytes);
        assert!(left[1..].iter().copied().eq(0..1024), "{technique}");
    }
}

#[test]
fn a_run_that_only_spins_names_the_loop_when_it_is_stopped() {
    let (_, sim) = run("I-VWS", "0", 20_000);
    assert!(!sim.finished(), "without a bound the gangs go first for ever");
    let message = too_long(&sim, 20_000).to_string();
    for part in ["no progress", "the loop from PC 5 to PC 7", "memory does not change", "never issue"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn a_long_computation_is_not_called_spinning() {
    let text = KERNEL.replace("%r4, 20;", "%r4, 2000000000;").replace("201;", "0;").replace("@%p2 bra WAIT;", "");
    let launch = "grid = [1]\nblock = [4]\n[[param]]\nbuffer = \"a\"\ntype = \"u32\"\nlen = 1025\ninit = \"zeros\"\n";
    let kernel = Kernel::new(&text, launch, &no_files).expect("a sound kernel");
    let mut sim = machine::load(&kernel, &setup("gtx480", "PDOM", &[]).config).expect("it fits");
    sim.run(10_000, &mut NullSink);
    let message = too_long(&sim, 10_000).to_string();
    assert!(message.contains("max-cycles") && !message.contains("spin"), "{message}");
}

/// Every thread takes a lock, adds one to a counter and releases the lock.
const LOCK: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p0)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<5>;
ld.param.u64 %rd1, [p0];
WAIT: atom.global.cas.b32 %r3, [%rd1], 0, 1;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra NEXT;
ld.volatile.global.u32 %r4, [%rd1+4];
add.u32 %r4, %r4, 1;
st.volatile.global.u32 [%rd1+4], %r4;
membar.gl;
atom.global.exch.b32 %r5, [%rd1], 0;
NEXT: @%p2 bra WAIT;
ret;
}
";

/// Runs 32 threads that want the lock on `toy` with an integer unit that takes an instruction every four cycles.
fn run_lock(technique: &str, schedulers: &str, patience: &str) -> (Kernel, Sim) {
    let launch = "grid = [2]\nblock = [16]\n[[param]]\nbuffer = \"a\"\ntype = \"u32\"\nlen = 2\ninit = \"zeros\"\n";
    let kernel = Kernel::new(LOCK, launch, &no_files).expect("a sound kernel");
    let keys = [("int_interval", "4"), ("schedulers", schedulers), ("schedule_patience", patience)];
    let mut sim = machine::load(&kernel, &setup("toy", technique, &keys).config).expect("it fits");
    sim.run(60_000, &mut NullSink);
    (kernel, sim)
}

#[test]
fn a_bound_on_the_order_of_warps_lets_the_holder_of_a_lock_go_on() {
    let orders = ["LRR", "GTO", "TLS", "BAWS", "Warped-Gates", "Warp-Folding", "Origami", "MWF-GTO,Origami", "DWF", "DWF-WB"];
    for (technique, schedulers) in orders.into_iter().flat_map(|technique| [(technique, "1"), (technique, "2")]) {
        let (kernel, sim) = run_lock(technique, schedulers, "100");
        assert!(sim.finished(), "{technique}, {schedulers} schedulers: {}", too_long(&sim, 60_000));
        let left = words32(&kernel.buffers(&sim.state.uncore.global)[0].bytes);
        assert_eq!(left, [0, 32], "{technique}");
    }
}

#[test]
fn a_run_that_starves_the_holder_of_a_lock_names_it_and_the_order_and_the_key() {
    let (_, sim) = run_lock("GTO", "1", "0");
    assert!(!sim.finished(), "without a bound the older warps go first for ever");
    let message = too_long(&sim, 60_000).to_string();
    for part in ["no progress", "holds what they wait for", "the scheduler (GTO) takes warp", "`--set schedule_patience=1000`"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let (_, sim) = run("I-VWS", "0", 20_000);
    assert!(too_long(&sim, 20_000).to_string().contains("`--set gang_patience=1000`"), "{}", too_long(&sim, 20_000));
}

#[test]
fn a_machine_that_is_stopped_early_is_not_probed_for_long() {
    let workload = warpscope_catalogue::find("gemm").expect("a workload");
    let kernel = Kernel::new(workload.ptx, workload.full, &|file| workload.read_file(file)).expect("a sound kernel");
    let mut sim = machine::load(&kernel, &setup("gtx480x15", "PDOM", &[]).config).expect("it fits");
    sim.run(1000, &mut NullSink);
    let before = std::time::Instant::now();
    assert!(too_long(&sim, 1000).to_string().contains("max-cycles"));
    assert!(before.elapsed().as_secs() < 10, "{:?}", before.elapsed());
}
