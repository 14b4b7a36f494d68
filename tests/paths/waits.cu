// Operations of a warp on both sides of a branch, waiting loops, jumps; written and logged as in paths.cu.
#define K extern "C" __global__ void
#define MARK(id) do { unsigned m_ = __activemask(); unsigned k_ = atomicAdd(&log[0], 1u); \
    log[2 + 2 * k_] = m_; log[3 + 2 * k_] = ((id) << 8) | lane; } while (0)
#define START unsigned lane = threadIdx.x & 31; int v = in[threadIdx.x];
// The marks of e_ are results.
K e_ballot_sides(unsigned *log, const int *in) { START unsigned b; if (v & 1) { b = __ballot_sync(0xffffffff, v & 2); log[4000 + lane] = b; } else { b = __ballot_sync(0xffffffff, v & 4); log[4000 + lane] = b + 1; } MARK(1); MARK((log[4000 + lane] >> 0) & 0xffff); MARK(log[4000 + lane] >> 16); }
K e_shfl_sides(unsigned *log, const int *in) { START int b; if (v & 1) { b = __shfl_sync(0xffffffff, v + 100, (lane + 1) & 31); log[4000 + lane] = b; } else { b = __shfl_sync(0xffffffff, v + 200, (lane + 1) & 31); log[4000 + lane] = b + 1000; } MARK(1); MARK(log[4000 + lane]); }
K e_any_all(unsigned *log, const int *in) { START int b; if (v & 1) { b = __any_sync(0xffffffff, v == 4); log[4000 + lane] = b; } else { b = __any_sync(0xffffffff, v == 4); log[4000 + lane] = b + 2; } MARK(1 + log[4000 + lane]); }
K f_poll_add(unsigned *log, const int *in) { START unsigned *flag = log + 4000; if (v < 3) { while (atomicAdd(flag, 0) == 0) { } MARK(1); } else { MARK(2); *(volatile unsigned *)flag = 1; } MARK(3); }
K f_poll_or(unsigned *log, const int *in) { START unsigned *flag = log + 4000; if (v < 3) { while (atomicOr(flag, 0) == 0) { } MARK(1); } else { MARK(2); *(volatile unsigned *)flag = 1; } MARK(3); }
K f_poll_acquire(unsigned *log, const int *in) { START unsigned *flag = log + 4000; if (v < 3) { unsigned x; do { asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_global(flag)) : "memory"); } while (x == 0); MARK(1); } else { MARK(2); *(volatile unsigned *)flag = 1; } MARK(3); }
K f_poll_shared(unsigned *log, const int *in) { START __shared__ volatile unsigned flag; if (lane == 0) flag = 0; __syncthreads(); if (v < 3) { while (flag == 0) { } MARK(1); } else { MARK(2); flag = 1; } MARK(3); }
K f_poll_count(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000; int n = 0; if (v < 3) { while (*flag == 0) { n += in[n & 15] + 1; } MARK(1); log[4100] = n; } else { MARK(2); *flag = 1; } MARK(3); }
K f_poll_moving(unsigned *log, const int *in) { START volatile unsigned *flag = log + 4000; int n = 0; if (v < 3) { while (flag[n] == 0 && n < 40) { n++; } MARK(1); MARK(n + 10); } else { MARK(2); *flag = 1; } MARK(3); }
K f_exch_lock(unsigned *log, const int *in) { START bool done = false; while (!done) { if (atomicExch(log + 4000, 1u) == 0u) { MARK(1); __threadfence(); atomicExch(log + 4000, 0u); done = true; } } MARK(2); }
K f_cas_min(unsigned *log, const int *in) { START unsigned *a = log + 4000; unsigned old = *a, seen; do { seen = old; old = atomicCAS(a, seen, seen + lane); } while (seen != old); MARK(1); }
K f_ticket(unsigned *log, const int *in) { START unsigned t = atomicAdd(log + 4000, 1); while (((volatile unsigned *)log)[4001] != t) { } MARK(1); __threadfence(); atomicAdd(log + 4001, 1); MARK(2); }
K f_queue(unsigned *log, const int *in) { START unsigned t; while ((t = atomicAdd(log + 4000, 1)) < 70) { if (t & 1) MARK(1); } MARK(2); }
K f_two_flags(unsigned *log, const int *in) { START volatile unsigned *f = log + 4000; if (v & 1) { MARK(1); f[0] = 1; while (f[1] == 0) { } MARK(2); } else { while (f[0] == 0) { } MARK(3); f[1] = 1; } MARK(4); }
K f_spin_long(unsigned *log, const int *in) { START volatile unsigned *f = log + 4000; if (v < 4) { while (1) { if (f[0]) { MARK(1); break; } if (f[1] > 100) { MARK(5); break; } } } else { MARK(2); if (v & 1) MARK(3); f[0] = 1; } MARK(4); }
K g_brx(unsigned *log, const int *in) { START int x = v;
  switch ((v * 7) % 11) { case 0: MARK(1); x = in[x + 1]; break; case 1: MARK(2); x = in[x + 2] * 3; break; case 2: MARK(3); x ^= 5; break; case 3: MARK(4); x += in[3]; break;
   case 4: MARK(5); x *= 7; break; case 5: MARK(6); x -= 9; break; case 6: MARK(7); x |= 64; break; case 7: MARK(8); x &= 31; break; case 8: MARK(9); x = ~x; break; case 9: MARK(10); x = in[(x & 7) + 9]; break; default: MARK(11); x = 11; } log[4000 + lane] = x; MARK(20); }
K g_brx2(unsigned *log, const int *in) { START
  switch (v < 12 ? 0 : v < 14 ? 1 : v < 21 ? 2 : v < 22 ? 3 : v < 25 ? 4 : v < 27 ? 5 : v < 31 ? 6 : 7) { case 0: MARK(1); log[4001] = v; break; case 1: MARK(2); log[4002] = v + 1; break; case 2: MARK(3); log[4003] = v * 3; break; case 3: MARK(4); log[4004] = 1; break; case 4: MARK(5); log[4005] = 7; break; case 5: MARK(6); log[4006] = v; break; case 6: MARK(7); log[4007] = 2; break; default: MARK(8); } MARK(20); }
K g_exit_late(unsigned *log, const int *in) { START if (v & 1) { MARK(1); if (v < 9) { MARK(2); if (v < 5) return; MARK(3); } MARK(4); } else { MARK(5); if (v > 20) return; MARK(6); } MARK(7); }
K g_goto_in(unsigned *log, const int *in) { START if (v < 6) goto b; MARK(1); if (v < 20) goto c; MARK(2); b: MARK(3); if (v & 1) MARK(4); c: MARK(5); }
K g_loop_switch(unsigned *log, const int *in) { START int s = v & 3;
#pragma unroll 1
  for (int k = 0; k < 5; k++) { switch (s) { case 0: MARK(1); s = 2; break; case 1: MARK(2); s = 3; break; case 2: MARK(3); if (v > 20) goto out; s = 1; break; default: MARK(4); s = 0; continue; } MARK(5); } out: MARK(6); }
K g_while_two(unsigned *log, const int *in) { START int x = v;
#pragma unroll 1
  while (x > 3) {
#pragma unroll 1
    while (x & 1) { MARK(1); x = x / 2; } MARK(2); x -= 2; if (x == 7) continue; MARK(3); } MARK(4); }
K g_short_circuit(unsigned *log, const int *in) { START if ((v > 2 && in[v + 32] % 3 != 0) || (v % 5 == 0 && in[v + 64] % 2 == 0)) { MARK(1); MARK(2); } else { MARK(3); } MARK(4); }
K g_return_loop2(unsigned *log, const int *in) { START
#pragma unroll 1
  for (int i = 0; i < 3; i++) {
#pragma unroll 1
    for (int j = 0; j < 3; j++) { MARK(10 + i * 3 + j); if ((v + i * j) % 13 == 12) { MARK(30); return; } if ((v ^ i) % 7 == j) break; } if (v % 9 == i) { MARK(31); continue; } MARK(32); } MARK(40); }
