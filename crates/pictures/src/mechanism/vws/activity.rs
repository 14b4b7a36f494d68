//! What every slice did in the last cycle, as plain data: what issued, what was fetched, what accesses to memory became.

use super::super::PanelView;
use super::rows::name_of;
use warpscope_machine::event::Event;

/// The mask of a warp that issues by itself, whatever its slice.
const ALONE: u8 = 1;

/// What every slice did in the last cycle.
pub struct Activity {
    /// The gang or warp that issued through each slice.
    pub issued: Vec<Option<Issuer>>,
    /// What was fetched through each slice: a gang by its name, a warp by the cache that it hit.
    pub fetched: Vec<Vec<String>>,
    /// The ports of the I-cache that fetches took.
    pub ports: u32,
    /// The warps that accessed memory, and their transactions.
    pub accesses: u32,
    pub transactions: u32,
}

/// A gang or a single warp that issued.
#[derive(Clone, Copy)]
pub struct Issuer {
    /// Its original gang.
    pub row: u32,
    /// The gang's slices; [`ALONE`] for a warp that issued by itself.
    pub mask: u8,
}

impl Issuer {
    pub fn is_gang(self) -> bool {
        self.mask.count_ones() > 1
    }
}

impl Activity {
    pub fn of(view: &PanelView, sm: u16) -> Activity {
        let (fetched, ports) = fetched(view, sm);
        let (accesses, transactions) = accesses(view, sm);
        Activity { issued: issued(view, sm), fetched, ports, accesses, transactions }
    }
}

/// Returns what issued through each slice.
fn issued(view: &PanelView, sm: u16) -> Vec<Option<Issuer>> {
    let slices = view.sim.machine.config.slices;
    let mut used = 0u32;
    let mut issuing = vec![None; slices as usize];
    for event in view.last {
        match *event {
            Event::GangIssued { sm: s, row, mask, .. } if s == sm => {
                for slice in (0..slices).filter(|slice| mask >> slice & 1 != 0) {
                    issuing[slice as usize] = Some(Issuer { row: row.into(), mask });
                }
            }
            Event::Issued { sm: s, warp, .. } if s == sm => {
                let slice = u32::from(warp) % slices;
                used |= 1 << slice;
                issuing[slice as usize].get_or_insert(Issuer { row: u32::from(warp) / slices, mask: ALONE });
            }
            _ => {}
        }
    }
    issuing.into_iter().enumerate().map(|(slice, issuer)| issuer.filter(|_| used >> slice & 1 != 0)).collect()
}

/// Returns what was fetched through each slice, and how many ports of the I-cache that took.
fn fetched(view: &PanelView, sm: u16) -> (Vec<Vec<String>>, u32) {
    let slices = view.sim.machine.config.slices;
    let (mut ports, mut own) = (0u32, false);
    let mut texts: Vec<Vec<String>> = vec![Vec::new(); slices as usize];
    for event in view.last {
        match *event {
            Event::SliceFetch { sm: s, hit, .. } if s == sm => own = hit,
            Event::Fetched { sm: s, warp, .. } if s == sm => {
                let (row, slice) = (u32::from(warp) / slices, u32::from(warp) % slices);
                let state = view.sim.state.sms[usize::from(sm)].gangs.as_ref().map(|gangs| gangs.sets[row as usize]);
                let part = state.map_or(1, |set| set.part_of(slice));
                if part.count_ones() > 1 {
                    let name = name_of(state.as_ref(), row, part).unwrap_or_default();
                    let members = (0..8).filter(|slice| part >> slice & 1 != 0);
                    members.for_each(|slice: usize| texts[slice] = vec![name.clone()]);
                    ports += 1;
                } else {
                    texts[slice as usize].push(if own { "L0".to_string() } else { "L1".to_string() });
                    ports += u32::from(!own);
                }
                own = false;
            }
            _ => {}
        }
    }
    (texts, ports)
}

/// Returns how many warps accessed memory, and how many transactions that became.
fn accesses(view: &PanelView, sm: u16) -> (u32, u32) {
    let (mut warps, mut lines) = (0u32, 0u32);
    for event in view.last {
        if let Event::Memory { sm: s, transactions, .. } = *event
            && s == sm
        {
            warps += 1;
            lines += u32::from(transactions);
        }
    }
    (warps, lines)
}
