//! Random machines: a preset, at most one technique of each axis, and some keys with values from their ranges. Many of them cannot
//! be: a strategy cannot know which choices go together, and what refuses them is tested too.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use warpscope_machine::config::{AXES, KEYS, Key, MachineSpec, PRESETS, TECHNIQUES, range};

/// Whole numbers are drawn up to here: what is larger takes memory and time, and no other way through the machine.
const MOST: u32 = 1 << 22;
/// Bandwidths are drawn from here, in thousandths of a byte per cycle: below it a line takes more cycles than a run may.
const LEAST_RATE: u32 = 64;

pub fn machines() -> impl Strategy<Value = MachineSpec> {
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    (select(presets), techniques(), vec(key(), 0..5)).prop_map(|(preset, techniques, keys)| MachineSpec {
        preset: preset.to_string(),
        technique: techniques,
        keys: keys.into_iter().collect(),
    })
}

/// Draws names of techniques on some of the axes.
fn techniques() -> impl Strategy<Value = String> {
    let of_axis = |axis: &&str| {
        let names: Vec<&str> = TECHNIQUES.iter().filter(|t| t.decides == *axis).map(|t| t.name).collect();
        // Of the divergence techniques most decide the schedule too, so that further names are often one too many.
        prop::option::weighted(if axis == &AXES[0] { 0.75 } else { 0.3 }, select(names))
    };
    let axes: Vec<_> = AXES.iter().map(of_axis).collect();
    axes.prop_map(|names| names.into_iter().flatten().collect::<Vec<_>>().join(","))
}

/// Draws a key and its value.
fn key() -> impl Strategy<Value = (String, String)> {
    (0..KEYS.len(), any::<[u8; 2]>(), any::<u32>(), any::<bool>()).prop_map(|(at, bits, number, is_power)| {
        let key = &KEYS[at];
        (key.name.to_string(), value(key, bits, number, is_power))
    })
}

/// Returns a value of a key: small numbers are as frequent as large ones, and every other one is a power of two.
fn value(key: &Key, bits: [u8; 2], number: u32, is_power: bool) -> String {
    let choices = (key.choices)();
    if !choices.is_empty() {
        return choices[number as usize % choices.len()].to_string();
    }
    let (least, most) = range(key.name).unwrap_or((LEAST_RATE, MOST));
    let span = most.min(MOST) - least;
    // The smaller of two draws.
    let width = bits.into_iter().map(|draw| u32::from(draw) % (span.max(1).ilog2() + 2)).min().unwrap_or(0);
    let drawn = least + (number & ((1 << width) - 1)).min(span);
    let whole = if is_power { 1 << drawn.max(1).ilog2() } else { drawn };
    let whole = whole.max(least);
    if range(key.name).is_some() { whole.to_string() } else { format!("{}.{:03}", whole / 1000, whole % 1000) }
}

#[test]
fn random_values_are_within_their_ranges() {
    for key in KEYS {
        for (bits, number) in [([0; 2], 0), ([255; 2], u32::MAX), ([9, 30], 0x9e37_79b9)] {
            for is_power in [false, true] {
                let text = value(key, bits, number, is_power);
                let fits = range(key.name).zip(text.parse().ok()).is_none_or(|((least, most), v)| (least..=most).contains(&v));
                assert!(fits && (key.set)(&mut Default::default(), &text).is_ok(), "{} = {text}", key.name);
            }
        }
    }
}
