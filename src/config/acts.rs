//! Whether a technique can act on a launch at all.
//!
//! A technique that regroups threads needs threads to regroup: TBC takes them from the warps of one block, DWF from all warps
//! of an SM, gangs from the narrow warps that lie side by side in the slices. Where there is only one such warp the machine
//! does what it would do without the technique, and a comparison shows nothing but its overhead. Virtual blocks (VTW) need
//! blocks that are not resident yet: a warp that ends early goes on with one of those.

use super::{Config, DispatchKind, DivergenceKind, GangSplitKind};

/// As much of a launch as decides whether a technique can act on it.
#[derive(Clone, Copy, Debug)]
pub struct LaunchShape {
    pub blocks: u64,
    pub block_threads: u64,
    /// Some branch of the kernel can split a warp.
    pub can_diverge: bool,
    /// Blocks that are resident at once, on all SMs together.
    pub resident: u64,
}

impl Config {
    /// Whether branches that cannot split a block are told from others (TBC section 3.1).
    pub fn skips_uniform(&self) -> bool {
        self.tbc_uniform && matches!(self.divergence, DivergenceKind::Tbc | DivergenceKind::TbcLcp)
    }

    /// Whether the threads of a PTX warp wait for each other behind every branch that parts them, as code does that relies on
    /// lock-step without saying so. Warps of fewer threads do not, nor does DWF without warp barriers (TBC sections 2.3, 2.4).
    pub fn reunites_warps(&self) -> bool {
        self.warp_width >= self.ptx_warp && self.divergence != DivergenceKind::Dwf
    }

    /// Why the divergence technique cannot act on a launch, as a sentence; `None` where it can, and for PDOM, which others are
    /// compared with.
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
        } else if kind.reforms() && !compacts && warps * launch.blocks == 1 {
            format!(
                "the launch has one warp ({} threads, warps of {width}), so there is no other to form warps with",
                launch.block_threads
            )
        } else if !launch.can_diverge && (kind.reforms() || self.gangs && self.gang_split == GangSplitKind::Control) {
            "no branch of this kernel can split a warp, so there is nothing to regroup".to_string()
        } else {
            return None;
        };
        Some(format!("{name} cannot act on this launch: {why}."))
    }

    /// Why virtual blocks cannot act on a launch; `None` where they can, and where there are none.
    pub fn cannot_go_on(&self, launch: LaunchShape) -> Option<String> {
        (self.dispatch == DispatchKind::Virtual && launch.blocks <= launch.resident).then(|| {
            let all = match launch.blocks {
                1 => "its only block is resident".to_string(),
                blocks => format!("all of its {blocks} blocks are resident at once"),
            };
            format!("Virtual blocks cannot act on this launch: {all}, so no warp that ends early has a next block to go on with.")
        })
    }

    /// Why the choice of a scheduler cannot act on a launch: no scheduler ever has two warps to choose from.
    pub fn cannot_schedule(&self, launch: LaunchShape) -> Option<String> {
        let warps = launch.block_threads.div_ceil(u64::from(self.warp_width)).saturating_mul(launch.blocks);
        let ports = u64::from(self.issue_ports()) * u64::from(self.sms);
        (warps <= ports && !self.divergence.reforms()).then(|| {
            let name = self.schedule.name();
            format!("{name} cannot act on this launch: its {warps} warps have a scheduler each, so there is nothing to choose.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, apply_techniques};

    const LARGE: LaunchShape = LaunchShape { blocks: 4, block_threads: 128, can_diverge: true, resident: 3 };

    fn why(preset: &str, technique: &str, launch: LaunchShape) -> Result<String, ConfigError> {
        let mut config = Config::preset(preset)?;
        apply_techniques(&mut config, technique)?;
        Ok(config.cannot_act(launch).unwrap_or_default())
    }

    #[test]
    fn every_technique_can_act_on_four_diverging_warps_a_block() -> Result<(), ConfigError> {
        for technique in crate::config::TECHNIQUES {
            assert_eq!(why("vws", technique.name, LARGE)?, "", "{}", technique.name);
            let config = Config::build("vws", technique.name, [])?;
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
            let told = Config::build("gtx480", technique, [])?.cannot_go_on(resident).unwrap_or_default();
            assert!(told.contains("all of its 4 blocks are resident at once"), "{told}");
        }
        assert_eq!(Config::build("gtx480", "GTO", [])?.cannot_go_on(resident), None);
        Ok(())
    }

    #[test]
    fn a_scheduler_needs_two_warps_to_choose_from() -> Result<(), ConfigError> {
        let config = Config::preset("gtx480")?;
        let launch = LaunchShape { blocks: 2, block_threads: 32, ..LARGE };
        let told = config.cannot_schedule(launch).unwrap_or_default();
        assert!(told.contains("its 2 warps have a scheduler each"), "{told}");
        assert_eq!(config.cannot_schedule(LARGE), None);
        Ok(())
    }
}
