//! Directed graphs in two arrays, and their dominators.
//!
//! A node **dominates** another if every path from the root to that one passes it. The closest of a node's other dominators is its
//! immediate dominator, and these form a tree. They are computed as Lengauer and Tarjan do ("A Fast Algorithm for Finding
//! Dominators in a Flowgraph", TOPLAS 1979, with path compression alone), because simpler methods take quadratic time where many
//! long paths meet.

/// Stands for no node.
pub const NONE: u32 = u32::MAX;

/// The edges of a graph, by the node that they leave.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Where the edges of each node begin in `targets`, then the number of edges.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// Builds a graph; the edges of a node keep their order.
    pub fn new(nodes: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Graph {
        let mut starts = vec![0u32; nodes + 1];
        edges.clone().for_each(|(from, _)| starts[from + 1] += 1);
        (0..nodes).for_each(|at| starts[at + 1] += starts[at]);
        let mut place = starts.clone();
        let mut targets = vec![0; starts[nodes] as usize];
        for (from, to) in edges {
            targets[place[from] as usize] = to as u32;
            place[from] += 1;
        }
        Graph { starts, targets }
    }

    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the nodes that edges of a node lead to.
    pub fn next(&self, at: usize) -> &[u32] {
        &self.targets[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Returns the graph with every edge turned.
    pub fn turned(&self) -> Graph {
        let edges = (0..self.nodes()).flat_map(|at| self.next(at).iter().map(move |&to| (to as usize, at)));
        Graph::new(self.nodes(), edges)
    }

    /// Returns all nodes, each behind those that it leads to where no cycle prevents it: first those that the first node reaches.
    pub fn last_first(&self) -> Vec<u32> {
        let (mut order, mut seen) = (Vec::with_capacity(self.nodes()), vec![false; self.nodes()]);
        let mut open: Vec<(usize, usize)> = Vec::new();
        for root in 0..self.nodes() {
            if !std::mem::replace(&mut seen[root], true) {
                open.push((root, 0));
            }
            while let Some((at, followed)) = open.last_mut() {
                match self.next(*at).get(*followed) {
                    None => order.extend(open.pop().map(|(at, _)| at as u32)),
                    Some(&to) => {
                        *followed += 1;
                        if !std::mem::replace(&mut seen[to as usize], true) {
                            open.push((to as usize, 0));
                        }
                    }
                }
            }
        }
        order
    }

    /// Returns for each node the number of its strongly connected component (Tarjan, "Depth-First Search and Linear Graph
    /// Algorithms", 1972). Edges between components lead to smaller numbers.
    pub fn components(&self) -> Vec<u32> {
        let n = self.nodes();
        let (mut found, mut count) = (vec![NONE; n], 0);
        // By node: when it was entered, from 1, and the earliest open node that it leads to.
        let (mut entered, mut least, mut clock) = (vec![0u32; n], vec![0u32; n], 0);
        let (mut open, mut waiting): (Vec<(usize, usize)>, Vec<usize>) = (Vec::new(), Vec::new());
        for root in 0..n {
            if entered[root] == 0 {
                open.push((root, 0));
            }
            while let Some((at, followed)) = open.last_mut() {
                let at = *at;
                if entered[at] == 0 {
                    clock += 1;
                    (entered[at], least[at]) = (clock, clock);
                    waiting.push(at);
                }
                let to = self.next(at).get(*followed).map(|&to| to as usize);
                *followed += 1;
                match to {
                    Some(to) if entered[to] == 0 => open.push((to, 0)),
                    Some(to) if found[to] == NONE => least[at] = least[at].min(entered[to]),
                    Some(_) => {}
                    None => {
                        open.pop();
                        if let Some(&(from, _)) = open.last() {
                            least[from] = least[from].min(least[at]);
                        }
                        if least[at] == entered[at] {
                            while let Some(member) = waiting.pop_if(|_| found[at] == NONE) {
                                found[member] = count;
                            }
                            count += 1;
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns which nodes can be reached from one, itself included.
    pub fn reached(&self, from: usize) -> Vec<bool> {
        let mut found = vec![false; self.nodes()];
        let mut open: Vec<usize> = (from..self.nodes()).take(1).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut found[at], true) {
                open.extend(self.next(at).iter().map(|&to| to as usize));
            }
        }
        found
    }
}

/// Returns the immediate dominator of each node, [`NONE`] for the root and for nodes that cannot be reached; `before` is `graph`
/// with its edges turned.
pub fn dominators(graph: &Graph, before: &Graph, root: usize) -> Vec<u32> {
    let mut found = vec![NONE; graph.nodes()];
    if root >= graph.nodes() {
        return found;
    }
    let walk = Walk::new(graph, root);
    let n = walk.order.len();
    // From here on nodes are numbers in the order of the walk.
    let mut forest =
        Forest { above: vec![NONE; n], least: (0..n as u32).collect(), semi: (0..n as u32).collect(), pile: Vec::new() };
    let mut closest = vec![0u32; n];
    // Lists of the nodes that wait for the same semidominator: the first of each, and the next of each.
    let (mut first, mut next) = (vec![NONE; n], vec![NONE; n]);
    for at in (1..n).rev() {
        for &from in before.next(walk.order[at] as usize) {
            let from = walk.number[from as usize];
            if from != NONE {
                let through = forest.least_above(from);
                forest.semi[at] = forest.semi[at].min(forest.semi[through as usize]);
            }
        }
        let semi = forest.semi[at] as usize;
        (next[at], first[semi]) = (first[semi], at as u32);
        let parent = walk.parent[at];
        forest.above[at] = parent;
        let mut waiting = std::mem::replace(&mut first[parent as usize], NONE);
        while waiting != NONE {
            let through = forest.least_above(waiting);
            let is_lower = forest.semi[through as usize] < forest.semi[waiting as usize];
            closest[waiting as usize] = if is_lower { through } else { parent };
            waiting = next[waiting as usize];
        }
    }
    for at in 1..n {
        if closest[at] != forest.semi[at] {
            closest[at] = closest[closest[at] as usize];
        }
        found[walk.order[at] as usize] = walk.order[closest[at] as usize];
    }
    found
}

/// A walk through a graph in depth.
struct Walk {
    /// The nodes in the order of the walk.
    order: Vec<u32>,
    /// By node: its number in that order, or [`NONE`].
    number: Vec<u32>,
    /// By number: the number of the node that the walk came from.
    parent: Vec<u32>,
}

impl Walk {
    fn new(graph: &Graph, root: usize) -> Walk {
        let mut walk = Walk { order: Vec::new(), number: vec![NONE; graph.nodes()], parent: Vec::new() };
        walk.enter(root as u32, 0);
        // Each open node with how many of its edges have been followed.
        let mut open = vec![(root as u32, 0)];
        while let Some((at, followed)) = open.last_mut() {
            let from = *at;
            match graph.next(from as usize).get(*followed) {
                None => {
                    open.pop();
                }
                Some(&to) => {
                    *followed += 1;
                    if walk.number[to as usize] == NONE {
                        walk.enter(to, walk.number[from as usize]);
                        open.push((to, 0));
                    }
                }
            }
        }
        walk
    }

    fn enter(&mut self, at: u32, parent: u32) {
        self.number[at as usize] = self.order.len() as u32;
        self.order.push(at);
        self.parent.push(parent);
    }
}

/// The part of the walk's tree that has been linked, with paths to its roots compressed.
struct Forest {
    above: Vec<u32>,
    /// The node with the least semidominator on the compressed part of the path above, itself included.
    least: Vec<u32>,
    semi: Vec<u32>,
    pile: Vec<u32>,
}

impl Forest {
    /// Returns the node with the least semidominator on the path from a node to below its root.
    fn least_above(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.above[at as usize] != NONE && self.above[self.above[at as usize] as usize] != NONE {
            self.pile.push(at);
            at = self.above[at as usize];
        }
        while let Some(below) = self.pile.pop() {
            let above = self.above[below as usize] as usize;
            if self.semi[self.least[above] as usize] < self.semi[self.least[below as usize] as usize] {
                self.least[below as usize] = self.least[above];
            }
            self.above[below as usize] = self.above[above];
        }
        self.least[node as usize]
    }
}

/// A forest given by the parent of each node, for questions about ancestors.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// By node: when a walk enters and leaves it.
    spans: Vec<(u32, u32)>,
}

impl Tree {
    /// Builds the forest; a node without a parent is a root.
    pub fn new(parents: &[u32]) -> Tree {
        let below = Graph::new(
            parents.len(),
            parents.iter().enumerate().filter(|(_, parent)| **parent != NONE).map(|(at, &parent)| (parent as usize, at)),
        );
        let mut spans = vec![(0, 0); parents.len()];
        let mut clock = 0;
        // Every node is pushed twice: to be entered, and to be left after its children.
        let mut pile = Vec::new();
        for root in (0..parents.len()).filter(|&at| parents[at] == NONE) {
            pile.push((root, false));
            while let Some((at, entered)) = pile.pop() {
                clock += 1;
                if entered {
                    spans[at].1 = clock;
                    continue;
                }
                spans[at].0 = clock;
                pile.push((at, true));
                pile.extend(below.next(at).iter().map(|&child| (child as usize, false)));
            }
        }
        Tree { spans }
    }

    /// Whether `a` is `b` or stands above it.
    pub fn is_above(&self, a: usize, b: usize) -> bool {
        self.spans[a].0 <= self.spans[b].0 && self.spans[b].1 <= self.spans[a].1
    }

    /// Returns when a walk enters a node: before all nodes below it.
    pub fn entered(&self, at: usize) -> u32 {
        self.spans[at].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the dominators by their definition: what can no longer be reached when a node is taken out.
    fn by_definition(graph: &Graph) -> Vec<u32> {
        let n = graph.nodes();
        let reached = graph.reached(0);
        let dominated = |by: usize| -> Vec<bool> {
            let edges = (0..n).flat_map(|at| graph.next(at).iter().map(move |&to| (at, to as usize)));
            let without = Graph::new(n, edges.filter(|&(from, to)| from != by && to != by)).reached(0);
            (0..n).map(|at| reached[at] && at != by && (by == 0 || !without[at])).collect()
        };
        let all: Vec<Vec<bool>> = (0..n).map(|by| if reached[by] { dominated(by) } else { vec![false; n] }).collect();
        let depth = |by: usize| all.iter().filter(|row| row[by]).count();
        let of = |at: usize| (0..n).filter(|&by| all[by][at]).max_by_key(|&by| depth(by));
        (0..n).map(|at| of(at).map_or(NONE, |by| by as u32)).collect()
    }

    #[test]
    fn dominators_are_what_every_path_passes() {
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for case in 0..400 {
            let nodes = 1 + random(9);
            let edges: Vec<(usize, usize)> = (0..random(2 * nodes + 1)).map(|_| (random(nodes), random(nodes))).collect();
            let graph = Graph::new(nodes, edges.iter().copied());
            assert_eq!(dominators(&graph, &graph.turned(), 0), by_definition(&graph), "case {case}: {edges:?}");
        }
    }

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let graph = Graph::new(7, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 3), (5, 6)].into_iter());
        let found = graph.components();
        assert!(found[0] == found[1] && found[1] == found[2] && found[3] == found[4]);
        assert!(found[0] > found[3] && found[5] > found[3] && found[5] > found[6] && found[6] != found[3]);
    }

    #[test]
    fn a_tree_knows_who_stands_above_whom() {
        let tree = Tree::new(&[NONE, 0, 1, 0, NONE, 4]);
        let above: Vec<usize> = (0..6).filter(|&at| tree.is_above(at, 2)).collect();
        assert_eq!(above, [0, 1, 2]);
        assert!(tree.is_above(4, 5) && !tree.is_above(0, 5) && !tree.is_above(5, 4));
    }
}
