// Branches, loops, returns and operations of a warp, written and logged as in paths.cu.
#define K extern "C" __global__ void
#define MARK(id) do { unsigned m_ = __activemask(); unsigned k_ = atomicAdd(&log[0], 1u); \
    log[2 + 2 * k_] = m_; log[3 + 2 * k_] = ((id) << 8) | lane; } while (0)
#define START unsigned lane = threadIdx.x & 31; int v = in[threadIdx.x];
#define LESS(n) K a_less##n(unsigned *log, const int *in) { START if (v < n) { MARK(1); MARK(2); } else { MARK(3); MARK(4); } MARK(5); }
#define MORE(n) K a_more##n(unsigned *log, const int *in) { START if (v >= n) { MARK(1); MARK(2); } else { MARK(3); MARK(4); } MARK(5); }
LESS(1) LESS(8) LESS(15) LESS(16) LESS(17) LESS(24) LESS(31) MORE(1) MORE(8) MORE(15) MORE(16) MORE(17) MORE(24) MORE(31)
K b_if_only(unsigned *log, const int *in) { START if (v % 3 == 0) MARK(1); MARK(2); }
K b_else_if(unsigned *log, const int *in) { START if (v < 4) MARK(1); else if (v < 12) MARK(2); else if (v < 20) MARK(3); else MARK(4); MARK(5); }
K b_and(unsigned *log, const int *in) { START if (v > 4 && in[v] < 20) MARK(1); else MARK(2); MARK(3); }
K b_or(unsigned *log, const int *in) { START if (v < 4 || in[v] > 20) MARK(1); else MARK(2); MARK(3); }
K b_trips(unsigned *log, const int *in) { START for (int k = 0; k < v % 5; k++) MARK(10 + k); MARK(40); }
K b_trips_if(unsigned *log, const int *in) { START for (int k = 0; k < v % 5; k++) { if ((v + k) & 1) MARK(10 + k); else MARK(20 + k); MARK(30 + k); } MARK(40); }
K b_continue(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int k = 0; k < 4; k++) { if ((v + k) % 3 == 0) { MARK(10 + k); continue; } MARK(20 + k); } MARK(40); }
K b_break_loop(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int k = 0; k < 6; k++) { MARK(10 + k); if (k == v % 6) { MARK(30 + k); break; } MARK(20 + k); } MARK(40); }
K b_break_found(unsigned *log, const int *in) { START int f = -1;
#pragma unroll 1
  for (int k = 0; k < 8; k++) { if (in[k + 32] % 7 == v % 7) { f = k; break; } MARK(10 + k); } if (f >= 0) MARK(30); else MARK(31); MARK(40); }
K b_return_in_loop(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int k = 0; k < 5; k++) { if (v % 6 == k) { MARK(30 + k); return; } MARK(10 + k); } MARK(40); }
K b_do_while(unsigned *log, const int *in) { START int x = v; do { MARK(10); x = (x & 1) ? 3 * x + 1 : x / 2; } while (x > 4); MARK(40); }
K b_collatz(unsigned *log, const int *in) { START int x = v + 1, n = 0; while (x != 1 && n < 12) { if (x & 1) { MARK(1); x = 3 * x + 1; } else { MARK(2); x /= 2; } n++; } MARK(3); }
K b_nested_loops(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int i = 0; i < v % 3 + 1; i++) {
#pragma unroll 1
    for (int j = 0; j < (v + i) % 4; j++) MARK(10 + i * 4 + j); MARK(30 + i); } MARK(40); }
K b_break_two(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
#pragma unroll 1
    for (int j = 0; j < 4; j++) { if ((v + i + j) % 5 == 0) { MARK(20 + j); break; } if ((v * 3 + i) % 11 == 0) { MARK(24 + j); goto out; } MARK(10 + j); } MARK(30 + i); }
  MARK(39); out: MARK(40); }
K b_switch8(unsigned *log, const int *in) { START
  switch (v & 7) { case 0: MARK(1); MARK(11); break; case 1: MARK(2); MARK(12); break; case 2: MARK(3); MARK(13); break; case 3: MARK(4); MARK(14); break;
   case 4: MARK(5); MARK(15); break; case 5: MARK(6); MARK(16); break; case 6: MARK(7); MARK(17); break; default: MARK(8); MARK(18); } MARK(9); }
K b_switch_fall(unsigned *log, const int *in) { START
  switch (v & 3) { case 0: MARK(1); case 1: MARK(2); case 2: MARK(3); break; default: MARK(4); } MARK(9); }
K b_switch_uneven(unsigned *log, const int *in) { START
  switch (v > 27 ? 3 : v > 20 ? 2 : v > 10 ? 1 : 0) { case 0: MARK(1); MARK(5); break; case 1: MARK(2); MARK(6); break; case 2: MARK(3); MARK(7); break; default: MARK(4); MARK(8); } MARK(9); }
K b_early_two(unsigned *log, const int *in) { START if (v < 3) { MARK(1); return; } MARK(2); if (v > 25) { MARK(3); return; } MARK(4); if (v & 1) MARK(5); MARK(6); }
K b_return_inside(unsigned *log, const int *in) { START if (v & 1) { MARK(1); if (v < 9) { MARK(2); return; } MARK(3); } else MARK(4); MARK(5); }
K b_guard(unsigned *log, const int *in) { START if (v >= 20) return; MARK(1); if (v & 1) MARK(2); MARK(3); }
K b_syncwarp_after(unsigned *log, const int *in) { START if (v & 1) MARK(1); else MARK(2); __syncwarp(); MARK(3); }
K b_syncwarp_mask(unsigned *log, const int *in) { START if (v & 1) { MARK(1); __syncwarp(0xaaaaaaaa); MARK(2); } else { MARK(3); __syncwarp(0x55555555); MARK(4); } MARK(5); }
K b_syncwarp_uneven(unsigned *log, const int *in) { START if (v < 8) { MARK(1); __syncwarp(); MARK(2); __syncwarp(); MARK(6); } else { MARK(3); __syncwarp(); MARK(4); __syncwarp(); MARK(7); } MARK(5); }
K b_shfl_inside(unsigned *log, const int *in) { START int x; if (v < 12) { MARK(1); x = __shfl_sync(0xfff, v, (lane + 1) % 12); MARK(x + 100); } else { MARK(2); x = __shfl_sync(0xfffff000, v, 31); MARK(x + 50); } MARK(3); }
K b_ballot(unsigned *log, const int *in) { START unsigned b = 0; if (v & 1) { MARK(1); b = __ballot_sync(0xffffffff, v & 2); MARK(2); } else { MARK(3); b = __ballot_sync(0xffffffff, v & 4); MARK(4); } MARK(5 + (b & 1)); }
K c_wait_high(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000;
  if (v >= 16) { while (*flag == 0) { } MARK(1); } else { MARK(2); *flag = 1; } MARK(3); }
K c_wait_few(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000;
  if (v < 3) { while (*flag == 0) { } MARK(1); } else { MARK(2); *flag = 1; } MARK(3); }
K c_wait_chain(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000; while (*flag != lane) { } MARK(1); *flag = lane + 1; MARK(2); }
K c_lock_if(unsigned *log, const int *in) { START if (v & 1) { bool done = false;
  while (!done) { if (atomicCAS(log + 4000, 0u, 1u) == 0u) { MARK(1); __threadfence(); atomicExch(log + 4000, 0u); done = true; } } } MARK(2); }
K c_lock_spin(unsigned *log, const int *in) { START while (atomicCAS(log + 4000, 0u, 1u) != 0u) { } MARK(1); __threadfence(); atomicExch(log + 4000, 0u); MARK(2); }
K c_two_locks(unsigned *log, const int *in) { START bool done = false; unsigned *l = log + 4000 + (v & 1);
  while (!done) { if (atomicCAS(l, 0u, 1u) == 0u) { MARK(1); __threadfence(); atomicExch(l, 0u); done = true; } } MARK(2); }
K c_wait_bounded(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000; int n = 0;
  if (v < 16) { while (*flag == 0 && n < 100) n++; MARK(n == 100 ? 10 : 1); } else { MARK(2); *flag = 1; } MARK(3); }
K c_syncwarp_spin(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000;
  if (v == 5) { MARK(1); *flag = 1; } else { while (*flag == 0) { } MARK(2); } __syncwarp(); MARK(3); }
K c_nanosleep(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000;
  if (v < 16) { while (*flag == 0) __nanosleep(100); MARK(1); } else { MARK(2); *flag = 1; } MARK(3); }
K d_loads(unsigned *log, const int *in) { START int x = v; if (v & 1) { x = in[32 + v]; x = in[(unsigned)x % 512]; MARK(1); x = in[(unsigned)x % 512]; MARK((x & 1) + 2); } else { MARK(4); x = in[(unsigned)(x + 99) % 512]; MARK(5 + (x & 1)); } MARK(8); }
__device__ __noinline__ int f(unsigned *log, unsigned lane, int v) { if (v & 2) { MARK(1); v += 3; } else { MARK(2); v += 5; } MARK(3); return v; }
K d_call(unsigned *log, const int *in) { START int x = v; if (v & 1) x = f(log, lane, v); else x = f(log, lane, v + 7); if (x > 20) MARK(4); MARK(5); }
K d_inline_return(unsigned *log, const int *in) { START auto g = [&](int x) { if (x < 5) { MARK(1); return 1; } if (x < 14) { MARK(2); return 2; } MARK(3); return 3; }; int r = g(v); MARK(10 + r); MARK(20); }
K d_ternary_loop(unsigned *log, const int *in) { START int n = v & 1 ? 3 : 1;
#pragma unroll 1
  while (n--) { MARK(10 + n); } MARK(40); }
K d_bar(unsigned *log, const int *in) { START if (v & 1) MARK(1); else MARK(2); __syncthreads(); MARK(3); }
K d_loop_two_ifs(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int k = 0; k < 3; k++) { if ((v + k) & 1) MARK(1); if ((v + k) & 2) MARK(2); else { MARK(3); if (v > 20) MARK(4); } MARK(5); } MARK(6); }
K d_inf_break(unsigned *log, const int *in) { START int x = v;
#pragma unroll 1
  for (;;) { MARK(1); x -= 7; if (x < 0) { MARK(2); break; } if (x & 1) { MARK(3); x--; continue; } MARK(4); } MARK(5); }
K d_k3(unsigned *log, const int *in) { START int t = v % 3; if (t == 0) { MARK(1); MARK(4); } else if (t == 1) { MARK(2); MARK(5); } else { MARK(3); MARK(6); } MARK(7); }
K d_unbalanced_nest(unsigned *log, const int *in) { START if (v < 5) { MARK(1); if (v < 2) MARK(2); else MARK(3); MARK(4); } else { MARK(5); if (v < 25) { MARK(6); MARK(10); } else { MARK(7); MARK(11); } MARK(8); } MARK(9); }
