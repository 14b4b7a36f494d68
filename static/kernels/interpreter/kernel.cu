// An interpreter: every thread runs a program of its own, written in bytes, for a machine of three
// registers and sixteen instructions.
//
// The loop fetches a byte, splits it into an operation and an operand, and switches. Threads that run
// different programs want different cases at the same time: up to sixteen ways at one branch, again
// and again. The programs are in `code`, PROGRAM bytes each.
#define PROGRAM 16

extern "C" __global__ void interpreter(const unsigned char *code, const unsigned char *program, const unsigned *input, unsigned *output, int count, int limit)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;

    const unsigned char *my_code = code + program[t] * PROGRAM;
    unsigned x = input[t];
    unsigned a = 0, b = 0, c = 0, pc = 0;
    int left = limit;                                   // no program runs for ever
    while (left > 0) {
        left--;
        unsigned byte = my_code[pc % PROGRAM];
        unsigned operand = byte / 16;
        pc++;
        switch (byte % 16) {
        case 0:  left = 0; break;                       // halt
        case 1:  a = operand; break;                    // load
        case 2:  a += operand; break;                   // add operand
        case 3:  { unsigned old = a; a = b; b = old; } break;  // swap
        case 4:  a += b; break;                         // add
        case 5:  a -= b; break;                         // subtract
        case 6:  a *= b; break;                         // multiply
        case 7:  a &= b; break;                         // and
        case 8:  a ^= b; break;                         // exclusive or
        case 9:  a <<= operand; break;                  // shift left
        case 10: a >>= operand; break;                  // shift right
        case 11: a = x; break;                          // input
        case 12: b = a; break;                          // copy
        case 13: c = a % 16; break;                     // count: set the loop counter
        case 14: if (c > 0) { c--; pc -= operand; } break;     // loop: back by operand bytes
        default: if (a % 2 == 0) pc += operand; break;  // skip operand bytes if even
        }
    }
    output[t] = a;
}
