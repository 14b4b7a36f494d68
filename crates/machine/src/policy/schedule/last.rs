//! The warp that issued last: one for the whole scheduler, or one for each block.

use crate::policy::view::IssueView;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Last {
    /// Among all warps of the scheduler.
    OfAll(Option<u32>),
    /// For each block slot: the index of the block and its warp that issued last.
    OfBlock(Vec<Option<(u64, u32)>>),
}

impl Last {
    pub fn new(by_block: bool) -> Last {
        if by_block { Last::OfBlock(Vec::new()) } else { Last::OfAll(None) }
    }

    /// Returns the warp that issued last, among all warps or among those of the same block as `warp`.
    #[inline]
    pub fn before(&self, warp: u32, view: &IssueView) -> Option<u32> {
        match self {
            Last::OfAll(last) => *last,
            Last::OfBlock(slots) => {
                let block = view.warps.block(warp);
                let (index, last) = (*slots.get(usize::from(block.slot))?)?;
                (index == block.index).then_some(last)
            }
        }
    }

    #[inline]
    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        match self {
            Last::OfAll(last) => *last = Some(warp),
            Last::OfBlock(slots) => {
                let block = view.warps.block(warp);
                slots.resize(slots.len().max(view.slots.into()), None);
                slots[usize::from(block.slot)] = Some((block.index, warp));
            }
        }
    }
}
