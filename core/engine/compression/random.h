// Numbers that look random and are the same on every machine, for what the engine simulates.
#pragma once

#include <cstdint>

namespace ringside
{

// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
class SplitMix
{
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    // 0 <= u < 1
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
    std::uint64_t below(std::uint64_t limit)
    {
        return static_cast<std::uint64_t>(uniform() * static_cast<double>(limit));
    }
    // Mean 0, variance 1: a sum of twelve uniforms, which needs no library whose last digit may differ.
    double normal()
    {
        double sum = -6;
        for (int i = 0; i < 12; ++i)
        {
            sum += uniform();
        }
        return sum;
    }

private:
    std::uint64_t state_;
};

} // namespace ringside
