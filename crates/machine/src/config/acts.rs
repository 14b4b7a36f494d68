//! Whether a technique can act on a launch at all, and why not.
//!
//! A technique that regroups threads needs threads to regroup: TBC takes them from the warps of one block, DWF from all warps of
//! an SM, gangs from the narrow warps side by side in the slices. With only one such warp the machine behaves as it would without
//! the technique, and a comparison shows nothing but the technique's overhead. Virtual blocks (VTW) need blocks that are not
//! resident yet: a warp that ends early continues with one of those.

use super::{Config, DispatchKind, DivergenceKind, GangSplitKind};

/// The properties of a launch that decide whether a technique can act on it.
#[derive(Clone, Copy, Debug)]
pub struct LaunchShape {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Threads of each.
    pub block_threads: u64,
    /// Whether some branch of the kernel can split a warp.
    pub can_diverge: bool,
    /// Blocks that are resident at once, on all SMs together.
    pub resident: u64,
}

impl Config {
    /// Whether warps pass branches that cannot split a block without waiting for each other (TBC section 3.1).
    pub fn skips_uniform(&self) -> bool {
        self.tbc_uniform && matches!(self.divergence, DivergenceKind::Tbc | DivergenceKind::TbcLcp)
    }

    /// Whether the threads of a PTX warp reconverge after every branch that splits them. Code that relies on lock-step without
    /// saying so needs this. Warps narrower than a PTX warp do not ensure it, nor does DWF without warp barriers (TBC sections
    /// 2.3, 2.4).
    pub fn reunites_warps(&self) -> bool {
        self.warp_width >= self.ptx_warp && self.divergence != DivergenceKind::Dwf
    }

    /// Returns a sentence that says why the divergence technique cannot act on a launch; `None` if it can, and for PDOM, the
    /// baseline.
    pub fn cannot_act(&self, launch: LaunchShape) -> Option<String> {
        let width = u64::from(self.warp_width);
        let warps = launch.block_threads.div_ceil(width);
        let kind = self.divergence;
        let name = if self.gangs { "A gang" } else { kind.name() };
        let compacts = matches!(kind, DivergenceKind::Tbc | DivergenceKind::TbcLcp);
        let why = if self.gangs && self.slices == 1 {
            format!("warps are as wide as the lanes ({width}), so a gang has one member")
        } else if (self.gangs || compacts) && warps == 1 {
            let lacks = if self.gangs { "gang it with" } else { "compact it with" };
            format!(
                "each block has one warp ({} threads, warps of {width}), so there is no other to {lacks}",
                launch.block_threads
            )
        } else if kind.reforms() && !compacts && self.warps_of_an_sm(launch) == 1 {
            let has = if launch.blocks == 1 { "the launch has" } else { "each SM has" };
            format!(
                "{has} one warp ({} threads, warps of {width}), so there is no other to form warps with",
                launch.block_threads
            )
        } else if !launch.can_diverge && (kind.reforms() || self.gangs && self.gang_split == GangSplitKind::Control) {
            "no branch of this kernel can split a warp, so there is nothing to regroup".to_string()
        } else {
            return None;
        };
        Some(format!("{name} cannot act on this launch: {why}."))
    }

    /// Returns why virtual blocks cannot act on a launch; `None` if they can, and without virtual blocks.
    pub fn cannot_go_on(&self, launch: LaunchShape) -> Option<String> {
        (self.dispatch == DispatchKind::Virtual && launch.blocks <= launch.resident).then(|| {
            let all = match launch.blocks {
                1 => "its only block is resident".to_string(),
                blocks => format!("all of its {blocks} blocks are resident at once"),
            };
            format!("Virtual blocks cannot act on this launch: {all}, so a warp that ends early has no next block to run.")
        })
    }

    /// Returns why the choice of a scheduler cannot act on a launch: no scheduler ever has two warps to choose from.
    pub fn cannot_schedule(&self, launch: LaunchShape) -> Option<String> {
        (self.warps_of_an_sm(launch) <= u64::from(self.issue_ports()) && !self.divergence.reforms()).then(|| {
            let warps = launch.block_threads.div_ceil(u64::from(self.warp_width)).saturating_mul(launch.blocks);
            let name = self.schedule.name();
            format!("{name} cannot act on this launch: its {warps} warps have a scheduler each, so there is nothing to choose.")
        })
    }

    /// Warps of the SM that gets most blocks: a block's warps share an SM, and SMs take blocks in turn.
    fn warps_of_an_sm(&self, launch: LaunchShape) -> u64 {
        let warps = launch.block_threads.div_ceil(u64::from(self.warp_width));
        warps.saturating_mul(launch.blocks.div_ceil(u64::from(self.sms)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, MachineSpec, apply_techniques};

    const LARGE: LaunchShape = LaunchShape { blocks: 4, block_threads: 128, can_diverge: true, resident: 3 };

    fn why(preset: &str, technique: &str, launch: LaunchShape) -> Result<String, ConfigError> {
        Ok(MachineSpec::new(preset, technique, []).unchecked()?.cannot_act(launch).unwrap_or_default())
    }

    #[test]
    fn every_technique_can_act_on_four_diverging_warps_a_block() -> Result<(), ConfigError> {
        for technique in crate::config::TECHNIQUES {
            assert_eq!(why("vws", technique.name, LARGE)?, "", "{}", technique.name);
            let config = MachineSpec::new("vws", technique.name, []).unchecked()?;
            assert_eq!(config.cannot_go_on(LARGE), None, "{}", technique.name);
        }
        Ok(())
    }

    #[test]
    fn one_warp_a_block_is_nothing_to_compact_but_something_to_form_warps_of() -> Result<(), ConfigError> {
        let narrow = LaunchShape { block_threads: 32, ..LARGE };
        for technique in ["TBC", "TBC-LCP", "TBC-RRB"] {
            let told = why("gtx480", technique, narrow)?;
            assert!(told.starts_with("TBC") && told.contains("one warp (32 threads, warps of 32)"), "{told}");
        }
        assert_eq!(why("toy", "TBC", narrow)?, "", "eight warps of four");
        assert_eq!(why("gtx480", "DWF", narrow)?, "", "a pool has the warps of all blocks");
        assert!(why("gtx480", "DWF", LaunchShape { blocks: 1, ..narrow })?.contains("the launch has one warp"));
        assert_eq!(why("gtx480", "PDOM", narrow)?, "");
        Ok(())
    }

    #[test]
    fn a_gang_needs_two_narrow_warps_and_a_branch() -> Result<(), ConfigError> {
        assert!(why("vws", "I-VWS", LaunchShape { block_threads: 4, ..LARGE })?.contains("no other to gang it with"));
        assert_eq!(why("vws", "I-VWS", LaunchShape { block_threads: 8, ..LARGE })?, "");
        let mut wide = Config::preset("vws")?;
        apply_techniques(&mut wide, "E-VWS")?;
        (wide.warp_width, wide.slices) = (32, 1);
        assert!(wide.cannot_act(LARGE).is_some_and(|told| told.contains("a gang has one member")));
        let straight = LaunchShape { can_diverge: false, ..LARGE };
        for technique in ["TBC", "DWF", "I-VWS"] {
            assert!(why("vws", technique, straight)?.contains("no branch"), "{technique}");
        }
        assert_eq!(why("vws", "E-VWS-ImpatientMem", straight)?, "", "memory takes such gangs apart");
        Ok(())
    }

    #[test]
    fn a_virtual_block_needs_blocks_that_are_not_resident_yet() -> Result<(), ConfigError> {
        let resident = LaunchShape { resident: 4, ..LARGE };
        for technique in ["vLRR", "vGTO", "VTW", "VTW-SL", "VTW-LH"] {
            let told = MachineSpec::new("gtx480", technique, []).config()?.cannot_go_on(resident).unwrap_or_default();
            assert!(told.contains("all of its 4 blocks are resident at once"), "{told}");
        }
        assert_eq!(MachineSpec::new("gtx480", "GTO", []).config()?.cannot_go_on(resident), None);
        Ok(())
    }

    #[test]
    fn a_scheduler_needs_two_warps_to_choose_from() -> Result<(), ConfigError> {
        let config = Config::preset("gtx480")?;
        let launch = LaunchShape { blocks: 2, block_threads: 32, ..LARGE };
        let told = config.cannot_schedule(launch).unwrap_or_default();
        assert!(told.contains("its 2 warps have a scheduler each"), "{told}");
        assert_eq!(config.cannot_schedule(LARGE), None);
        // Fifteen SMs have thirty schedulers, but a block's warps share the two of one SM.
        let chip = Config::preset("gtx480x15")?;
        assert_eq!(chip.cannot_schedule(LaunchShape { blocks: 1, block_threads: 512, ..LARGE }), None);
        let told = chip.cannot_schedule(LaunchShape { blocks: 15, block_threads: 64, ..LARGE }).unwrap_or_default();
        assert!(told.contains("its 30 warps have a scheduler each"), "{told}");
        Ok(())
    }
}
