//! A Variable Warp Size Architecture (Rogers and others, ISCA 2015): its evaluation in section 6, on the machine of its
//! table 1, and the comparison with other techniques of section 7.1, on the machine of the Thread Block Compaction paper.
//!
//! The paper sorts its applications by what narrow warps do to them (section 1): divergent ones run faster, convergent ones
//! slower, the others do not mind. The same rule sorts the catalogue here, with warps of 4 against warps of 32 and a
//! difference of two per cent taken for none. The two code listings of the other paper are no applications, and are left out; so
//! is code that relies on the lock-step of 32 threads, which narrow warps do not keep.

use super::judge::{Effect, Judge, Speedups, each, mean};
use super::{Claim, Results, Run};
use crate::config::Config;
use crate::config::area::area;
use crate::metrics::Report;
use crate::workload::{self, Class, Suite, Workload};

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
/// E-VWS with other readings of how gangs meet (sections 4.5 and 6.1), on workloads that diverge.
const ARRIVE: Keys = &[("gang_meet", "arrive")];
const READY: Keys = &[("gang_meet", "ready")];
const GROUP: Keys = &[("gang_meet", "group")];
const HELD: Keys = &[("gang_meet", "held")];
const READINGS: [(&str, Keys); 5] = [
    ("any time", &[]),
    ("arriving together", ARRIVE),
    ("equally ready", READY),
    ("all at once", GROUP),
    ("at barriers too", HELD),
];
const VARIANTS: [Keys; 7] = [ONE_GANG, ANY_GANGS, ONE_PORT, TWO_PORTS, ONE_PORT_L0, TWO_PORTS_L0, BASE_8];
/// Section 7.1.
const ELSEWHERE: &str = "tbc";
const RIVALS: [&str; 4] = ["PDOM", "DWF", "TBC-LCP", "I-VWS"];

/// Areas of an SM and of a GPU of 15, as section 6.7 takes them.
const SM_MM2: f64 = 16.0;
const GPU_MM2: f64 = 529.0;

type Keys = &'static [(&'static str, &'static str)];

fn applications() -> impl Iterator<Item = &'static Workload> {
    workload::suite(Suite::Divergence).filter(|workload| !LISTINGS.contains(&workload.name) && !workload.lock_step)
}

pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for Workload { name, class, .. } in applications() {
        if *class == Class::Divergent {
            runs.extend([ARRIVE, READY, GROUP, HELD].map(|keys| Run::new(name, PRESET, "E-VWS").with(keys)));
        }
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

fn effect(id: &'static str, place: &'static str, claim: &'static str, expected: f64) -> Effect {
    Effect { judge: JUDGE, id, place, claim, expected }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = Board::new(results);
    let mut claims = sizes(&board);
    claims.extend(front_end(&board));
    claims.extend(choices(&board));
    claims.extend(rivals(&board));
    claims.extend(cost(&board));
    claims.extend(gang_sizes(&board));
    claims
}

/// A mean, where there is one.
fn told(mean: Option<f64>) -> String {
    mean.map_or_else(|| "not measured".to_string(), |mean| format!("{mean:.2}"))
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
    let read_by_all: Vec<&'static str> =
        divergent.iter().copied().filter(|name| board.report(name, "E-VWS", ARRIVE).is_some()).collect();
    let read = |keys: Keys, quantity: fn(&Report) -> f64| board.ratios(&read_by_all, ("E-VWS", keys), ("I-VWS", &[]), quantity);
    let side_by_side = |quantity: fn(&Report) -> f64| {
        let list = READINGS.map(|(name, keys)| format!("{name} {}", told(mean(&read(keys, quantity)))));
        list.join(", ")
    };
    let ws4_divergent = board.speedups(divergent, "WS4", &[]);
    let lanes = [BASE, "WS16", "WS8", "WS4"]
        .map(|technique| (technique, board.average(divergent, technique, |report| report.lane_efficiency)));
    let misses = board.ratios(convergent, ("WS4", &[]), (BASE, &[]), |report| {
        report.l1d.misses as f64 / report.thread_instructions.max(1) as f64
    });
    let misses: Speedups = misses.into_iter().filter(|(_, ratio)| ratio.is_finite()).collect();
    let tracks: Speedups = board
        .everything()
        .into_iter()
        .filter_map(|name| {
            let speed = |technique: &str| board.speedups(&[name], technique, &[]).pop().map(|(_, speedup)| speedup);
            Some((name, speed("I-VWS")? / speed("WS4")?.max(1.0)))
        })
        .collect();
    vec![
        effect(
            "vws.divergent",
            "abstract, section 6.1, figure 7",
            "I-VWS is 35% faster than warps of 32 on divergent applications",
            1.35,
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
        effect(
            "vws.ws4-convergent",
            "section 6.1, figure 7",
            "Warps of 4 are 27% slower than warps of 32 on convergent applications",
            0.73,
        )
        .judge_size(
            mean(&ws4_convergent),
            format!(
                "Narrower warps: of 8 {}, of 16 {}. {}.",
                told(mean(&board.speedups(convergent, "WS8", &[]))),
                told(mean(&board.speedups(convergent, "WS16", &[]))),
                each(&ws4_convergent)
            ),
        ),
        effect(
            "vws.ws4-divergent",
            "section 6.1 (derived: I-VWS gains 35% and is within 3% of it), figure 7",
            "Warps of 4 are about 39% faster than warps of 32 on divergent applications",
            1.39,
        )
        .judge_size(
            mean(&ws4_divergent),
            format!(
                "Narrower warps: of 8 {}, of 16 {}. {}.",
                told(mean(&board.speedups(divergent, "WS8", &[]))),
                told(mean(&board.speedups(divergent, "WS16", &[]))),
                each(&ws4_divergent)
            ),
        ),
        JUDGE.fact(
            "vws.lanes",
            "section 1, figure 2",
            "The narrower its warps, the more lanes a divergent application uses",
            "more with each step from 32 to 4",
            lanes.iter().map(|(_, used)| *used).collect::<Option<Vec<f64>>>().map(|used| {
                let list = lanes.iter().zip(&used).map(|((name, _), used)| format!("{name} {:.0}%", 100.0 * used));
                (list.collect::<Vec<_>>().join(", "), used.windows(2).all(|pair| pair[1] > pair[0]))
            }),
            "Threads issued over lanes, in cycles with an issue; averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.misses",
            "section 3.1, figure 4",
            "All convergent applications have more misses of the L1 cache with narrow warps",
            "more with warps of 4 on each",
            (!misses.is_empty()).then(|| (each(&misses), misses.iter().all(|(_, ratio)| *ratio > 1.0))),
            "Misses for each thread instruction with warps of 4 over those with warps of 32.".to_string(),
        ),
        JUDGE.fact(
            "vws.tracks",
            "section 6.1, figure 8",
            "On every application I-VWS tracks warps of 4 where those gain, and loses nothing where they lose",
            "0.95 or more of the faster of warps of 4 and of 32, on each",
            (!tracks.is_empty()).then(|| {
                let behind: Speedups = tracks.iter().filter(|(_, ratio)| *ratio < 0.95).copied().collect();
                let list = if behind.is_empty() { "on all".to_string() } else { format!("not on {}", each(&behind)) };
                (list, behind.is_empty())
            }),
            format!("{}.", each(&tracks)),
        ),
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
            format!("{}.", each(&ivws_convergent)),
        ),
        JUDGE.fact(
            "vws.insensitive",
            "section 6.1, figure 7",
            "I-VWS costs the others nothing either",
            "about 1.0, no less than 0.98",
            mean(&even).map(|mean| (format!("{mean:.3}"), mean >= 0.98)),
            each(&even),
        ),
        JUDGE.slightly(
            "vws.elastic",
            "section 6.1, figure 7",
            "Putting gangs together again (E-VWS) makes divergent applications a little slower than I-VWS",
            false,
            mean(&evws),
            format!("{}.", each(&evws)),
        ),
        JUDGE.slightly(
            "vws.elastic-arrive",
            "section 6.1, figure 7",
            "The same, if parts meet only where they arrive at the same PC in the same cycle",
            false,
            mean(&read(ARRIVE, faster)),
            format!(
                "Readings of sections 4.5 and 6.1 side by side, against I-VWS on the divergent workloads that ran with all of them. \
                 Speed: {}. Fetches: {}.",
                side_by_side(faster),
                side_by_side(fetches)
            ),
        ),
        effect(
            "vws.impatient-convergent",
            "section 6.1, figure 7",
            "Splitting gangs where loads part (E-VWS-ImpatientMem) makes convergent applications 22% slower than warps of 32",
            0.78,
        )
        .judge(
            mean(&impatient),
            format!(
                "{}. Without reformation: {}.",
                each(&impatient),
                each(&board.speedups(convergent, "I-VWS-ImpatientMem", &[]))
            ),
        ),
        effect("vws.impatient-divergent", "section 6.1", "and divergent ones 2% faster than I-VWS", 1.02)
            .judge(mean(&impatient_divergent), format!("{}.", each(&impatient_divergent))),
    ]
}

/// Figures 5, 9, 10 and 17.
fn front_end(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.divergent[..], &board.convergent[..]);
    let mut together = convergent.to_vec();
    together.extend(&board.insensitive);
    let average = |technique: &str, set: &[&'static str]| board.average(set, technique, fetches);
    let share = |one: &str, other: &str, set: &[&'static str]| Some(average(one, set)? / average(other, set)?);
    let per_cycle = |technique: &str| -> Speedups {
        let of = |name: &&'static str| board.report(name, technique, &[]).map(|report| (*name, fetches(report)));
        divergent.iter().filter_map(of).collect()
    };
    let memory_splits = |technique: &str| {
        let of = |name: &&'static str| {
            let gangs = board.report(name, technique, &[])?.gangs.as_ref()?;
            Some(format!("{name} {}", gangs.memory_splits))
        };
        let list: Vec<String> = divergent.iter().filter_map(of).collect();
        format!("Averages of fetches per cycle. Splits for memory: {}.", list.join(", "))
    };
    let orders = ["I-VWS-GTO", "I-VWS-LRR", "I-VWS-LPC", "I-VWS-LGTO"].map(|technique| {
        let each_instruction = |report: &Report| report.fetches as f64 / report.thread_instructions.max(1) as f64;
        let of = |technique: &str| board.average(divergent, technique, each_instruction);
        (technique, of(technique).zip(of("I-VWS")).map(|(one, other)| one / other))
    });
    let linear = board.ratios(&together, ("WS4", &[]), (BASE, &[]), fetches);
    let narrow = |keys: Keys| mean(&board.ratios(divergent, ("I-VWS", keys), ("I-VWS", &[]), faster));
    let l0_hits: Speedups = divergent
        .iter()
        .filter_map(|name| {
            let report = board.report(name, "I-VWS", TWO_PORTS_L0)?;
            Some((*name, report.l0_hits as f64 / report.fetches.max(1) as f64))
        })
        .collect();
    let ports = [("1 port", ONE_PORT), ("2 ports", TWO_PORTS), ("1 port, L0", ONE_PORT_L0), ("2 ports, L0", TWO_PORTS_L0)];
    let ports: Vec<(&str, f64)> = ports.iter().filter_map(|(name, keys)| narrow(keys).map(|mean| (*name, mean))).collect();
    vec![
        effect(
            "vws.fetches-linear",
            "section 3.2, figure 5",
            "Convergent and insensitive applications fetch nearly eight times as often with warps of 4",
            8.0,
        )
        .judge(mean(&linear), each(&linear)),
        effect("vws.fetches", "section 6.2, figure 9", "I-VWS needs 57% fewer fetches a cycle than warps of 4 on divergent applications", 0.43)
            .judge(share("I-VWS", "WS4", divergent), format!("Averages of fetches per cycle. I-VWS: {}. Warps of 4: {}.", each(&per_cycle("I-VWS")), each(&per_cycle("WS4")))),
        effect("vws.fetches-elastic", "section 6.2, figure 9", "E-VWS needs 55% fewer still", 0.45)
            .judge(share("E-VWS", "I-VWS", divergent), "Averages of fetches per cycle.".to_string()),
        JUDGE.fact(
            "vws.fetches-convergent",
            "section 6.2, figure 9",
            "On convergent and insensitive applications I-VWS fetches as warps of 32 do",
            "at most 1.05 times as often",
            share("I-VWS", BASE, &together).map(|ratio| (format!("{ratio:.2}"), ratio <= 1.05)),
            format!("{}.", each(&board.ratios(&together, ("I-VWS", &[]), (BASE, &[]), fetches))),
        ),
        effect(
            "vws.fetches-group",
            "section 6.5, figure 17",
            "Splitting in groups for memory (GroupMem) costs 41% more fetches",
            1.41,
        )
        .judge(share("I-VWS-GroupMem", "I-VWS", divergent), memory_splits("I-VWS-GroupMem")),
        effect(
            "vws.fetches-impatient",
            "section 6.5, figure 17",
            "and splitting altogether (ImpatientMem) 69%",
            1.69,
        )
        .judge(share("I-VWS-ImpatientMem", "I-VWS", divergent), memory_splits("I-VWS-ImpatientMem")),
        JUDGE.fact(
            "vws.fetches-elastic-impatient",
            "section 6.2, figure 9",
            "On divergent applications E-VWS-ImpatientMem fetches more than E-VWS, and not more than I-VWS",
            "between the two",
            match (average("E-VWS", divergent), average("E-VWS-ImpatientMem", divergent), average("I-VWS", divergent)) {
                (Some(elastic), Some(impatient), Some(ivws)) => Some((
                    format!("E-VWS {elastic:.2}, E-VWS-ImpatientMem {impatient:.2}, I-VWS {ivws:.2} fetches a cycle"),
                    impatient > elastic && impatient <= ivws,
                )),
                _ => None,
            },
            String::new(),
        ),
        JUDGE.fact(
            "vws.fetches-orders",
            "section 6.3, figure 12",
            "The gang scheduler has little effect on fetches",
            "each within 10% of I-VWS on divergent applications",
            orders.iter().map(|(_, share)| *share).collect::<Option<Vec<f64>>>().map(|shares| {
                let list = orders.iter().zip(&shares).map(|((name, _), share)| format!("{name} {share:.2}"));
                (list.collect::<Vec<_>>().join(", "), shares.iter().all(|share| (share - 1.0).abs() <= 0.1))
            }),
            "Fetches for each thread instruction over those of I-VWS, averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.fetches-sync",
            "section 6.4, figure 15",
            "Waiting where branches meet saves few fetches on divergent applications",
            "0.90 to 1.00 of E-VWS's",
            share("E-VWS-Sync20", "E-VWS", divergent).map(|ratio| (format!("{ratio:.2}"), (0.9..=1.0).contains(&ratio))),
            String::new(),
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
            format!(
                "Speeds over eight ports with L0 caches; with two ports and L0 caches: {}. Fetches that hit the L0 caches: {}.",
                each(&board.ratios(divergent, ("I-VWS", TWO_PORTS_L0), ("I-VWS", &[]), faster)),
                each(&l0_hits)
            ),
        ),
    ]
}

/// Figures 11 and 13 to 16.
fn choices(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.divergent[..], &board.convergent[..]);
    let over = |technique: &str, keys: Keys, set: &[&'static str]| board.ratios(set, (technique, keys), ("I-VWS", &[]), faster);
    let one = over("I-VWS", ONE_GANG, divergent);
    let any = over("I-VWS", ANY_GANGS, divergent);
    let sizes: Speedups =
        divergent.iter().filter_map(|name| Some((*name, board.report(name, "I-VWS", &[])?.gangs.as_ref()?.mean_size))).collect();
    let orders = [("GTO", "I-VWS-GTO"), ("LRR", "I-VWS-LRR"), ("LPC", "I-VWS-LPC"), ("LGTO", "I-VWS-LGTO")]
        .map(|(name, technique)| (name, mean(&over(technique, &[], divergent))));
    let sync_convergent = board.ratios(convergent, ("E-VWS-Sync20", &[]), ("E-VWS", &[]), faster);
    let group_divergent = over("I-VWS-GroupMem", &[], divergent);
    let impatient_divergent = over("I-VWS-ImpatientMem", &[], divergent);
    let little = over("I-VWS-LGTO", &[], divergent);
    let lowest = over("I-VWS-LPC", &[], &board.everything());
    let group = board.speedups(convergent, "I-VWS-GroupMem", &[]);
    let impatient = board.speedups(convergent, "I-VWS-ImpatientMem", &[]);
    let sync = board.ratios(divergent, ("E-VWS-Sync20", &[]), ("E-VWS", &[]), faster);
    let eight = board.speedups(divergent, "I-VWS", BASE_8);
    vec![
        effect(
            "vws.one-gang",
            "section 6.3, figure 13",
            "One gang a cycle instead of two costs divergent applications 10%",
            0.90,
        )
        .judge(mean(&one), format!("{}. Average size of gangs, singletons included: {}.", each(&one), each(&sizes))),
        JUDGE.fact(
            "vws.any-gangs",
            "section 6.3, figure 13",
            "Any number of gangs a cycle gives within 1% of two",
            "0.99 to 1.01",
            mean(&any).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.01)),
            each(&any),
        ),
        JUDGE.fact(
            "vws.orders",
            "section 6.3, figure 11",
            "Divergent applications are sensitive to the gang scheduler, and big gangs first is the best of them",
            "all others at most 1 against I-VWS, one of them below 0.95",
            orders.iter().map(|(_, mean)| *mean).collect::<Option<Vec<f64>>>().map(|means| {
                let list = orders.iter().zip(&means).map(|((name, _), mean)| format!("{name} {mean:.3}"));
                let fine = means.iter().all(|mean| *mean <= 1.0) && means.iter().any(|mean| *mean < 0.95);
                (list.collect::<Vec<_>>().join(", "), fine)
            }),
            String::new(),
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
            "vws.split-memory-divergent",
            "section 6.5, figure 16",
            "Splitting for memory has a small advantage on some divergent applications",
            "one of them 1% to 10% faster than with I-VWS",
            (!group_divergent.is_empty()).then(|| {
                let both = group_divergent.iter().chain(&impatient_divergent);
                let best = both.map(|(_, speedup)| *speedup).fold(0.0, f64::max);
                (format!("{best:.3} at best"), (1.01..=1.1).contains(&best))
            }),
            format!("GroupMem: {}. ImpatientMem: {}.", each(&group_divergent), each(&impatient_divergent)),
        ),
        JUDGE.fact(
            "vws.sync-convergent",
            "section 6.4, figure 14",
            "Convergent applications are largely unaffected by such waits",
            "0.98 to 1.02 against E-VWS",
            mean(&sync_convergent).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.", each(&sync_convergent)),
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
        effect(
            "vws.elsewhere",
            "section 7.1, figure 19",
            "On the machine of Thread Block Compaction, I-VWS is 34% faster than warps of 32",
            1.34,
        )
        .judge(mean(&ivws), each(&ivws)),
        effect("vws.over-tbc", "section 7.1, figure 19", "and 15% faster than TBC", 1.15).judge(mean(&over_tbc), each(&over_tbc)),
        JUDGE.fact(
            "vws.over-dwf",
            "section 7.1, figure 19",
            "and faster than DWF",
            "above 1",
            mean(&over_dwf).map(|mean| (format!("{mean:.2}"), mean > 1.0)),
            format!("{}.", each(&over_dwf)),
        ),
    ]
}

/// Table 2: a calculation, shown once there are runs to stand beside it.
fn cost(board: &Board) -> Vec<Claim> {
    let of = |keys: Keys| -> Option<f64> { Some(area(&Config::build(PRESET, "I-VWS", keys.iter().copied()).ok()?).sm_mm2) };
    let measured = of(&[]).zip(of(BASE_8)).filter(|_| !board.everything().is_empty());
    let note = "Computed from the configuration with the paper's cell areas and factors, not measured.";
    let exactly = |text: String, expected: &str| {
        let holds = text == expected;
        (text, holds)
    };
    vec![
        JUDGE.fact(
            "vws.area",
            "section 6.7, table 2",
            "I-VWS adds 1.7 mm² to an SM with warps of 4 and 0.93 mm² with warps of 8; 25.8 and 13.9 mm² to a GPU of 15 SMs",
            "1.7, 0.93; 25.8, 13.9",
            measured.map(|(four, eight)| {
                let text = format!("{four:.1}, {eight:.2}; {:.1}, {:.1}", 15.0 * four, 15.0 * eight);
                exactly(text, "1.7, 0.93; 25.8, 13.9")
            }),
            note.to_string(),
        ),
        JUDGE.fact(
            "vws.area-share",
            "section 6.7, table 2",
            "which is 11% and 6% of an SM of 16 mm², and 5% and 2.5% of a GPU of 529 mm²",
            "11%, 6%; 5%, 2.5%",
            measured.map(|(four, eight)| {
                let sm = |mm2: f64| 100.0 * mm2 / SM_MM2;
                let gpu = |mm2: f64| (200.0 * 15.0 * mm2 / GPU_MM2).round() / 2.0;
                exactly(format!("{:.0}%, {:.0}%; {}%, {}%", sm(four), sm(eight), gpu(four), gpu(eight)), "11%, 6%; 5%, 2.5%")
            }),
            format!("{note} Shares of the GPU are rounded to halves, as the paper's are."),
        ),
    ]
}

/// Figure 18.
fn gang_sizes(board: &Board) -> Vec<Claim> {
    let gangs = |name: &str| board.report(name, "I-VWS", &[]).and_then(|report| report.gangs.as_ref());
    // The share of warps in whole gangs in the first stretch of cycles, and of singletons in the last but one.
    let course = |name: &&'static str| {
        let gangs = gangs(name)?;
        let spans = &gangs.over_time.warps;
        let share = |span: &[f64], size: usize| span[size - 1] / span.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let (first, last) = (spans.first()?, spans.get(spans.len().checked_sub(2)?)?);
        Some((*name, share(first, 8), share(last, 1)))
    };
    let courses: Vec<(&str, f64, f64)> = board.divergent.iter().filter_map(course).collect();
    let whole = |name: &&'static str| {
        let cycles = &gangs(name)?.warp_cycles;
        Some((*name, cycles[7] as f64 / cycles.iter().sum::<u64>().max(1) as f64))
    };
    let whole: Speedups = board.convergent.iter().filter_map(whole).collect();
    vec![
        JUDGE.fact(
            "vws.gangs-part",
            "section 6.6, figure 18",
            "Divergent applications begin in whole gangs, and most end with most warps alone",
            "whole at first on each, more singletons than not at the end on most",
            (!courses.is_empty()).then(|| {
                let alone = courses.iter().filter(|(_, _, last)| *last > 0.5).count();
                let begin = courses.iter().filter(|(_, first, _)| *first > 0.5).count();
                let text = format!("whole at first on {begin} of {}, alone at the end on {alone}", courses.len());
                (text, begin == courses.len() && alone * 2 > courses.len())
            }),
            courses
                .iter()
                .map(|(name, first, last)| {
                    format!("{name} {:.0}% whole at first, {:.0}% alone at the end", 100.0 * first, 100.0 * last)
                })
                .collect::<Vec<_>>()
                .join("; "),
        ),
        JUDGE.fact(
            "vws.gangs-stay",
            "section 6.6",
            "In convergent applications warps stay in their original gangs throughout",
            "95% of warp-cycles or more, on each",
            (!whole.is_empty()).then(|| (each(&whole), whole.iter().all(|(_, share)| *share >= 0.95))),
            "Share of warp-cycles in gangs of eight.".to_string(),
        ),
        JUDGE.untestable(
            "vws.survey",
            "section 1, figures 1(a) and 8",
            "The survey of 165 applications",
            "a third each gains, loses and does not mind",
            "The traces are not public; the catalogue has its own workloads.",
        ),
    ]
}
