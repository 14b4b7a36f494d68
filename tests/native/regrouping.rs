//! Code that is difficult for techniques that re-form warps: barriers and warp operations in divergent code, warps that the
//! program sends different ways on purpose, branches that are uniform for a warp only. Every technique must leave what the scalar
//! reference leaves, and none may wait forever.

use crate::common::kernel::{self, Kernel, no_files};
use crate::machine;
use crate::machine::setups::{self, Setup};
use std::collections::HashMap;
use warpscope_kernel::program::uniform::uniform_branches;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::{Event, Log};
use warpscope_machine::sim::Sim;

const HEAD: &str = "
    .version 8.0
    .target sm_90
    .address_size 64
    .visible .entry kernel(.param .u64 out)
    {
    .reg .b32 %t, %l, %w, %m, %n, %v, %x;
    .reg .b64 %a, %s, %o;
    .reg .pred %p, %q;
    .shared .align 4 .b8 slots[1024];
    mov.u32 %t, %tid.x;
    and.b32 %l, %t, 31;
    shr.u32 %w, %t, 5;
    mov.u64 %s, slots;
    mad.wide.u32 %s, %t, 4, %s;
    st.shared.u32 [%s], %t;
    mov.u32 %v, 7;
    mov.u32 %n, 0;
    ";

const TAIL: &str = "
    ld.param.u64 %o, [out];
    mov.u32 %x, %ctaid.x;
    mov.u32 %m, %ntid.x;
    mad.lo.u32 %x, %x, %m, %t;
    mad.wide.u32 %o, %x, 4, %o;
    st.global.u32 [%o], %v;
    ret;
    }";

/// Runs a kernel on two blocks of `threads` threads under every technique.
fn check(body: &str, threads: u32) {
    check_on(body, threads, techniques());
}

/// Returns every technique that splits or re-forms warps.
fn techniques() -> Vec<Setup> {
    setups::regrouping().into_iter().chain(setups::slices()).collect()
}

fn check_on(body: &str, threads: u32, setups: Vec<Setup>) {
    let text = format!("{HEAD}{body}{TAIL}");
    let launch = format!(
        "grid = [2, 1, 1]\nblock = [{threads}, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = {}\ninit = \"zeros\"\n",
        2 * threads
    );
    let kernel = Kernel::new(&text, &launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut failures = Vec::new();
    for setup in setups {
        let expected = machine::reference(&kernel, &setup.config);
        assert!(expected.trap.is_none(), "{:?}", expected.trap);
        let sim = machine::load(&kernel, &setup.config).unwrap_or_else(|error| panic!("{}: {error}", setup.name));
        match machine::finish(sim) {
            Err(trouble) => failures.push(format!("{}: {trouble}", setup.name)),
            Ok(finished) if finished.buffers(&kernel)[0].bytes != kernel.buffers(&expected.global)[0].bytes => {
                failures.push(format!("{}: another result", setup.name));
            }
            Ok(_) => {}
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn producers_and_consumers_meet_at_barriers_from_both_sides_of_a_branch() {
    // Warp 0 writes and the others read, round after round; each side has barrier instructions of its own.
    check(
        "
        setp.eq.u32 %p, %w, 0;
        @%p bra PRODUCE;
        CONSUME:
        bar.sync 1;
        mov.u64 %a, slots;
        mad.wide.u32 %a, %l, 4, %a;
        ld.shared.u32 %x, [%a];
        add.u32 %v, %v, %x;
        bar.sync 2;
        add.u32 %n, %n, 1;
        setp.lt.u32 %q, %n, 4;
        @%q bra CONSUME;
        bra END;
        PRODUCE:
        mad.lo.u32 %x, %n, 100, %t;
        st.shared.u32 [%s], %x;
        bar.sync 1;
        bar.sync 2;
        add.u32 %n, %n, 1;
        setp.lt.u32 %q, %n, 4;
        @%q bra PRODUCE;
        END:
        ",
        128,
    );
}

#[test]
fn a_barrier_before_and_one_behind_the_meeting_point_are_the_same_barrier() {
    // Warp 0 waits inside of its side, the others behind the reconvergence point.
    check(
        "
        setp.ne.u32 %p, %w, 0;
        @%p bra JOIN;
        add.u32 %v, %v, %t;
        bar.sync 1, 96;
        add.u32 %v, %v, 5;
        JOIN:
        setp.eq.u32 %p, %w, 0;
        @%p bra END;
        bar.arrive 1, 96;
        add.u32 %v, %v, 9;
        END:
        ",
        96,
    );
}

#[test]
fn a_barrier_for_some_and_a_branch_before_the_others_reach_it() {
    check(
        "
        setp.eq.u32 %p, %w, 0;
        @%p bar.sync 1, 64;
        and.b32 %m, %l, 1;
        setp.eq.u32 %q, %m, 0;
        @%q bra EVEN;
        add.u32 %v, %v, 3;
        EVEN:
        @!%p bar.arrive 1, 64;
        add.u32 %v, %v, %t;
        ",
        64,
    );
}

#[test]
fn threads_of_both_sides_exchange_with_their_own_kind() {
    // The members are the threads that voted alike; the two sides communicate in different instructions.
    check(
        "
        mul.lo.u32 %x, %t, 0x9e3779b1;
        shr.u32 %x, %x, 29;
        setp.lt.u32 %p, %x, 3;
        vote.sync.ballot.b32 %m, %p, 0xffffffff;
        @%p bra LOW;
        not.b32 %m, %m;
        shfl.sync.bfly.b32 %v, %t, 1, 31, %m;
        bra END;
        LOW:
        vote.sync.ballot.b32 %v, %p, %m;
        add.u32 %v, %v, %t;
        END:
        bar.warp.sync 0xffffffff;
        ",
        128,
    );
}

#[test]
fn all_of_a_ptx_warp_meet_in_operations_on_both_sides() {
    // `bar.warp.sync` joins all threads that name the same members, wherever it stands. A stack for each warp runs one side after
    // the other, so there the two sides can only meet if they are different hardware warps.
    let meets = |setup: &Setup| setup.config.divergence.reforms() || setup.config.warp_width <= 8;
    let body = "
        and.b32 %x, %t, 8;
        setp.eq.u32 %p, %x, 0;
        @%p bra LEFT;
        mad.lo.u32 %x, %t, 3, 1;
        st.shared.u32 [%s], %x;
        bar.warp.sync 0xffffffff;
        bra END;
        LEFT:
        mad.lo.u32 %x, %t, 5, 1;
        st.shared.u32 [%s], %x;
        bar.warp.sync 0xffffffff;
        END:
        xor.b32 %x, %t, 8;
        mov.u64 %a, slots;
        mad.wide.u32 %a, %x, 4, %a;
        ld.shared.u32 %v, [%a];
        ";
    check_on(body, 64, techniques().into_iter().filter(meets).collect());
}

#[test]
fn a_branch_that_is_uniform_for_each_warp_goes_different_ways_for_a_block() {
    check(
        "
        and.b32 %m, %w, 1;
        setp.eq.u32 %p, %m, 0;
        @%p bra.uni EVEN;
        LOOP:
        add.u32 %n, %n, 1;
        add.u32 %v, %v, %n;
        setp.lt.u32 %q, %n, %l;
        @%q bra LOOP;
        bra.uni END;
        EVEN:
        setp.lt.u32 %q, %l, 9;
        @%q bra END;
        mul.lo.u32 %v, %v, %t;
        END:
        add.u32 %v, %v, 1;
        ",
        128,
    );
}

#[test]
fn a_uniform_branch_in_divergent_code_splits_a_compacted_warp() {
    check(
        "
        and.b32 %m, %l, 3;
        setp.eq.u32 %p, %m, 0;
        @!%p bra END;
        setp.lt.u32 %q, %w, 2;
        @%q bra.uni LOW;
        add.u32 %v, %v, 1000;
        bra.uni MEET;
        LOW:
        add.u32 %v, %v, 2000;
        MEET:
        add.u32 %v, %v, %t;
        END:
        ",
        128,
    );
}

#[test]
fn some_leave_early_and_the_rest_meet_at_barriers_in_partial_warps() {
    check(
        "
        mul.lo.u32 %x, %t, 0x9e3779b1;
        shr.u32 %x, %x, 28;
        setp.eq.u32 %p, %x, 5;
        @%p exit;
        setp.gt.u32 %p, %x, 11;
        @!%p bra STAY;
        LOOP:
        add.u32 %n, %n, 1;
        setp.lt.u32 %q, %n, %x;
        @%q bra LOOP;
        exit;
        STAY:
        bar.sync 0;
        add.u32 %v, %v, %x;
        bar.red.popc.u32 %x, 0, %p;
        add.u32 %v, %v, %x;
        ",
        77,
    );
}

#[test]
fn atomics_and_shared_memory_in_divergent_loops() {
    check(
        "
        and.b32 %m, %l, 7;
        mov.u64 %a, slots;
        bar.sync 0;
        LOOP:
        atom.shared.add.u32 %x, [%a], %m;
        add.u32 %n, %n, 1;
        setp.gt.u32 %p, %n, %m;
        @!%p bra LOOP;
        bar.sync 0;
        ld.shared.u32 %v, [%a];
        ",
        96,
    );
}

#[test]
fn a_deadlock_is_told_whatever_warps_there_are() {
    let text = format!("{HEAD}setp.lt.u32 %p, %t, 5;\n@%p bar.sync 1, 64;\n@!%p bar.sync 2, 64;\n{TAIL}");
    let launch =
        "grid = [1, 1, 1]\nblock = [32, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 32\ninit = \"zeros\"\n";
    let kernel = Kernel::new(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    for setup in techniques() {
        let sim = machine::load(&kernel, &setup.config).expect("it fits");
        let trouble = machine::finish(sim).err().unwrap_or_default();
        assert!(trouble.contains("can never complete"), "{}: {trouble}", setup.name);
    }
}

/// Runs every workload under TBC with all branches synchronised. Whenever the warps of an entry have come to a branch that the
/// analysis calls uniform, all of their threads go the same way.
#[test]
fn uniform_branches_never_part_a_block() {
    let mut marked = 0;
    for workload in warpscope_catalogue::all() {
        let job = kernel::small(workload);
        let config = MachineSpec::new("tbc", "TBC", [("tbc_uniform", "false")]).config().expect("a sound machine");
        let Ok(mut sim) = Sim::of(&job, config) else { continue };
        let uniform = uniform_branches(&sim.machine.program);
        let mut log = Log::default();
        sim.run(machine::MOST_CYCLES, &mut log);
        let mut last: HashMap<u16, (u32, bool)> = HashMap::new();
        // The way that the first warp took, and how many warps were still to arrive.
        let mut together: HashMap<(u16, u32), (bool, u16)> = HashMap::new();
        for (cycle, event) in log.events {
            match event {
                Event::Branch { warp, pc, taken, diverged, .. } if uniform[pc as usize] => {
                    assert!(!diverged, "{} at PC {pc}, cycle {cycle}", workload.name);
                    last.insert(warp, (pc, taken != 0));
                }
                Event::BlockArrive { slot, warp, pc, wcnt, .. } if uniform[pc as usize] => {
                    // Other warps arrive at an entry's reconvergence point, which may be such a branch.
                    let Some(&(_, way)) = last.get(&warp).filter(|(at, _)| *at == pc) else { continue };
                    last.remove(&warp);
                    let first = together.get(&(slot, pc)).filter(|(_, left)| wcnt < *left).map_or(way, |(first, _)| *first);
                    assert_eq!(first, way, "{} at PC {pc}, cycle {cycle}", workload.name);
                    together.insert((slot, pc), (first, wcnt));
                    marked += 1;
                }
                _ => {}
            }
        }
    }
    assert!(marked > 1000, "{marked} arrivals");
}

/// In a loop whose count is a parameter, in blocks of four warps, no warp arrives at the branch, unless the key says so.
#[test]
fn a_uniform_loop_does_not_make_warps_wait() {
    let body = "ld.param.u64 %a, [out]; L: add.u32 %n, %n, 1; add.u32 %v, %v, %t; setp.lt.u32 %p, %n, 10; @%p bra L;";
    let text = format!("{HEAD}{body}{TAIL}");
    let launch =
        "grid = [1, 1, 1]\nblock = [128, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 128\ninit = \"zeros\"\n";
    let kernel = Kernel::new(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let arrivals = |keys: &[(&str, &str)]| {
        let config = MachineSpec::new("tbc", "TBC", keys.iter().copied()).config().expect("a sound machine");
        let mut sim = machine::load(&kernel, &config).expect("it fits");
        let mut log = Log::default();
        sim.run(machine::MOST_CYCLES, &mut log);
        assert!(sim.finished() && sim.trap().is_none());
        log.events.iter().filter(|(_, event)| matches!(event, Event::BlockArrive { .. })).count()
    };
    assert_eq!(arrivals(&[]), 0);
    assert!(arrivals(&[("tbc_uniform", "false")]) >= 4 * 10, "four warps, ten times");
}
