// Every thread doubles one number. Nothing branches: the threads of a warp go through it side by side.
extern "C" __global__ void twice(unsigned *data)
{
    unsigned t = threadIdx.x;    // START
    unsigned *at = data + t;
    unsigned value = *at;        // LOAD
    value = value + value;       // TWICE
    *at = value;                 // STORE
}
