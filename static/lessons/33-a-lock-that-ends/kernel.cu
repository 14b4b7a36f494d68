// Four threads of one warp take turns with a lock. The others wait in a loop until it is free.
extern "C" __global__ void turns(unsigned *lock, unsigned *count)    // START
{
    while (atomicCAS(lock, 0, 1) != 0)    // TRY
        ;
    *count = *count + 1;                  // HOLD
    atomicExch(lock, 0);
}
