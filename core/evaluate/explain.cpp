#include "core/evaluate/explain.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/model/sizes.h"
#include "core/model/stages.h"
#include "core/model/weights.h"
#include "core/network/collective/cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

// Simulated times are subtracted from each other, which five digits would not survive.
constexpr int kTimeDigits = 12;

// Stages that are uneven or wait for transfers idle longer than the closed forms say.
bool is_exact(double closed, double simulated)
{
    return std::abs(closed - simulated) <= 1e-6 * std::max(closed, simulated) + 1e-12;
}

// The term's formula with the pipeline's numbers for its letters.
Term with_numbers(Term term, const Scenario& s)
{
    const ScheduleShape shape = pipeline_shape(s);
    const PipelineTimes& t = s.stage_times;
    for (const char letter : term.formula)
    {
        switch (letter)
        {
        case 'p':
            term.working += figure(static_cast<double>(shape.stages));
            break;
        case 'm':
            term.working += figure(static_cast<double>(shape.micro_batches));
            break;
        case 'v':
            term.working += figure(static_cast<double>(shape.chunks));
            break;
        case 'F':
            term.working += figure(t.forward);
            break;
        case 'I':
            term.working += figure(t.backward_input + t.recompute);
            break;
        case 'W':
            term.working += figure(t.backward_weight);
            break;
        default:
            term.working += letter;
        }
    }
    return term;
}

Term nothing_moves(std::string label, std::string unit)
{
    return {std::move(label), 0, std::move(unit), "one rank, so nothing is sent", "0", ""};
}

} // namespace

Term explain_step_bubble(const Report& report)
{
    const StepTime& step = report.step;
    return {"bubble of the step",
            step.bubble / step.total(),
            "",
            "bubble / step time",
            fmt::format("{} / {}", figure(step.bubble), figure(step.total())),
            "Huang et al. 2018, arXiv 1811.06965, section 2.3 for the definition, in seconds of this step"};
}

Term explain_bubble_over_ideal(const Scenario& s, const Report& report)
{
    const Timeline& t = report.pipeline->timeline;
    Term term{"bubble over ideal time", t.bubble_over_ideal(), "", "", "", ""};
    const auto closed = closed_bubble(s);
    if (closed && is_exact(closed->over_ideal, term.value))
    {
        term.formula = s.training.schedule->over_ideal;
        term.source =
            s.training.schedule->placement == Placement::loop && !s.training.schedule->splits_backward
                ? "Narayanan et al. 2021, arXiv 2104.04473, section 2.2"
                : std::string(s.training.schedule->source);
        return with_numbers(std::move(term), s);
    }
    const double busy = t.busy.empty() ? 0 : *std::max_element(t.busy.begin(), t.busy.end());
    term.formula = "(duration − work) / work";
    term.working =
        fmt::format("({0} − {1}) / {1}", figure(t.makespan, kTimeDigits), figure(busy, kTimeDigits));
    term.source = "simulated; Narayanan et al. 2021, arXiv 2104.04473, section 2.2.1 for the definition";
    return term;
}

Term explain_bubble_of_total(const Scenario& s, const Report& report)
{
    const Timeline& t = report.pipeline->timeline;
    Term term{"bubble of total time", t.bubble_of_total(), "", "", "", ""};
    const auto closed = closed_bubble(s);
    if (closed && is_exact(closed->of_total, term.value))
    {
        term.formula = s.training.schedule->of_total;
        term.source =
            s.training.schedule->placement == Placement::loop && !s.training.schedule->splits_backward
                ? "Huang et al. 2018, GPipe, arXiv 1811.06965, section 2.3"
                : std::string(s.training.schedule->source);
        return with_numbers(std::move(term), s);
    }
    const double worked = std::accumulate(t.busy.begin(), t.busy.end(), 0.0);
    term.formula = "1 − work / (duration × p)";
    term.working = fmt::format("1 − {} / ({} × {})", figure(worked, kTimeDigits),
                               figure(t.makespan, kTimeDigits), t.ranks());
    term.source = "simulated; Huang et al. 2018, arXiv 1811.06965, section 2.3 for the definition";
    return term;
}

Term explain_slowest_stage(const Scenario& s)
{
    const ScheduleShape shape = pipeline_shape(s);
    const SlowestStage slowest = slowest_stage(s);
    return {
        "step if all stages were as slow",
        static_cast<double>(shape.micro_batches + shape.stages - 1) * slowest.time,
        "",
        "(m + p \u2212 1) \u00d7 max t",
        fmt::format("({} + {} \u2212 1) \u00d7 {}", shape.micro_batches, shape.stages, figure(slowest.time)),
        "Huang et al. 2018, GPipe, arXiv 1811.06965, section 2.3, with the longest stage for all"};
}

Term explain_all_reduce(const Scenario&, const Report& report)
{
    const CollectiveReport& r = *report.collective;
    const std::string label = fmt::format("ring all-reduce over {} ranks", r.ranks);
    if (r.ranks <= 1)
    {
        return nothing_moves(label, "s");
    }
    return {label,
            r.cost.total().value,
            "s",
            "2 (N − 1) α + 2 (N − 1) / N × S / B",
            fmt::format("2 × ({0} − 1) × {1} + 2 × ({0} − 1) / {0} × {2} / {3}", r.ranks,
                        figure(r.link.latency.value), figure(r.message.value),
                        figure(r.link.bandwidth.value)),
            "Patarasuk and Yuan 2009, J. Parallel Distrib. Comput. 69"};
}

Term explain_sent_per_rank(const Scenario&, const Report& report)
{
    const CollectiveReport& r = *report.collective;
    const std::string label = fmt::format("sent by each of {} ranks", r.ranks);
    if (r.ranks <= 1)
    {
        return nothing_moves(label, "B");
    }
    return {label,
            r.cost.sent_per_rank.value,
            "B",
            "2 (N − 1) / N × S",
            fmt::format("2 × ({0} − 1) / {0} × {1}", r.ranks, figure(r.message.value)),
            "Patarasuk and Yuan 2009, J. Parallel Distrib. Comput. 69"};
}

namespace
{

// Where gradients are sharded and yet more memory is needed than with ZeRO-1; empty: it saves.
std::string remark_on_zero_2(const Scenario& s, const Report& r)
{
    if (s.parallel.zero != 2)
    {
        return {};
    }
    Scenario before = s;
    before.parallel.zero = 1;
    const Bytes one = memory_report(before).worst().total();
    const StageMemory& worst = r.memory.worst();
    if (worst.total() <= one)
    {
        return {};
    }
    const BufferParts& b = worst.buffers;
    const std::string why =
        b.whole_gradients > Bytes{}
            ? fmt::format(
                  "{} accumulates unsharded gradients over a pipeline's micro-batches, {} of the buffers",
                  s.software.name, format_bytes(b.whole_gradients))
            : fmt::format("the gradients of a whole layer wait to be sharded, {} of the buffers",
                          format_bytes(b.gradient_workspace));
    return fmt::format("ZeRO-2 needs {}, ZeRO-1 {}: {}.", format_bytes(worst.total()), format_bytes(one),
                       why);
}

// 8-bit copies that stand beside the 16-bit weights; empty: none do.
std::string remark_on_weight_copies(const Scenario& s, const Report& r)
{
    const double weight = state_bytes(s).weight;
    if (!is_narrow(s.training.precision) || weight <= 2)
    {
        return {};
    }
    return fmt::format(
        "{} weights take {} B per parameter instead of 2: 16-bit ones and copies by row and by "
        "column (Transformer Engine), {} of the {} of weights.",
        name_of(s.training.precision), figure(weight),
        format_bytes(r.memory.worst().of(Component::weights) * ((weight - 2) / weight)),
        format_bytes(r.memory.worst().of(Component::weights)));
}

} // namespace

std::vector<std::string> remarks(const Scenario& s, const Report& r)
{
    std::vector<std::string> all;
    const StepTime& step = r.step;
    const double waits =
        step.tensor_comm + step.context_comm + step.expert_comm + step.pipeline_comm + step.data_exposed;
    if (waits > 0.5 * step.total())
    {
        all.push_back(fmt::format("Communication-bound: {} of the step waits for the network, so more GPUs "
                                  "may be slower.",
                                  format_percent(waits / step.total())));
    }
    if (step.hfu() > 1)
    {
        all.push_back(
            "MFU and HFU count all scores of attention, as Korthikanti et al. do (equation 8); flash "
            "attention skips the masked half, so they can exceed the peak.");
    }
    if (const Bytes gathered = r.memory.worst().buffers.gathered; gathered > Bytes{} && s.parallel.zero == 3)
    {
        all.push_back(fmt::format("ZeRO-3 gathers two layers at a time: {} of the buffers. With few replicas "
                                  "that is more than it saves.",
                                  format_bytes(gathered)));
    }
    for (const std::string& each : {remark_on_zero_2(s, r), remark_on_weight_copies(s, r)})
    {
        if (!each.empty())
        {
            all.push_back(each);
        }
    }
    if (r.memory.fullest > 0)
    {
        all.push_back(
            fmt::format("Stage {} has the memory peak, not the first, which keeps most micro-batches: "
                        "settings that save memory elsewhere do not lower the peak.",
                        r.memory.fullest));
    }
    return all;
}

namespace
{

// Parameters that are sharded over as many replicas, and their letter.
struct ZeroShare
{
    std::int64_t parameters;
    std::int64_t replicas;
    std::string_view n;
    std::string_view p;
};

void add_states(Term& term, std::string_view formula, std::string_view working, double bytes,
                const ZeroShare& of)
{
    const std::string_view plus = term.formula.empty() ? "" : " + ";
    const auto count = static_cast<double>(of.parameters);
    term.value += bytes * count;
    term.formula += fmt::format("{}{} \u00d7 {}", plus, formula, of.p);
    term.working += fmt::format("{}{} \u00d7 {}", plus, working, figure(count));
}

void add_trained(Term& term, const StateBytes& b, std::int64_t zero_stage, const ZeroShare& of)
{
    // What is divided by the replicas moves left with every stage of ZeRO.
    constexpr std::array kFormulas{"(w + g + k)", "(w + g + k / {})", "(w + (g + k) / {})",
                                   "(w + g + k) / {}"};
    constexpr std::array kWorkings{"({0} + {1} + {2})", "({0} + {1} + {2} / {3})",
                                   "({0} + ({1} + {2}) / {3})", "({0} + {1} + {2}) / {3}"};
    const auto row = static_cast<std::size_t>(std::clamp<std::int64_t>(zero_stage, 0, 3));
    const double k = b.master + b.momentum + b.variance;
    const auto share = [&](std::int64_t from)
    { return zero_stage >= from ? static_cast<double>(of.replicas) : 1; };
    add_states(term, fmt::format(fmt::runtime(kFormulas.at(row)), of.n),
               fmt::format(fmt::runtime(kWorkings.at(row)), figure(b.weight), figure(b.gradient), figure(k),
                           of.replicas),
               b.weight / share(3) + b.gradient / share(2) + k / share(1), of);
}

// A frozen base has weights alone.
void add_frozen(Term& term, double bytes, std::int64_t zero_stage, const ZeroShare& of)
{
    const bool sharded = zero_stage >= 3;
    add_states(term, sharded ? fmt::format("w / {}", of.n) : "w",
               figure(bytes) + (sharded ? fmt::format(" / {}", of.replicas) : ""),
               bytes / (sharded ? static_cast<double>(of.replicas) : 1), of);
}

} // namespace

Term explain_zero(const Scenario& s, std::int64_t zero_stage, std::size_t stage)
{
    Scenario at = s;
    at.parallel.zero = zero_stage;
    const StateBytes b = state_bytes(at);
    const Lora& lora = s.training.lora;
    const StageWeights held =
        stage_weights(s.model, s.parallel, s.training.schedule->placement, lora).at(stage);
    Term term{fmt::format("states under ZeRO-{}", zero_stage),
              0,
              "B",
              "",
              "",
              "Rajbhandari et al. 2019, ZeRO, arXiv 1910.02054, section 5"};
    const auto add = [&](std::int64_t parameters, std::int64_t linear, std::int64_t adapters, ZeroShare of,
                         std::string_view adapter)
    {
        of.parameters = parameters;
        if (lora.rank == 0)
        {
            add_trained(term, b, zero_stage, of);
            return;
        }
        const std::int64_t narrow = lora.quantized ? linear : 0;
        if (narrow > 0)
        {
            add_frozen(term, kQuantizedWeight, zero_stage, {narrow, of.replicas, of.n, "P_4bit"});
        }
        of.parameters -= narrow;
        add_frozen(term, element_bytes(s.training), zero_stage, of);
        of.parameters = adapters;
        of.p = adapter;
        add_trained(term, b, zero_stage, of);
    };
    add(held.dense, held.linear_dense, held.adapters_dense,
        {0, dense_shards(s), "N", held.expert > 0 ? "P_d" : "P"}, "A");
    if (held.expert > 0)
    {
        add(held.expert, held.linear_expert, held.adapters_expert, {0, expert_shards(s), "N_e", "P_e"},
            "A_e");
    }
    return term;
}

} // namespace ringside
