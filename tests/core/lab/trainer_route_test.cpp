// Where a router sends its tokens, worked out by hand.
#include "core/lab/trainer/cpu/cpu_backend.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>

using namespace ringside::trainer;

namespace
{

template <std::size_t Tokens, std::size_t Chosen>
struct Routed
{
    std::array<float, Tokens * 3> probabilities{};
    std::array<std::int32_t, Tokens * Chosen> slots{};
    std::array<float, Tokens * Chosen> gates{};
    std::array<float, 2 * 7> tally{}; // of up to two sequences
};

// Three experts.
template <std::size_t Tokens, std::size_t Chosen>
Routed<Tokens, Chosen> routed(const std::array<float, Tokens * 3>& logits, Index length, Index capacity)
{
    Routed<Tokens, Chosen> r;
    r.probabilities = logits;
    CpuBackend backend(2);
    backend.run(Route{.logits = tensor(r.probabilities.data(), DType::f32, Tokens, 3),
                      .slots = r.slots.data(),
                      .gates = r.gates.data(),
                      .tally = r.tally.data(),
                      .length = length,
                      .chosen = Chosen,
                      .capacity = capacity});
    return r;
}

} // namespace

TEST_CASE("hand-worked: tokens take rows in order, until an expert is full")
{
    // The last token likes the second and third expert equally: the second comes first.
    const auto r = routed<4, 2>({2, 1, 0, 2, 0, 1, 3, 1, 0, 0, 1, 1}, 4, 2);
    // Rows 0 and 1 are the first expert's, 2 and 3 the second's, 4 and 5 the third's.
    CHECK(r.slots ==
          std::array<std::int32_t, 8>{0, 2, 1, 4, Route::dropped_from(0), 3, Route::dropped_from(1), 5});
    const float first = 1 / (1 + std::exp(-1.0F)); // of two whose logits differ by 1
    const float larger = 1 / (1 + std::exp(-2.0F));
    const std::array<float, 8> gates{first, 1 - first, first, 1 - first, larger, 1 - larger, 0.5F, 0.5F};
    for (std::size_t i = 0; i < gates.size(); ++i)
    {
        CHECK(r.gates.at(i) == Catch::Approx(gates.at(i)).epsilon(1e-5));
    }
    const std::array<float, 6> counts{3, 3, 2, 2, 2, 2}; // wanted, taken
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
        CHECK(r.tally.at(i) == counts.at(i));
    }
    double balance = 0;
    for (std::size_t expert = 0; expert < 3; ++expert)
    {
        double mean = 0;
        for (std::size_t token = 0; token < 4; ++token)
        {
            mean += static_cast<double>(r.probabilities.at(3 * token + expert)) / 4;
        }
        balance += 3 * static_cast<double>(counts.at(expert)) / 8 * mean;
    }
    CHECK(r.tally[6] == Catch::Approx(balance).epsilon(1e-5));
}

TEST_CASE("hand-worked: one expert a token has its probability for a gate, and sequences have rows apart")
{
    const float two = std::log(2.0F);
    // Probabilities 1/2, 1/4, 1/4 or turned round. Two sequences of two tokens, one row each.
    const auto r = routed<4, 1>({two, 0, 0, two, 0, 0, 0, two, 0, two, 0, 0}, 2, 1);
    // Row expert x 2 + sequence.
    CHECK(r.slots == std::array<std::int32_t, 4>{0, Route::dropped_from(0), 3, 1});
    for (const float gate : r.gates)
    {
        CHECK(gate == Catch::Approx(0.5).epsilon(1e-5));
    }
    CHECK(r.tally[0] == 2.0F);
    CHECK(r.tally[3] == 1.0F);
    CHECK(r.tally[6] == Catch::Approx(3 * 0.5).epsilon(1e-5));
    CHECK(r.tally[7 + 6] == Catch::Approx(3 * (0.5 * 0.375 + 0.5 * 0.375)).epsilon(1e-5));
}

TEST_CASE("what comes after a token does not change where it goes")
{
    const auto one = routed<4, 2>({2, 1, 0, 2, 0, 1, 3, 1, 0, 0, 1, 1}, 4, 2);
    const auto other = routed<4, 2>({2, 1, 0, 2, 0, 1, 0, 1, 3, 9, 1, 1}, 4, 2);
    for (std::size_t i = 0; i < 4; ++i)
    {
        CHECK(other.slots.at(i) == one.slots.at(i));
        CHECK(other.gates.at(i) == one.gates.at(i));
    }
}

TEST_CASE("numbers that are not finite choose some expert, and lead out of no buffer")
{
    const float bad = std::nanf("");
    const auto r = routed<4, 2>({bad, bad, bad, 1, bad, 0, bad, 1, 0, 0, 0, 1}, 4, 2);
    for (const std::int32_t slot : r.slots)
    {
        CHECK(slot >= -3);
        CHECK(slot < 6);
    }
}
