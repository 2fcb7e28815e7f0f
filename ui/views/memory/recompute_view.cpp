// None, selective and full recomputation by bytes and FLOPs, and a stage in segments that store only their
// inputs.
// One file, since its two pages compare the same costs and share their panel.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/memory/activations/recompute.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct RecomputeState
{
    std::int64_t requested = 0; // segments of a chunk; 0: the best
};

// The scenario's choices on its peak-memory stage.
struct RecomputeModel
{
    RecomputeChoices choices;
    std::size_t stage = 0;

    std::int64_t segments(const RecomputeState& state) const;
    const RecomputePoint& point(const RecomputeState& state) const
    {
        return choices.segments.at(static_cast<std::size_t>(segments(state) - 1));
    }
};

std::int64_t RecomputeModel::segments(const RecomputeState& state) const
{
    return state.requested == 0
               ? choices.best
               : std::clamp<std::int64_t>(state.requested, 1, std::max<std::int64_t>(1, choices.layers));
}

// "5 segments of 4 layers".
std::string segment_words(const RecomputeChoices& c, std::int64_t segments)
{
    const std::int64_t most = (c.layers + segments - 1) / segments;
    const bool even = c.layers % segments == 0;
    return fmt::format("{} of {}{}", counted(segments, "segment"), even ? "" : "at most ",
                       counted(most, "layer"));
}

Caption of_none(const RecomputeChoices& c, ByteUnit unit)
{
    const RecomputePoint& none = c.settings[0];
    const RecomputePoint& full = c.settings[2];
    Caption caption;
    caption.sentence = fmt::format(
        "Nothing is recomputed: **{}** stored. Full recomputation would store {} for **{} more FLOPs**.",
        format_bytes(none.kept, unit), format_bytes(full.total(), unit), format_percent(full.extra));
    return caption;
}

Caption of_setting(const RecomputeChoices& c, Recompute setting, ByteUnit unit)
{
    const RecomputePoint& none = c.settings[0];
    const RecomputePoint& point = c.settings[static_cast<std::size_t>(setting)];
    Caption caption;
    if (setting == Recompute::selective && point.kept == none.kept)
    {
        caption.sentence = fmt::format(
            "Selective recomputation saves **nothing**, for {} more FLOPs: FlashAttention stores no "
            "scores anyway.",
            format_percent(point.extra));
        return caption;
    }
    caption.sentence =
        fmt::format("{} recomputation leaves **{}** of {}, {} less, for **{} more FLOPs**.",
                    capitalized(std::string(name_of(setting))), format_bytes(point.total(), unit),
                    format_bytes(none.total(), unit), format_percent(1 - point.total() / none.total()),
                    format_percent(point.extra));
    return caption;
}

Caption recompute_caption(const Frame& frame, const RecomputeModel& model, const RecomputeState& state)
{
    const RecomputeChoices& c = model.choices;
    const ByteUnit unit = frame.preferences.unit;
    const Recompute setting = frame.now.scenario.training.recompute;
    Caption caption = setting == Recompute::none ? of_none(c, unit) : of_setting(c, setting, unit);
    const std::int64_t k = model.segments(state);
    const std::int64_t longest = (c.layers + k - 1) / k;
    caption.formula =
        fmt::format("{}: n k I + (L/k) A \u2212 I = {} \u00d7 {} \u00d7 {} + {} \u00d7 {} \u2212 {}",
                    counted(k, "segment"), figure(static_cast<double>(c.in_flight)),
                    figure(static_cast<double>(k)), figure(c.input.value),
                    figure(static_cast<double>(longest)), figure(c.layer.value), figure(c.input.value));
    caption.source = "Chen et al. 2016, arXiv 1604.06174, section 4.3, for layers that store A and have an "
                     "input of I; what the head stores comes on top. None, selective and full: Korthikanti "
                     "et al. 2022, arXiv 2205.05198, Table 2; full counts 8 N D FLOPs instead of 6 N D.";
    return caption;
}

struct Choice
{
    std::string key;
    std::string name;
    std::string says; // for the tooltip
    RecomputePoint point;
    std::optional<Recompute> setting; // empty: segments, which are the view's own
};

std::vector<Choice> choices_of(const RecomputeModel& model, const RecomputeState& state)
{
    const RecomputeChoices& c = model.choices;
    const auto of = [&](Recompute r) { return c.settings[static_cast<std::size_t>(r)]; };
    return {
        {"1", "none", "Everything that the forward pass computes is stored.", of(Recompute::none),
         Recompute::none},
        {"2", "selective",
         "Attention scores are discarded and recomputed: large to store, cheap to compute. "
         "FlashAttention never stores them. Korthikanti et al. 2022, arXiv 2205.05198, section 5",
         of(Recompute::selective), Recompute::selective},
        {"3", "full",
         "Only the input of every layer is stored; each layer\u2019s forward runs again before its backward. "
         "2 s b h per layer: Korthikanti et al. 2022, arXiv 2205.05198, Table 2",
         of(Recompute::full), Recompute::full},
        {"4", "alternate",
         "Attention\u2019s output and that of every second GEMM are stored, the rest is recomputed: "
         "torchtitan\u2019s selective checkpointing by operation (\u201cop\u201d)",
         of(Recompute::alternate), Recompute::alternate},
        {"", counted(model.segments(state), "segment"),
         "Only the input of every segment is stored; a segment\u2019s forward runs again before its "
         "backward, with all its tensors in memory. Chen et al. 2016, arXiv 1604.06174, section 4.3",
         model.point(state), std::nullopt}};
}

Fill again_fill(const Theme& t, const Ink& ink)
{
    return {.ink = {dim(t, ink.fill, 0.6F)}, .lines = ink.fill, .hatch = kExposedHatch};
}

BarCell bytes_cell(const Painter& p, const RecomputePoint& point)
{
    const Ink& ink = p.theme.of(Component::activations);
    return {{{point.kept.value, {ink}}, {point.again.value, again_fill(p.theme, ink)}},
            {},
            format_bytes(point.total(), p.look.unit)};
}

BarCell work_cell(const RecomputePoint& point)
{
    return {{}, {}, point.extra > 0 ? "+" + format_percent(point.extra) : "0"};
}

void draw_choices(const Painter& p, Rect area, const Frame& frame, const RecomputeModel& model,
                  const RecomputeState& state, Out& out)
{
    const std::vector<Choice> choices = choices_of(model, state);
    const Scenario& s = frame.now.scenario;
    BarRows rows{
        {{fmt::format("Memory on stage {}", model.stage), "", 1, 1}, {"More FLOPs", "", 1, 0}}, {}, 60};
    for (const Choice& c : choices)
    {
        const std::string id = c.setting ? c.name : "segments";
        rows.rows.push_back({c.name,
                             {bytes_cell(p, c.point), work_cell(c.point)},
                             c.key,
                             "###choice " + id,
                             id,
                             c.setting == s.training.recompute});
        rows.columns[0].most = std::max(rows.columns[0].most, c.point.total().value);
    }
    rows.reads = false;
    const DrawnRows drawn = draw_bar_rows(p, area, rows);
    if (drawn.hovered)
    {
        const Choice& c = choices[*drawn.hovered];
        tooltip_at_mouse(p, fmt::format("{}\n\nstored {}, live during recomputation {}, FLOPs +{}", c.says,
                                        format_bytes(c.point.kept, p.look.unit),
                                        format_bytes(c.point.again, p.look.unit),
                                        format_percent(c.point.extra)));
    }
    if (drawn.pressed && choices[*drawn.pressed].setting &&
        (frame.shows_example || !rows.rows[*drawn.pressed].chosen))
    {
        Scenario next = frame.own();
        next.training.recompute = *choices[*drawn.pressed].setting;
        out.push(ChangeScenario{next, false});
    }
}

double bytes_at(const RecomputeChoices& c, std::int64_t k)
{
    return c.segments[static_cast<std::size_t>(k - 1)].total().value;
}

// In the unit of the highest.
std::string tick_words(double bytes, const ByteScale& scale)
{
    return bytes == 0 ? "0" : fmt::format("{} {}", plain_number(bytes / scale.bytes), scale.name);
}

// From nothing to a little above what stands at both ends of the valley; a steep left side leaves at the top.
std::pair<PlotAxis, PlotAxis> axes_of(const RecomputeChoices& c, ByteUnit unit)
{
    const double valley = std::max(bytes_at(c, c.layers) * 1.4, bytes_at(c, c.best) * 2.6);
    const double both = std::max(bytes_at(c, c.layers) * 1.08, std::min(bytes_at(c, 1) * 1.08, valley));
    const ByteScale scale = byte_scale(Bytes(std::max(1.0, both)), unit);
    return {
        {1, static_cast<double>(std::max<std::int64_t>(2, c.layers)),
         c.layers > 12 ? PlotScale::log2 : PlotScale::linear,
         fmt::format("segments of {}; one per layer is full recomputation", counted(c.layers, "layer")),
         [](double v) { return v == std::floor(v) ? plain_number(v) : std::string(); }},
        {0, std::max(1.0, both), PlotScale::linear, "", [scale](double v) { return tick_words(v, scale); }}};
}

// Two layers of colour: the inputs stored, and above them the live segment. Segments of equal length are
// points joined by a line, the others specks: their longest one costs more.
void draw_stack(const Painter& p, Plot& plot, const RecomputeChoices& c)
{
    constexpr std::int64_t kMostSpecks = 200;
    const Ink& ink = p.theme.of(Component::activations);
    std::vector<PlotPoint> kept;
    std::vector<PlotPoint> total;
    for (std::int64_t k = 1; k <= c.layers; ++k)
    {
        const PlotPoint point{static_cast<double>(k), bytes_at(c, k)};
        if (c.layers % k == 0)
        {
            kept.push_back({point.x, c.segments[static_cast<std::size_t>(k - 1)].kept.value});
            total.push_back(point);
        }
        else if (c.layers <= kMostSpecks && plot.inside(point))
        {
            plot.speck(point, {dim(p.theme, ink.fill, 0.5F), 2});
        }
    }
    plot.fill_below(kept, with_alpha(ink.fill, 0.45F));
    plot.fill(kept, total, with_alpha(ink.fill, 0.16F));
    plot.line(total, {ink, 2.5F});
    for (const PlotPoint& point : total)
    {
        if (plot.inside(point))
        {
            plot.speck(point, {ink, 4});
        }
    }
}

// The engine's own settings, where they are within sight.
void draw_settings(const Painter& p, Plot& plot, const RecomputeChoices& c)
{
    const auto words = [&](const char* name, const RecomputePoint& point)
    { return fmt::format("{} {}", name, format_bytes(point.total(), p.look.unit)); };
    const bool same = c.settings[0].total() == c.settings[1].total();
    for (std::size_t i = 0; i < (same ? 1U : 2U); ++i)
    {
        const double bytes = c.settings[i].total().value;
        if (bytes <= plot.y.high)
        {
            plot.rule_y(bytes, {p.theme.muted, 1, true},
                        words(same     ? "none, selective"
                              : i == 0 ? "none"
                                       : "selective",
                              c.settings[i]));
        }
    }
    const PlotPoint full{static_cast<double>(c.layers), bytes_at(c, c.layers)};
    plot.dot(full, {p.theme.muted});
    plot.label(full, words("full", c.settings[2]), true);
    if (c.root >= 1 && c.root <= static_cast<double>(c.layers))
    {
        plot.rule_x(c.root, {p.theme.muted, 1, true},
                    fmt::format("\u221a(L A / n I) = {}", three_digits(c.root)));
    }
}

std::string tip_at(const RecomputeChoices& c, std::int64_t k, ByteUnit unit)
{
    const RecomputePoint& point = c.segments[static_cast<std::size_t>(k - 1)];
    return fmt::format("{}\nstored {}\nlive during recomputation {}\ntotal {}", segment_words(c, k),
                       format_bytes(point.kept, unit), format_bytes(point.again, unit),
                       format_bytes(point.total(), unit));
}

// Left to right with the arrow keys, to the mouse while it is held.
void draw_handle(const Painter& p, Plot& plot, const RecomputeModel& model, RecomputeState& state, Out& out)
{
    const RecomputeChoices& c = model.choices;
    const std::int64_t k = model.segments(state);
    const PlotPoint here{static_cast<double>(k), bytes_at(c, k)};
    plot.line({{here.x, 0}, here}, {p.theme.text, 1.5F});
    const PlotMove grip =
        plot.grip(here, "###segments of the curve",
                  fmt::format("{}: {}", k, format_bytes(model.point(state).total(), p.look.unit)));
    const PlotField field = plot.field("###curve of segments");
    const auto under = std::clamp<std::int64_t>(std::llround(field.at.x), 1, c.layers);
    const std::int64_t next =
        grip.to || field.held ? under : std::clamp<std::int64_t>(k + grip.steps, 1, c.layers);
    if (next != k)
    {
        state.requested = next;
        out.animating = true;
    }
    if (field.hovered && !grip.to)
    {
        tooltip_at_mouse(p, tip_at(c, under, p.look.unit));
    }
}

void draw_segment_curve(const Painter& p, Rect area, const RecomputeModel& model, RecomputeState& state,
                        Out& out)
{
    const RecomputeChoices& c = model.choices;
    if (c.layers < 2)
    {
        empty_state(p, area, "", "The stage\u2019s longest chunk is one layer: there is nothing to divide.");
        return;
    }
    const auto [segments, bytes] = axes_of(c, p.look.unit);
    Plot plot(p, area, segments, bytes,
              {.title = "Memory by number of segments",
               .note = "stored inputs, plus the live segment; points divide the layers evenly",
               .part = "curve"});
    if (!plot)
    {
        return;
    }
    draw_stack(p, plot, c);
    draw_settings(p, plot, c);
    draw_handle(p, plot, model, state, out);
}

// Held by one micro-batch at this moment.
Bytes held_bytes(const RecomputeChoices& c, const SegmentMoment& m)
{
    double bytes = 0;
    for (const Held held : m.held)
    {
        bytes += held == Held::whole ? c.layer.value : held == Held::input ? c.input.value : 0;
    }
    return Bytes(bytes);
}

std::string_view doing_words(SegmentMoment::Doing doing)
{
    switch (doing)
    {
    case SegmentMoment::Doing::forward:
        return "forward";
    case SegmentMoment::Doing::again:
        return "recomputed forward";
    case SegmentMoment::Doing::backward:
        return "backward";
    case SegmentMoment::Doing::done:
        break;
    }
    return "done";
}

Colour doing_colour(const Theme& t, SegmentMoment::Doing doing)
{
    return doing == SegmentMoment::Doing::backward ? t.backward_input.fill : t.forward.fill;
}

// A layer as a box filled by what it holds: its input as a foot, or all of it.
void draw_layer(const Painter& p, Rect box, Held held, double input_share)
{
    const Theme& t = p.theme;
    p.fill(box, t.control);
    const Ink& ink = t.of(Component::activations);
    const auto foot = static_cast<float>(std::max(input_share, 0.12)) * box.h;
    const float h = held == Held::whole ? box.h : held == Held::input ? std::max(2.0F, foot) : 0;
    if (h > 0)
    {
        p.fill({box.x, box.bottom() - h, box.w, h}, ink.fill);
    }
}

void draw_segment_strip(const Painter& p, Rect area, const Frame& frame, const RecomputeModel& model,
                        const RecomputeState& state)
{
    const RecomputeChoices& c = model.choices;
    const std::int64_t k = model.segments(state);
    const SegmentMoment m = segment_moment(c.layers, k, frame.playback.t);
    p.part("strip", area);
    draw_chart_title(
        p, area.cut_top(p.height(Type::small) + p.px(8)), segment_words(c, k), "one micro-batch",
        fmt::format("{}, {} held", doing_words(m.doing), format_bytes(held_bytes(c, m), p.look.unit)));
    const float pitch = area.w / static_cast<float>(c.layers);
    const float gap = pitch > p.px(6) ? p.px(1) : 0;
    // With more layers than pixels, some stand for their neighbours.
    const auto cells = std::min<std::int64_t>(c.layers, std::max<std::int64_t>(1, std::lround(area.w / 2)));
    const float wide = area.w / static_cast<float>(cells);
    const Rect boxes{area.x, area.y, area.w, area.h - p.px(8)};
    const auto x_of = [&](std::int64_t layer) { return boxes.x + pitch * static_cast<float>(layer); };
    for (std::int64_t cell = 0; cell < cells; ++cell)
    {
        const auto layer = static_cast<std::size_t>(cell * c.layers / cells);
        draw_layer(p, {boxes.x + wide * static_cast<float>(cell), boxes.y, wide - gap, boxes.h},
                   m.held[layer], c.input / c.layer);
    }
    for (std::int64_t i = 0; i <= k && k <= cells; ++i)
    {
        const float x = x_of(segment_start(c.layers, k, i));
        p.line(x, boxes.y - p.px(2), x, boxes.bottom() + p.px(6), p.theme.text, k < c.layers ? p.px(2) : 1);
    }
    if (m.doing != SegmentMoment::Doing::done)
    {
        p.outline({x_of(m.layer), boxes.y, std::max(3.0F, pitch - gap), boxes.h},
                  doing_colour(p.theme, m.doing), p.px(2));
    }
}

void draw_recompute_panel(const Painter& p, Rect area, const RecomputeModel& model, RecomputeState& state,
                          Out& out)
{
    const RecomputeChoices& c = model.choices;
    PanelColumn column(p, area, out.animating);
    std::int64_t k = model.segments(state);
    if (column.slide("Segments k", Track::even(1, static_cast<double>(c.layers), say_whole), k))
    {
        state.requested = k;
    }
    if (column.button(fmt::format("Least memory: {}###least", c.best).c_str(), "M"))
    {
        state.requested = 0;
    }
    const auto bytes = [&](Bytes b) { return format_bytes(b, p.look.unit); };
    column.fact("Layers L", grouped(c.layers), "Of the stage\u2019s longest chunk");
    column.fact("In flight n", grouped(c.in_flight),
                "Micro-batches in flight on the stage; each stores its inputs");
    column.fact("Layer input I", bytes(c.input), "2 s b h, sharded by t with sequence parallelism");
    column.fact("Whole layer A", bytes(c.layer), "Every tensor that its forward pass stores");
    column.fact("A / I", three_digits(c.layer / c.input), "The larger it is, the more segments are optimal");
    column.fact("\u221a(L A / n I)", three_digits(c.root),
                "Where n k I + (L / k) A is least: its derivative is zero. With A = I and n = 1 it is "
                "Chen\u2019s square root of L");
    column.gap();
    column.note(
        fmt::format("Full recomputation runs every layer\u2019s forward twice: **{} more FLOPs**, as a "
                    "backward costs two forwards.",
                    format_percent(c.settings[2].extra)));
}

constexpr double kSeconds = 12; // playing takes

// Selective recomputation saves nothing beside FlashAttention, and none nothing at all: full against none.
std::optional<Scenario> recomputed_in_full(const Scenario& own, const Presets&)
{
    const Training& t = own.training;
    if (t.recompute != Recompute::none && !(t.recompute == Recompute::selective && t.flash_attention))
    {
        return std::nullopt;
    }
    Scenario next = own;
    next.training.recompute = Recompute::full;
    return next;
}

constexpr std::array kOpenings{Opening{"recompute", "full recomputation", recomputed_in_full}};

class RecomputeView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override
    {
        return recompute_caption(frame, model(frame), state_);
    }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        draw_recompute_panel(painter, area, model(frame), state_, out);
        return true;
    }
    ViewKeys keys() override;

private:
    const RecomputeModel& model(const Frame& frame) const
    {
        const auto make = [&](const Scenario& s)
        {
            const MemoryReport& memory = frame.now.report->memory;
            return RecomputeModel{recompute_choices(s, memory, memory.fullest), memory.fullest};
        };
        return model_.of(frame.now.scenario, make);
    }

    RecomputeState state_;
    Derived<Scenario, RecomputeModel> model_;
};

Motion RecomputeView::motion(const Frame& frame) const
{
    const auto layers = static_cast<double>(model(frame).choices.layers);
    Motion motion;
    motion.duration = 3 * layers;
    motion.per_second = motion.duration / kSeconds;
    // At its fullest: the last segment is whole again.
    const RecomputeChoices& c = model(frame).choices;
    const std::int64_t k = model(frame).segments(state_);
    motion.rest = layers + static_cast<double>(c.layers - segment_start(c.layers, k, k - 1));
    const SegmentMoment m = segment_moment(c.layers, k, frame.playback.t);
    motion.label =
        m.doing == SegmentMoment::Doing::done ? "done" : fmt::format("layer {}/{}", m.layer + 1, c.layers);
    return motion;
}

void RecomputeView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const RecomputeModel& d = model(frame);
    const float row = std::max(p.height(Type::small) + p.px(4), std::min(p.px(34), area.h * 0.065F));
    draw_choices(p, area.cut_top(std::min(area.h, row * 4 + p.px(24))), frame, d, state_, out);
    area.cut_top(std::min(area.h, p.px(12)));
    const float strip = p.height(Type::small) + p.px(56);
    if (area.h > strip + p.px(60))
    {
        draw_segment_strip(p, area.cut_top(strip), frame, d, state_);
        area.cut_top(p.px(12));
    }
    draw_segment_curve(p, area, d, state_, out);
}

ViewKeys RecomputeView::keys()
{
    return {{"1 2 3 4", "None, selective, full, alternate",
             [](const KeyPress& k)
             { change_training(k, [&](Training& t) { t.recompute = static_cast<Recompute>(k.which); }); }},
            {"J K", "One segment fewer, one more",
             [this](const KeyPress& k)
             {
                 const RecomputeModel& d = model(k.frame);
                 state_.requested = std::clamp<std::int64_t>(d.segments(state_) + (k.which == 0 ? -1 : 1), 1,
                                                             d.choices.layers);
             },
             true},
            {"M", "The number of segments that needs the least", [this] { state_.requested = 0; }},
            {"F", "FlashAttention on and off",
             [](const KeyPress& k)
             { change_training(k, [](Training& t) { t.flash_attention = !t.flash_attention; }); }},
            {"drag", "Along the curve: the number of segments"}};
}

} // namespace

extern const ViewInfo recompute_view{
    40,
    "recompute",
    ViewGroup::memory,
    "Recompute",
    "Recomputation",
    "None, selective, full or segments: memory vs recomputed FLOPs",
    {"model", "pipeline", "micro_batch", "training.sequence_length", "training.flash_attention"},
    make_view<RecomputeView>,
    {},
    ViewRole::other,
    kOpenings};

} // namespace ringside
