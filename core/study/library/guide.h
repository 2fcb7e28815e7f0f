// The user guide: a page for each view, of four short blocks in the Markdown that the window draws: what the
// picture shows, how to read it, what to try, what to know. Which lessons, keys and formulas a view has is
// not in it: that is known without.
//
// Pages are text only: program and `ringside guide` put picture, formula, keys and lessons round it, so no
// page can show an old picture.
#pragma once

#include "core/base/result.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct GuidePage
{
    std::string text;
    std::vector<std::string>
        names; // what users call the view besides its title; the palette finds it by them
};
// By the view's id.
using Guide = std::map<std::string, GuidePage, std::less<>>;

inline constexpr std::size_t kFewestGuideWords = 60;
inline constexpr std::size_t kMostGuideWords = 260;

// A page as its file has it, perhaps with a first line "Also called: oom; vram", which is not drawn; every
// fault of its form.
Result<GuidePage> read_guide_page(std::string_view text);

// Each view has a page, or there is a warning, and each page is a view's. Pages of views among `views` need
// none of their own.
Issues check_guide(const Guide& guide, std::span<const std::string_view> views);

} // namespace ringside
