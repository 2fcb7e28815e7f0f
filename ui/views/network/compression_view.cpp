// What does gradient compression lose? A real gradient before and after, what is not sent and where it goes,
// and the loss that results.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "ui/shell/paged_view.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/charts/plot_series.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside
{

namespace
{

constexpr const char* kPopup = "choose a compressor for the gradient";
constexpr double kCompressionRest = 24; // the step it stands at until the user moves the clock
constexpr std::size_t kSteps = kCompressionSteps;
constexpr std::array<std::string_view, 2> kPages{"compression/gradient", "compression/compressors"};

struct CompressionState
{
    CompressionRuns runs(const Frame& frame) const;
    std::array<CompressionOptions, kCompressors> rows() const
    {
        std::array<CompressionOptions, kCompressors> all;
        for (std::size_t i = 0; i < kCompressors; ++i)
        {
            all.at(i) = options;
            all.at(i).compressor = static_cast<Compressor>(i);
        }
        return all;
    }
    CompressionOptions other_way() const
    {
        CompressionOptions other = options;
        other.feedback = !options.feedback;
        return other;
    }
    void choose(Compressor compressor, Out& out)
    {
        options.compressor = compressor;
        out.animating = true;
    }
    HeatStyle heat_style(const CompressionRuns& runs, std::size_t step) const;
    void draw_popup(const Painter& painter, Out& out);
    void draw_head(const Painter& painter, Rect row) const;
    void draw_gradient(const Painter& painter, Rect area, const CompressionRuns& runs, std::size_t step,
                       Out& out) const;
    void draw_compressors(const Painter& painter, Rect area, const CompressionRuns& runs, std::size_t step,
                          Out& out);
    // The loss, or what is still left out, of the run on show and of those it is held against.
    void draw_loss(const Painter& painter, Rect area, const CompressionRuns& runs, std::size_t step,
                   Out& out) const;
    void draw_residual(const Painter& painter, Rect area, const CompressionRuns& runs, std::size_t step,
                       Out& out) const;
    struct Curve
    {
        std::string name;
        const CompressionSummary* run;
        PlotStroke stroke;
        bool chosen = false;
    };
    std::vector<Curve> curves(const CompressionRuns& runs, const Theme& theme) const;
    struct CurveChart
    {
        PlotFrame frame;
        const char* id;
        double least;
        double most; // what diverges leaves the chart at the top
        double (*value)(const CompressionStep& first, const CompressionStep& step);
    };
    static void draw_curves(const Painter& painter, Rect area, std::span<const Curve> curves,
                            const CurveChart& chart, std::size_t step, Out& out);
    std::string formula() const;
    Caption caption(const Frame& frame) const;

    CompressionOptions options;
    Derived<CompressionOptions, std::shared_ptr<const CompressionRun>> reference_run; // uncompressed
    Derived<CompressionOptions, CompressionShown> uncompressed;
    Derived<CompressionOptions, CompressionShown> shown;
    Derived<Scenario, GradientProjection> projected;
    bool choosing = false;
};
using CompressionRoom = PageRoom<CompressionState>;

std::size_t step_at(const Frame& frame)
{
    const double t = std::clamp(frame.playback.t, 0.0, static_cast<double>(kSteps - 1));
    return static_cast<std::size_t>(t + 1e-9);
}

Motion compression_motion(const Frame& frame, CompressionState&)
{
    return {.duration = static_cast<double>(kSteps - 1),
            .per_second = 10,
            .label = fmt::format("step {}/{}", step_at(frame) + 1, kSteps),
            .rest = kCompressionRest};
}

// All compressors, and the one on show with feedback the other way, which comes first.
CompressionRuns CompressionState::runs(const Frame& frame) const
{
    const CompressionOptions none = essential({Compressor::none});
    const auto& reference =
        reference_run.of(none, [](const CompressionOptions& o)
                         { return std::make_shared<const CompressionRun>(run_compression(o)); });
    const auto against = [&](const CompressionOptions& o) { return compression_shown(o, *reference); };
    const auto project = [&](const Scenario& s)
    { return gradient_projection(s, frame.now.report->memory.fullest, *frame.now.report->collective); };
    CompressionRuns all(shown.of(essential(options), against), uncompressed.of(none, against).summary,
                        projected.of(frame.now.scenario, project));
    const auto rows = this->rows();
    std::vector<CompressionOptions> wanted{other_way()};
    wanted.insert(wanted.end(), rows.begin(), rows.end());
    for (const CompressionOptions& each : wanted)
    {
        if (all.find(each) == nullptr)
        {
            all.add(work_on<CompressionWork>(frame.works, {essential(each), reference}));
        }
    }
    return all;
}

void CompressionState::draw_head(const Painter& p, Rect row) const
{
    const float key = draw_heat_key(p, row.right(), row.middle()) + p.px(24);
    draw_chart_title(p, {row.x, row.y, row.w - key, row.h},
                     fmt::format("{} \u00d7 {} gradient of one layer, {} ranks", SmallTask::kInputs,
                                 SmallTask::kHidden, SmallTask::kRanks),
                     "numbers: L2 norm, relative to the gradient's");
}

std::vector<CompressionState::Curve> CompressionState::curves(const CompressionRuns& runs,
                                                              const Theme& t) const
{
    const auto feedback = [](bool on) { return on ? "with feedback" : "no feedback"; };
    const CompressorInfo& info = info_of(options.compressor);
    std::vector<Curve> all{{"uncompressed", &runs.uncompressed(), {t.text, 1.5F, true}}};
    if (const CompressionSummary* other = info.feeds_back ? runs.find(other_way()) : nullptr)
    {
        all.push_back({feedback(!feeds_back(options)), other, {t.muted, 1.5F}});
    }
    if (options.compressor != Compressor::none)
    {
        all.push_back({info.feeds_back ? feedback(feeds_back(options)) : std::string(info.name),
                       &runs.summary(),
                       {t.of(Component::gradients), 2.5F},
                       true});
    }
    return all;
}

void CompressionState::draw_curves(const Painter& p, Rect area, std::span<const Curve> curves,
                                   const CurveChart& chart, std::size_t step, Out& out)
{
    std::vector<PlotSeries> all;
    double top = chart.least;
    for (const Curve& curve : curves)
    {
        PlotSeries& series = all.emplace_back(PlotSeries{curve.name, {}, curve.stroke, curve.chosen});
        for (const CompressionStep& each : curve.run->steps)
        {
            series.values.push_back(chart.value(curve.run->steps.front(), each));
        }
        top = std::max(top, std::min(chart.most, std::ranges::max(series.values)));
    }
    if (const auto to = draw_series(p, area, chart.frame, chart.id,
                                    {0, top, PlotScale::linear, "", plain_number}, step, all))
    {
        out.push(Seek{*to});
    }
}

void CompressionState::draw_loss(const Painter& p, Rect area, const CompressionRuns& runs, std::size_t step,
                                 Out& out) const
{
    draw_curves(p, area, curves(runs, p.theme),
                {{.title = "Loss", .note = "mean of all ranks", .names = 156},
                 "###loss over steps",
                 3,
                 10,
                 [](const CompressionStep&, const CompressionStep& s) { return s.loss; }},
                step, out);
}

void CompressionState::draw_residual(const Painter& p, Rect area, const CompressionRuns& runs,
                                     std::size_t step, Out& out) const
{
    // In first gradients, which all runs share; the uncompressed run has none.
    const std::vector<Curve> all = curves(runs, p.theme);
    draw_curves(p, area, std::span(all).subspan(1),
                {{.title = "Accumulated residual", .note = "relative to the first gradient", .names = 156},
                 "###missing over steps",
                 1e-3,
                 1e300,
                 [](const CompressionStep& first, const CompressionStep& s)
                 { return s.missing / first.gradient; }},
                step, out);
}

HeatStyle CompressionState::heat_style(const CompressionRuns& runs, std::size_t step) const
{
    const std::int64_t n = SmallTask::kInputs * SmallTask::kHidden;
    const auto& sent = runs.shown().moments[step].sent;
    const auto kept = std::count_if(sent.begin(), sent.end(), [](float v) { return v != 0; });
    const auto bytes = [](const CompressionOptions& o)
    { return format_bytes(wire_size(o, small_shape()).total()); };
    HeatStyle style;
    style.lost = !feeds_back(options);
    style.gradient = fmt::format("rank 0 of {}, step {}", SmallTask::kRanks, step + 1);
    style.carried = !style.lost                              ? "from the previous step"
                    : info_of(options.compressor).feeds_back ? "feedback is off"
                    : options.compressor == Compressor::none ? "nothing left out"
                                                             : "no error feedback";
    style.sent = kept < n / 2 ? fmt::format("{} of {} elements", kept, grouped(n))
                              : fmt::format("{} of {}", bytes(options), bytes({Compressor::none}));
    style.left = !style.lost                              ? "kept for the next step"
                 : options.compressor == Compressor::none ? "nothing lost"
                                                          : "lost";
    return style;
}

void CompressionState::draw_popup(const Painter& painter, Out& out)
{
    std::vector<Choosable> choices;
    for (std::size_t i = 0; i < kCompressors; ++i)
    {
        const CompressorInfo& info = info_of(static_cast<Compressor>(i));
        choices.push_back({info.id, info.name, info.says});
    }
    if (std::exchange(choosing, false))
    {
        ImGui::OpenPopup(kPopup);
    }
    if (const auto chosen = choice_popup(painter, kPopup, choices))
    {
        choose(static_cast<Compressor>(*chosen), out);
    }
}

void CompressionState::draw_gradient(const Painter& p, Rect area, const CompressionRuns& runs,
                                     std::size_t step, Out& out) const
{
    const float wanted = std::min(heat_height(p, area.w), area.h);
    const float head = p.px(26);
    const float gap = p.px(14);
    const float chart = p.px(150);
    const bool has_chart = area.h >= wanted * 0.6F + gap + chart;
    if (area.h >= wanted + head + (has_chart ? chart + gap : 0))
    {
        draw_head(p, area.cut_top(head));
    }
    // Flatter cells before a chart that nobody can read.
    const float heat = has_chart ? std::min(wanted, area.h - gap - chart) : wanted;
    draw_heat(p, area.cut_top(heat), runs.shown().moments[step], heat_style(runs, step));
    if (has_chart)
    {
        area.cut_top(gap);
        draw_loss(p, area, runs, step, out);
    }
}

void CompressionState::draw_compressors(const Painter& p, Rect area, const CompressionRuns& runs,
                                        std::size_t step, Out& out)
{
    const float table = std::min(area.h, compression_table_height(p));
    if (const auto chosen =
            draw_compression_table(p, area.cut_top(table), rows(), runs, options.compressor, step))
    {
        choose(*chosen, out);
    }
    area.cut_top(p.px(14));
    if (area.h < p.px(80))
    {
        return;
    }
    if (area.w >= p.px(560) && options.compressor != Compressor::none)
    {
        draw_residual(p, area.cut_right((area.w - p.px(32)) / 2), runs, step, out);
        area.cut_right(p.px(32));
    }
    draw_growth(p, area, runs.projection(), options);
}

std::string CompressionState::formula() const
{
    const std::int64_t n = SmallTask::kInputs * SmallTask::kHidden;
    const double total = wire_size(options, small_shape()).total().value;
    const std::string result = fmt::format("{:g} B;  {} B / {:g} B = {}\u00d7", total, 4 * n, total,
                                           three_digits(4 * static_cast<double>(n) / total));
    const std::int64_t k = kept_of(options.keep, n);
    switch (options.compressor)
    {
    case Compressor::none:
        return fmt::format("n \u00d7 4 B = {} \u00d7 4 B = {}", n, result);
    case Compressor::fp16:
    case Compressor::bf16:
        return fmt::format("n \u00d7 2 B = {} \u00d7 2 B = {}", n, result);
    case Compressor::fp8:
        return fmt::format("n \u00d7 1 B + scale = {} B + 4 B = {}", n, result);
    case Compressor::top_k:
        return options.packed_indices
                   ? fmt::format("k (32 + \u2308log2 n\u2309) bits = {} \u00d7 (32 + {}) bits = {}", k,
                                 index_bits(n), result)
                   : fmt::format("k (4 B + 4 B index) = {} \u00d7 8 B = {}", k, result);
    case Compressor::random_k:
        return fmt::format("k \u00d7 4 B, indices from the seed = {} \u00d7 4 B = {}", k, result);
    case Compressor::sign:
        return fmt::format("n bits + scale = {} / 8 B + 4 B = {}", n, result);
    case Compressor::vote:
        return fmt::format("n bits = {} / 8 B = {}", n, result);
    case Compressor::power_sgd:
        return fmt::format("r (rows + columns) \u00d7 4 B = {} \u00d7 ({} + {}) \u00d7 4 B = {}",
                           options.rank, SmallTask::kInputs, SmallTask::kHidden, result);
    }
    return {};
}

Caption CompressionState::caption(const Frame& frame) const
{
    const CompressionRuns all = runs(frame);
    const CompressorInfo& info = info_of(options.compressor);
    const CompressionSummary& run = all.summary();
    const WireRatio ratio = wire_ratio(options, small_shape());
    Caption caption;
    caption.formula = formula();
    caption.source = info.source;
    if (const WorkStatus* failed = all.failed())
    {
        caption.source += "\n" + fault_sentence(*failed);
    }
    if (options.compressor == Compressor::none)
    {
        caption.sentence = fmt::format("No compression: **{} per step**.",
                                       format_bytes(wire_size(options, small_shape()).total()));
        return caption;
    }
    const double error = run.errors[step_at(frame)];
    const std::string end =
        options.compressor == Compressor::random_k && !feeds_back(options)
            ? fmt::format("unbiased, relative error {}\u00d7 per step", three_digits(error))
            : fmt::format("the {}% not sent {}", three_digits(error * 100),
                          feeds_back(options) ? "are sent later" : "are lost");
    caption.sentence =
        fmt::format("{}: **{}\u00d7 smaller than FP32, {}\u00d7 smaller than BF16**; {}.", label_of(options),
                    three_digits(ratio.of_fp32), three_digits(ratio.of_bf16), end);
    caption.source += "\nerror = ||g \u2212 C(g)|| / ||g||, no step's error fed back. All ranks train with "
                      "learning rate 0.5.";
    return caption;
}

void draw_gradient_page(const CompressionRoom& r)
{
    r.state.draw_popup(r.p, r.out);
    r.state.draw_gradient(r.p, r.area, r.state.runs(r.frame), step_at(r.frame), r.out);
}

void draw_compressors_page(const CompressionRoom& r)
{
    r.state.draw_popup(r.p, r.out);
    r.state.draw_compressors(r.p, r.area, r.state.runs(r.frame), step_at(r.frame), r.out);
}

void panel_compression(PanelColumn& column, const CompressionRoom& r)
{
    CompressionState& s = r.state;
    s.choosing = draw_compression_panel(column, r.p, s.options, s.runs(r.frame)) || s.choosing;
}

Caption compression_caption(const Frame& frame, CompressionState& state)
{
    return state.caption(frame);
}

constexpr Page<CompressionState> kGradientPage{"Gradient", draw_gradient_page, panel_compression,
                                               compression_caption, compression_motion};
constexpr Page<CompressionState> kCompressorsPage{"Compressors",      draw_compressors_page,
                                                  panel_compression,  compression_caption,
                                                  compression_motion, "Compressors compared"};

class CompressionView final : public PagedView<CompressionState>
{
public:
    CompressionView() : PagedView(kPages, {&kGradientPage, &kCompressorsPage}) {}

    ViewKeys keys() override
    {
        CompressionState& s = state_;
        return {{"1 to 9", "Choose a compressor, in the order of the table",
                 [&s](const KeyPress& k) { s.choose(static_cast<Compressor>(k.which), k.out); }},
                turn_key("One gradient, or all compressors"),
                {"C", "Choose a compressor from a list", [&s] { s.choosing = true; }},
                {"E", "Error feedback on and off", flips(s.options.feedback)},
                {"I", "Top-k: packed indices or 32 bits", flips(s.options.packed_indices)},
                {"drag", "In a chart: move through the steps"}};
    }
};

} // namespace

extern const ViewInfo compression_view{
    50,
    "compression",
    ViewGroup::network,
    "Compression",
    "Gradient compression",
    "A real gradient through top-k, sign, low rank and narrow formats: bytes, error, and the loss with and "
    "without error feedback",
    {"collective.ranks", "collective.message_gb", "cluster.network_gb_per_s"},
    make_view<CompressionView>,
    kPages};

} // namespace ringside
