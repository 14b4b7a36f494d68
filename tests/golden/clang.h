// The few CUDA words that the kernels compiled by clang use, so that no CUDA headers are needed.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))

#define thread_x() __nvvm_read_ptx_sreg_tid_x()
#define block_x() __nvvm_read_ptx_sreg_ctaid_x()
#define threads_x() __nvvm_read_ptx_sreg_ntid_x()
#define blocks_x() __nvvm_read_ptx_sreg_nctaid_x()
#define sync_threads() __syncthreads()
