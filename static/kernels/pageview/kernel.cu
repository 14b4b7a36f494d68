// Page view count: how many records of a log name a page, by the hash of the page's name.
//
// A record is a name of up to 16 letters, ended by a zero where it is shorter. A block stages a record a
// thread in shared memory, all threads loading whole lines together; then each thread hashes its own record,
// as long as that is, and counts it in a table of the block. A barrier stands behind either part. When the
// log is read, the block adds its table to the grid's.
#define THREADS 256     // at most
#define WORDS 4         // of a record
#define BUCKETS 512

// Where the record of a thread begins: the gap between records keeps the banks apart.
#define PLACE(record) ((record) * (WORDS + 1))

extern "C" __global__ void pageview(const unsigned *records, unsigned *views, int count)
{
    __shared__ unsigned table[BUCKETS];
    __shared__ unsigned page[PLACE(THREADS)];
    int t = threadIdx.x;

    for (int bucket = t; bucket < BUCKETS; bucket += blockDim.x)
        table[bucket] = 0;

#pragma unroll 1
    for (int first = blockIdx.x * blockDim.x; first < count; first += gridDim.x * blockDim.x) {
#pragma unroll 1
        for (int i = t; i < WORDS * blockDim.x && WORDS * first + i < WORDS * count; i += blockDim.x)
            page[PLACE(i / WORDS) + i % WORDS] = records[WORDS * first + i];
        __syncthreads();
        if (first + t < count) {
            const unsigned char *name = (const unsigned char *)&page[PLACE(t)];
            unsigned hash = 2166136261;
#pragma unroll 1
            for (int k = 0; k < 4 * WORDS && name[k] != 0; k++)
                hash = (hash ^ name[k]) * 16777619;
            atomicAdd(&table[(hash ^ hash >> 16) % BUCKETS], 1);
        }
        __syncthreads();
    }

    for (int bucket = t; bucket < BUCKETS; bucket += blockDim.x)
        if (table[bucket] != 0)
            atomicAdd(&views[bucket], table[bucket]);
}
