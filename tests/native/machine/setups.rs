//! Machines to test on: every preset, every schedule technique, several SMs, warps of other widths.
//!
//! Wide matrices are sampled: the same share of cases in every run, all of them with `WARPSCOPE_ALL=1` (`./check --all`).

use warpscope_machine::config::{Config, MachineSpec, PRESETS, TECHNIQUES};

/// A configuration and its name in messages.
pub struct Setup {
    pub name: String,
    pub config: Config,
}

/// Builds a preset with techniques and keys on top.
pub fn setup(preset: &str, techniques: &str, keys: &[(&str, &str)]) -> Setup {
    let config = MachineSpec::new(preset, techniques, keys.iter().copied()).config().expect("a machine");
    let keys: String = keys.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    Setup { name: format!("{preset} {techniques}{keys}"), config }
}

/// Returns the names of the techniques that decide which warp issues and nothing else.
pub fn schedules() -> Vec<&'static str> {
    let names: Vec<&str> = TECHNIQUES.iter().filter(|t| t.keys == ["schedule"]).map(|t| t.name).collect();
    assert!(names.len() >= 3, "{names:?}");
    names
}

/// Returns the schedules of BAWS on its machine, also with other fetch policies; and fetch policies with other schedules, with
/// larger I-buffers, and with divergence techniques of other papers.
pub fn barrier_aware() -> Vec<Setup> {
    let of = |t: &&warpscope_machine::config::Technique| t.decides == "schedule" && t.paper.starts_with("BAWS");
    let mut setups: Vec<Setup> = TECHNIQUES.iter().filter(of).map(|t| setup("gtx480", t.name, &[])).collect();
    assert!(setups.len() >= 4, "MWF-LRR, MWF-GTO, SAWS, BAWS");
    let room = [("fetch_when", "room"), ("ibuffer", "4")];
    setups.extend([
        setup("gtx480", "MWF-LRR+CFF", &[]),
        setup("gtx480", "MWF-LRR+FEF", &[]),
        setup("gtx480", "SAWS+CFF", &[("sms", "2")]),
        setup("gtx480", "MWF-GTO+CFF", &room),
        setup("gtx480", "MWF-GTO+FEF", &[("ibuffer", "4"), ("fetch_instructions", "1")]),
        setup("gtx480", "MWF-LRR", &[("exits_wait", "false")]),
        setup("gtx480", "LRR+FEF", &[]),
        setup("gtx480", "GTO+CFF", &[]),
        setup("origami", "TLS+CFF", &[]),
        setup("gtx480", "TBC,MWF-GTO+CFF", &[]),
        setup("tbc", "TBC-LCP,SAWS", &[]),
        setup("vws", "WS8,MWF-LRR+CFF", &[]),
        setup("vws", "WS4,MWF-GTO+FEF", &[]),
        setup("gtx480", "DWF+CFF", &[]),
    ]);
    setups
}

/// Returns a preset with every schedule, and with four SMs.
pub fn of_preset(preset: &str) -> Vec<Setup> {
    let mut setups: Vec<Setup> = schedules().into_iter().map(|schedule| setup(preset, schedule, &[])).collect();
    setups.push(setup(preset, "", &[("sms", "4")]));
    setups
}

/// Returns the names of the techniques of a paper that decide divergence, other than plain stacks.
pub fn divergences(paper: &str) -> Vec<&'static str> {
    let of =
        |t: &&warpscope_machine::config::Technique| t.decides == "divergence" && t.paper.starts_with(paper) && t.name != "PDOM";
    let names: Vec<&str> = TECHNIQUES.iter().filter(of).map(|t| t.name).collect();
    assert!(names.len() >= 8, "{names:?}");
    names
}

/// Returns slices and gangs on their paper's machine; some on others, with other schedules, ports, waits and base warps.
pub fn slices() -> Vec<Setup> {
    let toy =
        [("max_threads", "1024"), ("registers", "262144"), ("ptx_warp", "32"), ("shared_memory", "65536"), ("warp_width", "4")];
    let toy: Vec<(&str, &str)> = toy.into_iter().chain([("simd_width", "32"), ("slices", "8"), ("gangs", "true")]).collect();
    let elastic = [("gang_reform", "true"), ("gang_split", "group"), ("gang_wait", "3")];
    let mut setups: Vec<Setup> = divergences("VWS").into_iter().map(|technique| setup("vws", technique, &[])).collect();
    setups.extend([
        setup("gtx480", "WS8", &[]),
        setup("gtx480", "I-VWS", &[]),
        setup("gtx480", "E-VWS-ImpatientMem", &[]),
        setup("gtx480", "E-VWS-Sync5", &[("sms", "2")]),
        setup("tbc", "WS4", &[]),
        setup("tbc", "I-VWS", &[]),
        setup("tbc", "E-VWS", &[]),
        setup("origami", "WS16", &[]),
        setup("vws", "WS4,LRR", &[("icache_ports", "2"), ("l0i_bytes", "256")]),
        setup("vws", "I-VWS", &[("warp_width", "8"), ("slices", "4"), ("gangs_per_cycle", "1")]),
        setup("vws", "I-VWS", &[("icache_ports", "1"), ("gangs_per_cycle", "4")]),
        setup("vws", "E-VWS", &elastic),
        setup("vws", "E-VWS-Sync3", &[("divergence", "PDOM-LCP"), ("ibuffer", "4"), ("fetch_instructions", "4")]),
        setup("toy", "", &toy),
        setup("toy", "", &toy.iter().copied().chain(elastic).collect::<Vec<_>>()),
    ]);
    setups
}

/// Returns one machine for each way in which gangs split and re-form.
pub fn slices_few() -> Vec<Setup> {
    vec![
        setup("vws", "WS4", &[]),
        setup("vws", "I-VWS", &[]),
        setup("gtx480", "I-VWS-GroupMem", &[]),
        setup("vws", "E-VWS-ImpatientMem", &[]),
        setup("vws", "E-VWS-Sync20", &[("sms", "2")]),
    ]
}

/// Returns every divergence technique on its paper's machine; some on others, with other schedules, with several SMs and with
/// narrow warps.
pub fn regrouping() -> Vec<Setup> {
    let narrow = [("warp_width", "8"), ("simd_width", "8")];
    let toy = [("max_threads", "1024"), ("registers", "262144"), ("ptx_warp", "32"), ("shared_memory", "65536")];
    let mut setups: Vec<Setup> = divergences("TBC").into_iter().map(|technique| setup("tbc", technique, &[])).collect();
    setups.extend([
        setup("gtx480", "PDOM-LCP", &[]),
        setup("gtx480", "DWF", &[]),
        setup("gtx480", "DWF-WB", &[]),
        setup("gtx480", "TBC-LCP", &[]),
        setup("tbc", "TBC-LCP,GTO", &[]),
        setup("vws", "TBC", &[]),
        setup("tbc", "DWF", &[("schedule", "Oldest")]),
        setup("gtx480", "DWF", &[("schedule", "LRR")]),
        setup("tbc", "TBC", &[("tbc_compaction", "false")]),
        setup("tbc", "TBC-LCP", &[("sms", "2")]),
        setup("tbc", "DWF", &[("sms", "2")]),
        setup("vws", "DWF-WB", &narrow),
        setup("gtx480", "DWF", &narrow),
        setup("gtx480", "TBC-LCP-RRB", &narrow),
        setup("toy", "TBC-LCP", &toy),
        setup("toy", "DWF", &toy),
        setup("toy", "DWF-WB", &toy),
    ]);
    setups
}

/// Returns machines with warps narrower than a PTX warp, whose parts must meet at warp operations.
pub fn narrow_warps() -> Vec<Setup> {
    let toy = [("max_threads", "1024"), ("registers", "262144"), ("ptx_warp", "32"), ("shared_memory", "65536")];
    vec![
        setup("toy", "", &toy),
        setup("vws", "", &[("warp_width", "4"), ("simd_width", "4")]),
        setup("gtx480", "GTO", &[("warp_width", "8"), ("simd_width", "8")]),
        setup("tbc", "", &[("warp_width", "16"), ("simd_width", "2")]),
    ]
}

/// Returns one machine for each divergence mechanism, and some more.
pub fn regrouping_few() -> Vec<Setup> {
    vec![
        setup("tbc", "PDOM-LCP", &[]),
        setup("tbc", "DWF", &[]),
        setup("gtx480", "DWF", &[]),
        setup("gtx480", "DWF-WB", &[]),
        setup("tbc", "TBC-LCP", &[]),
        setup("gtx480", "TBC-SRR", &[("sms", "2")]),
        setup("vws", "TBC-RRB", &[]),
    ]
}

/// Returns every preset with every schedule, with four SMs, and the narrow warps; warps stay as compiled.
pub fn plain() -> Vec<Setup> {
    PRESETS.iter().flat_map(|preset| of_preset(preset.name)).chain(narrow_warps()).collect()
}

/// Returns power gating and folding on their paper's machine; with other schedules, divergence techniques and widths.
pub fn gated() -> Vec<Setup> {
    let of = |t: &&warpscope_machine::config::Technique| t.decides == "gating";
    let mut setups: Vec<Setup> = TECHNIQUES.iter().filter(of).map(|t| setup("origami", t.name, &[])).collect();
    assert!(setups.len() >= 5, "NoPG, ConvPG, Warped-Gates, Warp-Folding, Origami");
    let hasty = [("idle_detect", "1"), ("break_even", "3"), ("wakeup", "9"), ("phase_cycles", "40"), ("group_phases", "1")];
    let folding = [("fold_conservative", "100"), ("fold_aggressive", "100"), ("fold_off", "100"), ("fold_stages", "0")];
    let toy = [("max_threads", "1024"), ("registers", "262144"), ("ptx_warp", "32"), ("shared_memory", "65536")];
    setups.extend([
        setup("gtx480", "Origami", &[("sms", "2")]),
        setup("gtx480", "GTO,Warped-Gates", &hasty),
        setup("gtx480", "LRR,Origami", &hasty),
        setup("origami", "Warp-Folding", &folding),
        setup("gtx480", "BAWS,Origami", &[("cluster_lanes", "8")]),
        setup("gtx480", "PDOM-LCP,Warp-Folding", &[]),
        setup("gtx480", "TBC,Origami", &[]),
        setup("gtx480", "DWF,Warp-Folding", &[("blackout", "true")]),
        setup("tbc", "TBC-LCP,ConvPG", &[]),
        setup("tbc", "Warped-Gates", &[]),
        setup("toy", "Origami", &toy),
    ]);
    setups
}

/// Returns virtual blocks, few of them at a time so that each runs many logical blocks; with other divergence techniques, several
/// SMs and other widths.
pub fn virtual_blocks() -> Vec<Setup> {
    let of = |t: &&warpscope_machine::config::Technique| t.decides == "dispatch";
    let names: Vec<&str> = TECHNIQUES.iter().filter(of).map(|t| t.name).collect();
    assert!(names.len() >= 5, "vLRR, vGTO, VTW, VTW-SL, VTW-LH");
    let toy = [("max_threads", "1024"), ("registers", "262144"), ("ptx_warp", "32"), ("shared_memory", "65536")];
    let toy_blocks: Vec<(&str, &str)> = toy.into_iter().chain([("max_blocks", "1")]).collect();
    let wide = [("warp_width", "16"), ("simd_width", "16"), ("ptx_warp", "16"), ("max_blocks", "2")];
    let mut setups: Vec<Setup> = names.iter().map(|name| setup("gtx480", name, &[("max_blocks", "1")])).collect();
    setups.extend([
        setup("gtx480", "VTW", &[]),
        setup("gtx480", "VTW-SL", &[("max_blocks", "2"), ("sms", "2")]),
        setup("gtx480", "PDOM-LCP,VTW", &[("max_blocks", "2")]),
        setup("gtx480", "VTW-SL", &wide),
        setup("gtx480", "vLRR,CFF", &[("max_blocks", "1")]),
        setup("gtx480", "VTW,CFF", &[("max_blocks", "2")]),
        setup("tbc", "TBC-LCP,vLRR", &[("max_blocks", "1")]),
        setup("tbc", "TBC,VTW", &[("max_blocks", "2")]),
        setup("tbc", "VTW-LH", &[("max_blocks", "2")]),
        setup("vws", "vGTO", &[("max_blocks", "1")]),
        setup("toy", "VTW", &toy_blocks),
        setup("toy", "TBC-LCP,vGTO", &toy_blocks),
        setup("gtx480", "", &[("divergence", "DWF"), ("schedule", "Majority"), ("dispatch", "virtual"), ("max_blocks", "1")]),
    ]);
    setups
}

/// Returns convergence barriers on every preset; with every key, with other schedules, with gating, with virtual blocks and with
/// narrow warps.
pub fn splits() -> Vec<Setup> {
    let narrow = [("warp_width", "8"), ("simd_width", "8")];
    let mut setups: Vec<Setup> =
        PRESETS.iter().filter(|preset| preset.name != "toy").map(|preset| setup(preset.name, "ITS", &[])).collect();
    setups.extend([
        setup("gtx480", "ITS", &[("its_first", "taken"), ("its_slice", "3")]),
        setup("gtx480", "ITS", &[("its_first", "fallthrough"), ("its_merge", "true")]),
        setup("tbc", "ITS", &[("its_merge", "true"), ("its_slice", "11"), ("sms", "2")]),
        setup("gtx480", "ITS", &[("native_code", "true")]),
        setup("gtx480", "ITS,MWF-GTO+CFF", &[]),
        setup("origami", "ITS,TLS", &[]),
        setup("origami", "ITS,Origami", &[]),
        setup("gtx480", "ITS,VTW", &[("max_blocks", "1")]),
        setup("gtx480", "ITS", &narrow),
    ]);
    setups
}

/// Returns machines that run programs with the effects of native code, under one technique of each kind.
pub fn native() -> Vec<Setup> {
    let few = [
        ("gtx480", "PDOM", vec![]),
        ("tbc", "PDOM-LCP", vec![]),
        ("tbc", "DWF", vec![]),
        ("gtx480", "DWF-WB", vec![]),
        ("tbc", "TBC-LCP", vec![]),
        ("gtx480", "TBC-SRR", vec![("sms", "2")]),
        ("vws", "WS4", vec![]),
        ("vws", "I-VWS", vec![]),
        ("vws", "E-VWS-ImpatientMem", vec![]),
        ("gtx480", "BAWS", vec![]),
        ("origami", "Origami", vec![]),
        ("gtx480", "VTW", vec![("max_blocks", "1")]),
        ("gtx480", "VTW-SL", vec![("max_blocks", "2"), ("hoist", "false")]),
        ("tbc", "TBC,VTW", vec![("max_blocks", "2")]),
    ];
    few.map(|(preset, techniques, mut keys)| {
        keys.push(("native_code", "true"));
        setup(preset, techniques, &keys)
    })
    .into()
}

/// Returns all of the plain, barrier-aware, split, divergence, slice and gating setups.
pub fn all() -> Vec<Setup> {
    let kept = plain().into_iter().chain(barrier_aware()).chain(splits());
    kept.chain(regrouping()).chain(slices()).chain(gated()).collect()
}
