// Runs channels one after another through the cell that Verilator compiled.
//
// Arguments: a file of 16-bit numbers, for each channel u, w, then k, v of each token; a file for
// the outputs, channel by channel; the numbers of channels and of tokens. Prints the seconds that
// the steps took, without reading, writing and the start of a channel.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "Vcell.h"
#include "verilated.h"

int main(int, char** arguments) {
    const size_t channels = std::atoll(arguments[3]), tokens = std::atoll(arguments[4]);
    std::vector<uint16_t> input(channels * (2 + 2 * tokens)), output(channels * tokens);
    FILE* file = std::fopen(arguments[1], "rb");
    if (!file || std::fread(input.data(), 2, input.size(), file) != input.size()) return 1;
    std::fclose(file);

    std::chrono::duration<double> time{};
    const uint16_t* in = input.data();
    uint16_t* out = output.data();
    for (size_t channel = 0; channel < channels; ++channel) {
        VerilatedContext context;
        Vcell cell{&context};
        cell.clk = 0;
        cell.u = *in++;
        cell.w = *in++;
        cell.eval();
        const auto start = std::chrono::steady_clock::now();
        for (size_t token = 0; token < tokens; ++token) {
            cell.k = *in++;
            cell.v = *in++;
            cell.clk = 0;
            cell.eval();
            *out++ = cell.out;
            cell.clk = 1;
            cell.eval();
        }
        time += std::chrono::steady_clock::now() - start;
    }
    std::printf("%.9f\n", time.count());

    file = std::fopen(arguments[2], "wb");
    if (!file || std::fwrite(output.data(), 2, output.size(), file) != output.size()) return 1;
    return std::fclose(file);
}
