//! The layered layout of a control-flow graph: every block lies below its predecessors, the two sides of a branch side by side.
//!
//! Edges that close a loop are set aside. The rest has no cycles, and a block's layer is the longest path to it. An edge that
//! passes layers has a bend in each. `rust-sugiyama` chooses the order in the layers, which decides which edges cross, and the
//! positions in them.

use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use std::ops::Range;
use warpscope_kernel::program::cfg::Cfg;

/// The width of a block, the space between two, and the width of a bend, in units of the layout.
pub const BLOCK: f32 = 100.0;
const BETWEEN: f64 = 16.0;
const BEND: f64 = 6.0;

/// The layout of some of a graph's blocks, which are counted from the first that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// The middle of each block, and its layer, counted from the top.
    pub blocks: Vec<(f32, usize)>,
    /// Edges that lead down.
    pub down: Vec<DownEdge>,
    /// Edges that close a loop: from, to.
    pub back: Vec<(usize, usize)>,
    pub width: f32,
    pub layers: usize,
}

/// An edge that leads down, with its bends: an x coordinate in each layer that it passes, from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct DownEdge {
    pub from: usize,
    pub to: usize,
    pub bends: Vec<f32>,
}

/// Lays out the blocks of a range.
pub fn layers(cfg: &Cfg, shown: &Range<usize>) -> Layers {
    let count = shown.len();
    let next = |at: usize| {
        let successors = cfg.blocks[shown.start + at].successors.iter();
        successors.filter(|to| shown.contains(to)).map(|to| to - shown.start)
    };
    let edges: Vec<Vec<usize>> = (0..count).map(|at| next(at).collect()).collect();
    let (order, back) = ordered(&edges);
    let down = |from: usize, to: usize| !back.contains(&(from, to));
    let mut layer = vec![0; count];
    for &from in &order {
        for &to in edges[from].iter().filter(|&&to| down(from, to)) {
            layer[to] = layer[to].max(layer[from] + 1);
        }
    }
    // Bends are vertices with numbers after those of the blocks.
    let mut vertices: Vec<(u32, (f64, f64))> = (0..count as u32).map(|at| (at, (BLOCK.into(), 1.0))).collect();
    let mut links = Vec::new();
    let mut ways: Vec<(usize, usize, Range<usize>)> = Vec::new();
    for from in 0..count {
        for &to in edges[from].iter().filter(|&&to| down(from, to)) {
            let first = vertices.len();
            let mut last = from as u32;
            for bend in first..first + (layer[to] - layer[from] - 1) {
                vertices.push((bend as u32, (BEND, 1.0)));
                links.push((last, bend as u32));
                last = bend as u32;
            }
            links.push((last, to as u32));
            ways.push((from, to, first..vertices.len()));
        }
    }
    let (places, width) = places(&vertices, &links);
    Layers {
        blocks: (0..count).map(|at| (places[at], layer[at])).collect(),
        down: ways.into_iter().map(|(from, to, bends)| DownEdge { from, to, bends: places[bends].to_vec() }).collect(),
        back,
        width,
        layers: layer.iter().max().map_or(0, |last| last + 1),
    }
}

/// Returns the middle of each vertex, from the left edge of the drawing, and the drawing's width. Parts that no edge connects lie
/// side by side.
fn places(vertices: &[(u32, (f64, f64))], links: &[(u32, u32)]) -> (Vec<f32>, f32) {
    let config = Config { vertex_spacing: BETWEEN, ..Config::default() };
    let mut places = vec![0.0; vertices.len()];
    let mut from = 0.0;
    for (part, ..) in from_vertices_and_edges(vertices, links, &config) {
        let half = |vertex: usize| vertices[vertex].1.0 / 2.0;
        let left = part.iter().map(|&(vertex, (x, _))| x - half(vertex)).fold(f64::INFINITY, f64::min);
        let right = part.iter().map(|&(vertex, (x, _))| x + half(vertex)).fold(f64::NEG_INFINITY, f64::max);
        for (vertex, (x, _)) in part {
            places[vertex] = (from + x - left) as f32;
        }
        from += right - left + BETWEEN;
    }
    (places, (from - BETWEEN).max(0.0) as f32)
}

/// Returns the blocks in topological order, and the edges that close a loop, which the order ignores.
fn ordered(edges: &[Vec<usize>]) -> (Vec<usize>, Vec<(usize, usize)>) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; edges.len()];
    let (mut order, mut back) = (Vec::new(), Vec::new());
    for start in 0..edges.len() {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        let mut path = vec![(start, 0)];
        while let Some((at, tried)) = path.last_mut() {
            let (from, to) = (*at, edges[*at].get(*tried).copied());
            *tried += 1;
            match to {
                Some(to) if state[to] == State::Open => back.push((from, to)),
                Some(to) if state[to] == State::New => {
                    state[to] = State::Open;
                    path.push((to, 0));
                }
                Some(_) => {}
                None => {
                    state[from] = State::Done;
                    order.push(from);
                    path.pop();
                }
            }
        }
    }
    order.reverse();
    (order, back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_kernel::program::Pc;
    use warpscope_kernel::program::cfg::BasicBlock;

    fn cfg(successors: &[&[usize]]) -> Cfg {
        let block = |(at, to): (usize, &&[usize])| BasicBlock {
            start: at as Pc,
            end: at as Pc + 1,
            successors: to.to_vec(),
            exits: false,
        };
        Cfg { blocks: successors.iter().enumerate().map(block).collect(), ..Cfg::default() }
    }

    #[test]
    fn the_sides_of_a_branch_lie_side_by_side_and_their_meeting_point_below_both() {
        let found = layers(&cfg(&[&[2, 1], &[3], &[3], &[]]), &(0..4));
        let layer: Vec<usize> = found.blocks.iter().map(|(_, layer)| *layer).collect();
        assert_eq!(layer, [0, 1, 1, 2]);
        assert!((found.blocks[1].0 - found.blocks[2].0).abs() >= BLOCK, "{found:?}");
        assert!(found.back.is_empty() && found.down.iter().all(|way| way.bends.is_empty()));
    }

    #[test]
    fn a_loop_leads_back_and_an_edge_that_passes_a_layer_bends_in_it() {
        // 0 → 1 → 2 → 1, and 0 skips to 3, to which 2 leads too.
        let found = layers(&cfg(&[&[1, 3], &[2], &[1, 3], &[]]), &(0..4));
        assert_eq!(found.back, [(2, 1)]);
        let skip = found.down.iter().find(|way| (way.from, way.to) == (0, 3)).expect("it is drawn");
        assert_eq!(skip.bends.len(), 2);
        for (bend, at) in skip.bends.iter().zip([1, 2]) {
            assert!((bend - found.blocks[at].0).abs() > BLOCK / 2.0, "beside block {at}: {found:?}");
        }
    }

    #[test]
    fn blocks_of_a_layer_never_overlap_and_a_part_of_a_graph_is_drawn_without_the_rest() {
        let chain: Vec<Vec<usize>> = (0..60).map(|at| (at + 1..(at + 4).min(60)).collect()).collect();
        let chain: Vec<&[usize]> = chain.iter().map(Vec::as_slice).collect();
        for shown in [0..60, 20..35] {
            let found = layers(&cfg(&chain), &shown);
            assert_eq!(found.blocks.len(), shown.len());
            for (at, one) in found.blocks.iter().enumerate() {
                let other = found.blocks[at + 1..].iter().find(|other| other.1 == one.1 && (other.0 - one.0).abs() < BLOCK);
                assert_eq!(other, None, "{one:?}");
                assert!(one.0 >= BLOCK / 2.0 && one.0 + BLOCK / 2.0 <= found.width + 0.01, "{one:?} in {}", found.width);
            }
            assert_eq!(found, layers(&cfg(&chain), &shown), "the same every time");
        }
    }
}
