// Persistent threads: lane 0 of each warp is the manager and takes four tasks at a time from a queue for its
// warp; then every lane works on one; so for two rounds. That the workers wait for the manager is nowhere written down: the
// code relies on a warp's threads being together again behind the manager's branch.
extern "C" __global__ void persistent(unsigned *queue, unsigned *done, unsigned rounds)
{
    __shared__ volatile unsigned first[2];
    unsigned t = threadIdx.x;
    unsigned lane = t % 4;
    unsigned warp = t / 4;
    if (lane == 0)
        first[warp] = t;
    unsigned round = 0;
    __syncthreads();
    do {
        if (lane == 0)           // NEXT
            first[warp] = atomicAdd(queue, 4);    // MANAGE
        unsigned task = first[warp] + lane;       // WORK
        atomicAdd(&done[task], 1);
        round++;
    } while (round < rounds);
}
