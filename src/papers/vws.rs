//! A Variable Warp Size Architecture (Rogers and others, ISCA 2015): its evaluation in section 6, on the machine of its
//! table 1, and the comparison with other techniques of section 7.1, on the machine of the Thread Block Compaction paper.
//!
//! The paper sorts its applications by what narrow warps do to them (section 1): divergent ones run faster, convergent ones
//! slower, the others do not mind. The same rule sorts the catalogue here, with warps of 4 against warps of 32 and a
//! difference of two per cent taken for none. The two code listings of the other paper are no applications, and are left out.

use super::judge::{Judge, NumberClaim, Speedups, each, mean};
use super::{Claim, Results, Run};
use crate::config::Config;
use crate::config::area::area;
use crate::metrics::Report;
use crate::workload::{self, Suite, Workload};

const JUDGE: Judge = Judge { paper: "vws" };
const PRESET: &str = "vws";
const LISTINGS: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// A difference that counts as none.
const SAME: f64 = 0.02;
const BASE: &str = "WS32";
const TECHNIQUES: [&str; 14] = [
    BASE,
    "WS16",
    "WS8",
    "WS4",
    "I-VWS",
    "I-VWS-GTO",
    "I-VWS-LRR",
    "I-VWS-LPC",
    "I-VWS-LGTO",
    "I-VWS-GroupMem",
    "I-VWS-ImpatientMem",
    "E-VWS",
    "E-VWS-ImpatientMem",
    "E-VWS-Sync20",
];
/// I-VWS with other keys: gangs a cycle (figure 13), ports and L0 caches (figure 10), a base warp of 8 (section 6.7).
const ONE_GANG: Keys = &[("gangs_per_cycle", "1")];
const ANY_GANGS: Keys = &[("gangs_per_cycle", "4")];
const ONE_PORT: Keys = &[("icache_ports", "1"), ("l0i_bytes", "0")];
const TWO_PORTS: Keys = &[("icache_ports", "2"), ("l0i_bytes", "0")];
const ONE_PORT_L0: Keys = &[("icache_ports", "1")];
const TWO_PORTS_L0: Keys = &[("icache_ports", "2")];
const BASE_8: Keys = &[("warp_width", "8"), ("slices", "4")];
const VARIANTS: [Keys; 7] = [ONE_GANG, ANY_GANGS, ONE_PORT, TWO_PORTS, ONE_PORT_L0, TWO_PORTS_L0, BASE_8];
/// Section 7.1.
const ELSEWHERE: &str = "tbc";
const RIVALS: [&str; 4] = ["PDOM", "DWF", "TBC-LCP", "I-VWS"];

type Keys = &'static [(&'static str, &'static str)];

fn applications() -> impl Iterator<Item = &'static Workload> {
    workload::suite(Suite::Divergence).filter(|workload| !LISTINGS.contains(&workload.name))
}

pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for Workload { name, .. } in applications() {
        runs.extend(TECHNIQUES.map(|technique| Run::new(name, PRESET, technique)));
        runs.extend(VARIANTS.map(|keys| Run::new(name, PRESET, "I-VWS").with(keys)));
        runs.extend(RIVALS.map(|technique| Run::new(name, ELSEWHERE, technique)));
    }
    runs
}

/// The results, sorted into the paper's three sets.
struct Board<'a> {
    results: &'a Results,
    divergent: Vec<&'static str>,
    convergent: Vec<&'static str>,
    insensitive: Vec<&'static str>,
}

impl<'a> Board<'a> {
    fn new(results: &'a Results) -> Board<'a> {
        let mut board = Board { results, divergent: Vec::new(), convergent: Vec::new(), insensitive: Vec::new() };
        for Workload { name, .. } in applications() {
            let Some((_, speedup)) = board.speedups(&[name], "WS4", &[]).pop() else { continue };
            let set = if speedup > 1.0 + SAME {
                &mut board.divergent
            } else if speedup < 1.0 - SAME {
                &mut board.convergent
            } else {
                &mut board.insensitive
            };
            set.push(*name);
        }
        board
    }

    fn report(&self, workload: &str, technique: &str, keys: Keys) -> Option<&'a Report> {
        self.results.of(&Run::new(workload, PRESET, technique).with(keys))
    }

    /// How much faster a technique is than warps of 32, for each workload that both ran.
    fn speedups(&self, set: &[&'static str], technique: &str, keys: Keys) -> Speedups {
        self.ratios(set, (technique, keys), (BASE, &[]), |report| 1.0 / report.cycles as f64)
    }

    /// A quantity of one run over that of another, for each workload that has both.
    fn ratios(&self, set: &[&'static str], of: (&str, Keys), over: (&str, Keys), quantity: fn(&Report) -> f64) -> Speedups {
        let value = |name: &str, (technique, keys): (&str, Keys)| self.report(name, technique, keys).map(quantity);
        set.iter().filter_map(|name| Some((*name, value(name, of)? / value(name, over)?))).collect()
    }

    /// The average of a quantity over a set.
    fn average(&self, set: &[&'static str], technique: &str, quantity: fn(&Report) -> f64) -> Option<f64> {
        let values: Option<Vec<f64>> = set.iter().map(|name| self.report(name, technique, &[]).map(quantity)).collect();
        values.filter(|values| !values.is_empty()).map(|values| values.iter().sum::<f64>() / values.len() as f64)
    }

    fn everything(&self) -> Vec<&'static str> {
        [&self.divergent, &self.convergent, &self.insensitive].into_iter().flatten().copied().collect()
    }

    /// On the other paper's machine.
    fn elsewhere(&self, set: &[&'static str], technique: &str, over: &str) -> Speedups {
        let cycles = |name: &str, technique: &str| {
            self.results.of(&Run::new(name, ELSEWHERE, technique)).map(|report| report.cycles as f64)
        };
        set.iter().filter_map(|name| Some((*name, cycles(name, over)? / cycles(name, technique)?))).collect()
    }
}

fn number(id: &'static str, place: &'static str, claim: &'static str, expected: f64, tolerance: f64) -> NumberClaim {
    NumberClaim { judge: JUDGE, id, place, claim, expected, tolerance }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = Board::new(results);
    let mut claims = sizes(&board);
    claims.extend(front_end(&board));
    claims.extend(choices(&board));
    claims.extend(rivals(&board));
    claims.push(cost(&board));
    claims
}

fn faster(report: &Report) -> f64 {
    1.0 / report.cycles as f64
}

fn fetches(report: &Report) -> f64 {
    report.fetches_per_cycle
}

/// Figures 2, 4, 7 and 8.
fn sizes(board: &Board) -> Vec<Claim> {
    let (divergent, convergent, insensitive) = (&board.divergent[..], &board.convergent[..], &board.insensitive[..]);
    let ivws = board.speedups(divergent, "I-VWS", &[]);
    let against_ws4 = board.ratios(divergent, ("I-VWS", &[]), ("WS4", &[]), faster);
    let ws4_convergent = board.speedups(convergent, "WS4", &[]);
    let ivws_convergent = board.speedups(convergent, "I-VWS", &[]);
    let evws = board.ratios(divergent, ("E-VWS", &[]), ("I-VWS", &[]), faster);
    let impatient = board.speedups(convergent, "E-VWS-ImpatientMem", &[]);
    let impatient_divergent = board.ratios(divergent, ("E-VWS-ImpatientMem", &[]), ("I-VWS", &[]), faster);
    let transactions = board.ratios(convergent, ("WS4", &[]), (BASE, &[]), |report| report.memory_transactions as f64);
    let even = board.speedups(insensitive, "I-VWS", &[]);
    vec![
        number(
            "vws.divergent",
            "abstract, section 6.1, figure 7",
            "I-VWS is 35% faster than warps of 32 on divergent applications",
            1.35,
            0.1,
        )
        .judge(mean(&ivws), each(&ivws)),
        JUDGE.fact(
            "vws.like-ws4",
            "section 6.1",
            "I-VWS is within 3% of warps of 4 on divergent applications",
            "0.97 or more of their speed",
            mean(&against_ws4).map(|mean| (format!("{mean:.3}"), mean >= 0.97)),
            each(&against_ws4),
        ),
        number(
            "vws.ws4-convergent",
            "section 6.1, figure 7",
            "Warps of 4 are 27% slower than warps of 32 on convergent applications",
            0.73,
            0.1,
        )
        .judge(mean(&ws4_convergent), format!("{} {SLIP}", each(&ws4_convergent))),
        JUDGE.fact(
            "vws.slip",
            "section 3.1, figure 4",
            "Convergent applications make more memory accesses with narrow warps: memory convergence slip",
            "more transactions with warps of 4 on each",
            (!transactions.is_empty()).then(|| (each(&transactions), transactions.iter().all(|(_, ratio)| *ratio > 1.0))),
            "Transactions of warps of 4 over those of warps of 32.".to_string(),
        ),
        JUDGE.fact(
            "vws.convergent",
            "abstract, section 6.1, figure 7",
            "I-VWS costs convergent applications nothing",
            "about 1.0, no less than 0.98",
            mean(&ivws_convergent).map(|mean| (format!("{mean:.3}"), mean >= 0.98)),
            format!("{} {CONVERGENT}", each(&ivws_convergent)),
        ),
        JUDGE.fact(
            "vws.insensitive",
            "section 6.1, figure 7",
            "I-VWS costs the others nothing either",
            "about 1.0, no less than 0.98",
            mean(&even).map(|mean| (format!("{mean:.3}"), mean >= 0.98)),
            each(&even),
        ),
        JUDGE.fact(
            "vws.elastic",
            "section 6.1, figure 7",
            "Putting gangs together again (E-VWS) makes divergent applications a little slower",
            "slightly below 1 against I-VWS",
            mean(&evws).map(|mean| (format!("{mean:.3}"), mean < 1.0)),
            format!("{} {ELASTIC}", each(&evws)),
        ),
        number(
            "vws.impatient-convergent",
            "section 6.1, figure 7",
            "Splitting gangs where loads part (E-VWS-ImpatientMem) makes convergent applications 22% slower than warps of 32",
            0.78,
            0.1,
        )
        .judge(mean(&impatient), format!("{} {IMPATIENT}", each(&impatient))),
        number("vws.impatient-divergent", "section 6.1", "and divergent ones 2% faster than I-VWS", 1.02, 0.05)
            .judge(mean(&impatient_divergent), format!("{} {IMPATIENT_DIVERGENT}", each(&impatient_divergent))),
    ]
}

/// Figures 5, 9, 10 and 17.
fn front_end(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.divergent[..], &board.convergent[..]);
    let mut together = convergent.to_vec();
    together.extend(&board.insensitive);
    let average = |technique: &str, set: &[&'static str]| board.average(set, technique, fetches);
    let share = |one: &str, other: &str, set: &[&'static str]| Some(average(one, set)? / average(other, set)?);
    let linear = board.ratios(&together, ("WS4", &[]), (BASE, &[]), fetches);
    let narrow = |keys: Keys| mean(&board.ratios(divergent, ("I-VWS", keys), ("I-VWS", &[]), faster));
    let ports = [("1 port", ONE_PORT), ("2 ports", TWO_PORTS), ("1 port, L0", ONE_PORT_L0), ("2 ports, L0", TWO_PORTS_L0)];
    let ports: Vec<(&str, f64)> = ports.iter().filter_map(|(name, keys)| narrow(keys).map(|mean| (*name, mean))).collect();
    vec![
        number(
            "vws.fetches-linear",
            "section 3.2, figure 5",
            "Convergent and insensitive applications fetch nearly eight times as often with warps of 4",
            8.0,
            1.0,
        )
        .judge(mean(&linear), each(&linear)),
        number("vws.fetches", "section 6.2, figure 9", "I-VWS needs 57% fewer fetches a cycle than warps of 4 on divergent applications", 0.43, 0.15)
            .judge(share("I-VWS", "WS4", divergent), format!("Averages of fetches per cycle. {FETCHES}")),
        number("vws.fetches-elastic", "section 6.2, figure 9", "E-VWS needs 55% fewer still", 0.45, 0.15)
            .judge(share("E-VWS", "I-VWS", divergent), "Averages of fetches per cycle.".to_string()),
        JUDGE.fact(
            "vws.fetches-convergent",
            "section 6.2, figure 9",
            "On convergent and insensitive applications I-VWS fetches as warps of 32 do",
            "at most 1.05 times as often",
            share("I-VWS", BASE, &together).map(|ratio| (format!("{ratio:.2}"), ratio <= 1.05)),
            CONVERGENT.to_string(),
        ),
        JUDGE.fact(
            "vws.fetches-memory",
            "section 6.5, figure 17",
            "Splitting for memory costs fetches on divergent applications: 41% with GroupMem, 69% with ImpatientMem",
            "both above 1, ImpatientMem the higher",
            match (share("I-VWS-GroupMem", "I-VWS", divergent), share("I-VWS-ImpatientMem", "I-VWS", divergent)) {
                (Some(group), Some(impatient)) => {
                    Some((format!("GroupMem {group:.2}, ImpatientMem {impatient:.2}"), group > 1.0 + SAME && impatient >= group))
                }
                _ => None,
            },
            FETCHES_MEMORY.to_string(),
        ),
        JUDGE.fact(
            "vws.ports",
            "sections 4.6 and 6.2, figure 10",
            "Two ports of the instruction cache with L0 caches of 256 bytes reach 95% of the speed of eight ports on divergent applications",
            "0.95 or more, and more than without L0 caches",
            (ports.len() == 4).then(|| {
                let list = ports.iter().map(|(name, mean)| format!("{name} {mean:.2}")).collect::<Vec<_>>().join(", ");
                (list, ports[3].1 >= 0.95 && ports[3].1 > ports[1].1 && ports[2].1 > ports[0].1)
            }),
            format!("{PORTS} {}. {PORTS_WHY}", each(&board.ratios(divergent, ("I-VWS", TWO_PORTS_L0), ("I-VWS", &[]), faster))),
        ),
    ]
}

/// Figures 11 and 13 to 16.
fn choices(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.divergent[..], &board.convergent[..]);
    let over = |technique: &str, keys: Keys, set: &[&'static str]| board.ratios(set, (technique, keys), ("I-VWS", &[]), faster);
    let one = over("I-VWS", ONE_GANG, divergent);
    let any = over("I-VWS", ANY_GANGS, divergent);
    let little = over("I-VWS-LGTO", &[], divergent);
    let lowest = over("I-VWS-LPC", &[], &board.everything());
    let group = board.speedups(convergent, "I-VWS-GroupMem", &[]);
    let impatient = board.speedups(convergent, "I-VWS-ImpatientMem", &[]);
    let sync = board.ratios(divergent, ("E-VWS-Sync20", &[]), ("E-VWS", &[]), faster);
    let eight = board.speedups(divergent, "I-VWS", BASE_8);
    vec![
        number(
            "vws.one-gang",
            "section 6.3, figure 13",
            "One gang a cycle instead of two costs divergent applications 10%",
            0.90,
            0.05,
        )
        .judge(mean(&one), format!("{} {ONE_AT_A_TIME}", each(&one))),
        JUDGE.fact(
            "vws.any-gangs",
            "section 6.3, figure 13",
            "Any number of gangs a cycle gives within 1% of two",
            "0.99 to 1.01",
            mean(&any).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.01)),
            each(&any),
        ),
        JUDGE.fact(
            "vws.little-gangs",
            "section 6.3, figure 11",
            "Little gangs first (LGTO) is slower than big gangs first on divergent applications",
            "below 1",
            mean(&little).map(|mean| (format!("{mean:.3}"), mean < 1.0)),
            each(&little),
        ),
        JUDGE.fact(
            "vws.lowest-pc",
            "section 6.3, figure 11",
            "The lowest PC first (LPC) makes all applications slower",
            "below 1 on each",
            (!lowest.is_empty()).then(|| {
                let slower = lowest.iter().filter(|(_, speedup)| *speedup < 1.0).count();
                (format!("slower on {slower} of {}", lowest.len()), slower == lowest.len())
            }),
            each(&lowest),
        ),
        JUDGE.fact(
            "vws.split-memory",
            "section 6.5, figure 16",
            "Splitting for memory, in groups or altogether, is a loss on convergent applications",
            "both below 1 against warps of 32",
            mean(&group).zip(mean(&impatient)).map(|(group, impatient)| {
                (format!("GroupMem {group:.3}, ImpatientMem {impatient:.3}"), group < 1.0 && impatient < 1.0)
            }),
            format!("GroupMem: {}. ImpatientMem: {}.", each(&group), each(&impatient)),
        ),
        JUDGE.fact(
            "vws.sync",
            "section 6.4, figures 14 and 15",
            "Waiting for each other where branches meet makes divergent applications slower",
            "below 1 against E-VWS",
            mean(&sync).map(|mean| (format!("{mean:.3}"), mean < 1.0)),
            each(&sync),
        ),
        JUDGE.fact(
            "vws.base-8",
            "section 8",
            "Gangs of warps of 8 keep most of the gain on divergent applications",
            "more than half of I-VWS's gain",
            mean(&eight)
                .zip(mean(&board.speedups(divergent, "I-VWS", &[])))
                .map(|(eight, four)| (format!("{eight:.2} against {four:.2}"), eight - 1.0 > (four - 1.0) / 2.0)),
            each(&eight),
        ),
    ]
}

/// Figure 19.
fn rivals(board: &Board) -> Vec<Claim> {
    let divergent = &board.divergent[..];
    let ivws = board.elsewhere(divergent, "I-VWS", "PDOM");
    let over_tbc = board.elsewhere(divergent, "I-VWS", "TBC-LCP");
    let over_dwf = board.elsewhere(divergent, "I-VWS", "DWF");
    vec![
        number(
            "vws.elsewhere",
            "section 7.1, figure 19",
            "On the machine of Thread Block Compaction, I-VWS is 34% faster than warps of 32",
            1.34,
            0.1,
        )
        .judge(mean(&ivws), each(&ivws)),
        number("vws.over-tbc", "section 7.1, figure 19", "and 15% faster than TBC", 1.15, 0.1)
            .judge(mean(&over_tbc), each(&over_tbc)),
        JUDGE.fact(
            "vws.over-dwf",
            "section 7.1, figure 19",
            "and faster than DWF",
            "above 1",
            mean(&over_dwf).map(|mean| (format!("{mean:.2}"), mean > 1.0)),
            format!("{} {OVER_DWF}", each(&over_dwf)),
        ),
    ]
}

/// Table 2: a calculation, shown once there are runs to stand beside it.
fn cost(board: &Board) -> Claim {
    let of = |keys: Keys| -> Option<f64> { Some(area(&Config::build(PRESET, "I-VWS", keys.iter().copied()).ok()?).sm_mm2) };
    let measured = of(&[]).zip(of(BASE_8)).filter(|_| !board.everything().is_empty());
    JUDGE.fact(
        "vws.area",
        "section 6.7, table 2",
        "I-VWS adds 1.7 mm² to an SM with warps of 4 and 0.93 mm² with warps of 8; 25.8 and 13.9 mm² to a GPU of 15 SMs",
        "1.7, 0.93; 25.8, 13.9",
        measured.map(|(four, eight)| {
            let text = format!("{four:.1}, {eight:.2}; {:.1}, {:.1}", 15.0 * four, 15.0 * eight);
            let holds = text == "1.7, 0.93; 25.8, 13.9";
            (text, holds)
        }),
        "Computed from the configuration with the paper's cell areas and factors, not measured.".to_string(),
    )
}

const SLIP: &str = "Less than in the paper. Slices fall out of step where 32 threads need several lines, which come back one after \
    the other, or where control flow parts; SAXPY and block reduction need one line at a time, keep in perfect step with warps \
    of 4, and so count as insensitive here.";
const CONVERGENT: &str = "The stencil is the exception: single slices load its halo under branches of their own, so its gangs part \
    for good and their later accesses with them. The paper's convergent applications hardly diverge.";
const ELASTIC: &str = "Collatz loses as the paper says, to gangs that need the same slices. Breadth-first search gains, because gangs \
    that have met again share lines.";
const IMPATIENT_DIVERGENT: &str = "What breadth-first search wins by it the Collatz sequences lose; the others hardly differ.";
const IMPATIENT: &str = "Less than in the paper: gangs that have fallen apart over some cycles of one load mostly meet again at the next \
    instructions. Without reformation, splitting for memory costs as much as the paper says: see vws.split-memory.";
const FETCHES: &str = "Collatz and the interpreter part within a few dozen instructions and then run as singletons, with 7.5 and 7.2 \
    fetches a cycle; breadth-first search, Mandelbrot and ray tracing stay in gangs for longer.";
const FETCHES_MEMORY: &str = "The divergent kernels here hardly load while they are in gangs: control flow has parted them before memory \
    could.";
const ONE_AT_A_TIME: &str = "Only ray tracing and Mandelbrot keep several gangs of one original gang alive; elsewhere warps are in whole \
    gangs or singletons, and the second gang of a cycle is not missed.";
const PORTS: &str = "Speeds over eight ports with L0 caches; with two ports and L0 caches:";
const PORTS_WHY: &str = "Only the interpreter misses: its sixteen ways do not fit into 256 bytes, which are 32 instructions, and four \
    fetches in ten find theirs there; nine in ten or more do in breadth-first search and Collatz.";
const OVER_DWF: &str = "Not on the interpreter: DWF draws threads for its sixteen ways from all blocks.";
