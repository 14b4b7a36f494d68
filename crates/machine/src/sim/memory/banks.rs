//! Banks of shared memory, and addresses that are served one after the other.

use super::lines::Lines;
use super::{AccessContext, PerLane, Requester, Timing};
use crate::config::Config;
use crate::event::{Event, Sink};
use warpscope_kernel::interp::access::{Traffic, active};

/// Times lanes that access shared memory, from cycle `start` on.
#[inline(always)]
pub fn time_banks<S: Sink, L: PerLane>(
    context: &mut AccessContext<S>,
    who: Requester,
    traffic: &Traffic<32>,
    mask: u32,
    start: u64,
    lanes: &mut L,
) -> Timing {
    let config = context.config;
    // Without conflicts each group of lanes takes one cycle.
    let (groups, cycles) = if traffic.atomic {
        (1, most_alike(traffic, mask).max(1))
    } else {
        lane_groups(mask, config)
            .fold((0, 0), |(groups, cycles), lanes| (groups + 1, cycles + bank_cycles(traffic, lanes, config)))
    };
    if L::BY_LANE {
        let passes = shared_passes(traffic, mask, config);
        active(mask).for_each(|lane| lanes.done(1 << lane, start + u64::from(config.shared_latency + passes[lane])));
    }
    if cycles > groups {
        let extra = (cycles - groups) as u16;
        context.emit(Event::BankConflict { sm: who.sm, warp: who.warp, pc: who.pc, extra });
    }
    Timing { holds: cycles, done: start + u64::from(config.shared_latency + cycles - 1) }
}

/// Times lanes that read constants, of which each takes a cycle, from cycle `start` on.
#[inline(always)]
pub fn time_constants<L: PerLane>(config: &Config, traffic: &Traffic<32>, mask: u32, start: u64, lanes: &mut L) -> Timing {
    let cycles = distinct(traffic, mask);
    if L::BY_LANE {
        let mut seen = Lines::default();
        for lane in active(mask) {
            let (pass, _) = seen.add(traffic.targets[lane].address);
            lanes.done(1 << lane, start + u64::from(config.constant_latency) + pass as u64);
        }
    }
    Timing { holds: cycles, done: start + u64::from(config.constant_latency + cycles - 1) }
}

/// Splits an access into the lanes that shared memory serves at a time, one for each bank: half a warp with 16 banks.
fn lane_groups(mask: u32, config: &Config) -> impl Iterator<Item = u32> {
    let lanes = config.shared_banks.min(32);
    let first = u32::MAX >> (32 - lanes);
    (0..32 / lanes).map(move |group| mask & first << (group * lanes)).filter(|&mask| mask != 0)
}

/// Returns the cycles that the busiest bank needs; lanes that access the same word share one.
fn bank_cycles(traffic: &Traffic<32>, mask: u32, config: &Config) -> u32 {
    let banks = u64::from(config.shared_banks);
    let words_each = u64::from(traffic.size.div_ceil(4)).clamp(1, 4);
    // Accesses with one word per bank are the common case, and are recognised in one pass.
    const TRACKED: usize = 64;
    let mut word_of = [u64::MAX; TRACKED];
    let conflict_free = banks <= TRACKED as u64
        && active(mask).all(|lane| {
            let first = traffic.targets[lane].address / 4;
            (first..first + words_each).all(|word| {
                let known = std::mem::replace(&mut word_of[(word % banks) as usize], word);
                known == u64::MAX || known == word
            })
        });
    if conflict_free { 1 } else { conflict_cycles(traffic, mask, banks, words_each) }
}

/// Returns the same for accesses that may conflict, counted word by word.
fn conflict_cycles(traffic: &Traffic<32>, mask: u32, banks: u64, words_each: u64) -> u32 {
    let mut words = [0u64; 32 * 4];
    let mut count = 0;
    let mut busiest = 1;
    for lane in active(mask) {
        let first = traffic.targets[lane].address / 4;
        for word in first..first + words_each {
            if words[..count].contains(&word) {
                continue;
            }
            let load = 1 + words[..count].iter().filter(|&&other| other % banks == word % banks).count() as u32;
            busiest = busiest.max(load);
            words[count] = word;
            count += 1;
        }
    }
    // A wide access takes several passes, with a word of each lane in each; that is no conflict.
    busiest.div_ceil(words_each as u32)
}

/// Returns the cycle of the access in which each lane is served: words of one bank are served one after the other.
fn shared_passes(traffic: &Traffic<32>, mask: u32, config: &Config) -> [u32; 32] {
    let mut passes = [0; 32];
    if traffic.atomic {
        for lane in active(mask) {
            let alike = |other: &usize| traffic.targets[*other].address == traffic.targets[lane].address;
            passes[lane] = active(mask).take_while(|&other| other < lane).filter(alike).count() as u32;
        }
        return passes;
    }
    let banks = u64::from(config.shared_banks);
    let words_each = u64::from(traffic.size.div_ceil(4)).clamp(1, 4);
    let mut before = 0;
    for group in lane_groups(mask, config) {
        let mut words: Vec<u64> = Vec::with_capacity(32);
        for lane in active(group) {
            let first = traffic.targets[lane].address / 4;
            let mut last = 0;
            for word in first..first + words_each {
                let at = words.iter().position(|&known| known == word).unwrap_or_else(|| {
                    words.push(word);
                    words.len() - 1
                });
                let pass = words[..at].iter().filter(|&&other| other % banks == word % banks).count();
                last = last.max(pass as u32);
            }
            passes[lane] = before + last / words_each as u32;
        }
        before += bank_cycles(traffic, group, config);
    }
    passes
}

/// Counts the different addresses.
fn distinct(traffic: &Traffic<32>, mask: u32) -> u32 {
    let mut lines = Lines::default();
    for lane in active(mask) {
        lines.add(traffic.targets[lane].address);
    }
    lines.len as u32
}

/// Returns how many lanes access the address that most of them access.
pub fn most_alike(traffic: &Traffic<32>, mask: u32) -> u32 {
    active(mask)
        .map(|lane| active(mask).filter(|&other| traffic.targets[other].address == traffic.targets[lane].address).count() as u32)
        .max()
        .unwrap_or(1)
}
