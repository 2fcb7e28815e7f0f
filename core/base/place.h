// Where something is seen: the id of a view, or one of its pages: "optimizer", "optimizer/clip".
#pragma once

#include <string_view>

namespace ringside
{

constexpr std::string_view view_of(std::string_view place)
{
    return place.substr(0, place.find('/'));
}

// Empty: whichever page the view is at.
constexpr std::string_view page_of(std::string_view place)
{
    const auto slash = place.find('/');
    return slash == std::string_view::npos ? std::string_view() : place.substr(slash + 1);
}

} // namespace ringside
