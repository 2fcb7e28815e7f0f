// Ranks as threads for the tests: numbers to send, and a world that does one thing.
#pragma once

#include "core/lab/ranks/communication/communicator.h"
#include "core/lab/ranks/communication/thread_world.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

namespace ringside::test
{

using parallel::CallLog;
using parallel::Communicator;
using parallel::Index;
using parallel::ThreadWorld;
using parallel::Transport;
using trainer::DType;

inline std::vector<int> all_of(int ranks)
{
    std::vector<int> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

// work(communicator of all, log) on every rank.
inline void together(int ranks, const std::function<void(Communicator&, CallLog&)>& work)
{
    ThreadWorld world(ranks);
    world.run(
        [&](Transport& transport)
        {
            CallLog log;
            Communicator all(transport, "data", all_of(ranks), 1, log);
            work(all, log);
        });
}

// The 16-bit formats by arithmetic, rounded to nearest even.
inline float rounded(float x, int fraction_bits, int least_exponent)
{
    const int exponent = x == 0 ? least_exponent : std::max(std::ilogb(x), least_exponent);
    return std::ldexp(std::nearbyint(std::ldexp(x, fraction_bits - exponent)), exponent - fraction_bits);
}
inline std::uint16_t f16_code(float x)
{
    const float held = std::abs(rounded(x, 10, -14));
    const unsigned sign = std::signbit(x) ? 0x8000 : 0;
    if (held >= 65536)
    {
        return static_cast<std::uint16_t>(sign | 0x7C00);
    }
    const int exponent = held < std::ldexp(1.0F, -14) ? -15 : std::ilogb(held);
    const auto fraction = static_cast<unsigned>(std::ldexp(held, 10 - std::max(exponent, -14)));
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 15) << 10U |
                                      (fraction & 0x3FFU));
}
inline float f16_value(std::uint16_t code)
{
    const int exponent = code >> 10U & 0x1F;
    const int fraction = (code & 0x3FF) + (exponent > 0 ? 0x400 : 0);
    const float size =
        exponent == 31 ? INFINITY : std::ldexp(static_cast<float>(fraction), std::max(exponent, 1) - 25);
    return (code & 0x8000) != 0 ? -size : size;
}

// Elements of any of the formats, as floats.
class Numbers
{
public:
    Numbers(DType type, Index count)
        : type_(type), count_(count), bytes_(static_cast<std::size_t>(count * bytes_of(type) + 1))
    {
    }

    DType type() const { return type_; }
    Index count() const { return count_; }
    void* data() { return bytes_.data(); }
    const void* data() const { return bytes_.data(); }

    float operator[](Index i) const
    {
        if (type_ == DType::f32)
        {
            return reinterpret_cast<const float*>(bytes_.data())[i];
        }
        const auto code = reinterpret_cast<const std::uint16_t*>(bytes_.data())[i];
        return type_ == DType::bf16 ? std::bit_cast<float>(std::uint32_t{code} << 16U) : f16_value(code);
    }
    void set(Index i, float x)
    {
        if (type_ == DType::f32)
        {
            reinterpret_cast<float*>(bytes_.data())[i] = x;
            return;
        }
        reinterpret_cast<std::uint16_t*>(bytes_.data())[i] =
            type_ == DType::bf16
                ? static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded(x, 7, -126)) >> 16U)
                : f16_code(x);
    }
    bool operator==(const Numbers&) const = default;

private:
    DType type_;
    Index count_;
    std::vector<unsigned char> bytes_; // one more than needed, so that none is no null pointer
};

// Whole numbers of rank r that every format holds, and whose sums over 64 ranks too.
inline float whole(int rank, Index i)
{
    return static_cast<float>((rank * 7 + i * 3) % 5 - 2);
}
inline Numbers wholes(DType type, Index count, int rank)
{
    Numbers n(type, count);
    for (Index i = 0; i < count; ++i)
    {
        n.set(i, whole(rank, i));
    }
    return n;
}
inline float sum_of_wholes(int ranks, Index i)
{
    float sum = 0;
    for (int r = 0; r < ranks; ++r)
    {
        sum += whole(r, i);
    }
    return sum;
}

// Numbers whose sums depend on the order in which they are added.
inline Numbers fractions(DType type, Index count, int rank)
{
    std::mt19937 random(static_cast<unsigned>(rank + 1));
    std::normal_distribution<float> normal;
    Numbers n(type, count);
    for (Index i = 0; i < count; ++i)
    {
        n.set(i, normal(random));
    }
    return n;
}

} // namespace ringside::test
