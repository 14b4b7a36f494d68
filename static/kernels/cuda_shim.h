// Just enough of CUDA for clang to compile the kernels of this folder without a CUDA toolkit.
// The index variables are macros, so that the line information points at the kernel, not in here.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct dim3 {
    unsigned x, y, z;
};

#define PTX_VECTOR(name) \
    (dim3{unsigned(__nvvm_read_ptx_sreg_##name##_x()), unsigned(__nvvm_read_ptx_sreg_##name##_y()), unsigned(__nvvm_read_ptx_sreg_##name##_z())})
#define threadIdx PTX_VECTOR(tid)
#define blockIdx PTX_VECTOR(ctaid)
#define blockDim PTX_VECTOR(ntid)
#define gridDim PTX_VECTOR(nctaid)
#define sqrtf(x) __builtin_sqrtf(x)
