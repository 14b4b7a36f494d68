//! Breadth-first search, and the graphs that its small and its full launch search.

use super::{Host, Mismatch};
use std::collections::VecDeque;
use warpscope_kernel::launch::SplitMix64;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (row, col, source) = (host.read::<i32>(0)?, host.read::<i32>(1)?, host.read::<i32>(2)?);
    let mut level = host.read::<i32>(3)?;
    let nodes = host.value::<i32>(4)?;
    for block in 0..host.grid()[0] {
        let mine = |v: i32| i64::from(block) * i64::from(nodes) + i64::from(v);
        for v in 0..nodes {
            level.set(mine(v), -1)?;
        }
        let first = source.at(block)?;
        level.set(mine(first), 0)?;
        let mut queue = VecDeque::from([first]);
        while let Some(v) = queue.pop_front() {
            for e in row.at(v)?..row.at(v + 1)? {
                let u = col.at(e)?;
                if level.at(mine(u))? < 0 {
                    level.set(mine(u), level.at(mine(v))? + 1)?;
                    queue.push_back(u);
                }
            }
        }
    }
    host.write(3, &level)
}

/// Makes the graph of the small and of the full launch: every node links to two to five of the 32 nodes after it, and one node in
/// sixteen is a hub with links to thirty more, anywhere.
fn graph(nodes: u64) -> (Vec<u64>, Vec<u64>) {
    let mut random = SplitMix64::new(1);
    let (mut row, mut col) = (vec![0], Vec::new());
    for v in 0..nodes {
        for _ in 0..2 + random.draw() % 4 {
            col.push((v + 1 + random.draw() % 32) % nodes);
        }
        if random.draw().is_multiple_of(16) {
            col.extend((0..30).map(|_| random.draw() % nodes));
        }
        row.push(col.len() as u64);
    }
    (row, col)
}

/// Returns where the neighbours of each node begin, or all neighbours.
pub fn file(name: &str) -> Option<Vec<u8>> {
    let (row, col) = graph(if name.contains("128") { 128 } else { 1024 });
    let numbers = match name {
        "row.bin" | "row128.bin" => row,
        "col.bin" | "col128.bin" => col,
        _ => return None,
    };
    Some(numbers.iter().flat_map(|&n| (n as u32).to_le_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::{check_files, run};

    #[test]
    fn the_graphs_files_are_the_graph() {
        check_files("bfs", &["row.bin", "col.bin", "row128.bin", "col128.bin"], super::file);
    }

    #[test]
    fn levels_of_the_tiny_graph_are_right() {
        let level = run::<i32>(super::reference, find("bfs").expect("the workload").tiny.expect("a tiny launch"), "level");
        assert_eq!(level[..16], [0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3]);
        assert_eq!(level[16..], [2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 0, 1]);
    }
}
