// Back-propagation through one layer of a neural network.
//
// A block has 16 units of the hidden layer, a row of 16 threads each. The threads of a row walk along the
// unit's weights: each adds up its share of the error that comes back through them, and corrects the weights by
// the rate and by the momentum of the last correction. Then the rows fold their shares in shared memory, half
// as many threads each time, and the first thread of a row leaves the unit's own error.
#define UNITS 16
#define RATE 0.3f
#define MOMENTUM 0.3f

extern "C" __global__ void backprop(const float *hidden, const float *deltas, float *weights, float *changes,
                                    float *errors, int outputs)
{
    __shared__ float part[UNITS][UNITS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int unit = blockIdx.x * UNITS + ty;
    float value = hidden[unit];

    float sum = 0.0f;
#pragma unroll 1
    for (int output = tx; output < outputs; output += UNITS) {
        int at = unit * outputs + output;
        float delta = deltas[output];
        float weight = weights[at];
        sum += delta * weight;
        float change = RATE * delta * value + MOMENTUM * changes[at];
        weights[at] = weight + change;
        changes[at] = change;
    }

    part[ty][tx] = sum;
#pragma unroll 1
    for (int half = UNITS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tx < half)
            part[ty][tx] += part[ty][tx + half];
    }
    if (tx == 0)
        errors[unit] = value * (1.0f - value) * part[ty][0];
}
