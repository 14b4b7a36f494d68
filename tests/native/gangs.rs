//! Slices and gangs (Variable Warp Sizing): the paper's rules hold in every cycle of every run.

use crate::common::kernel::{self, Kernel, no_files};
use crate::machine;
use crate::machine::setups::{self, Setup, setup};
use std::collections::BTreeMap;
use warpscope_catalogue as catalogue;
use warpscope_machine::config::{GangMeetKind, MachineSpec};
use warpscope_machine::event::{Event, EventHash, Log, Reason, SplitCause};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::policy::gang::ENTRIES;
use warpscope_machine::sim::Sim;

fn least(name: &str) -> Kernel {
    let workload = catalogue::find(name).expect("a workload");
    Kernel::new(workload.ptx, workload.tiny.unwrap_or(workload.small), &|file| workload.read_file(file)).expect("it loads")
}

fn start(kernel: &Kernel, setup: &Setup) -> Option<Sim> {
    machine::load(kernel, &setup.config).ok()
}

fn finish(kernel: &Kernel, setup: &Setup) -> Metrics {
    let sim = start(kernel, setup).expect("it fits");
    machine::finish(sim).unwrap_or_else(|trouble| panic!("{}: {trouble}", setup.name)).metrics
}

#[test]
fn warps_of_32_run_as_under_plain_stacks() {
    for preset in ["vws", "gtx480", "tbc"] {
        for workload in catalogue::all() {
            let kernel = least(workload.name);
            let hash = |technique: &str| {
                let mut sim = start(&kernel, &setup(preset, technique, &[])).expect("it fits");
                let mut hash = EventHash::default();
                sim.run(machine::MOST_CYCLES, &mut hash);
                (sim.state.cycle, hash.value())
            };
            assert_eq!(hash("WS32"), hash("PDOM"), "{} on {preset}", workload.name);
        }
    }
}

#[test]
fn without_divergence_gangs_fetch_and_access_memory_as_wide_warps_do() {
    for (name, kernel) in [("a stream", stream()), ("matmul", least("matmul"))] {
        let (wide, gangs) = (finish(&kernel, &setup("vws", "WS32", &[])), finish(&kernel, &setup("vws", "I-VWS", &[])));
        assert_eq!((wide.totals.divergent_branches, gangs.gangs.splits), (0, 0), "{name} never diverges");
        assert_eq!(gangs.totals.fetches, wide.totals.fetches, "{name}");
        assert_eq!(gangs.totals.memory_transactions, wide.totals.memory_transactions, "{name}");
        assert_eq!(gangs.totals.thread_instructions, wide.totals.thread_instructions, "{name}");
        assert_eq!(gangs.totals.warp_instructions, 8 * wide.totals.warp_instructions, "{name}: a gang counts as its warps");
        assert_eq!(gangs.gangs.issued, wide.totals.warp_instructions, "{name}");
    }
}

/// Checks the invariants of every SM's gang table after a cycle.
fn inspect(sim: &Sim) -> Result<(), String> {
    for sm in &sim.state.sms {
        let Some(gangs) = &sm.gangs else { continue };
        for (row, set) in gangs.sets.iter().enumerate() {
            let mut seen = 0u8;
            for part in set.parts() {
                if part & seen != 0 {
                    return Err(format!("a warp of original gang {row} is in two parts: {set:?}"));
                }
                seen |= part;
                let pcs: Vec<u32> = gangs.warps(row as u32, part).map(|warp| sm.warps[warp as usize].place.pc).collect();
                if pcs.windows(2).any(|two| two[0] != two[1]) {
                    return Err(format!("a gang of original gang {row} is at different PCs: {pcs:?}"));
                }
            }
            if set.gangs.iter().any(|gang| gang.count_ones() == 1) {
                return Err(format!("a gang of one: {set:?}"));
            }
            for slice in 0..gangs.slices {
                let warp = row as u32 * gangs.slices + slice;
                let lives = sm.sets.resident.contains(warp) && !sm.sets.exited.contains(warp);
                if lives != (seen >> slice & 1 != 0) {
                    return Err(format!("warp {warp} lives: {lives}, is in the table: {}", !lives));
                }
                if gangs.singles.contains(warp) != (set.singles >> slice & 1 != 0) {
                    return Err(format!("slice {slice} does not know whether warp {warp} is its own"));
                }
            }
        }
    }
    Ok(())
}

/// Checks what the stages did in one cycle.
fn inspect_cycle(sim: &Sim, events: &[(u64, Event)]) -> Result<(), String> {
    let config = &sim.machine.config;
    let (mut issued, mut used, mut merges) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (_, event) in events {
        match *event {
            Event::GangIssued { sm, row, mask, .. } => {
                let scheduler = (sm, u32::from(row) % config.schedulers);
                *issued.entry(scheduler).or_insert(0) += 1;
                let used: &mut u8 = used.entry(scheduler).or_insert(0);
                if *used & mask != 0 {
                    return Err("two gangs issue through one slice".to_string());
                }
                *used |= mask;
            }
            Event::GangMerge { sm, one, two, .. } => {
                *merges.entry(sm).or_insert(0) += 1;
                if one & two != 0 || one == 0 || two == 0 {
                    return Err("a part is merged with itself".to_string());
                }
            }
            _ => {}
        }
    }
    if issued.values().any(|&count: &u32| count > config.gangs_per_cycle) {
        return Err("too many gangs issue".to_string());
    }
    if merges.values().any(|&count: &u32| count > 1) || !config.gang_reform && !merges.is_empty() {
        return Err("too many parts are merged".to_string());
    }
    Ok(())
}

#[test]
fn the_gang_table_is_sound_in_every_cycle() {
    let mut cycles = 0;
    for workload in ["bfs", "interpreter", "raytrace", "mergesort", "stencil"] {
        let kernel = least(workload);
        for setup in setups::slices().iter().filter(|setup| setup.config.gangs) {
            let Some(mut sim) = start(&kernel, setup) else { continue };
            for _ in 0..1_500 {
                let mut log = Log::default();
                sim.step(&mut log);
                let sound = inspect(&sim).and_then(|()| inspect_cycle(&sim, &log.events));
                sound.unwrap_or_else(|trouble| panic!("{workload} on {}, cycle {}: {trouble}", setup.name, sim.state.cycle));
                cycles += 1;
                if sim.finished() {
                    break;
                }
            }
        }
    }
    assert!(cycles > 50_000, "{cycles}");
}

/// Returns a kernel whose threads take the branch that `way` gives for their slice, and reconverge.
fn paths(pattern: &str) -> Kernel {
    let text = "
        .version 8.0
        .target sm_90
        .address_size 64
        .visible .entry kernel(.param .u64 way, .param .u64 out)
        {
        .reg .b32 %t, %s, %w, %v;
        .reg .b64 %a, %o;
        .reg .pred %p;
        mov.u32 %t, %tid.x;
        shr.u32 %s, %t, 2;
        ld.param.u64 %a, [way];
        mad.wide.u32 %a, %s, 4, %a;
        ld.global.u32 %w, [%a];
        mov.u32 %v, 0;
        WAYS: .branchtargets A, B, C, D;
        brx.idx %w, WAYS;
        A:
        add.u32 %v, %v, 1;
        bra.uni END;
        B:
        add.u32 %v, %v, 2;
        bra.uni END;
        C:
        add.u32 %v, %v, 3;
        bra.uni END;
        D:
        add.u32 %v, %v, 4;
        END:
        ld.param.u64 %o, [out];
        mad.wide.u32 %o, %t, 4, %o;
        st.global.u32 [%o], %v;
        ret;
        }";
    let ways: Vec<String> = pattern.bytes().map(|letter| (letter - b'a').to_string()).collect();
    let launch = format!(
        "grid = [1, 1, 1]\nblock = [32, 1, 1]
        [[param]]\nbuffer = \"way\"\ntype = \"u32\"\nlen = 8\ninit = {{ values = [{}] }}
        [[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 32\ninit = \"zeros\"\n",
        ways.join(", ")
    );
    Kernel::new(text, &launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"))
}

#[test]
fn a_gang_of_eight_parts_as_the_paths_of_its_slices_do() {
    let kernel = paths("aabcccda");
    let mut sim = start(&kernel, &setup("vws", "I-VWS", &[])).expect("it fits");
    let mut log = Log::default();
    sim.run(machine::MOST_CYCLES, &mut log);
    let splits: Vec<&Event> =
        log.events.iter().map(|(_, event)| event).filter(|event| matches!(event, Event::GangSplit { .. })).collect();
    let [Event::GangSplit { gang: 0xff, gangs, singles, .. }] = splits[..] else { panic!("one split: {splits:?}") };
    assert_eq!(*gangs, [0b1000_0011, 0b0011_1000, 0, 0], "gangs {{0, 1, 7}} and {{3, 4, 5}}");
    assert_eq!(*singles, 0b0100_0100, "singletons 2 and 6");
    assert_eq!(gangs.len(), ENTRIES);
    assert!(log.events.iter().all(|(_, event)| !matches!(event, Event::GangMerge { .. })), "inelastic");
}

#[test]
fn elastic_gangs_meet_again_and_waiting_makes_them_whole() {
    let kernel = paths("aabcccda");
    let merges = |technique: &str| {
        let mut sim = start(&kernel, &setup("vws", technique, &[])).expect("it fits");
        let mut log = Log::default();
        sim.run(machine::MOST_CYCLES, &mut log);
        let merged = |event: &Event| if let Event::GangMerge { one, two, .. } = event { Some(one | two) } else { None };
        let waited = log.events.iter().any(|(_, e)| matches!(e, Event::Warp { reason: Some(Reason::Sync), .. }));
        (log.events.iter().filter_map(|(_, event)| merged(event)).collect::<Vec<u8>>(), waited)
    };
    assert!(merges("I-VWS").0.is_empty());
    let (sync, waited) = merges("E-VWS-Sync50");
    assert_eq!(sync.last(), Some(&0xff), "everybody waits for everybody at END: {sync:x?}");
    assert_eq!(sync.len(), 3, "four parts need three merges");
    assert!(waited);
}

#[test]
fn nobody_waits_longer_than_the_name_says() {
    let kernel = least("raytrace");
    for wait in [1, 7, 20] {
        let setup = setup("vws", &format!("E-VWS-Sync{wait}"), &[]);
        let mut sim = start(&kernel, &setup).expect("it fits");
        let mut since: BTreeMap<u32, u64> = BTreeMap::new();
        let mut seen = false;
        for _ in 0..20_000 {
            sim.step(&mut warpscope_machine::event::NullSink);
            let meeting = sim.state.sms[0].sets.meeting;
            since.retain(|warp, _| meeting.contains(*warp));
            for warp in meeting.iter(sim.state.sms[0].sets.words) {
                let held = since.entry(warp).or_insert(sim.state.cycle);
                assert!(sim.state.cycle - *held <= wait, "warp {warp} waits since {held}, now {}", sim.state.cycle);
                seen = true;
            }
            if sim.finished() {
                break;
            }
        }
        assert!(seen, "somebody waits");
    }
}

/// Each thread loads 16 bytes, so that four lines serve 32 threads and arrive one after another; then it stores adjacent words.
const STREAM: &str = "
    .version 8.0
    .target sm_90
    .address_size 64
    .visible .entry kernel(.param .u64 in, .param .u64 out)
    {
    .reg .b32 %t, %b, %i, %v<5>;
    .reg .b64 %a, %o;
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mad.lo.u32 %i, %b, 64, %t;
    ld.param.u64 %a, [in];
    mad.wide.u32 %a, %i, 16, %a;
    ld.global.v4.u32 {%v1, %v2, %v3, %v4}, [%a];
    add.u32 %v1, %v1, %v2;
    add.u32 %v3, %v3, %v4;
    add.u32 %v1, %v1, %v3;
    ld.param.u64 %o, [out];
    mad.wide.u32 %o, %i, 4, %o;
    st.global.u32 [%o], %v1;
    ret;
    }";

/// The instruction of [`STREAM`] that needs what was loaded.
const FIRST_USE: u32 = 6;

fn stream() -> Kernel {
    let launch = "grid = [8, 1, 1]\nblock = [64, 1, 1]
        [[param]]\nbuffer = \"in\"\ntype = \"u32\"\nlen = 2048\ninit = { random = { seed = 3, min = 0, max = 1000 } }
        [[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 512\ninit = \"zeros\"\n";
    Kernel::new(STREAM, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"))
}

#[test]
fn narrow_warps_slip_apart_and_gangs_do_not() {
    let kernel = stream();
    let transactions = |technique: &str| finish(&kernel, &setup("vws", technique, &[])).totals.memory_transactions;
    // 16 wide warps: four lines each for the loads, one for the stores.
    assert_eq!([transactions("WS32"), transactions("I-VWS"), transactions("E-VWS")], [16 * 5; 3]);
    let narrow = transactions("WS4");
    assert!(narrow > 16 * 5, "slices store when their own line is there: {narrow}");
    let impatient = finish(&kernel, &setup("vws", "I-VWS-ImpatientMem", &[]));
    assert!(impatient.gangs.memory_splits > 0 && impatient.totals.memory_transactions > 16 * 5);
}

#[test]
fn group_splitting_keeps_those_together_whose_line_is_the_same() {
    let kernel = stream();
    let mut sim = start(&kernel, &setup("vws", "I-VWS-GroupMem", &[])).expect("it fits");
    let mut log = Log::default();
    sim.run(machine::MOST_CYCLES, &mut log);
    let mut pairs = 0;
    for (_, event) in &log.events {
        if let Event::GangSplit { gangs, singles, .. } = event {
            assert_eq!(*singles, 0, "slices come back in pairs: a line is eight threads' 16 bytes");
            pairs += gangs.iter().filter(|gang| gang.count_ones() == 2).count();
        }
    }
    assert!(pairs > 0);
}

/// Parts of a gang that memory has split are at one PC, and have been there from the same cycle on. They meet again when they
/// arrive at an instruction together, not before.
#[test]
fn what_memory_splits_has_not_arrived_together() {
    let kernel = stream();
    let merged_where_split = |meet: &str| {
        let mut sim = start(&kernel, &setup("vws", "E-VWS-ImpatientMem", &[("gang_meet", meet)])).expect("it fits");
        let mut log = Log::default();
        sim.run(machine::MOST_CYCLES, &mut log);
        let is_split = |event: &Event| matches!(event, Event::GangSplit { cause: SplitCause::Memory, .. });
        assert!(log.events.iter().any(|(_, event)| is_split(event)));
        log.events.iter().any(|(_, event)| matches!(event, Event::GangMerge { pc, .. } if *pc == FIRST_USE))
    };
    assert!(merged_where_split("any"));
    assert!(!merged_where_split("arrive"));
}

#[test]
fn a_slice_has_its_own_units_and_memory_serves_all_at_once() {
    // In a run with narrow warps all eight slices issue in some cycle; their loads of one line are one transaction.
    let kernel = least("saxpy");
    let mut sim = start(&kernel, &setup("vws", "WS4", &[])).expect("it fits");
    let mut most = 0;
    while !sim.finished() {
        let mut log = Log::default();
        sim.step(&mut log);
        most = most.max(log.events.iter().filter(|(_, event)| matches!(event, Event::Issued { .. })).count());
    }
    assert_eq!(most, 8);
    let (wide, narrow) = (finish(&kernel, &setup("vws", "WS32", &[])), finish(&kernel, &setup("vws", "WS4", &[])));
    let (narrow_lines, wide_lines) = (narrow.totals.memory_transactions, wide.totals.memory_transactions);
    assert!(narrow_lines * 4 <= wide_lines * 5, "slices that keep in step share their lines: {narrow_lines}, {wide_lines}");
    assert!(narrow.totals.fetches > 7 * wide.totals.fetches, "but each fetches for itself");
}

#[test]
fn small_caches_stand_in_for_ports() {
    let kernel = least("interpreter");
    let cycles = |keys: &[(&str, &str)]| {
        let setup = setup("vws", "I-VWS", keys);
        let sim = start(&kernel, &setup).expect("it fits");
        let finished = machine::finish(sim).unwrap_or_else(|trouble| panic!("{}: {trouble}", setup.name));
        (finished.sim.state.cycle, finished.metrics.gangs)
    };
    let (eight, _) = cycles(&[("l0i_bytes", "0")]);
    let (one, without) = cycles(&[("l0i_bytes", "0"), ("icache_ports", "1")]);
    let (helped, with) = cycles(&[("icache_ports", "1")]);
    assert!(eight < one, "one port is too few: {eight}, {one}");
    assert!(helped < one, "the slices' caches help: {helped}, {one}");
    assert_eq!(without.l0_fetches, 0);
    assert!(with.l0_hits > 0 && with.l0_hits < with.l0_fetches);
}

/// Every setting of how gangs re-form leaves what the workload's reference leaves, and only `group` merges more than two parts of
/// an original gang in a cycle.
#[test]
fn every_reading_of_reformation_leaves_the_same() {
    for name in ["collatz", "bfs", "raytrace"] {
        let workload = warpscope_catalogue::find(name).expect("a workload");
        let job = kernel::small(workload);
        for meet in GangMeetKind::ALL {
            let config = MachineSpec::new("vws", "E-VWS", [("gang_meet", meet.name())]).config().expect("a sound machine");
            let mut sim = Sim::of(&job, config).expect("it fits");
            let mut log = Log::default();
            sim.run(machine::MOST_CYCLES, &mut log);
            let after = job.after(&sim.state.uncore.global);
            workload.check(&job.launch, &job.before, &after).unwrap_or_else(|wrong| panic!("{name}, {meet:?}: {wrong}"));
            let merges: Vec<u64> = log
                .events
                .iter()
                .filter_map(|(cycle, event)| matches!(event, Event::GangMerge { .. }).then_some(*cycle))
                .collect();
            let several = merges.windows(2).any(|pair| pair[0] == pair[1]);
            assert!(!several || meet == GangMeetKind::Group, "{name}, {meet:?}");
            assert!(!merges.is_empty() || meet == GangMeetKind::Arrive, "{name}, {meet:?}");
        }
    }
}
