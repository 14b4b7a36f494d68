//! The original gangs, as plain data: rows of warps side by side in the slices, and what happened to each in the last cycle.

use super::super::PanelView;
use crate::view::WarpPicture;
use crate::view::words::gang_name;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Event;
use warpscope_machine::policy::gang::GangSet;
use warpscope_machine::sim::state::Sm;

/// An original gang as the picture needs it, with its warps by slice, whether the machine has gangs or only slices.
pub struct Row<'a> {
    pub sm: u16,
    pub number: u32,
    pub set: GangSet,
    pub warps: Vec<Option<&'a WarpPicture>>,
}

impl Row<'_> {
    /// Returns the entry of the gang table that holds the warp of a slice.
    pub fn entry(&self, slice: u32) -> Option<usize> {
        // Without gangs there may be more slices than a gang can span.
        self.set.gangs.iter().position(|&gang| u32::from(gang) >> slice & 1 != 0)
    }

    /// Returns whether the warp of a slice has not ended.
    pub fn lives(&self, slice: u32) -> bool {
        self.warps[slice as usize].is_some_and(|warp| warp.alive != 0)
    }

    /// Returns whether it has a warp that has not ended.
    pub fn is_live(&self) -> bool {
        self.warps.iter().flatten().any(|warp| warp.alive != 0)
    }

    /// Returns how many different instructions its warps are at.
    pub fn places(&self) -> usize {
        let mut pcs: Vec<Pc> = self.warps.iter().flatten().filter(|warp| warp.alive != 0).map(|warp| warp.pc).collect();
        pcs.sort_unstable();
        pcs.dedup();
        pcs.len()
    }

    /// Returns whether this original gang split or merged in the last cycle.
    pub fn changed(&self, last: &[Event]) -> bool {
        last.iter().any(|event| match *event {
            Event::GangSplit { sm, row, .. } | Event::GangMerge { sm, row, .. } => (sm, u32::from(row)) == (self.sm, self.number),
            _ => false,
        })
    }

    /// Describes a split or a merge of this original gang in the last cycle, whose events are `last`.
    pub fn happened(&self, last: &[Event]) -> Option<String> {
        let part = |mask: u8| {
            let slices: Vec<String> = (0..8).filter(|slice| mask >> slice & 1 != 0).map(|slice| slice.to_string()).collect();
            slices.join(" ")
        };
        last.iter().rev().find_map(|event| match *event {
            Event::GangSplit { sm, row: at, gangs, singles, cause, .. } if (sm, u32::from(at)) == (self.sm, self.number) => {
                let entry = |gang: u8| self.set.entry_of(gang);
                let name = |gang: u8| entry(gang).map_or(String::new(), |entry| gang_name(self.number, entry) + " ");
                let gangs = gangs.iter().filter(|&&gang| gang != 0).map(|&gang| format!("{}{{{}}}", name(gang), part(gang)));
                let gangs: Vec<String> = gangs.collect();
                let alone = if singles == 0 { String::new() } else { format!(", single {}", part(singles)) };
                let parted = if gangs.is_empty() { "split".to_string() } else { format!("split into {}", gangs.join(" ")) };
                Some(format!("{parted}{alone}: {}", cause.words()))
            }
            Event::GangMerge { sm, row: at, one, two, pc } if (sm, u32::from(at)) == (self.sm, self.number) => {
                Some(format!("{{{}}} and {{{}}} merged at PC {pc}", part(one), part(two)))
            }
            _ => None,
        })
    }
}

/// Returns the original gangs that have a resident warp.
pub fn rows<'a>(view: &PanelView<'a>, sm: &Sm, name: u16, slices: u32) -> Vec<Row<'a>> {
    let mut rows: Vec<Row> = Vec::new();
    for warp in view.warps() {
        let number = u32::from(warp.warp) / slices;
        if rows.last().is_none_or(|row| row.number != number) {
            let set = sm.gangs.as_ref().map_or(GangSet::default(), |gangs| gangs.sets[number as usize]);
            rows.push(Row { sm: name, number, set, warps: vec![None; slices as usize] });
        }
        if let Some(row) = rows.last_mut() {
            row.warps[(u32::from(warp.warp) % slices) as usize] = Some(warp);
        }
    }
    rows
}

/// Returns the name of the gang of these slices; `None` if it has left the table, because it has split or merged.
pub fn name_of(set: Option<&GangSet>, row: u32, mask: u8) -> Option<String> {
    set.and_then(|set| set.entry_of(mask)).map(|entry| gang_name(row, entry))
}
