#include "core/base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ringside
{

namespace
{

// FIPS 180-4, section 4.2.2: the first 32 bits of the cube roots' fractions of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlockBytes = 64;

using State = std::array<std::uint32_t, 8>;

std::array<std::uint32_t, 64> message_schedule(std::string_view block)
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < w.size(); ++t)
    {
        if (t < 16)
        {
            for (std::size_t i = 0; i < 4; ++i)
            {
                w[t] = (w[t] << 8U) | static_cast<std::uint8_t>(block[4 * t + i]);
            }
            continue;
        }
        const std::uint32_t x = w[t - 15];
        const std::uint32_t y = w[t - 2];
        const std::uint32_t s0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3U);
        const std::uint32_t s1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10U);
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    return w;
}

// Section 6.2.2, steps 1 to 4.
void compress(State& state, std::string_view block)
{
    const auto w = message_schedule(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < w.size(); ++t)
    {
        const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t chosen = (e & f) ^ (~e & g);
        const std::uint32_t t1 = h + s1 + chosen + kRoundConstants[t] + w[t];
        const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + s0 + majority;
    }
    const State added{a, b, c, d, e, f, g, h};
    std::ranges::transform(state, added, state.begin(), std::plus<>());
}

std::string text_of_bytes(const Digest& digest)
{
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

} // namespace

Digest sha256(std::string_view bytes)
{
    State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::string padded(bytes);
    padded += '\x80';
    padded.append((kBlockBytes + 56 - padded.size() % kBlockBytes) % kBlockBytes, '\0');
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8)
    {
        padded += static_cast<char>((bits >> static_cast<unsigned>(shift)) & 0xFFU);
    }
    for (std::size_t at = 0; at < padded.size(); at += kBlockBytes)
    {
        compress(state, std::string_view(padded).substr(at, kBlockBytes));
    }
    Digest digest{};
    for (std::size_t i = 0; i < digest.size(); ++i)
    {
        digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes)
{
    std::string block = key.size() > kBlockBytes ? text_of_bytes(sha256(key)) : std::string(key);
    block.resize(kBlockBytes, '\0');
    std::string inner = block;
    std::ranges::for_each(inner, [](char& c) { c = static_cast<char>(c ^ 0x36); });
    std::ranges::for_each(block, [](char& c) { c = static_cast<char>(c ^ 0x5c); });
    return sha256(block + text_of_bytes(sha256(inner.append(bytes))));
}

std::string to_hex(const Digest& digest)
{
    std::string text;
    for (const std::uint8_t byte : digest)
    {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

std::uint64_t first_number(const Digest& digest)
{
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i)
    {
        number = (number << 8U) | digest[i];
    }
    return number;
}

} // namespace ringside
