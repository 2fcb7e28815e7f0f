#include "core/study/lessons/drawn_hands.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"

#include <algorithm>
#include <functional>

namespace ringside
{

namespace
{

constexpr const char* kHandsSchema = "ringside.curves/1";
constexpr std::int64_t kMostCharts = 100; // of a page, and curves of a chart
constexpr JsonRule kHandPoints{.needed = true, .least = 1, .most = static_cast<double>(kMostHandPoints)};

struct WrittenHand
{
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
};

void check_hand(const JsonPlace& place, const WrittenHand& hand)
{
    const bool printable =
        std::ranges::none_of(hand.name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    place.fault_if(hand.name.size() > kMostHandName || !printable, "name", "is no name of a line",
                   fmt::format("use at most {} bytes", kMostHandName));
    place.fault_if(hand.x.size() != hand.y.size(), "y",
                   fmt::format("has {} values, x has {}", hand.y.size(), hand.x.size()),
                   "give one for each x");
    place.fault_if(std::ranges::adjacent_find(hand.x, std::greater_equal<>()) != hand.x.end(), "x",
                   "does not rise from value to value", "sort the points");
}

const JsonTable<WrittenHand> kHandTable{
    {{"name", &WrittenHand::name}, {"x", &WrittenHand::x, kHandPoints}, {"y", &WrittenHand::y, kHandPoints}},
    check_hand};

struct WrittenHands
{
    std::string place;
    std::int64_t chart = 0;
    std::int64_t curve = 0;
    std::vector<WrittenHand> hands;
};

const JsonTable<WrittenHands> kHandsTable{
    {json_schema<WrittenHands>(kHandsSchema),
     {"place", &WrittenHands::place, {.needed = true, .words = 1}},
     {"chart", &WrittenHands::chart, {.least = 0, .most = kMostCharts}},
     {"curve", &WrittenHands::curve, {.least = 0, .most = kMostCharts}},
     {"hands", &WrittenHands::hands, kHandTable, {.needed = true, .least = 1, .most = kMostHands}}}};

std::string list_text(const std::vector<CurvePoint>& points, double CurvePoint::*value)
{
    std::string text;
    for (const CurvePoint& p : points)
    {
        text += fmt::format("{}{:.7g}", text.empty() ? "" : ",", p.*value);
    }
    return text;
}

} // namespace

std::string to_text(const DrawnHands& hands)
{
    std::string list;
    for (const DrawnHand& hand : hands.hands)
    {
        list += fmt::format(
            "{}\n  {{\"name\": {}, \"x\": [{}], \"y\": [{}]}}", list.empty() ? "" : ",",
            nlohmann::json(hand.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
            list_text(hand.points, &CurvePoint::x), list_text(hand.points, &CurvePoint::y));
    }
    return fmt::format(
        "{{\"schema\": \"{}\", \"place\": \"{}\", \"chart\": {}, \"curve\": {}, \"hands\": [{}\n]}}\n",
        kHandsSchema, hands.place, hands.chart, hands.curve, list);
}

bool is_drawn_hands(const nlohmann::json& document)
{
    const auto schema = document.find("schema");
    return schema != document.end() && schema->is_string() &&
           schema->get_ref<const std::string&>() == kHandsSchema;
}

Result<DrawnHands> drawn_hands_from_json(const nlohmann::json& document)
{
    Issues issues;
    WrittenHands read;
    kHandsTable.read({document, "", issues}, read);
    if (!issues.empty())
    {
        return issues;
    }
    DrawnHands hands{read.place, read.chart, read.curve, {}};
    for (const WrittenHand& hand : read.hands)
    {
        DrawnHand& next = hands.hands.emplace_back();
        next.name = hand.name;
        for (std::size_t i = 0; i < hand.x.size(); ++i)
        {
            next.points.push_back({hand.x[i], hand.y[i]});
        }
    }
    return hands;
}

} // namespace ringside
