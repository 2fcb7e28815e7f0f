#include "core/study/questions/ordering.h"

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/pipeline/simulate.h"
#include "core/study/questions/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

namespace ringside
{

namespace
{

using Indices = std::vector<std::size_t>;

// As the file has them, where that is a right order; else items whose predecessors are all there go first,
// and what is left over goes in a circle.
Result<Indices> sorted(const std::vector<OrderedItem>& items)
{
    Indices order;
    std::vector<bool> placed(items.size(), false);
    while (order.size() < items.size())
    {
        std::size_t next = items.size();
        for (std::size_t i = 0; i < items.size() && next == items.size(); ++i)
        {
            const auto& after = items[i].after;
            const bool ready = std::ranges::all_of(after, [&](std::size_t b) { return placed[b]; });
            next = !placed[i] && ready ? i : next;
        }
        if (next == items.size())
        {
            return Issue{"items", "they wait for each other in a circle", "take one \"after\" away"};
        }
        placed[next] = true;
        order.push_back(next);
    }
    return order;
}

// The items as they are shown: shuffled, `after` following them.
Result<Ordering> shown(std::vector<OrderedItem> items, std::uint64_t seed)
{
    SplitMix rng(seed);
    Indices places(items.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto as_given = [&](const Indices& order)
    {
        Ordering plain{items, {}};
        return check_order(plain, order).correct;
    };
    for (int tries = 0; tries < 20; ++tries)
    {
        shuffle(places, rng);
        if (!as_given(places))
        {
            break;
        }
    }
    Indices place_of(items.size());
    Ordering ordering;
    for (std::size_t i = 0; i < places.size(); ++i)
    {
        place_of[places[i]] = i;
        ordering.items.push_back(items[places[i]]);
    }
    for (OrderedItem& item : ordering.items)
    {
        for (std::size_t& before : item.after)
        {
            before = place_of[before];
        }
    }
    const auto legal = sorted(items);
    if (!legal)
    {
        return legal.issues();
    }
    for (const std::size_t i : *legal)
    {
        ordering.legal.push_back(place_of[i]);
    }
    return ordering;
}

// A whole number from an expression, in range.
Result<std::int64_t> whole(const std::string& field, const std::string& text, Calculator& calculator,
                           const DrawnValues& values, StudiedScenario* scenario)
{
    const auto value = calculator.value(text, values, scenario);
    const bool good = value && *value == std::floor(*value) && *value >= 0 && *value <= 100'000;
    if (good)
    {
        return static_cast<std::int64_t>(*value);
    }
    Issue issue = value ? Issue{"", fmt::format("{} is no count", *value), "use whole numbers up to 100000"}
                        : value.issues().front();
    issue.path = "schedule." + field;
    return issue;
}

constexpr std::int64_t kMostShown = 12;
constexpr double kMostOrdered = 200'000;

Result<std::vector<OrderedItem>> schedule_items(const ScheduleItemsSpec& spec, Calculator& calculator,
                                                const DrawnValues& values, StudiedScenario* scenario)
{
    const ScheduleKind kind = find_schedule(spec.kind);
    if (!kind)
    {
        return Issue{"schedule.kind", fmt::format("there is no schedule \"{}\"", spec.kind),
                     "use gpipe, 1f1b, interleaved, zb-h1 ..."};
    }
    Issues issues;
    const auto count = [&](const char* field, const std::string& text)
    {
        const auto n = whole(field, text, calculator, values, scenario);
        if (!n)
        {
            issues.push_back(n.issues().front());
        }
        return n ? *n : 0;
    };
    const ScheduleShape shape{count("stages", spec.stages), count("micro_batches", spec.micro_batches),
                              count("chunks", spec.chunks)};
    const std::int64_t stage = count("stage", spec.stage);
    const std::int64_t first = count("first", spec.first);
    add_if(issues,
           issues.empty() && (stage >= shape.stages || first < 3 || first > kMostShown ||
                              operations_of(kind, shape) > kMostOrdered),
           {"schedule", "no such stage, or too many operations",
            fmt::format("use stages from 0, and 3 to {} operations", kMostShown)});
    if (!issues.empty())
    {
        return issues;
    }
    const auto order = make_order(kind, shape, equal_costs(kind, shape, {}));
    if (!order)
    {
        return order.issues();
    }
    const auto& row = (*order)[static_cast<std::size_t>(stage)];
    std::vector<OrderedItem> items;
    for (std::size_t i = 0; i < std::min(row.size(), static_cast<std::size_t>(first)); ++i)
    {
        items.push_back({to_text(row[i]), to_text(row[i]), "", {}});
        if (i > 0)
        {
            items.back().after.push_back(i - 1);
        }
    }
    return items;
}

// Each comes after all that are smaller (or larger); equal ones in any order.
void order_by_value(std::vector<OrderedItem>& items, const std::vector<double>& numbers, ItemOrder order)
{
    const auto before = [&](double a, double b)
    {
        const bool same = std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
        return !same && (order == ItemOrder::ascending ? a < b : a > b);
    };
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        for (std::size_t j = 0; j < items.size(); ++j)
        {
            if (before(numbers[j], numbers[i]))
            {
                items[i].after.push_back(j);
            }
        }
    }
}

Result<std::vector<OrderedItem>> listed_items(const QuestionVariant& v, Calculator& calculator,
                                              const DrawnValues& values, StudiedScenario* scenario)
{
    std::vector<OrderedItem> items;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < v.items.size(); ++i)
    {
        const ItemSpec& spec = v.items[i];
        items.push_back({spec.id, spec.says, "", {}});
        if (!spec.value.empty())
        {
            const auto value = calculator.value(spec.value, values, scenario);
            if (!value)
            {
                Issue issue = value.issues().front();
                issue.path = fmt::format("items[{}].value", i);
                return issue;
            }
            numbers.push_back(*value);
            items.back().value = result_text(*value, *find_study_unit(spec.unit));
        }
        for (const std::string& before : spec.after)
        {
            const auto found = std::ranges::find(v.items, before, &ItemSpec::id);
            items.back().after.push_back(static_cast<std::size_t>(found - v.items.begin()));
        }
        const auto& after = items.back().after;
        if (v.order == ItemOrder::after && std::ranges::any_of(after, [i](std::size_t b) { return b >= i; }))
        {
            return Issue{fmt::format("items[{}].after", i), "the file's own order breaks it",
                         "list the items in the order that is printed as the solution"};
        }
    }
    if (v.order != ItemOrder::after)
    {
        order_by_value(items, numbers, v.order);
    }
    return items;
}

// The words of a list; whatever stands between them is left out, arrows and brackets too.
std::vector<std::string> list_words(std::string_view text)
{
    std::vector<std::string> words(1);
    while (!text.empty())
    {
        const bool arrow = text.starts_with("->") || text.starts_with("=>");
        const std::size_t sign = text.starts_with("\u2192") || text.starts_with("\u21d2") ? 3 : arrow ? 2 : 1;
        if (sign > 1 || std::string_view(", <=>;|.:()[]{}\t\n").find(text[0]) != std::string_view::npos)
        {
            words.emplace_back();
        }
        else
        {
            words.back() += text[0];
        }
        text.remove_prefix(sign);
    }
    std::erase_if(words, [](const std::string& word) { return word.empty() || word == "-"; });
    return words;
}

// The item a word names: by its id, by its number, or by the end of its id where only one ends so: "F0" of
// "0F0".
std::size_t item_named(const std::vector<OrderedItem>& items, std::string_view word)
{
    const std::string small = small_letters(word);
    std::size_t ending = items.size();
    std::size_t endings = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const std::string id = small_letters(items[i].id);
        if (id == small || std::to_string(i + 1) == word)
        {
            return i;
        }
        const bool ends = word.size() > 1 && id.ends_with(small) &&
                          id.find_first_not_of("0123456789") == id.size() - small.size();
        ending = ends ? i : ending;
        endings += ends ? 1U : 0U;
    }
    return endings == 1 ? ending : items.size();
}

// "312" where there are three, "3-1-2", and "1. load 2. train": one word for each item.
std::vector<std::string> item_words(const std::vector<OrderedItem>& items, std::string_view text)
{
    std::vector<std::string> words;
    for (const std::string& word : list_words(text))
    {
        const bool named = item_named(items, word) < items.size();
        const bool digits =
            word.size() == items.size() && word.find_first_not_of("123456789") == std::string::npos;
        if (!named && digits)
        {
            std::ranges::transform(word, std::back_inserter(words), [](char c) { return std::string(1, c); });
            continue;
        }
        const bool dashes = !named && word.find('-') != std::string::npos;
        for (std::string rest = word; !rest.empty();)
        {
            const std::size_t end = dashes ? std::min(rest.find('-'), rest.size()) : rest.size();
            words.push_back(rest.substr(0, end));
            rest.erase(0, end + 1);
        }
    }
    std::erase_if(words,
                  [&](const std::string& word)
                  {
                      constexpr std::array<std::string_view, 6> kBetween{"",      "then", "and",
                                                                         "first", "next", "finally"};
                      return std::ranges::count(kBetween, small_letters(word)) > 0 &&
                             item_named(items, word) == items.size();
                  });
    bool numbered = words.size() == 2 * items.size();
    for (std::size_t i = 0; numbered && i < items.size(); ++i)
    {
        numbered = words[2 * i] == std::to_string(i + 1);
    }
    for (std::size_t i = 0; numbered && i < items.size(); ++i)
    {
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return words;
}

} // namespace

OrderVerdict check_order(const Ordering& ordering, const std::vector<std::size_t>& order)
{
    std::vector<bool> placed(ordering.items.size(), false);
    for (std::size_t i = 0; i < order.size(); ++i)
    {
        const OrderedItem& item = ordering.items[order[i]];
        const auto missing = std::ranges::find_if(item.after, [&](std::size_t b) { return !placed[b]; });
        if (missing != item.after.end())
        {
            return {false, i,
                    fmt::format("Place {} is too early for \u201c{}\u201d: something else has to come first.",
                                i + 1, item.says)};
        }
        placed[order[i]] = true;
    }
    return {order.size() == ordering.items.size(), order.size(), ""};
}

Result<std::vector<std::size_t>> parse_order(const Ordering& ordering, std::string_view text)
{
    const std::string hint = fmt::format("name all {}, by id or by number, in order", ordering.items.size());
    std::vector<std::size_t> order;
    for (const std::string& word : item_words(ordering.items, text))
    {
        const std::size_t index = item_named(ordering.items, word);
        if (index == ordering.items.size() || std::ranges::count(order, index) > 0)
        {
            return Issue{"",
                         fmt::format("\u201c{}\u201d is {}", word.substr(0, 40),
                                     index == ordering.items.size() ? "none of them" : "there twice"),
                         hint};
        }
        order.push_back(index);
    }
    if (order.size() != ordering.items.size())
    {
        return Issue{"", fmt::format("{} of {} are there", order.size(), ordering.items.size()), hint};
    }
    return order;
}

Result<Ordering> make_ordering(const QuestionVariant& variant, Calculator& calculator,
                               const DrawnValues& values, StudiedScenario* scenario, std::uint64_t seed)
{
    auto items = variant.schedule ? schedule_items(*variant.schedule, calculator, values, scenario)
                                  : listed_items(variant, calculator, values, scenario);
    return items ? shown(std::move(*items), seed) : Result<Ordering>(items.issues());
}

} // namespace ringside
