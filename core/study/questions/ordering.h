// Putting things in order: any order that respects what must come first is right, and where one goes wrong is
// said.
#pragma once

#include "core/study/questions/formula/calculator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct OrderedItem
{
    std::string id;
    std::string says;
    std::string value;              // by which it is sorted, as text; empty where no number decides
    std::vector<std::size_t> after; // indices of items that must come before
};

struct Ordering
{
    std::vector<OrderedItem> items; // as they are shown
    std::vector<std::size_t> legal; // one right order of them
};

struct OrderVerdict
{
    bool correct = false;
    std::size_t right = 0; // items that stand right before the first that does not
    std::string message;   // where it first goes wrong, and why; empty when right
};

// `order`: indices of all items, each once.
OrderVerdict check_order(const Ordering& ordering, const std::vector<std::size_t>& order);

// What is typed: ids, or places as shown from 1, with commas or spaces between. Faults name the unknown, the
// missing and the doubled.
Result<std::vector<std::size_t>> parse_order(const Ordering& ordering, std::string_view text);

// Items shuffled by the seed, in no legal order where there is one. Faults: a circle, an expression.
Result<Ordering> make_ordering(const QuestionVariant& variant, Calculator& calculator,
                               const DrawnValues& values, StudiedScenario* scenario, std::uint64_t seed);

} // namespace ringside
