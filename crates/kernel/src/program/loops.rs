//! Loops in each other: the natural loops of a control-flow graph, one for each header.
//!
//! An edge to a block that dominates its source is a back edge; the blocks from which it can be reached without passing its target,
//! the **header**, are a loop. The loops of two headers lie apart or one inside the other, so they form a forest, which holds
//! for every block only the innermost loop: a list of each loop's blocks would be quadratic in a deep nest.

use super::cfg::Cfg;
use super::graph::{NONE, Tree, dominators};

pub struct LoopForest {
    /// The loops' headers, inner loops first.
    pub headers: Vec<usize>,
    /// By loop: the loop right around it, or [`NONE`].
    pub around: Vec<u32>,
    /// By block: the innermost loop that contains it, or [`NONE`].
    pub innermost: Vec<u32>,
    /// Latch and header of each back edge, by latch.
    pub back_edges: Vec<(usize, usize)>,
    nest: Tree,
}

impl LoopForest {
    pub fn new(cfg: &Cfg) -> LoopForest {
        let n = cfg.blocks.len();
        let graph = cfg.graph();
        let before = graph.turned();
        let parents = dominators(&graph, &before, 0);
        let tree = Tree::new(&parents);
        let is_live = |at: usize| at == 0 || parents[at] != NONE;
        let edges = (0..n).filter(|&at| is_live(at)).flat_map(|at| cfg.blocks[at].successors.iter().map(move |&to| (at, to)));
        let back_edges: Vec<(usize, usize)> = edges.filter(|&(latch, header)| tree.is_above(header, latch)).collect();
        // Whatever lies inside a loop is dominated by its header, so inner headers are entered later.
        let mut by_header = back_edges.clone();
        by_header.sort_by_key(|&(latch, header)| (std::cmp::Reverse(tree.entered(header)), latch));
        let mut building = Building {
            headers: Vec::new(),
            around: Vec::new(),
            innermost: vec![NONE; n],
            of_header: vec![NONE; n],
            outermost: (0..n as u32).collect(),
        };
        for ways in by_header.chunk_by(|a, b| a.1 == b.1) {
            let latches = ways.iter().map(|&(latch, _)| latch);
            let come_from = |at: usize| before.next(at).iter().map(|&from| from as usize).filter(|&from| is_live(from));
            building.add(ways[0].1, latches, come_from);
        }
        let Building { headers, around, innermost, .. } = building;
        LoopForest { nest: Tree::new(&around), headers, around, innermost, back_edges }
    }

    /// Returns the innermost loop that contains a block.
    pub fn innermost(&self, block: usize) -> Option<usize> {
        Some(self.innermost[block]).filter(|&found| found != NONE).map(|found| found as usize)
    }

    /// Returns the loop right around a loop.
    pub fn around(&self, of_loop: usize) -> Option<usize> {
        Some(self.around[of_loop]).filter(|&found| found != NONE).map(|found| found as usize)
    }

    pub fn contains(&self, of_loop: usize, block: usize) -> bool {
        self.innermost(block).is_some_and(|inner| self.nest.is_above(of_loop, inner))
    }

    /// Returns how many loops contain each block.
    pub fn depths(&self) -> Vec<usize> {
        let mut depths = vec![1; self.headers.len()];
        // Loops around others stand behind them.
        for at in (0..depths.len()).rev() {
            if self.around[at] != NONE {
                depths[at] = depths[self.around[at] as usize] + 1;
            }
        }
        self.innermost.iter().map(|&inner| if inner == NONE { 0 } else { depths[inner as usize] }).collect()
    }
}

struct Building {
    headers: Vec<usize>,
    around: Vec<u32>,
    innermost: Vec<u32>,
    /// By block: the loop whose header it is, or [`NONE`].
    of_header: Vec<u32>,
    /// By block: a block closer to the header of the outermost loop found so far that contains it; a header there is its own.
    outermost: Vec<u32>,
}

impl Building {
    /// Adds the loop of a header; the loops inside it have been added.
    fn add<F: Iterator<Item = usize>>(
        &mut self,
        header: usize,
        latches: impl Iterator<Item = usize>,
        come_from: impl Fn(usize) -> F,
    ) {
        let new = self.headers.len() as u32;
        self.headers.push(header);
        self.around.push(NONE);
        (self.innermost[header], self.of_header[header]) = (new, new);
        let mut open: Vec<usize> = latches.collect();
        while let Some(at) = open.pop() {
            let at = self.find(at);
            if at == header {
                continue;
            }
            match self.of_header[at] {
                NONE => self.innermost[at] = new,
                inner => self.around[inner as usize] = new,
            }
            self.outermost[at] = header as u32;
            open.extend(come_from(at));
        }
    }

    /// Returns the header of the outermost loop that contains a block, or the block if none does.
    fn find(&mut self, block: usize) -> usize {
        let mut at = block;
        while self.outermost[at] as usize != at {
            let above = self.outermost[at] as usize;
            self.outermost[at] = self.outermost[above];
            at = self.outermost[at] as usize;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    #[test]
    fn loops_of_two_headers_lie_inside_each_other_or_apart() {
        let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{ .reg .pred p; .reg .b32 r;\n\
                    A: add.u32 r, r, 1;\nB: add.u32 r, r, 2; @p bra B;\nC: add.u32 r, r, 3; @p bra A;\n\
                    D: add.u32 r, r, 4; @p bra A;\nE: add.u32 r, r, 5; @p bra E;\nst.shared.b32 [r], r; ret;\n}\n";
        let program = load(text, None).expect("a sound kernel");
        let forest = LoopForest::new(&program.cfg);
        let block = |letter: u8| usize::from(letter - b'A');
        let depths = forest.depths();
        assert_eq!([b'A', b'B', b'C', b'D', b'E'].map(|letter| depths[block(letter)]), [1, 2, 1, 1, 1]);
        let outer = forest.innermost(block(b'A')).expect("a loop");
        assert!(
            forest.contains(outer, block(b'B')) && forest.contains(outer, block(b'D')) && !forest.contains(outer, block(b'E'))
        );
        assert_eq!(forest.back_edges.len(), 4);
        let bodies: Vec<usize> = program.cfg.loops().iter().map(|found| found.body.len()).collect();
        assert_eq!(bodies, [1, 3, 4, 1], "each back edge has a loop of its own in the list");
    }
}
