// What to rent for a run: over types of cluster and numbers of GPUs the fastest layout of each, the
// wall-clock days and the dollars of the whole run, and the frontier between them.
//
// Days include what failures cost: run.wall_days, of the default RunPlan. Spare nodes that the plan keeps are
// paid for. Dollars are (GPUs + spares) x days x 24 x price; storage, egress and people are not in them.
// Sizes are powers of two of a node. Every offer is what evaluate() says of its scenario, to the last digit.
//
// Unless it is kept, the batch goes up to the critical batch size (core/training/critical_batch.h, at
// kUsualLoss), as a run of that length has it: a smaller one leaves thousands of GPUs nothing to share but
// the tokens of a sequence. The tokens of the run stay.
#pragma once

#include "core/planner/search/layout_search.h"
#include "core/scenario/presets.h"

#include <string>
#include <vector>

namespace ringside
{

// A kind of cluster that can be had.
struct RentType
{
    std::string id;
    std::string name;
    Cluster cluster;   // with the price in usd_per_gpu_hour
    std::string price; // whose price that is, and of which day
};
// The clusters that come with a price, by name.
std::vector<RentType> rent_types(const Presets& presets);

struct RentRequest
{
    std::vector<RentType> types;   // their prices may change afterwards
    SearchLimits limits;           // its objective is the step time
    double network = 1;            // times what each type's network moves between nodes
    bool keep_batch = false;       // as the scenario has it
    std::int64_t most_gpus = 8192; // no offer is larger
};

struct RentOffer
{
    std::size_t type = 0;    // of RentRequest::types
    std::int64_t gpus = 0;   // that train
    std::int64_t spares = 0; // GPUs of the nodes that wait
    Scenario scenario;       // laid out, on that cluster
    double step_s = 0;       // [s]
    double mfu = 0;
    double goodput = 0;
    double days = 0; // wall clock
    double usd = 0;
    double low = 1; // of days and dollars what 80% of new runs take (core/scenario/evidence.h)
    double high = 1;
    bool frontier = false; // nothing is as quick for as little

    std::int64_t paid() const { return gpus + spares; }
};

// Whether the days of two offers say which is quicker. Errors of one type of cluster go together, so that
// kToldApart is enough there; elsewhere each lies outside the other's range.
bool told_apart(const RentOffer& a, const RentOffer& b);

// The largest power of two times the scenario's batch whose tokens are at most the critical batch size; its
// own where that is larger.
std::int64_t grown_batch(const Scenario& scenario);

// What there is to rent.
struct RentOffers
{
    std::vector<RentType> types;      // of the request, with their prices
    std::vector<RentOffer> offers;    // in the order they were found; frontier marks are up to date
    std::vector<std::string> refused; // why no layout runs, by type; empty: one does, or not searched yet

    // Another price for a type; what was found stays.
    void set_price(std::size_t type, double usd_per_gpu_hour);
    void add(RentOffer offer);

    // Null where there is none.
    const RentOffer* cheapest_within(double days) const;
    const RentOffer* fastest_within(double usd) const;
    const RentOffer* fewest_gpus_within(double days) const; // the cheaper of two of one size
    const RentOffer* fastest_with(std::int64_t gpus) const; // exactly so many
    // Those of other types that are as good by this, dollars or days, and no worse by the other, as far as
    // computed times can say.
    std::vector<const RentOffer*> as_good_as(const RentOffer& offer, double RentOffer::*by) const;

private:
    void mark_frontier();
};

// Work (core/base/work.h): the smallest clusters first. The scenario's own cluster and layout do not matter.
class RentSearch
{
public:
    struct Request
    {
        Scenario scenario;
        RentRequest rent;
        const Presets* presets; // must outlive the search

        // Prices aside, which change nothing of what is found.
        bool operator==(const Request& other) const;
    };
    static constexpr std::int64_t kSlice = 4000; // layouts

    explicit RentSearch(const Request& request);

    // Looks at about this many layouts; false when none is left.
    bool advance(std::int64_t layouts);
    // Share of the clusters looked at, 0 to 1.
    double progress() const;
    const RentOffers& result() const { return found_; }

private:
    struct Wanted
    {
        std::size_t type;
        std::int64_t gpus;
    };

    static Scenario on(const Request& request, const Wanted& wanted);
    void take(const Wanted& wanted, const SearchResult& result);

    Request request_;
    std::vector<Wanted> wanted_;
    std::size_t next_ = 0;
    std::optional<LayoutSearch> search_; // of wanted_[next_]
    RentOffers found_;
};

} // namespace ringside
