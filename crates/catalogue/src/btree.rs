//! Lookups in a B+ tree, and the construction of the tree.

use super::{Host, Mismatch};
use warpscope_kernel::launch::SplitMix64;

/// Entries per node.
const ORDER: i64 = 128;
const INNER: usize = 2;
const LEAVES_EACH: usize = 64;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (keys, links) = (host.read::<i32>(0)?, host.read::<i32>(1)?);
    let ends = [host.read::<i32>(2)?, host.read::<i32>(3)?];
    let mut records = host.read::<i32>(4)?;
    let (queries, levels) = (host.value::<i32>(5)?, host.value::<i32>(6)?);
    for query in 0..queries {
        for (side, end) in (0..).zip(&ends) {
            let key = end.at(query)?;
            let mut node = 0;
            for _ in 0..levels {
                let first = i64::from(node) * ORDER;
                let mut entry = 0;
                while entry + 1 < ORDER && keys.at(first + entry + 1)? <= key {
                    entry += 1;
                }
                node = links.at(first + entry)?;
            }
            records.set(2 * i64::from(query) + side, node)?;
        }
    }
    host.write(4, &records)
}

/// A node's keys, each with its link: the number of a node or, in a leaf, of a record.
type Node = Vec<(i32, i32)>;

/// Makes a root, two half-full inner nodes, and leaves that are half full to full. The first key is below all others.
fn tree() -> Vec<Node> {
    let mut random = SplitMix64::new(26);
    let mut key = i32::MIN;
    let mut record = 0;
    let mut leaves = Vec::new();
    for _ in 0..INNER * LEAVES_EACH {
        let mut leaf = Node::new();
        for _ in 0..ORDER / 2 + (random.draw() % (ORDER as u64 / 2 + 1)) as i64 {
            leaf.push((key, record));
            key = key.max(0) + 1 + (random.draw() % 160) as i32;
            record += 1;
        }
        leaves.push(leaf);
    }
    let above = |nodes: &[Node], first: usize| -> Node {
        nodes.iter().zip(first..).map(|(node, number)| (node[0].0, number as i32)).collect()
    };
    let inner: Vec<Node> =
        (0..INNER).map(|i| above(&leaves[i * LEAVES_EACH..(i + 1) * LEAVES_EACH], 1 + INNER + i * LEAVES_EACH)).collect();
    let root = above(&inner, 1);
    [root].into_iter().chain(inner).chain(leaves).collect()
}

/// Returns the keys or the links of all nodes. Unused entries of a node have the largest key and no link.
pub fn file(name: &str) -> Option<Vec<u8>> {
    let part: fn(&(i32, i32)) -> i32 = match name {
        "keys.bin" => |entry| entry.0,
        "links.bin" => |entry| entry.1,
        _ => return None,
    };
    let full = tree().into_iter().flat_map(|mut node| {
        node.resize(ORDER as usize, (i32::MAX, 0));
        node
    });
    Some(full.flat_map(|entry| part(&entry).to_le_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::check_files;
    use warpscope_kernel::launch::Launch;

    #[test]
    fn the_trees_files_are_the_tree() {
        check_files("btree", &["keys.bin", "links.bin"], file);
    }

    #[test]
    fn the_tree_is_sorted_and_its_nodes_are_half_full_at_least() {
        let nodes = tree();
        let all: Vec<(i32, i32)> = nodes[1 + INNER..].concat();
        assert!(all.is_sorted() && all.iter().zip(0..).all(|(entry, number)| entry.1 == number));
        assert!((900_000..1_100_000).contains(&all.last().expect("a record").0));
        assert!(nodes[1..].iter().all(|node| (64..=128).contains(&node.len())));
    }

    #[test]
    fn a_lookup_finds_the_last_record_not_above_its_key() {
        let btree = find("btree").expect("the workload");
        let launch = Launch::parse(btree.full).expect("a launch");
        let before = launch.fill(&|name| btree.read_file(name)).expect("buffers");
        let mut host = Host::new(&launch, &before);
        reference(&mut host).expect("the launch suits");
        let all: Vec<(i32, i32)> = tree()[1 + INNER..].concat();
        let (low, high, records) =
            (host.read::<i32>(2).expect("keys"), host.read::<i32>(3).expect("keys"), host.read::<i32>(4).expect("records"));
        let plainly = |key: i32| Ok(all.partition_point(|entry| entry.0 <= key) as i32 - 1);
        for query in 0..240 {
            assert_eq!(records.at(2 * query), plainly(low.at(query).expect("a key")), "query {query}");
            assert_eq!(records.at(2 * query + 1), plainly(high.at(query).expect("a key")), "query {query}");
        }
    }
}
