#include "core/planner/changes.h"

#include <fmt/format.h>

#include "core/evaluate/report.h"
#include "core/planner/kept_layouts.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kMostShown = 3;
constexpr std::size_t kFastSeeds = 6;
constexpr std::size_t kSmallSeeds = 4;

Candidate with_time(const Scenario& s, const SearchLimits& limits, const StepTime& step)
{
    Candidate c = sized(s, limits);
    fill(c, step);
    return c;
}

double run_usd(const Scenario& s, const Report& report)
{
    return find_metric("run.cost_usd")->value(s, report);
}

} // namespace

std::string sentence_of(const Change& change, ByteUnit unit)
{
    std::string words = sentence_of(change.difference, unit);
    if (change.usd != 0)
    {
        words.pop_back();
        words += fmt::format("; the run costs {} {}.", format_dollars(std::abs(change.usd)),
                             change.usd > 0 ? "more" : "less");
    }
    return words;
}

ChangeSearch::ChangeSearch(const Scenario& scenario, const SearchLimits& limits)
    : limits_(limits), capacity_(memory_report(scenario).capacity.value),
      first_(scenario, step_time(scenario))
{
    now_ = with_time(scenario, limits_, first_.now());
}

bool ChangeSearch::counts(const DialMove& move) const
{
    return !is_hardware(move.dial) && move.dial != Dial::micro_batches && faults(move.after).empty() &&
           (limits_.any_framework() || runs(limits_.framework, move.after));
}

void ChangeSearch::add(std::vector<Tried>& list, const DialMove& move) const
{
    Candidate c = with_time(move.after, limits_, move.step);
    const bool known = std::ranges::any_of(list, [&](const Tried& each) { return each.after == move.after; });
    if (!known && helps(c))
    {
        list.push_back({move.after, c});
    }
}

// What is fast, whether it fits or not, and what needs little memory.
void ChangeSearch::choose_seeds()
{
    std::vector<DialMove> moves;
    for (const DialMove& move : first_.found())
    {
        if (!is_hardware(move.dial) && move.dial != Dial::micro_batches && faults(move.after).empty())
        {
            moves.push_back(move);
        }
    }
    std::ranges::stable_sort(moves, {}, [](const DialMove& m) { return m.change; });
    const std::size_t fast = std::min(kFastSeeds, moves.size());
    std::vector<std::pair<double, std::size_t>> small; // bytes, move
    for (std::size_t i = fast; i < moves.size(); ++i)
    {
        small.emplace_back(memory_report(moves[i].after).worst().total().value, i);
    }
    std::ranges::sort(small);
    small.resize(std::min(small.size(), kSmallSeeds));
    seeds_.assign(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(fast));
    for (const auto& [bytes, i] : small)
    {
        seeds_.push_back(moves[i]);
    }
}

bool ChangeSearch::helps(const Candidate& c) const
{
    if (c.bytes > capacity_ || (c.tight && !now_.tight))
    {
        return false;
    }
    return now_.bytes > capacity_ || c.seconds < now_.seconds;
}

bool ChangeSearch::advance(double budget)
{
    if (!first_.done())
    {
        first_.advance(budget);
        if (first_.done())
        {
            for (const DialMove& move : first_.found())
            {
                if (counts(move))
                {
                    add(singles_, move);
                }
            }
            choose_seeds();
        }
        return true;
    }
    if (next_ < seeds_.size())
    {
        const DialMove& seed = seeds_[next_];
        if (!second_)
        {
            second_.emplace(seed.after, seed.step);
        }
        if (!second_->advance(budget))
        {
            for (const DialMove& move : second_->found())
            {
                if (move.dial != seed.dial && counts(move))
                {
                    add(doubles_, move);
                }
            }
            second_.reset();
            ++next_;
        }
        return true;
    }
    if (!done_)
    {
        finish();
    }
    return false;
}

double ChangeSearch::progress() const
{
    const double first = first_.progress();
    return done_ ? 1
           : first < 1 || seeds_.empty()
               ? first / 2
               : 0.5 + 0.5 * static_cast<double>(next_) / static_cast<double>(seeds_.size());
}

void ChangeSearch::finish()
{
    done_ = true;
    show(singles_, 1);
    if (!found_.empty())
    {
        const Candidate best = found_.front().candidate;
        std::erase_if(doubles_,
                      [&](const Tried& each) { return !better(Objective::step_time, each.candidate, best); });
    }
    show(doubles_, 2);
}

void ChangeSearch::show(std::vector<Tried>& list, std::size_t moves)
{
    std::ranges::stable_sort(list, [](const Tried& a, const Tried& b)
                             { return better(Objective::step_time, a.candidate, b.candidate); });
    const Result<Report> now = evaluate(scenario());
    for (std::size_t i = 0; i < std::min(kMostShown, list.size()); ++i)
    {
        const Result<Report> then = evaluate(list[i].after);
        if (!now || !then)
        {
            continue;
        }
        Change change{moves, list[i].after, list[i].candidate, difference(scenario(), list[i].after), 0};
        change.candidate.bytes = then->memory.worst().total().value;
        fill(change.candidate, then->step);
        change.usd = run_usd(change.after, *then) - run_usd(scenario(), *now);
        found_.push_back(std::move(change));
    }
}

} // namespace ringside
