// Thirty-two warps of four threads go sixteen ways: warp n goes way n modulo 16, so each way is taken by two warps whose
// threads are in the same lanes.
extern "C" __global__ void many_paths(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned warp = t / 4;
    unsigned way = warp % 16;
    unsigned result = t;
    switch (way) {
    case 0: result = (((result + 1) * 3 + t) ^ 5) + warp; break;          // W0
    case 1: result = (((result + 2) * 5 + t) ^ 22) + warp; break;         // W1
    case 2: result = (((result + 3) * 7 + t) ^ 39) + warp; break;         // W2
    case 3: result = (((result + 4) * 9 + t) ^ 56) + warp; break;         // W3
    case 4: result = (((result + 5) * 11 + t) ^ 73) + warp; break;        // W4
    case 5: result = (((result + 6) * 13 + t) ^ 90) + warp; break;        // W5
    case 6: result = (((result + 7) * 15 + t) ^ 107) + warp; break;       // W6
    case 7: result = (((result + 8) * 17 + t) ^ 124) + warp; break;       // W7
    case 8: result = (((result + 9) * 19 + t) ^ 141) + warp; break;       // W8
    case 9: result = (((result + 10) * 21 + t) ^ 158) + warp; break;      // W9
    case 10: result = (((result + 11) * 23 + t) ^ 175) + warp; break;     // W10
    case 11: result = (((result + 12) * 25 + t) ^ 192) + warp; break;     // W11
    case 12: result = (((result + 13) * 27 + t) ^ 209) + warp; break;     // W12
    case 13: result = (((result + 14) * 29 + t) ^ 226) + warp; break;     // W13
    case 14: result = (((result + 15) * 31 + t) ^ 243) + warp; break;     // W14
    case 15: result = (((result + 16) * 33 + t) ^ 260) + warp; break;     // W15
    }
    out[t] = result;             // MEET
}
