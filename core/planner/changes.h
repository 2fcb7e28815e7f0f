// What to change first: the best single and double changes from where a scenario stands, each one step of a
// setting of the layout or the recipe. Hardware, tokens per step and the model stay.
#pragma once

#include "core/evaluate/sensitivity.h"
#include "core/planner/difference.h"
#include "core/planner/search/layout_search.h"

#include <string>
#include <vector>

namespace ringside
{

struct Change
{
    std::size_t moves = 1; // settings that change
    Scenario after;        // valid, and fits
    Candidate candidate;   // as evaluate() has it
    LayoutDifference difference;
    double usd = 0; // more for the whole run; below 0: less
};
// "TP 8 → 4 saves 0.90 s per step (...) and takes 21 GB more; the run costs $1.20 M less."
std::string sentence_of(const Change& change, ByteUnit unit = ByteUnit::decimal);

// Work (core/base/work.h).
class ChangeSearch
{
public:
    // The scenario must be valid. Of the limits the framework and the headroom hold.
    struct Request
    {
        Scenario scenario;
        SearchLimits limits;

        bool operator==(const Request&) const = default;
    };
    static constexpr double kSlice = 60'000; // operations

    ChangeSearch(const Scenario& scenario, const SearchLimits& limits);
    explicit ChangeSearch(const Request& request) : ChangeSearch(request.scenario, request.limits) {}

    // Tries until about this many pipeline operations have run; false when none is left.
    bool advance(double operations);
    bool done() const { return done_; }
    const Scenario& scenario() const { return first_.scenario(); }
    const SearchLimits& limits() const { return limits_; }
    // Once done: at most three single ones, then at most three double ones that beat them all, best first.
    // Where the scenario fits they save time, else they make it fit.
    const std::vector<Change>& result() const { return found_; }
    double progress() const; // 0 to 1

private:
    struct Tried
    {
        Scenario after;
        Candidate candidate;
    };

    bool counts(const DialMove& move) const;
    void add(std::vector<Tried>& list, const DialMove& move) const;
    void choose_seeds();
    bool helps(const Candidate& candidate) const;
    void finish();
    void show(std::vector<Tried>& list, std::size_t moves);

    SearchLimits limits_;
    double capacity_;
    Candidate now_;
    Sensitivity first_;
    std::vector<DialMove> seeds_; // what a second change is tried on
    std::size_t next_ = 0;
    std::optional<Sensitivity> second_;
    std::vector<Tried> singles_, doubles_;
    std::vector<Change> found_;
    bool done_ = false;
};

} // namespace ringside
