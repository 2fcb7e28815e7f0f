// The search for layouts as work beside a window: several threads share one search, and its answer is the
// same however many they are.
#pragma once

#include "core/base/work.h"
#include "core/planner/search/layout_search.h"

namespace ringside
{

class LayoutWork
{
public:
    // The scenario is a searched_scenario(), so that its own layout makes no difference.
    struct Request
    {
        Request(const Scenario& of, const SearchLimits& within)
            : scenario(searched_scenario(of, within)), limits(within)
        {
        }

        Scenario scenario;
        SearchLimits limits;

        bool operator==(const Request&) const = default;
    };
    static constexpr std::int64_t kSlice = 2000; // legal layouts

    LayoutWork(const Request& request, std::size_t part, std::size_t parts)
        : request_(request), search_(request.scenario, request.limits, part, parts)
    {
    }

    bool advance(std::int64_t layouts) { return search_.advance(layouts); }
    double progress() const { return search_.progress(); }
    LayoutAnswer result() const;
    static LayoutAnswer merged(const Request& request, const std::vector<const LayoutAnswer*>& parts,
                               bool whole);

private:
    Request request_;
    LayoutSearch search_;
};

} // namespace ringside
