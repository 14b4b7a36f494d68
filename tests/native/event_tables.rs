//! What every technique does to a small kernel: tables in `tests/native/snapshots/` that can be read beside its paper.
//!
//! There is a kernel for each kind of decision, in which that decision matters: paths of several kinds through a loop with a
//! break, for divergence; unequal work before a barrier, for schedules and fetch; more blocks than slots, for virtual blocks;
//! integers, floats and pauses, for gating. Accounts, caches and results are left out, and fetches where no policy chooses them.
//!
//! Tables change with the machine's timing. This rewrites them all:
//!
//! ```sh
//! INSTA_UPDATE=always cargo test --locked --test native event_tables::every_technique_has_its_table
//! ```

mod words;

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use crate::machine::setups::setup;
use std::collections::BTreeMap;
use warpscope_machine::config::{Config, DISPATCH, DIVERGENCE, FetchKind, GATING, TECHNIQUES, Technique};
use warpscope_machine::event::{Event, Log, SplitCause};

/// Two trips through a loop. Of every four neighbours (lanes, or quads where `shift` is 2) one takes B, two go on, and one breaks;
/// the next four take the same paths, moved by one. The paths meet likely at NEXT, surely at DONE.
const PATHS: &str = "
    ld.param.u32 %s, [shift];
    mov.u32 %t, %tid.x;
    shr.u32 %k, %t, %s;
    shr.u32 %o, %k, 2;
    add.u32 %o, %o, %k;
    and.b32 %o, %o, 3;
    ld.param.u64 %a, [far];
    mad.wide.u32 %a, %t, 16, %a;
    ld.global.u32 %v, [%a];
    add.u32 %v, %v, %t;
    mov.u32 %n, 0;
LOOP:
    setp.eq.u32 %p, %o, 0;
    @%p bra B;
    setp.eq.u32 %p, %o, 3;
    @%p bra DONE;
    add.u32 %v, %v, 5;
    bra.uni NEXT;
B:
    shl.b32 %v, %v, 1;
NEXT:
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 2;
    @%p bra LOOP;
DONE:
    bar.sync 0;";

/// Some warps of a block go to the barrier at once: more of them, the later the block. The others first wait for a word of memory
/// and then have work, more of it the later the warp.
const UNEQUAL: &str = "
    mov.u32 %t, %tid.x;
    mov.u32 %k, %ctaid.x;
    and.b32 %k, %k, 3;
    shr.u32 %o, %t, 2;
    add.u32 %v, %o, 1;
    setp.lt.u32 %p, %o, %k;
    @%p bra MEET;
    ld.param.u64 %a, [far];
    ld.global.u32 %n, [%a];
    add.u32 %n, %n, %o;
WORK:
    add.u32 %v, %v, 7;
    sub.u32 %n, %n, 1;
    setp.gt.s32 %p, %n, 0;
    @%p bra WORK;
MEET:
    bar.sync 0;
    add.u32 %v, %v, %k;";

/// Integers, floats, and a pause for the special function unit. Half of every second warp's threads exit early.
const LANES: &str = "
    mov.u32 %t, %tid.x;
    shr.u32 %o, %t, 3;
    shr.u32 %k, %t, 2;
    and.b32 %k, %k, %o;
    and.b32 %k, %k, 1;
    setp.ne.u32 %p, %k, 0;
    @%p ret;
    cvt.rn.f32.u32 %f, %t;
    mul.f32 %f, %f, %f;
    sin.approx.f32 %g, %f;
    add.u32 %v, %t, 3;
    add.u32 %v, %v, %t;
    add.f32 %f, %f, %g;
    sin.approx.f32 %g, %g;
    add.f32 %f, %f, %g;
    add.u32 %v, %v, %o;
    mul.f32 %f, %f, %f;
    add.u32 %v, %v, 1;";

/// A kernel, its launch and the machine of a technique.
struct Experiment {
    body: &'static str,
    blocks: u32,
    threads: u32,
    shift: u32,
    config: Config,
}

fn experiment(technique: &Technique) -> Experiment {
    let name = technique.name;
    let slow = [("ideal_memory", "false"), ("l1d_latency", "4"), ("l2_latency", "10"), ("dram_latency", "30")];
    let with = |preset: &str, keys: &[(&str, &str)]| setup(preset, name, keys).config;
    let (body, blocks, threads, shift, config) = match technique.decides {
        DIVERGENCE if technique.paper.starts_with("VWS") => {
            let short = [("int_latency", "1"), ("mul_latency", "1"), ("branch_latency", "0"), ("ideal_fetch", "true")];
            (PATHS, 1, 64, 2, with("vws", &[short, slow].concat()))
        }
        DIVERGENCE => (PATHS, 2, 8, 0, with("toy", &[("int_latency", "3")])),
        DISPATCH => (UNEQUAL, 5, 12, 0, with("toy", &[&slow[..], &[("max_blocks", "2")]].concat())),
        GATING => {
            let wide =
                [("warp_width", "8"), ("simd_width", "8"), ("ptx_warp", "8"), ("max_threads", "64"), ("sfu_latency", "16")];
            (LANES, 1, 32, 0, with("toy", &[&wide[..], &[("phase_cycles", "20"), ("sp_units", "2")]].concat()))
        }
        _ => {
            let fetch = [("ideal_fetch", "false"), ("fetch_instructions", "1"), ("schedulers", "2"), ("sp_units", "2")];
            (UNEQUAL, 3, 16, 0, with("toy", &[&slow[..], &fetch, &[("max_threads", "48")]].concat()))
        }
    };
    Experiment { body, blocks, threads, shift, config }
}

impl Experiment {
    fn kernel(&self) -> Kernel {
        let body = self.body;
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n\
             .visible .entry kernel(.param .u64 out, .param .u64 far, .param .u32 shift)\n{{\n\
             .reg .b32 %t, %o, %v, %k, %n, %s;\n.reg .f32 %f, %g;\n.reg .b64 %a;\n.reg .pred %p;\n{body}\n\
             mov.u32 %k, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %k, %k, %n, %t;\nld.param.u64 %a, [out];\n\
             mad.wide.u32 %a, %k, 4, %a;\nst.global.u32 [%a], %v;\nret;\n}}\n"
        );
        let (blocks, threads) = (self.blocks, self.threads);
        let buffer =
            |name: &str, len: u32| format!("[[param]]\nbuffer = \"{name}\"\ntype = \"u32\"\nlen = {len}\ninit = \"zeros\"\n");
        let launch = format!(
            "grid = [{blocks}]\nblock = [{threads}]\n{}{}[[param]]\ntype = \"u32\"\nvalue = {}\n",
            buffer("out", blocks * threads),
            buffer("far", threads * 4),
            self.shift
        );
        Kernel::new(&text, &launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"))
    }

    /// Runs it, checks the result, and returns the events with the table of them.
    fn run(&self, name: &str) -> (Log, String) {
        let kernel = self.kernel();
        let mut sim = machine::load(&kernel, &self.config).expect("it fits");
        let mut log = Log::default();
        sim.run(100_000, &mut log);
        assert!(sim.finished() && sim.trap().is_none(), "{name}");
        assert_eq!(kernel.buffers(&sim.state.uncore.global), kernel.finish().expect("the reference runs"), "{name}");
        let shows_fetches = !self.config.ideal_fetch && self.config.fetch != FetchKind::Lrr;
        let mut table = String::from("cycle");
        let (mut last, mut gangs) = (None, Vec::new());
        for (cycle, event) in &log.events {
            match *event {
                Event::Fetched { .. } if !shows_fetches => continue,
                // A gang's line stands for those of its members.
                Event::GangIssued { row, mask, .. } => gangs.push((*cycle, row, mask)),
                Event::Issued { warp, .. } if gangs.iter().any(|gang| is_member(gang, *cycle, warp)) => continue,
                _ => {}
            }
            let Some(words) = words::words(event, &sim.machine.program, &kernel.text) else { continue };
            // What is said of the event just before goes on in its line.
            if !words.starts_with("; ") {
                let time = if last.replace(*cycle) == Some(*cycle) { String::new() } else { cycle.to_string() };
                table.truncate(table.trim_end().len());
                table += &format!("\n{time:>5} ");
            }
            table += &words;
        }
        (log, table)
    }
}

/// Whether a warp issues in this cycle as a member of the gang.
fn is_member(&(then, row, mask): &(u64, u16, u8), cycle: u64, warp: u16) -> bool {
    then == cycle && warp / 8 == row && mask >> (warp % 8) & 1 != 0
}

/// Returns a test of an event that shows this technique at work, and not those that it builds on. `None`: it has no events of its
/// own, only an order of issue or fetch.
fn own_event(technique: &Technique) -> Option<fn(&Event) -> bool> {
    Some(match technique.name {
        "PDOM" => |event| matches!(event, Event::Push { .. }),
        "WS4" => |event| matches!(event, Event::Issued { mask: 0xf, .. }),
        "WS8" => |event| matches!(event, Event::Issued { mask: 0xff, .. }),
        "WS16" => |event| matches!(event, Event::Issued { mask: 0xffff, .. }),
        "WS32" => |event| matches!(event, Event::Issued { mask: u32::MAX, .. }),
        "PDOM-LCP" => |event| matches!(event, Event::LikelyMerge { .. }),
        "DWF" => |event| matches!(event, Event::Merged { .. }),
        "DWF-WB" => |event| matches!(event, Event::WarpBarrier { .. }),
        "ITS" => |event| matches!(event, Event::Converged { .. }),
        "TBC" | "TBC-RRB" | "TBC-SRR" => |event| matches!(event, Event::BlockArrive { .. }),
        "TBC-LCP" | "TBC-LCP-RRB" | "TBC-LCP-SRR" => |event| matches!(event, Event::BlockMerge { .. }),
        "I-VWS-GroupMem" | "I-VWS-ImpatientMem" | "E-VWS-ImpatientMem" => {
            |event| matches!(event, Event::GangSplit { cause: SplitCause::Memory, .. })
        }
        name if name.starts_with("I-VWS") => |event| matches!(event, Event::GangSplit { cause: SplitCause::Control, .. }),
        name if name.starts_with("E-VWS") => |event| matches!(event, Event::GangMerge { .. }),
        "Warp-Folding" | "Origami" => |event| matches!(event, Event::Placed { then: 1.., .. }),
        "ConvPG" | "Warped-Gates" => |event| matches!(event, Event::Lanes { dark: 1.., .. }),
        "NoPG" => |event| matches!(event, Event::Lanes { .. }),
        _ if technique.decides == DISPATCH => |event| matches!(event, Event::LogicalStart { .. }),
        _ => return None,
    })
}

/// Techniques without events of their own: schedules order the issue of warps, fetch policies the fetches.
const ONLY_AN_ORDER: [&str; 9] = ["LRR", "GTO", "TLS", "MWF-LRR", "MWF-GTO", "SAWS", "BAWS", "CFF", "FEF"];

/// Techniques that do the same to their kernel, with the reason.
const THE_SAME: [(&str, &str, &str); 0] = [];

fn techniques() -> impl Iterator<Item = &'static Technique> {
    TECHNIQUES.iter().filter(|technique| technique.alias_of.is_none())
}

#[test]
fn every_technique_has_its_table() {
    for technique in techniques() {
        let (_, table) = experiment(technique).run(technique.name);
        insta::assert_snapshot!(technique.name, table);
    }
}

#[test]
fn every_technique_makes_events_of_its_own() {
    let mut without = Vec::new();
    for technique in techniques() {
        let Some(is_own) = own_event(technique) else {
            without.push(technique.name);
            continue;
        };
        let (log, _) = experiment(technique).run(technique.name);
        assert!(log.events.iter().any(|(_, event)| is_own(event)), "{}", technique.name);
    }
    assert_eq!(without, ONLY_AN_ORDER);
}

#[test]
fn techniques_do_different_things() {
    let mut by_table: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for technique in techniques() {
        by_table.entry(experiment(technique).run(technique.name).1).or_default().push(technique.name);
    }
    let mut same: Vec<Vec<&str>> = by_table.into_values().filter(|names| names.len() > 1).collect();
    same.sort();
    let named: Vec<Vec<&str>> = THE_SAME.iter().map(|(one, other, _)| vec![*one, *other]).collect();
    assert_eq!(same, named, "techniques with the same table");
}
