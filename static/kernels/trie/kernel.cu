// Motifs in reads: every thread looks for known motifs in one read of a sequencer, with a trie.
//
// The trie has a node for each beginning of a motif, with a link for each of the four letters; 0 is no node, for
// the root is nobody's child. From each letter of its read the thread follows the links as far as they go, and
// counts the motifs that end on its way. Reads lie one behind the other and have very different lengths.
#define LETTERS 4

extern "C" __global__ void trie(const int *links, const unsigned char *ends, const int *starts,
                                const unsigned char *letters, int *found, int reads)
{
    int read = blockIdx.x * blockDim.x + threadIdx.x;
    if (read >= reads)
        return;

    int end = starts[read + 1];
    int count = 0;
#pragma unroll 1
    for (int from = starts[read]; from < end; from++) {
        int node = 0;
#pragma unroll 1
        for (int at = from; at < end; at++) {
            node = links[LETTERS * node + letters[at]];
            if (node == 0)
                break;
            count += ends[node];
        }
    }
    found[read] = count;
}
