//! Events in words. Those that begin with a semicolon continue the line of the event before.

use warpscope_kernel::program::Program;
use warpscope_machine::event::{Event, SplitCause};

/// Returns an event in words; `None` if the table leaves it out.
pub fn words(event: &Event, program: &Program, text: &str) -> Option<String> {
    let at = |pc: u32| {
        format!(
            "{pc:>2} {}",
            program.instructions.get(pc as usize).map_or("(end)", |i| i.text.as_deref().unwrap_or_else(|| i.span.text(text)))
        )
    };
    Some(match *event {
        Event::Cycle { .. }
        | Event::Slot { .. }
        | Event::Warp { .. }
        | Event::Writeback { .. }
        | Event::Memory { .. }
        | Event::L1 { .. }
        | Event::L2 { .. }
        | Event::BankConflict { .. }
        | Event::LaneAccess { .. }
        | Event::GangSizes { .. }
        | Event::PartialExit { .. }
        | Event::SliceFetch { .. } => return None,
        Event::Fetched { warp, pc, count, hit, .. } => {
            format!("w{warp} fetches {count} from {pc}{}", if hit { "" } else { ", a miss" })
        }
        Event::Issued { warp, pc, mask, .. } => format!("w{warp:<2} {:<31} {}", at(pc), lanes(mask)),
        Event::IssuedFor { origin, mask, .. } => format!("; {} of static warp {origin}", lanes(mask)),
        Event::Branch { diverged: false, .. } => return None,
        Event::Branch { warp, taken, not_taken, .. } => format!("w{warp} diverges: {} | {}", lanes(taken), lanes(not_taken)),
        Event::Push { warp, depth, pc, rpc, mask, .. } => {
            format!("w{warp} pushes entry {depth}: [{} {} {}]", here(pc), here(rpc), lanes(mask))
        }
        Event::Pop { warp, depth, .. } => format!("w{warp} pops, {depth} left"),
        Event::Met { warp, pc, mask, .. } => format!("w{warp} reconverges at {pc}: {}", lanes(mask)),
        Event::BarrierArrive { warp, mask, .. } => format!("w{warp} arrives at the barrier: {}", lanes(mask)),
        Event::BarrierRelease { block, .. } => format!("block {block} leaves the barrier"),
        Event::Joined { block, pc, mask, .. } => format!("block {block}: {} go on at {pc}", lanes(mask)),
        Event::WarpExit { warp, .. } => format!("w{warp} exits"),
        Event::BlockStart { slot, block, first_warp, warps, .. } => {
            format!("block {block} starts in slot {slot}: w{first_warp} to w{}", first_warp + warps - 1)
        }
        Event::BlockEnd { slot, block, .. } => format!("block {block} ends in slot {slot}"),
        Event::Trap { warp, pc, .. } => format!("w{warp} traps at {pc}"),
        Event::Formed { warp, pc, mask, .. } => format!("w{warp} is formed at {pc}: {}", lanes(mask)),
        Event::Merged { warp, pc, mask, .. } => format!("w{warp} is joined at {pc} by {}", lanes(mask)),
        Event::Member { origin, mask, .. } => format!("; {} of static warp {origin}", lanes(mask)),
        Event::Left { warp, .. } => format!("w{warp} leaves the table"),
        Event::Parked { warp, origin, mask, .. } => format!("w{warp} parks lanes {} of static warp {origin}", lanes(mask)),
        Event::BlockPush { slot, depth, pc, rpc, .. } => {
            format!("slot {slot} pushes entry {depth}: [{} {}]", here(pc), here(rpc))
        }
        Event::BlockPop { slot, depth, .. } => format!("slot {slot} pops, {depth} left"),
        Event::BlockArrive { slot, warp, pc, wcnt, .. } => format!("w{warp} arrives at {pc} of slot {slot}, WCnt {wcnt}"),
        Event::BlockMet { slot, pc, threads, .. } => format!("slot {slot} reconverges at {pc}: {threads} threads"),
        Event::BlockMerge { slot, position, pc, threads, .. } => {
            format!("slot {slot} merges {threads} threads into entry {position} at likely-convergence point {pc}")
        }
        Event::LikelyMerge { warp, position, pc, mask, .. } => {
            format!("w{warp} merges {} into entry {position} at likely-convergence point {pc}", lanes(mask))
        }
        Event::BarrierJoined { warp, barrier, mask, .. } => format!("w{warp} joins B{barrier}: {}", lanes(mask)),
        Event::BarrierLeft { warp, barrier, mask, .. } => format!("w{warp} leaves B{barrier}: {}", lanes(mask)),
        Event::Blocked { warp, barrier, mask, .. } => format!("w{warp} waits at B{barrier}: {}", lanes(mask)),
        Event::Converged { warp, barrier, pc, mask, .. } => {
            format!("w{warp} is complete at B{barrier}, on to {pc}: {}", lanes(mask))
        }
        Event::Yielded { warp, mask, .. } => format!("w{warp} yields: {}", lanes(mask)),
        Event::Switched { warp, pc, mask, .. } => format!("w{warp} goes on at {pc}: {}", lanes(mask)),
        Event::WarpBarrier { warp, pc, mask, .. } => {
            format!("static warp {warp} arrives at its barrier at {pc}: {}", lanes(mask))
        }
        Event::GangIssued { row, mask, pc, .. } => format!("gang of row {row}, slices {}: {}", lanes(mask.into()), at(pc)),
        Event::GangSplit { row, gang, gangs, singles, cause, .. } => {
            let parts: Vec<String> = gangs.iter().filter(|part| **part != 0).map(|part| lanes((*part).into())).collect();
            let cause = if cause == SplitCause::Control { "control" } else { "memory" };
            let (gang, single) = (lanes(gang.into()), lanes(singles.into()));
            format!("row {row} splits {gang} by {cause}: gangs [{}], singletons [{single}]", parts.join(" "))
        }
        Event::GangMerge { row, one, two, pc, .. } => {
            format!("row {row} merges {} and {} at {pc}", lanes(one.into()), lanes(two.into()))
        }
        Event::Lanes { pipe, busy, dark, earning, waking, .. } => {
            let named = [("busy", busy), ("off", dark), ("past break-even", earning), ("waking", waking)];
            let parts: Vec<String> =
                named.iter().filter(|(_, mask)| *mask != 0).map(|(name, mask)| format!("{} {name}", lanes(*mask))).collect();
            format!("pipe {pipe}: {}", if parts.is_empty() { "idle".to_string() } else { parts.join(", ") })
        }
        Event::Placed { pipe, first, then: 0, .. } => format!("; on lanes {} of pipe {pipe}", lanes(first)),
        Event::Placed { pipe, first, then, .. } => {
            format!("; on lanes {} of pipe {pipe}, then on {}", lanes(first), lanes(then))
        }
        Event::FoldPhase { int, fp, .. } => format!("a phase begins: INT folds for {int} cycles, FP for {fp}"),
        Event::Assigned { slot, warp, block, first_thread, .. } => {
            format!("w{warp} of slot {slot} is assigned block {block} from thread {first_thread}")
        }
        Event::LogicalStart { slot, block, .. } => format!("slot {slot} takes logical block {block}"),
        Event::LogicalEnd { slot, block, .. } => format!("logical block {block} ends in slot {slot}"),
    })
}

/// Returns a PC of a stack entry; `-` stands for no such place.
fn here(pc: u32) -> String {
    if pc == u32::MAX { "-".to_string() } else { pc.to_string() }
}

/// Returns the numbers of a mask's lanes as ranges.
fn lanes(mask: u32) -> String {
    let set = |lane: u32| lane < 32 && mask >> lane & 1 != 0;
    let begins = (0..32).filter(|&lane| set(lane) && (lane == 0 || !set(lane - 1)));
    let ranges = begins.map(|begin| {
        let end = (begin..32).find(|&lane| !set(lane + 1)).unwrap_or(31);
        if end == begin { begin.to_string() } else { format!("{begin}-{end}") }
    });
    ranges.collect::<Vec<_>>().join(",")
}
