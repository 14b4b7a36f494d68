//! What the stack of a block shows: a card for each entry, and for each side of a branch at which warps arrive.

use super::ShownBlock;
use warpscope_kernel::program::Pc;
use warpscope_machine::policy::divergence::NEVER;
use warpscope_machine::policy::divergence::block_stack::{BlockEntry, BlockMask, EntryState, Side};

/// An entry of the stack as it is drawn, or a side of a branch that will become one.
pub struct StackCard<'a> {
    pub id: u32,
    pub pc: Pc,
    pub state: &'static str,
    pub runs: bool,
    pub way: String,
    pub pcs: String,
    pub wcnt: Option<u16>,
    pub mask: &'a BlockMask,
    /// Whether it is still being filled.
    pub fills: bool,
}

/// The id of the first side of a branch that fills up; the next sides follow. Ids of entries are smaller.
pub const SIDES: u32 = 1 << 15;

/// Returns the cards from the top of the stack down; sides that fill up stand above their entry.
pub fn cards<'a>(block: &ShownBlock<'a>) -> Vec<StackCard<'a>> {
    let ShownBlock { view, stack, .. } = *block;
    let next = stack.entries.iter().rposition(|entry| entry.state == EntryState::Pending);
    let mut cards = Vec::new();
    for (at, entry) in stack.entries.iter().enumerate().rev() {
        for (side_at, side) in sides(entry).iter().enumerate() {
            cards.push(StackCard {
                id: SIDES | side_at as u32,
                pc: side.pc,
                state: "fills",
                runs: false,
                way: view.listing.place(side.pc),
                pcs: format!("PC {}", side.pc),
                wcnt: None,
                mask: &side.mask,
                fills: true,
            });
        }
        let state = match entry.state {
            EntryState::Running => "runs",
            EntryState::Pending if next == Some(at) => "is next",
            EntryState::Pending => "later",
            EntryState::Waiting => "waits",
        };
        let point = |pc: u32| (pc != NEVER).then_some(pc);
        let likely = point(entry.lpc).map_or(String::new(), |lpc| format!(" (likely {})", view.listing.place(lpc)));
        cards.push(StackCard {
            id: entry.id & (SIDES - 1),
            pc: entry.pc,
            state,
            runs: entry.state == EntryState::Running,
            way: view.listing.way(entry.pc, point(entry.rpc)) + &likely,
            pcs: format!("PC {} → {}", entry.pc, point(entry.rpc).map_or("end".into(), |rpc| rpc.to_string())),
            wcnt: Some(entry.wcnt),
            mask: &entry.mask,
            fills: false,
        });
    }
    cards
}

/// Returns the sides of the branch at which an entry's warps arrive.
fn sides(entry: &BlockEntry) -> &[Side] {
    entry.arrivals.first().map_or(&[], |arrivals| &arrivals.sides)
}
