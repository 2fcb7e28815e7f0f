// SHA-256 (FIPS 180-4, section 6.2) and HMAC over it (RFC 2104), for numbers that follow from names and for
// seals that show a change. Not made for secrets: times depend on the input's length.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside
{

using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);
std::string to_hex(const Digest& digest); // 64 small letters and digits
// The first eight bytes as a number, most significant first.
std::uint64_t first_number(const Digest& digest);

} // namespace ringside
