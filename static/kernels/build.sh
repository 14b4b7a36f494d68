#!/bin/sh
# Makes kernel.ptx from kernel.cu in every folder here, with real compilers:
#
#   NVCC=…/nvcc CLANG=…/clang ./build.sh [NAME...]
#
# nvcc (13.0) where its optimiser leaves the kernel's branches as they are written; clang (19) where it would turn
# them into selects: clang can be told not to, and to keep the blocks in the source's order.
# Floats are never contracted to fused multiply-adds, so that every rounding is the one that is written.
set -eu
cd "$(dirname "$0")"
: "${NVCC:=nvcc}" "${CLANG:=clang-19}"

with_nvcc="tbc_example2 mandelbrot bfs raytrace reduce matmul stencil saxpy interpreter radixsort particles transpose nbody sobel scalarprod walsh histogram srad hotspot scan lu needle btree pageview mriq backprop gaussian kmeans libor heartwall aes spmv nqueens trie collide dprows cascade rayqueue blockmatch spmv8 gemvt gemm"
with_clang="tbc_example1 collatz mergesort"

nvcc_ptx() {
    "$NVCC" -ptx -O3 -fmad=false -lineinfo -arch=compute_75 kernel.cu -o kernel.ptx
}

clang_ptx() {
    "$CLANG" -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_75 --cuda-feature=+ptx75 \
        -include ../cuda_shim.h -S -O1 -ffp-contract=off -gline-directives-only \
        -mllvm -two-entry-phi-node-folding-threshold=0 -mllvm -disable-block-placement \
        kernel.cu -o kernel.ptx
}

for name in ${*:-$with_nvcc $with_clang}; do
    case " $with_clang " in
    *" $name "*) compile=clang_ptx ;;
    *) compile=nvcc_ptx ;;
    esac
    (
        cd "$name"
        $compile
        # The line information names the source file alone, wherever it was compiled.
        sed -i 's|^\([[:space:]]*\.file[[:space:]]*[0-9]* "\)[^"]*/|\1|' kernel.ptx
    )
    echo "$name: $compile"
done
