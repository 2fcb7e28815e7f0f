// A place in the program as one short text that a user can send to another:
//
//   ringside:#v=VIEW&s=EXAMPLE;PATH=VALUE;PATH=VALUE&l=LESSON/STEP&q=FAMILY.SEED&a=VALUES&embed
//
// Every part may be left out. A scenario is what `--set` would change in the shipped example that is nearest
// to it, so that a link can be read and edited by hand. Views, lessons and questions are names here; the code
// that opens the link knows which there are.
#pragma once

#include "core/base/result.h"
#include "core/scenario/presets.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

struct PlaceLink
{
    std::string view; // id of a view or page; empty: no other than the one on show
    std::optional<Scenario> scenario;
    std::string lesson; // id; empty: none
    std::int64_t step = 1;
    std::string question; // "family" or "family/variant"; empty: none
    std::uint64_t seed = 1;
    std::string assignment;
    bool embed = false; // the picture alone, as part of another page

    bool operator==(const PlaceLink&) const = default;
};

inline constexpr std::size_t kMostLinkBytes = 16384;
inline constexpr std::string_view kLinkScheme = "ringside:";

// Whether a text means to be a link: `ringside:...`, the address of a page, or what stands behind its `#`.
bool is_link(std::string_view text);

// What could be read of a link, and one fault for each part that could not. Fields of the scenario have the
// right type and range; whether they agree is for validate().
struct LinkRead
{
    PlaceLink link;
    Issues issues;
};
LinkRead read_link(std::string_view text, const Presets& presets);

// The link, behind the address of a page where there is one.
std::string to_text(const PlaceLink& link, const Presets& presets, std::string_view page = kLinkScheme);

} // namespace ringside
