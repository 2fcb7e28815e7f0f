// What does gradient compression lose? A real gradient before and after, what is not sent and where it goes,
// and the loss that results.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/shell/view.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/charts/plot_series.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ringside
{

namespace
{

constexpr const char* kPopup = "choose a compressor for the gradient";
constexpr double kCompressionRest = 24; // the step it stands at until somebody moves the clock
constexpr std::size_t kSteps = kCompressionSteps;

class CompressionView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    const CompressionRuns& runs(const Frame& frame) const
    {
        runs_.update(options_);
        runs_.project(frame.now.scenario, frame.now.report);
        return runs_;
    }
    std::array<CompressionOptions, kCompressors> rows() const
    {
        std::array<CompressionOptions, kCompressors> all;
        for (std::size_t i = 0; i < kCompressors; ++i)
        {
            all.at(i) = options_;
            all.at(i).compressor = static_cast<Compressor>(i);
        }
        return all;
    }
    CompressionOptions other_way() const
    {
        CompressionOptions other = options_;
        other.feedback = !options_.feedback;
        return other;
    }
    void choose(Compressor compressor, Out& out)
    {
        options_.compressor = compressor;
        out.animating = true;
    }
    HeatStyle heat_style(std::size_t step) const;
    void draw_popup(const Painter& painter, Out& out);
    void draw_head(const Painter& painter, Rect row) const;
    void draw_charts(const Painter& painter, Rect area, std::size_t step, Out& out) const;
    std::string formula() const;

    CompressionOptions options_;
    CompressionRuns runs_;
    bool choosing_ = false;
};

std::size_t step_at(const Frame& frame)
{
    const double t = std::clamp(frame.playback.t, 0.0, static_cast<double>(kSteps - 1));
    return static_cast<std::size_t>(t + 1e-9);
}

Motion CompressionView::motion(const Frame& frame) const
{
    return {.duration = static_cast<double>(kSteps - 1),
            .per_second = 10,
            .label = fmt::format("step {}/{}", step_at(frame) + 1, kSteps),
            .rest = kCompressionRest};
}

void CompressionView::draw_head(const Painter& p, Rect row) const
{
    const float key = draw_heat_key(p, row.right(), row.middle()) + p.px(24);
    draw_chart_title(p, {row.x, row.y, row.w - key, row.h},
                     fmt::format("{} \u00d7 {} gradient of one layer, {} ranks", SmallTask::kInputs,
                                 SmallTask::kHidden, SmallTask::kRanks),
                     "numbers: L2 norm, relative to the gradient's");
}

void CompressionView::draw_charts(const Painter& p, Rect area, std::size_t step, Out& out) const
{
    struct Curve
    {
        std::string name;
        const CompressionSummary* run;
        PlotStroke stroke;
        bool chosen = false;
    };
    const Theme& t = p.theme;
    const auto feedback = [](bool on) { return on ? "with feedback" : "no feedback"; };
    const CompressorInfo& info = info_of(options_.compressor);
    std::vector<Curve> curves{{"uncompressed", &runs_.uncompressed(), {t.text, 1.5F, true}}};
    if (const CompressionSummary* other = info.feeds_back ? runs_.find(other_way()) : nullptr)
    {
        curves.push_back({feedback(!feeds_back(options_)), other, {t.muted, 1.5F}});
    }
    if (options_.compressor != Compressor::none)
    {
        curves.push_back({info.feeds_back ? feedback(feeds_back(options_)) : std::string(info.name),
                          &runs_.get(options_),
                          {t.of(Component::gradients), 2.5F},
                          true});
    }
    const auto draw = [&](Rect r, const PlotFrame& frame, const char* id, std::size_t first, double least,
                          double most, auto value)
    {
        std::vector<PlotSeries> all;
        double top = least;
        for (std::size_t i = first; i < curves.size(); ++i)
        {
            PlotSeries& series =
                all.emplace_back(PlotSeries{curves[i].name, {}, curves[i].stroke, curves[i].chosen});
            for (const CompressionStep& each : curves[i].run->steps)
            {
                series.values.push_back(value(curves[i].run->steps.front(), each));
            }
            top = std::max(top, std::min(most, std::ranges::max(series.values)));
        }
        if (const auto to =
                draw_series(p, r, frame, id, {0, top, PlotScale::linear, "", plain_number}, step, all))
        {
            out.push(Seek{*to});
        }
    };
    if (area.w >= p.px(560) && curves.size() > 1)
    {
        // In first gradients, which all runs share.
        draw(area.cut_right((area.w - p.px(32)) / 2),
             {.title = "Accumulated residual", .says = "relative to the first gradient", .names = 156},
             "###missing over steps", 1, 1e-3, 1e300,
             [](const CompressionStep& first, const CompressionStep& s)
             { return s.missing / first.gradient; });
        area.cut_right(p.px(32));
    }
    // What diverges leaves the chart at the top.
    draw(area, {.title = "Loss", .says = "mean of all ranks", .names = 156}, "###loss over steps", 0, 3, 10,
         [](const CompressionStep&, const CompressionStep& s) { return s.loss; });
}

HeatStyle CompressionView::heat_style(std::size_t step) const
{
    const std::int64_t n = SmallTask::kInputs * SmallTask::kHidden;
    const auto& sent = runs_.shown().moments[step].sent;
    const auto kept = std::count_if(sent.begin(), sent.end(), [](float v) { return v != 0; });
    const auto bytes = [](const CompressionOptions& o)
    { return format_bytes(wire_size(o, small_shape()).total()); };
    HeatStyle style;
    style.lost = !feeds_back(options_);
    style.gradient = fmt::format("rank 0 of {}, step {}", SmallTask::kRanks, step + 1);
    style.carried = !style.lost                               ? "from the previous step"
                    : info_of(options_.compressor).feeds_back ? "feedback is off"
                    : options_.compressor == Compressor::none ? "nothing left out"
                                                              : "no error feedback";
    style.sent = kept < n / 2 ? fmt::format("{} of {} elements", kept, grouped(n))
                              : fmt::format("{} of {}", bytes(options_), bytes({Compressor::none}));
    style.left = !style.lost                               ? "kept for the next step"
                 : options_.compressor == Compressor::none ? "nothing lost"
                                                           : "lost";
    return style;
}

void CompressionView::draw_popup(const Painter& painter, Out& out)
{
    std::vector<Choosable> choices;
    for (std::size_t i = 0; i < kCompressors; ++i)
    {
        const CompressorInfo& info = info_of(static_cast<Compressor>(i));
        choices.push_back({info.id, info.name, info.says});
    }
    if (std::exchange(choosing_, false))
    {
        ImGui::OpenPopup(kPopup);
    }
    if (const auto chosen = choice_popup(painter, kPopup, choices))
    {
        choose(static_cast<Compressor>(*chosen), out);
    }
}

void CompressionView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    draw_popup(painter, out);
    const std::size_t step = step_at(frame);
    const auto all = rows();
    std::vector<CompressionOptions> wanted(all.begin(), all.end());
    wanted.insert(wanted.begin(), other_way());
    if (runs(frame).fill_some(wanted))
    {
        out.animating = true;
    }
    const float table = compression_table_height(painter);
    const float head = painter.px(26);
    const float heat_wanted = std::min(heat_height(painter, area.w), area.h);
    const float gap = painter.px(10);
    const float chart_least = painter.px(80);
    const bool has_table = area.h >= heat_wanted + table + gap;
    const bool has_charts = area.h >= heat_wanted + (has_table ? table + gap : 0) + chart_least + gap;
    const bool has_head =
        area.h >= heat_wanted + head + (has_table ? table + gap : 0) + (has_charts ? chart_least + gap : 0);
    // Flatter cells before charts that nobody can read.
    const float others = (has_head ? head : 0) + (has_table ? table + gap : 0) + gap + painter.px(150);
    const float heat = has_charts
                           ? std::clamp(area.h - others, std::min(painter.px(150), heat_wanted), heat_wanted)
                           : heat_wanted;
    if (has_head)
    {
        draw_head(painter, area.cut_top(head));
    }
    draw_heat(painter, area.cut_top(heat), runs_.shown().moments[step], heat_style(step));
    if (has_table)
    {
        if (const auto chosen = draw_compression_table(painter, area.cut_bottom(table), all, runs_,
                                                       options_.compressor, step))
        {
            choose(*chosen, out);
        }
        area.cut_bottom(gap);
    }
    if (has_charts)
    {
        area.cut_top(gap);
        draw_charts(painter, area, step, out);
    }
}

std::string CompressionView::formula() const
{
    const std::int64_t n = SmallTask::kInputs * SmallTask::kHidden;
    const double total = wire_size(options_, small_shape()).total().value;
    const std::string result = fmt::format("{:g} B;  {} B / {:g} B = {}\u00d7", total, 4 * n, total,
                                           three_digits(4 * static_cast<double>(n) / total));
    const std::int64_t k = kept_of(options_.keep, n);
    switch (options_.compressor)
    {
    case Compressor::none:
        return fmt::format("n \u00d7 4 B = {} \u00d7 4 B = {}", n, result);
    case Compressor::fp16:
    case Compressor::bf16:
        return fmt::format("n \u00d7 2 B = {} \u00d7 2 B = {}", n, result);
    case Compressor::fp8:
        return fmt::format("n \u00d7 1 B + scale = {} B + 4 B = {}", n, result);
    case Compressor::top_k:
        return options_.packed_indices
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
                           options_.rank, SmallTask::kInputs, SmallTask::kHidden, result);
    }
    return {};
}

Caption CompressionView::caption(const Frame& frame) const
{
    const CompressionRuns& all = runs(frame);
    const CompressorInfo& info = info_of(options_.compressor);
    const CompressionSummary& shown = all.get(options_);
    const WireRatio ratio = wire_ratio(options_, small_shape());
    Caption caption;
    caption.formula = formula();
    caption.source = info.source;
    if (options_.compressor == Compressor::none)
    {
        caption.sentence = fmt::format("No compression: **{} per step**.",
                                       format_bytes(wire_size(options_, small_shape()).total()));
        return caption;
    }
    const double error = shown.errors[step_at(frame)];
    const std::string end =
        options_.compressor == Compressor::random_k && !feeds_back(options_)
            ? fmt::format("unbiased, relative error {}\u00d7 per step", three_digits(error))
            : fmt::format("the {}% not sent {}", three_digits(error * 100),
                          feeds_back(options_) ? "are sent later" : "are lost");
    caption.sentence =
        fmt::format("{}: **{}\u00d7 smaller than FP32, {}\u00d7 smaller than BF16**; {}.", label_of(options_),
                    three_digits(ratio.of_fp32), three_digits(ratio.of_bf16), end);
    caption.source += "\nerror = ||g \u2212 C(g)|| / ||g||, no step's error fed back. All ranks train with "
                      "learning rate 0.5.";
    return caption;
}

bool CompressionView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const CompressionRuns& all = runs(frame);
    choosing_ = draw_compression_panel(painter, area, options_, all, out) || choosing_;
    return true;
}

ViewKeys CompressionView::keys()
{
    return {{"1 to 9", "Choose a compressor, in the order of the table",
             [this](const KeyPress& k) { choose(static_cast<Compressor>(k.which), k.out); }},
            {"C", "Choose a compressor from a list", [this] { choosing_ = true; }},
            {"E", "Error feedback on and off", flips(options_.feedback)},
            {"I", "Top-k: packed indices or 32 bits", flips(options_.packed_indices)},
            {"drag", "In a chart: move through the steps"}};
}

} // namespace

extern const ViewInfo compression_view{
    14,
    "compression",
    "Network",
    "Compression",
    "Gradient compression",
    "A real gradient through top-k, sign, low rank and narrow formats: bytes, error, and the loss with and "
    "without error feedback",
    {"collective.ranks", "collective.message_gb", "cluster.network_gb_per_s"},
    make_view<CompressionView>};

} // namespace ringside
