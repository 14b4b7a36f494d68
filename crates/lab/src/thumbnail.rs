//! A kernel's divergence at a glance: the lane use of the first warps of its small launch over the first cycles.
//!
//! A **cell** is one warp over a stretch of cycles. Its height is the share of lanes that were active in the instructions
//! issued there; a cell without an issue is empty. Warps that do not diverge make solid rows, warps that diverge ragged ones.

use warpscope_catalogue::{Size, Workload};
use warpscope_machine::event::{Event, Sink};
use warpscope_pictures::scene::{Rect, Scene, Tone};
use warpscope_study::run::RunSpec;

/// Number of warps, and of stretches of cycles.
const ROWS: usize = 8;
const COLUMNS: usize = 56;
/// Number of cycles to simulate, on one SM.
const CYCLES: u64 = 4_000;
/// Width and height of a cell, and the gap between rows, in pixels.
const WIDE: f32 = 4.0;
const HIGH: f32 = 9.0;
const GAP: f32 = 2.0;

/// A kernel's lane use as a grid of cells, and the share of lanes that its instructions used.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumbnail {
    /// Row by row, the share of lanes that a warp used; `None` where it issued nothing.
    cells: Vec<Option<f32>>,
    /// The share of lanes that worked, from 0 to 1.
    pub lanes: f64,
}

/// Records every issue: cycle, warp and number of active lanes.
#[derive(Default)]
struct Issues(Vec<(u64, u16, u32)>);

impl Sink for Issues {
    fn event(&mut self, cycle: u64, event: Event) {
        if let Event::Issued { warp, mask, .. } = event {
            self.0.push((cycle, warp, mask.count_ones()));
        }
    }
}

impl Thumbnail {
    /// Simulates the first cycles of the kernel's small launch under PDOM, with a stack for each warp.
    pub fn of(workload: &Workload) -> Option<Thumbnail> {
        let (_, mut sim) = RunSpec::of(workload.name, "gtx480", "PDOM").sized(Size::Small).prepare().ok()?;
        let width = sim.machine.config.warp_width;
        let mut issues = Issues::default();
        sim.run(CYCLES, &mut issues);
        let cycles = sim.state.cycle.max(1);
        let mut cells = vec![(0u32, 0u32); ROWS * COLUMNS];
        let (mut all, mut used) = (0u64, 0u64);
        for (cycle, warp, threads) in issues.0 {
            (all, used) = (all + u64::from(width), used + u64::from(threads));
            if usize::from(warp) < ROWS {
                let column = (cycle * COLUMNS as u64 / cycles) as usize;
                let cell = &mut cells[usize::from(warp) * COLUMNS + column];
                *cell = (cell.0 + width, cell.1 + threads);
            }
        }
        let share = |(all, used): (u32, u32)| (all > 0).then(|| used as f32 / all as f32);
        Some(Thumbnail { cells: cells.into_iter().map(share).collect(), lanes: used as f64 / all.max(1) as f64 })
    }

    /// Draws the picture.
    pub fn scene(&self) -> Scene<()> {
        let mut scene = Scene::new(COLUMNS as f32 * WIDE, ROWS as f32 * (HIGH + GAP) - GAP);
        for (warp, row) in self.cells.chunks(COLUMNS).enumerate() {
            let y = warp as f32 * (HIGH + GAP);
            if row.iter().all(Option::is_none) {
                continue;
            }
            scene.fill(0, Tone::Sunken, Rect::new(0.0, y, scene.width, HIGH));
            // Adjacent cells of one height are one shape.
            let mut at = 0;
            for same in row.chunk_by(|one, next| high(*one) == high(*next)) {
                let (x, tall) = (at as f32 * WIDE, high(same[0]));
                if tall > 0.0 {
                    scene.fill(0, Tone::Warp(warp as u8), Rect::new(x, y + HIGH - tall, same.len() as f32 * WIDE, tall));
                }
                at += same.len();
            }
        }
        scene
    }
}

/// Returns the filled height of a cell, in whole pixels.
fn high(cell: Option<f32>) -> f32 {
    cell.map_or(0.0, |share| (share * HIGH).round().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_catalogue as catalogue;

    #[test]
    fn kernels_that_part_are_ragged_and_those_that_do_not_are_solid() {
        let of = |name: &str| Thumbnail::of(catalogue::find(name).expect("it is in the catalogue")).expect("it runs");
        let (ragged, solid) = (of("collatz"), of("matmul"));
        let partial = |thumbnail: &Thumbnail| thumbnail.cells.iter().flatten().filter(|share| **share < 0.9).count();
        assert!(partial(&ragged) > 100, "{}", partial(&ragged));
        assert_eq!(partial(&solid), 0);
        assert!(ragged.lanes < 0.9 && solid.lanes > 0.99, "{} and {}", ragged.lanes, solid.lanes);
        assert!(ragged.scene().shapes.len() > solid.scene().shapes.len());
        assert!(ragged.cells.len() == ROWS * COLUMNS);
    }

    #[test]
    fn every_kernel_of_the_catalogue_has_one() {
        for workload in catalogue::all() {
            assert!(Thumbnail::of(workload).is_some_and(|thumbnail| thumbnail.lanes > 0.0), "{}", workload.name);
        }
    }
}
