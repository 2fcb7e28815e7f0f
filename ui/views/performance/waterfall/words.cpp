#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/scenario/fields.h"
#include "core/scenario/presets.h"
#include "ui/views/performance/waterfall/pages.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string percent(double share)
{
    return fmt::format("{:.0f}%", share * 100);
}

const Calibration& constants_of(const Frame& frame)
{
    return frame.now.scenario.cluster.gpu.calibration;
}

// "45% overlapped"
std::string hidden(double exposed, double all)
{
    return all > exposed ? fmt::format("{} overlapped", percent(1 - exposed / all)) : "not overlapped";
}

std::string link_words(const Frame& frame, Slice slice)
{
    const Calibration& c = constants_of(frame);
    return leaves_node(frame.now.scenario, slice)
               ? fmt::format("network at {} of its bandwidth", percent(c.network_efficiency))
               : fmt::format("node link at {} of its bandwidth", percent(c.link_efficiency));
}

std::string bubble_words(const Scenario& s)
{
    const ScheduleShape shape = pipeline_shape(s);
    const std::string_view id = s.training.schedule->id;
    if (id == "1f1b" || id == "gpipe")
    {
        return fmt::format("{} / ({} + {})", shape.stages - 1, shape.micro_batches, shape.stages - 1);
    }
    return fmt::format("{}, {} stages", s.training.schedule->name, shape.stages);
}

std::string lost_detail(Slice slice, const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    const StepTime& step = frame.now.report->step;
    const Calibration& c = constants_of(frame);
    switch (slice)
    {
    case Slice::attention:
        return "not in 6 N";
    case Slice::recompute:
        return fmt::format("{} recomputation", name_of(s.training.recompute));
    case Slice::uneven:
        return "the slowest stage has more work";
    case Slice::below_peak:
        return fmt::format("GEMMs at {} of the peak", percent(step.gemm_share));
    case Slice::below_attention:
        return fmt::format("attention at {} of the peak", percent(step.attention_share));
    case Slice::memory:
        return fmt::format("HBM at {} of its bandwidth", percent(c.hbm_efficiency));
    case Slice::launch:
        // Far more than the 5 us of a launch, which is the last of what the host does for it.
        return fmt::format("{} \u00b5s per kernel for Python, dispatch, autograd and launch",
                           three_digits(c.host_kernel_us));
    case Slice::data:
        return hidden(step.data_exposed, step.data_comm);
    case Slice::bubble:
        return bubble_words(s);
    case Slice::optimizer:
        return s.training.offload == Offload::none    ? "36 B per parameter through HBM"
               : offloads_weights(s.training.offload) ? "on the host, waiting for weights"
                                                      : "on the host";
    default:
        return link_words(frame, slice);
    }
}

std::string miscount_detail(bool more, Convention convention)
{
    if (convention.numerator == Numerator::parameters)
    {
        return more ? "FLOPs that 6 N leaves out" : "in 6 N, but only looked up";
    }
    return more ? "recomputed in the backward" : "counted, but skipped";
}

double step_share(const Frame& frame, double seconds)
{
    return seconds / frame.now.report->step.total();
}

} // namespace

std::string row_name(const WaterfallRow& row, Convention convention)
{
    const bool useful = row.kind == RowKind::useful;
    switch (row.kind)
    {
    case RowKind::sparsity:
        return "No 2:4 sparsity used";
    case RowKind::miscount:
        return convention.numerator == Numerator::parameters
                   ? (row.seconds > 0 ? "GEMM FLOPs beyond 6 N" : "Embedding (no FLOPs)")
                   : (row.seconds > 0 ? "Scores recomputed" : "Masked scores");
    default:
        break;
    }
    if (useful)
    {
        return row.slice == Slice::model       ? "Model FLOPs at peak"
               : row.slice == Slice::attention ? "Attention at peak"
                                               : "Recomputation at peak";
    }
    constexpr std::array<std::string_view, kSlices> kLost{
        "Model FLOPs at peak",       "Attention FLOPs",          "Recomputation",
        "Pipeline stage imbalance",  "GEMM inefficiency",        "Attention inefficiency",
        "Memory-bound kernels",      "Kernel launches",          "Tensor parallel, exposed",
        "Context parallel, exposed", "Expert parallel, exposed", "Pipeline P2P, exposed",
        "Data parallel, exposed",    "Pipeline bubble",          "Optimizer"};
    return std::string(kLost.at(static_cast<std::size_t>(row.slice)));
}

std::string row_detail(const WaterfallRow& row, const Frame& frame, Convention convention)
{
    if (row.kind == RowKind::sparsity)
    {
        return "half of the sparse peak";
    }
    if (row.kind == RowKind::miscount)
    {
        return miscount_detail(row.seconds > 0, convention);
    }
    if (row.kind == RowKind::lost)
    {
        return lost_detail(row.slice, frame);
    }
    switch (row.slice)
    {
    case Slice::model:
        return convention.numerator == Numerator::parameters ? "6 N per token" : "GEMMs with weights";
    case Slice::attention:
        return convention.numerator == Numerator::causal ? "causal scores only" : "all scores";
    default:
        return "counted by HFU";
    }
}

ConstantWords constant_words(const Frame& frame, std::string_view name)
{
    const Gpu& gpu = frame.now.scenario.cluster.gpu;
    const GpuPreset* preset = frame.presets.gpu(gpu.id);
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        if (field.name != name)
        {
            continue;
        }
        const auto member = std::get<double Calibration::*>(field.member);
        const double value = gpu.calibration.*member;
        ConstantWords words{fmt::format("{:g}", value), ""};
        if (preset == nullptr || value != preset->gpu.calibration.*member)
        {
            words.source = "set in this scenario";
            return words;
        }
        const auto source = preset->calibration_sources.find(std::string(name));
        words.source = source != preset->calibration_sources.end()
                           ? source->second
                           : "that of the H100; not measured on this GPU";
        return words;
    }
    return {};
}

namespace
{

std::string heading(const WaterfallRow& row, const Frame& frame, Convention convention)
{
    const TimeScale scale(frame.now.report->step.total());
    return fmt::format("{}: {}, {} of the step", row_name(row, convention), scale.with_unit(row.seconds),
                       format_percent(step_share(frame, std::abs(row.seconds))));
}

std::string miscount_words(const WaterfallRow& row, Convention convention)
{
    if (convention.numerator == Numerator::parameters)
    {
        return row.seconds > 0
                   ? "The model does more than 6 FLOPs per parameter: weights that are used twice, "
                     "such as a tied embedding."
                   : "6 N counts every parameter as part of a GEMM. The embedding is only looked up, "
                     "so this much is counted and never computed.";
    }
    return row.seconds > 0
               ? "FlashAttention recomputes the scores in the backward pass, and computes blocks on the "
                 "diagonal whole. Neither is counted."
               : "All scores are counted, but causal kernels skip those above the diagonal. What is counted "
                 "and never computed raises this MFU.";
}

} // namespace

std::string row_tip(const WaterfallRow& row, const Frame& frame, Convention convention)
{
    const std::string head = heading(row, frame, convention);
    if (row.kind == RowKind::sparsity)
    {
        return head + "\n\nData sheets print the rate with 2:4 structured sparsity first. Training is dense, "
                      "so half of that peak is lost before anything runs.";
    }
    if (row.kind == RowKind::miscount)
    {
        return head + "\n\n" + miscount_words(row, convention);
    }
    const SliceNote note = note_of(row.slice);
    std::string tip = fmt::format("{}\n\n{}\n\n{}\n", head, note.says, note.formula);
    for (const std::string_view constant : note.constants)
    {
        const ConstantWords words = constant_words(frame, constant);
        tip += fmt::format("\n{} {}: {}", constant, words.value, words.source);
    }
    return tip + fmt::format("{}\nSource: {}", note.constants.empty() ? "" : "\n", note.source);
}

namespace
{

// The communication that takes longest of those inside or outside the node.
std::string longest_wire(const Frame& frame, bool outside)
{
    const StepTime& step = frame.now.report->step;
    Slice longest = Slice::tensor;
    double most = -1;
    for (const Slice wire : {Slice::tensor, Slice::context, Slice::expert, Slice::pipeline, Slice::data})
    {
        if (leaves_node(frame.now.scenario, wire) == outside && step.of(wire) > most)
        {
            most = step.of(wire);
            longest = wire;
        }
    }
    return std::string(name_of(longest));
}

std::string limit_words(Limit limit, const Frame& frame)
{
    switch (limit)
    {
    case Limit::kernels:
        return fmt::format("GEMMs and attention reach {} of the peak.",
                           percent(kernel_efficiency(frame.now.report->step)));
    case Limit::memory:
        return "norms, residuals and the optimizer are memory-bound.";
    case Limit::launch:
        return "kernels are shorter than their launch overhead.";
    case Limit::node_link:
        return fmt::format("mainly {}.", longest_wire(frame, false));
    case Limit::network:
        return fmt::format("mainly {}.", longest_wire(frame, true));
    case Limit::bubble:
        return "stages wait for each other.";
    case Limit::recompute:
        return "discarded activations are recomputed.";
    case Limit::uneven:
        return "the slowest stage has more than its share of layers.";
    case Limit::host:
        break;
    }
    return offloads_weights(frame.now.scenario.training.offload) ? "every pass waits for its weights."
                                                                 : "the optimizer runs there.";
}

std::string_view limit_name(Limit limit)
{
    constexpr std::array<std::string_view, kLimits> kNames{"GEMM and attention inefficiency",
                                                           "HBM",
                                                           "Launches",
                                                           "Intra-node links",
                                                           "Network",
                                                           "Bubble",
                                                           "Recomputation",
                                                           "Pipeline stage imbalance",
                                                           "Host"};
    return kNames[static_cast<std::size_t>(limit)];
}

} // namespace

std::string say_limit(const Frame& frame)
{
    const StepTime& step = frame.now.report->step;
    const auto by = losses(frame.now.scenario, step);
    const Limit limit = limit_of(frame.now.scenario, step);
    const double seconds = by[static_cast<std::size_t>(limit)];
    if (seconds <= 0)
    {
        return "Nothing: every FLOP runs at the peak.";
    }
    return fmt::format("**{}, {}**: {}", limit_name(limit), TimeScale(step.total()).with_unit(seconds),
                       limit_words(limit, frame));
}

std::string say_move(const Sensitivity& all, const DialMove* move)
{
    if (move == nullptr)
    {
        return "No single change is faster and still fits.";
    }
    const StepTime& now = all.now();
    const TimeScale scale(now.total());
    // Parts are compared for the same tokens on the same GPUs, as the whole is.
    const double ratio = (now.total() + move->change) / move->step.total();
    Slice falls = Slice::model;
    Slice grows = Slice::model;
    double least = 0;
    double most = 0;
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const double change = move->step.slices[i] * ratio - now.slices[i];
        falls = change < least ? static_cast<Slice>(i) : falls;
        grows = change > most ? static_cast<Slice>(i) : grows;
        least = std::min(least, change);
        most = std::max(most, change);
    }
    const auto changes = [&](Slice slice, double seconds)
    { return fmt::format("{} {} {}", name_of(slice), scale.change(seconds), scale.name); };
    std::string text = fmt::format(
        "**{} {} to {}**: {} less; {}", name_of(move->dial), shown_value(all.scenario(), move->dial),
        shown_value(move->after, move->dial), scale.with_unit(-move->change), changes(falls, least));
    if (most > 0.1 * -move->change)
    {
        text += ", " + changes(grows, most);
    }
    return text + ".";
}

Caption caption_step(const Frame& frame, WaterfallState& state)
{
    const Convention convention = state.convention;
    const Scenario& s = frame.now.scenario;
    const StepTime& step = frame.now.report->step;
    const double share = utilization(step, convention.numerator, convention.peak);
    const auto rows = waterfall(step, convention.numerator, convention.peak);
    const WaterfallRow* worst = nullptr;
    for (const WaterfallRow& row : rows)
    {
        const bool more = row.kind == RowKind::lost && (worst == nullptr || row.seconds > worst->seconds);
        worst = more ? &row : worst;
    }
    Caption caption;
    const auto seconds = [](double value) { return format_seconds(Seconds(value)); };
    const Band band = step_band(s, step.total());
    caption.sentence =
        fmt::format("A step takes **{}** (80% range {} to {}); its model FLOPs at peak would take {}.",
                    seconds(step.total()), seconds(step.total() * band.low),
                    seconds(step.total() * band.high), seconds(share * step.total()));
    if (worst != nullptr)
    {
        caption.sentence +=
            fmt::format(" Largest loss: **{}, {}**.", name_of(worst->slice), seconds(worst->seconds));
    }
    const auto gpus = static_cast<double>(s.cluster.gpus);
    const double peak = step.peak_flops / gpus * (convention.peak == PeakKind::sparse ? 2 : 1);
    const bool six = convention.numerator == Numerator::parameters;
    const std::string counted =
        six ? fmt::format("6 \u00d7 {} \u00d7 {}", figure(step.parameter_flops / 6 / step.tokens, 4),
                          figure(step.tokens, 4))
            : figure(share * step.total() * peak * gpus, 4);
    const bool hfu = convention.numerator == Numerator::hardware;
    caption.formula = fmt::format(
        "{} = {} / (GPUs \u00d7 peak) / step = {} / ({} \u00d7 {}) / {} = {}", hfu ? "HFU" : "MFU",
        six   ? "6 N tokens"
        : hfu ? "hardware FLOPs"
              : "model FLOPs",
        counted, grouped(s.cluster.gpus), figure(peak, 4), figure(step.total(), 4), format_percent(share));
    caption.source =
        "MFU: Chowdhery et al. 2022, PaLM, arXiv 2204.02311, appendix B. 6 N: Kaplan et al. 2020, "
        "arXiv 2001.08361, section 2.1. Model and hardware FLOPs: Korthikanti et al. 2022, arXiv "
        "2205.05198, equations 7 and 8.";
    return caption;
}

namespace
{

void draw_conventions(const Frame& frame, PanelColumn& column, Convention& convention)
{
    column.choice({"6N", "+ attn", "causal", "HFU"}, convention.numerator);
    const StepTime& step = frame.now.report->step;
    const double dense = step.peak_flops / static_cast<double>(frame.now.scenario.cluster.gpus) / 1e12;
    const std::string first = fmt::format("{} dense", grouped(std::llround(dense)));
    const std::string second = fmt::format("{} sparse", grouped(std::llround(2 * dense)));
    column.choice({first, second}, convention.peak);
    column.figure(fmt::format("{:.1f}%", utilization(step, convention.numerator, convention.peak) * 100),
                  fmt::format("{} of {} TFLOP/s {}",
                              convention.numerator == Numerator::hardware ? "HFU" : "MFU",
                              grouped(std::llround(dense * (convention.peak == PeakKind::sparse ? 2 : 1))),
                              convention.peak == PeakKind::sparse ? "sparse" : "dense"));
}

} // namespace

void panel_waterfall(PanelColumn& column, const WaterfallRoom& r)
{
    column.heading("MFU convention");
    draw_conventions(r.frame, column, r.state.convention);
    const auto all = what_if(r.frame);
    column.label("Best single change"); // first: the caption says the largest loss, too
    column.note(!all ? fault_sentence(all) : all.done() ? say_move(*all, all->best()) : "\u2026", false);
    column.label("Largest bottleneck");
    column.note(say_limit(r.frame), false);
}

} // namespace ringside
