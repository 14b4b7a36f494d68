//! The events of one small kernel under every technique: tables in `tests/snapshots/` that can be read beside the technique's
//! paper.
//!
//! Two blocks of four warps run on the machine for lessons (or, for narrow warps, one row of slices): odd threads take one side
//! of a branch, even threads the other, and all meet at a barrier. Accounting events and results are left out, and fetches where
//! they are ideal.
//!
//! `INSTA_UPDATE=always cargo test --test native event_tables` rewrites the tables.

use crate::common::kernel::{Kernel, no_files, words32};
use crate::machine;
use crate::machine::setups::{Setup, setup};
use std::collections::BTreeSet;
use warpscope::config::{TECHNIQUES, Technique};
use warpscope::event::{Event, Log};

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %t, %o, %v, %b, %n;
    .reg .b64 %a;
    .reg .pred %p;
    mov.u32 %t, %tid.x;
    and.b32 %o, %t, 1;
    setp.eq.u32 %p, %o, 1;
    @%p bra ODD;
    add.u32 %v, %t, 5;
    bra.uni MEET;
ODD:
    shl.b32 %v, %t, 1;
MEET:
    bar.sync 0;
    mov.u32 %b, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mad.lo.u32 %o, %b, %n, %t;
    ld.param.u64 %a, [out];
    mad.wide.u32 %a, %o, 4, %a;
    st.global.u32 [%a], %v;
    ret;
}
";

/// Returns the machine of a technique's table, the number of blocks, and the threads of a block.
fn machine_for(technique: &Technique) -> (Setup, u32, u32) {
    let ideal = [("ideal_memory", "true"), ("ideal_fetch", "true")];
    match technique.paper.split_whitespace().next() {
        Some("VWS") if technique.decides == "divergence" => (setup("vws", technique.name, &ideal), 1, 32),
        // Fetch policies need a fetch that takes time.
        Some("BAWS") => (setup("toy", technique.name, &[("ideal_fetch", "false")]), 2, 16),
        _ => (setup("toy", technique.name, &[]), 2, 16),
    }
}

fn is_shown(event: &Event) -> bool {
    !matches!(
        event,
        Event::Cycle { .. } | Event::Slot { .. } | Event::Writeback { .. } | Event::Warp { .. } | Event::Memory { .. }
    )
}

fn table(technique: &Technique) -> String {
    let (Setup { config, .. }, blocks, threads) = machine_for(technique);
    let launch = format!(
        "grid = [{blocks}]\nblock = [{threads}]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = {}\ninit = \"zeros\"\n",
        blocks * threads
    );
    let kernel = Kernel::new(KERNEL, &launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut sim = machine::load(&kernel, &config).expect("it fits");
    let config = &sim.machine.clone().config;
    let mut log = Log::default();
    sim.run(100_000, &mut log);
    assert!(sim.finished() && sim.trap().is_none(), "{}", technique.name);
    let expected: Vec<u32> =
        (0..blocks * threads).map(|at| at % threads).map(|t| if t % 2 == 1 { 2 * t } else { t + 5 }).collect();
    assert_eq!(words32(&kernel.buffers(&sim.state.uncore.global)[0].bytes), expected, "{}", technique.name);
    let is_fetch = |event: &Event| matches!(event, Event::Fetched { .. }) && config.ideal_fetch;
    let shown = log.events.iter().filter(|(_, event)| is_shown(event) && !is_fetch(event));
    shown.map(|(cycle, event)| format!("{cycle:>4}  {event:?}\n").replace(" sm: 0,", "")).collect()
}

#[test]
fn every_technique_has_its_table() {
    let techniques = TECHNIQUES.iter().filter(|technique| technique.alias_of.is_none());
    let tables: Vec<(&str, String)> = techniques.map(|technique| (technique.name, table(technique))).collect();
    let different: BTreeSet<&String> = tables.iter().map(|(_, table)| table).collect();
    assert!(different.len() >= 10, "techniques do different things: {} of {}", different.len(), tables.len());
    for (name, table) in tables {
        insta::assert_snapshot!(name, table);
    }
}
