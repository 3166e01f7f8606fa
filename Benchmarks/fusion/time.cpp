// Nanoseconds per sample of the authors' VQF, compiled together with its sources by fusion.py.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "vqf.hpp"

int main(int, char **arguments) {
    const bool uses_field = std::strcmp(arguments[1], "9D") == 0;
    std::FILE *file = std::fopen(arguments[2], "rb");
    if (!file) return 1;
    std::vector<double> numbers;
    for (double number; std::fread(&number, sizeof number, 1, file) == 1;) numbers.push_back(number);
    const std::size_t count = numbers.size() / 10;
    double seconds = 0, sum = 0;
    for (std::size_t index = 0; index < count; index++) seconds += numbers[10 * index];
    VQF filter(seconds / count);
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t index = 0; index < count; index++) {
        const double *row = &numbers[10 * index];
        const double force[3] = {9.80665 * row[1], 9.80665 * row[2], 9.80665 * row[3]};
        double attitude[4];
        if (uses_field) {
            filter.update(row + 4, force, row + 7);
            filter.getQuat9D(attitude);
        } else {
            filter.update(row + 4, force);
            filter.getQuat6D(attitude);
        }
        sum += attitude[0];
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - began;
    std::printf("%f %f\n", spent.count() / count, sum);
}
