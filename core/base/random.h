// Numbers that look random and are the same on every machine. SplitMix draws one after the other; the
// functions below follow from a seed, a stream and a counter alone, so that nothing has to be kept between
// steps and a resumed run draws the very same.
#pragma once

#include <cstdint>

namespace ringside
{

// The mixing function of SplitMix64 (Steele, Lea and Flood 2014).
constexpr std::uint64_t kMixStep = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t mixed(std::uint64_t z)
{
    z += kMixStep;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators": a state that steps by
// mixed()'s own constant.
class SplitMix
{
public:
    explicit SplitMix(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        const std::uint64_t bits = mixed(state_);
        state_ += kMixStep;
        return bits;
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

// What a stream of random numbers is for; streams never meet.
enum class RandomStream : std::uint64_t
{
    weights = 1,
    batches,
    rounding,
    sampling,
    validation
};

constexpr std::uint64_t random_key(std::uint64_t seed, RandomStream stream, std::uint64_t round)
{
    return mixed(mixed(seed ^ (static_cast<std::uint64_t>(stream) << 56U)) + round);
}
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t counter)
{
    return mixed(key + counter * 0xD1342543DE82EF95U);
}
// 0 <= u < 1
constexpr double random_unit(std::uint64_t key, std::uint64_t counter)
{
    return static_cast<double>(random_bits(key, counter) >> 11U) * 0x1p-53;
}
// 0 <= n < limit; limit at least 1
constexpr std::int64_t random_below(std::uint64_t key, std::uint64_t counter, std::int64_t limit)
{
    return static_cast<std::int64_t>(random_unit(key, counter) * static_cast<double>(limit));
}

} // namespace ringside
