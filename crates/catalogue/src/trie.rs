//! Search for motifs in reads of a sequencer, the trie of the motifs, and the starts of the reads.

use super::{Host, Mismatch, lengths};
use warpscope_kernel::launch::SplitMix64;

const LETTERS: i64 = 4;
/// Sizes that match the launches.
const READS: usize = 16384;
const LONGEST: i32 = 200;
const FEW: usize = 250;
const MOTIFS: usize = 128;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (links, ends) = (host.read::<i32>(0)?, host.read::<u8>(1)?);
    let (starts, letters) = (host.read::<i32>(2)?, host.read::<u8>(3)?);
    let mut found = host.read::<i32>(4)?;
    for read in 0..host.value::<i32>(5)?.min(host.threads_x()) {
        let end = starts.at(read + 1)?;
        let mut count = 0i32;
        for from in starts.at(read)?..end {
            let mut node = 0;
            for at in from..end {
                node = links.at(LETTERS * i64::from(node) + i64::from(letters.at(at)?))?;
                if node == 0 {
                    break;
                }
                count = count.wrapping_add(i32::from(ends.at(node)?));
            }
        }
        found.set(read, count)?;
    }
    host.write(4, &found)
}

/// Makes motifs of 4 to 12 letters.
fn motifs() -> Vec<Vec<u8>> {
    let mut random = SplitMix64::new(51);
    let mut motif = || {
        let length = 4 + random.draw() % 9;
        (0..length).map(|_| (random.draw() % LETTERS as u64) as u8).collect()
    };
    (0..MOTIFS).map(|_| motif()).collect()
}

/// A node of the trie: the next nodes by letter, 0 for none, and how many motifs end here.
#[derive(Clone, Default)]
struct Node {
    links: [i32; LETTERS as usize],
    ends: u8,
}

fn trie() -> Vec<Node> {
    let mut nodes = vec![Node::default()];
    for motif in motifs() {
        let mut at = 0;
        for letter in motif {
            let next = nodes.len();
            let link = &mut nodes[at].links[usize::from(letter)];
            if *link == 0 {
                *link = next as i32;
            }
            at = *link as usize;
            if at == next {
                nodes.push(Node::default());
            }
        }
        nodes[at].ends += 1;
    }
    nodes
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    match name {
        "links.bin" => Some(trie().iter().flat_map(|node| lengths::bytes(&node.links)).collect()),
        "ends.bin" => Some(trie().iter().map(|node| node.ends).collect()),
        _ => lengths::file(
            name,
            || lengths::starts(52, READS, LONGEST, |u| 6.0 / u.sqrt()),
            || lengths::starts(64, FEW, 20, |u| 2.0 / u.sqrt()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::check_files;
    use warpscope_kernel::launch::Launch;

    #[test]
    fn the_files_are_the_trie_and_the_starts() {
        check_files("trie", &["links.bin", "ends.bin", "starts.bin", "few.bin"], file);
    }

    #[test]
    fn the_trie_finds_as_many_motifs_as_comparing_each_finds() {
        let trie = find("trie").expect("the workload");
        let launch = Launch::parse(trie.full).expect("a launch");
        let mut host = Host::new(&launch, &launch.fill(&|name| trie.read_file(name)).expect("buffers"));
        reference(&mut host).expect("the launch suits");
        let (starts, mut letters) = (host.read::<i32>(2).expect("starts"), host.read::<u8>(3).expect("letters"));
        let found = host.read::<i32>(4).expect("counts");
        let motifs = motifs();
        let mut all = 0;
        for read in 0..READS as i64 {
            let [from, to] = [read, read + 1].map(|at| starts.at(at).expect("a start") as usize);
            let text = letters.slice_mut(from, to - from).expect("a read");
            let plainly: usize =
                motifs.iter().map(|motif| text.windows(motif.len()).filter(|window| window == motif).count()).sum();
            assert_eq!(found.at(read), Ok(plainly as i32), "read {read}");
            all += plainly;
        }
        assert!(all > 500, "{all}");
    }
}
