// Curves that people drew, as the text that goes from one page to another (schema ringside.curves/1). It
// comes from strangers: names, points and hands are bounded, and a fault has its path.
#pragma once

#include "core/study/lessons/drawn_curve.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kMostHands = 200;
inline constexpr std::size_t kMostHandName = 40; // bytes

struct DrawnHand
{
    std::string name; // empty: none was given
    std::vector<CurvePoint> points;

    bool operator==(const DrawnHand&) const = default;
};

// All that were drawn of one curve.
struct DrawnHands
{
    std::string place;      // the view, or one of its pages
    std::int64_t chart = 0; // in the order in which the page draws them
    std::int64_t curve = 0; // in that chart
    std::vector<DrawnHand> hands;
};

std::string to_text(const DrawnHands& hands);
bool is_drawn_hands(const nlohmann::json& document);
Result<DrawnHands> drawn_hands_from_json(const nlohmann::json& document);

} // namespace ringside
