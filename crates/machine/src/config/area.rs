//! The silicon area of slices and gangs: table 2 of the Variable Warp Sizing paper as a function of the configuration.
//!
//! The estimate is the paper's, for a 40 nm process (section 6.7). Small memories: bits times the area of a latch, times 1.5 for
//! their control. Scoreboards: bits times the area of a flip-flop, times 3 for their comparators. Every slice has the control
//! logic of a datapath, one per cent of an SM. The second port of the instruction cache comes from CACTI.

use super::Config;
use serde::Serialize;

/// Area of a latch and of a flip-flop, in square micrometres.
const LATCH: f64 = 2.1;
const FLIP_FLOP: f64 = 3.6;
/// Factors on the cell area for a small memory and for an associative one.
const MEMORY: f64 = 1.5;
const ASSOCIATIVE: f64 = 3.0;
/// Area of a 64 KB instruction cache with one port and with two, in square millimetres.
const SINGLE_PORTED: f64 = 0.087;
const DUAL_PORTED: f64 = 0.194;
/// A GPU of the Fermi generation: area of an SM in square millimetres, number of SMs, area of the GPU.
const SM: f64 = 16.0;
const SMS: f64 = 15.0;
const GPU: f64 = 529.0;
/// Share of an SM that is datapath control, which every slice needs.
const CONTROL: f64 = 0.01;
/// Bits of a decoded instruction, of an entry of the gang table, and of a slice's scoreboard.
const DECODED_BITS: u32 = 128;
const GANG_BITS: u32 = 64;
const SCOREBOARD_BITS: u32 = 1800;
/// Entries of the gang table per original gang.
const GANG_ENTRIES: u32 = 4;

/// One row of the table: a component and the area that it adds to an SM, in square millimetres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Component {
    /// What table 2 calls it.
    pub name: &'static str,
    /// What it adds to an SM.
    pub mm2: f64,
}

/// The area that a configuration adds to an SM whose warps are as wide as its lanes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Area {
    /// The rows of the table.
    pub components: Vec<Component>,
    /// Totals per SM and per GPU, in square millimetres and as shares of the whole.
    pub sm_mm2: f64,
    /// As a share of the SM.
    pub sm_share: f64,
    /// That of all SMs of a GPU.
    pub gpu_mm2: f64,
    /// As a share of the GPU.
    pub gpu_share: f64,
}

/// Computes the table for a configuration; it is empty without slices. It counts the two ports that the paper provides: small
/// caches in the slices stand in for more.
pub fn area(config: &Config) -> Area {
    let slices = config.slices;
    let rows = config.max_threads / config.row_threads();
    let bits = |bits: u32, cell: f64, factor: f64| f64::from(bits) * cell * factor / 1e6;
    let each = f64::from(slices);
    let mut components = Vec::new();
    let mut add = |name, mm2| components.push(Component { name, mm2 });
    if slices > 1 {
        add("second port of the instruction cache", DUAL_PORTED - SINGLE_PORTED);
        add("instruction caches of the slices", each * bits(config.l0i_bytes * 8, LATCH, MEMORY));
        add("I-buffers", each * bits(rows * config.ibuffer * DECODED_BITS, LATCH, MEMORY));
        if config.gangs {
            add("gang table", bits(rows * GANG_ENTRIES * GANG_BITS, LATCH, MEMORY));
        }
        add("scoreboards", each * bits(SCOREBOARD_BITS, FLIP_FLOP, ASSOCIATIVE));
        add("control of the slices' datapaths", each * CONTROL * SM);
    }
    // The sum of no components is -0.0; adding 0.0 makes it 0.0.
    let sm_mm2 = components.iter().map(|component| component.mm2).sum::<f64>() + 0.0;
    Area { components, sm_mm2, sm_share: sm_mm2 / SM, gpu_mm2: sm_mm2 * SMS, gpu_share: sm_mm2 * SMS / GPU }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, apply_techniques};

    fn of(keys: &[(&str, &str)]) -> Result<Area, ConfigError> {
        let mut config = Config::preset("vws")?;
        apply_techniques(&mut config, "I-VWS")?;
        for (key, value) in keys {
            config.set(key, value)?;
        }
        config.validate()?;
        Ok(area(&config))
    }

    #[test]
    fn the_papers_table_comes_out() -> Result<(), ConfigError> {
        let four = of(&[])?;
        let eight = of(&[("warp_width", "8"), ("slices", "4")])?;
        let rounded = |area: &Area| -> Vec<String> { area.components.iter().map(|c| format!("{:.3}", c.mm2)).collect() };
        // Table 2; it rounds 0.107 up to 0.108 and 0.156 down to 0.154.
        assert_eq!(rounded(&four), ["0.107", "0.052", "0.103", "0.026", "0.156", "1.280"]);
        assert_eq!(rounded(&eight), ["0.107", "0.026", "0.052", "0.026", "0.078", "0.640"]);
        assert_eq!([four.sm_mm2, eight.sm_mm2].map(|mm2| format!("{mm2:.2}")), ["1.72", "0.93"]);
        assert_eq!([four.gpu_mm2, eight.gpu_mm2].map(|mm2| format!("{mm2:.1}")), ["25.8", "13.9"]);
        assert_eq!([four.sm_share, eight.sm_share].map(|share| format!("{:.0}%", 100.0 * share)), ["11%", "6%"]);
        assert_eq!([four.gpu_share, eight.gpu_share].map(|share| format!("{:.1}%", 100.0 * share)), ["4.9%", "2.6%"]);
        Ok(())
    }

    #[test]
    fn wide_warps_add_nothing_and_no_gangs_no_table() -> Result<(), ConfigError> {
        let mut config = Config::preset("vws")?;
        assert_eq!(area(&config).components, []);
        apply_techniques(&mut config, "WS4")?;
        assert!(area(&config).components.iter().all(|component| component.name != "gang table"));
        Ok(())
    }
}
