#include "ui/views/lab/ranks/words.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/ranks/bars.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string bytes(double value)
{
    return format_bytes(Bytes(value));
}

// What others spent in messages that ended when this rank came.
double waited_for(const TeamStepTrace& trace, int rank)
{
    const auto waited = [rank](const RankTrace& other)
    {
        return sum_over(other.messages, [rank](const RankTrace::Message& message)
                        { return message.waits_for == rank ? message.end - message.start : 0; });
    };
    return std::min(largest_over(trace.ranks, waited), trace.seconds);
}

std::string fault_words(const TeamSnapshot& s)
{
    const int rank = s.happened.rank;
    if (s.happened.kind == RankFault::not_a_number)
    {
        return fmt::format(
            "!!NaN on rank {}!! spread through the all-reduce: every rank\u2019s norm was NaN, so {}.", rank,
            s.trace->skipped ? "all skipped the update and no weight changed" : "the update was lost");
    }
    return fmt::format(
        "!!Rank {} was slow!!: the step took {}, of which the others waited up to **{}** for it.", rank,
        format_seconds(Seconds(s.trace->seconds)), format_seconds(Seconds(waited_for(*s.trace, rank))));
}

// The formula of the axis that most is sent on.
std::string formula_of(const TeamConfig& c, const TeamPrediction& predicted)
{
    const Scenario scenario = scenario_of(c);
    const std::int64_t n = dense_replicas(scenario);
    const Parallel& p = c.parallel;
    const auto sent = [&](std::string_view axis)
    { return static_cast<double>(sent_on(predicted.traffic.front(), axis)); };
    if (p.context > 1)
    {
        return fmt::format(
            "context = m \u00d7 layers \u00d7 (c-1) \u00d7 {} \u00d7 b s/c keys and values = {}",
            scenario.training.recompute == Recompute::full ? 4 : 3, bytes(sent("context")));
    }
    if (p.expert > 1)
    {
        const Model& m = c.trainer.model;
        return fmt::format(
            "expert = m \u00d7 layers \u00d7 {} \u00d7 (e-1)/e \u00d7 E C b h = {}, with E C = {} \u00d7 {} "
            "rows per "
            "sequence",
            scenario.training.recompute == Recompute::full ? 6 : 4, bytes(sent("expert")), m.experts,
            slots_of_expert(m, c.trainer.recipe.capacity_factor, c.trainer.training.sequence_length));
    }
    if (n > 1 && c.compression.compressor != Compressor::none)
    {
        const double whole = sent("data");
        const bool gathered = info_of(c.compression.compressor).travel == Travel::all_gather;
        const auto others = static_cast<double>(n - 1);
        const double part = gathered ? whole / others : whole * static_cast<double>(n) / (2 * others);
        return gathered ? fmt::format("data = (n-1) parts, gathered = {} \u00d7 {} = {}", n - 1, bytes(part),
                                      bytes(whole))
                        : fmt::format("data = 2 (n-1)/n of a part, summed = 2 \u00d7 {}/{} \u00d7 {} = {}",
                                      n - 1, n, bytes(part), bytes(whole));
    }
    if (n > 1)
    {
        const std::int64_t k = micro_batches(scenario);
        const double whole = 4 * static_cast<double>(predicted.stage_of(0).parameters);
        const std::string passes = p.zero <= 1   ? "2"
                                   : p.zero == 2 ? fmt::format("({} + 1)", k)
                                                 : fmt::format("3 \u00d7 {}", k);
        const std::string head = p.zero == 3 ? " - the head once" : "";
        return fmt::format("data = {} (n-1)/n S{} = {} \u00d7 {}/{} \u00d7 {} = {}", passes, head, passes,
                           n - 1, n, bytes(whole), bytes(sent("data")));
    }
    if (p.tensor > 1)
    {
        return fmt::format("tensor = m \u00d7 {} all-reduces per layer \u00d7 2 (t-1)/t \u00d7 b s h = {}",
                           p.sequence_parallel ? 5 : 4, bytes(sent("tensor")));
    }
    if (p.pipeline > 1)
    {
        return fmt::format("pipeline = m \u00d7 b s h = {} \u00d7 {} = {}", micro_batches(scenario),
                           bytes(sent("pipeline") / static_cast<double>(micro_batches(scenario))),
                           bytes(sent("pipeline")));
    }
    return {};
}

std::string dropped_words(const std::vector<LayerRouting>& layers)
{
    return layers.empty() ? ""
                          : fmt::format("; full experts dropped **{}** of the tokens",
                                        format_percent(whole_routing(layers).dropped));
}

std::string step_words(const TeamSnapshot& s)
{
    const TeamStepTrace& trace = *s.trace;
    const auto most = std::ranges::max(trace.ranks, {}, all_sent);
    const auto fullest =
        std::ranges::max(trace.ranks, {}, [](const RankTrace& r) { return r.memory.state(); });
    const std::string who = trace.ranks.size() == 1 ? "The one rank" : "Each rank";
    return fmt::format("{} sent up to **{}** in this step and keeps up to **{}** of state; loss {:.3f}{}.",
                       who, bytes(static_cast<double>(all_sent(most))),
                       bytes(static_cast<double>(fullest.memory.state())), trace.loss,
                       dropped_words(trace.experts));
}

} // namespace

std::string team_model_words(const TeamConfig& c)
{
    const Training& t = c.trainer.training;
    return fmt::format("{} layers of width {}, on the task \u201c{}\u201d: {} micro-batches of {} \u00d7 {} "
                       "tokens per step, {}.",
                       c.trainer.model.layers, c.trainer.model.hidden, name_of(c.trainer.data.task),
                       c.trainer.accumulation(), t.micro_batch, t.sequence_length, name_of(t.precision));
}

Caption team_caption(const TeamFrame& team)
{
    if (!team.started() || !team.predicted.of)
    {
        return {"One tiny GPT, sharded over ranks: every byte sent and kept is counted, next to what was "
                "predicted.",
                "state of a rank = (weights + gradients + optimizer) / ranks that shard them", ""};
    }
    const TeamSnapshot& s = *team.snapshot;
    const std::string formula = formula_of(s.config, team.predicted);
    const bool compressed = s.config.compression.compressor != Compressor::none;
    const std::string source =
        compressed ? std::string(info_of(s.config.compression.compressor).source) + "."
                   : "Passes over the parameters: Rajbhandari et al., arXiv 1910.02054, section 7. "
                     "Tensor parallelism: Shoeybi et al., arXiv 1909.08053, section 3. Experts: "
                     "Lepikhin et al., arXiv 2006.16668, section 2.2.";
    if (s.state == TeamState::broken)
    {
        return {fmt::format("!!It hangs!!: rank {} is missing, and a collective completes only when every "
                            "rank has joined.",
                            s.happened.rank),
                formula, source};
    }
    if (s.state == TeamState::failed)
    {
        return {"!!It could not be trained!!: " + s.message, "", ""};
    }
    if (!s.trace)
    {
        return {team_model_words(s.config), formula, source};
    }
    const bool injected = s.happened.kind == RankFault::slow || s.happened.kind == RankFault::not_a_number;
    return {injected ? fault_words(s) : step_words(s), formula, source};
}

std::vector<std::string> team_facts(const TeamFrame& team)
{
    std::vector<std::string> facts;
    if (!team.fault.empty())
    {
        facts.push_back(team.fault);
    }
    if (!team.watched.empty())
    {
        facts.push_back("watching " + team.watched);
    }
    if (!team.started())
    {
        if (team.watched.empty())
        {
            facts.emplace_back(team.recorded ? "recorded on one processor"
                                             : "ranks are threads of this processor");
        }
        return facts;
    }
    const TeamSnapshot& s = *team.snapshot;
    if (team.recorded)
    {
        facts.emplace_back("recorded");
    }
    facts.push_back(fmt::format("{} on {} rank{}", strategy_name(s.config), s.config.ranks,
                                s.config.ranks == 1 ? "" : "s"));
    facts.push_back(fmt::format("step {}", grouped(s.step)));
    if (s.trace)
    {
        facts.push_back(fmt::format("{} per step", format_seconds(Seconds(s.trace->seconds))));
    }
    return facts;
}

} // namespace ringside
