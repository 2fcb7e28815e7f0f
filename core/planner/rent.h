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
    std::vector<RentType> types;
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
    bool frontier = false; // nothing is as quick for as little

    std::int64_t paid() const { return gpus + spares; }
};

// The largest power of two times the scenario's batch whose tokens are at most the critical batch size; its
// own where that is larger.
std::int64_t grown_batch(const Scenario& scenario);

// Works in slices, so that a window can go on drawing: the smallest clusters first.
class RentSearch
{
public:
    // The scenario's own cluster and layout do not matter.
    RentSearch(const Scenario& scenario, RentRequest request, const Presets& presets);

    // Looks at about this many layouts; false when none is left.
    bool advance(std::int64_t layouts);
    bool done() const { return next_ == wanted_.size(); }
    // Share of the clusters looked at, 0 to 1.
    double progress() const;

    const RentRequest& request() const { return request_; }
    // Whether these offers are for this scenario too.
    bool answers(const Scenario& other) const;
    // Another price for a type; what was found stays.
    void set_price(std::size_t type, double usd_per_gpu_hour);
    // In the order they were found; frontier marks are kept up to date.
    const std::vector<RentOffer>& offers() const { return offers_; }
    // Of each type why it runs nothing at all; empty: it does, or is not known yet.
    const std::vector<std::string>& refused() const { return refused_; }

    // Null where there is none.
    const RentOffer* cheapest_within(double days) const;
    const RentOffer* fastest_within(double usd) const;
    const RentOffer* fewest_gpus_within(double days) const; // the cheaper of two of one size
    const RentOffer* fastest_with(std::int64_t gpus) const; // exactly so many

private:
    struct Wanted
    {
        std::size_t type;
        std::int64_t gpus;
    };

    Scenario on(const Scenario& scenario, const Wanted& wanted) const;
    void take(const Wanted& wanted, const SearchResult& result);
    void mark_frontier();
    static double usd(const RentOffer& offer);

    Scenario scenario_;
    RentRequest request_;
    const Presets& presets_;
    std::vector<Wanted> wanted_;
    std::size_t next_ = 0;
    std::optional<LayoutSearch> search_; // of wanted_[next_]
    std::vector<RentOffer> offers_;
    std::vector<std::string> refused_;
};

} // namespace ringside
