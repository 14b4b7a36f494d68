// LIBOR: the value of a portfolio of swaptions on one random path of interest rates a thread.
//
// The rates of the coming periods lie in the thread's local memory. Each step of the path moves all rates that
// are still open, by their volatility, the step's random shock and a drift that is summed up along the way. At
// the end the thread discounts the rates that are left to the prices of bonds, asks of each swaption whether it
// is worth something, and discounts the sum to today. The exponential is that of the special function unit.
#define RATES 24        // at most
#define PERIOD 0.25f    // of a year
#define START 0.05f     // all rates at first

extern "C" __global__ void libor(const float *shocks, const float *volatility, const int *maturity,
                                 const float *strike, float *values, int paths, int swaptions, int rates, int steps)
{
    float rate[RATES], bond[RATES], annuity[RATES];
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= paths)
        return;

#pragma unroll 1
    for (int i = 0; i < rates; i++)
        rate[i] = START;

#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        float shock = 0.5f * shocks[step * paths + path];   // the root of the period
        float drift = 0.0f;
#pragma unroll 1
        for (int i = step + 1; i < rates; i++) {
            float sigma = volatility[i - step - 1];
            float scaled = PERIOD * sigma;
            drift += scaled * rate[i] / (1.0f + PERIOD * rate[i]);
            rate[i] *= __expf(scaled * drift + sigma * (shock - 0.5f * scaled));
        }
    }

    float price = 1.0f, sum = 0.0f;
#pragma unroll 1
    for (int i = steps; i < rates; i++) {
        price /= 1.0f + PERIOD * rate[i];
        sum += PERIOD * price;
        bond[i] = price;
        annuity[i] = sum;
    }

    float value = 0.0f;
#pragma unroll 1
    for (int i = 0; i < swaptions; i++) {
        int last = steps + maturity[i] - 1;
        float swap = bond[last] + strike[i] * annuity[last] - 1.0f;
        if (swap < 0.0f)
            value += -100.0f * swap;
    }

#pragma unroll 1
    for (int i = 0; i < steps; i++)
        value /= 1.0f + PERIOD * rate[i];
    values[path] = value;
}
