// Edit distance: how many letters have to be changed, added or left out to make a word of each entry of a list.
//
// A thread fills the table of one entry, a row for each letter of the entry, a column for each letter of the
// word. It keeps a single row in local memory, and overwrites it with the next. Entries lie one behind the other
// and have very different lengths, and so have the threads very different numbers of rows.
#define LETTERS 32      // of the word, at most

extern "C" __global__ void dprows(const unsigned char *word, const int *starts, const unsigned char *letters,
                                  int *distances, int length, int entries)
{
    int row[LETTERS + 1];
    int entry = blockIdx.x * blockDim.x + threadIdx.x;
    if (entry >= entries)
        return;

    int first = starts[entry], end = starts[entry + 1];
#pragma unroll 1
    for (int column = 0; column <= length; column++)
        row[column] = column;
#pragma unroll 1
    for (int at = first; at < end; at++) {
        int letter = letters[at];
        int diagonal = row[0];
        int left = at - first + 1;
        row[0] = left;
#pragma unroll 1
        for (int column = 1; column <= length; column++) {
            int above = row[column];
            int changed = diagonal + (word[column - 1] != letter);
            left = min(changed, min(above, left) + 1);
            row[column] = left;
            diagonal = above;
        }
    }
    distances[entry] = row[length];
}
