// Checkpoints: what they hold and what happens when a part is missing, how large they are, and how their
// shards move to another layout.
// One file, since its pages look at one checkpoint, and share its sizes.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/reliability/checkpoint.h"
#include "core/reliability/goodput.h"
#include "core/reliability/reshard.h"
#include "core/reliability/resume.h"
#include "ui/draw/painter.h"
#include "ui/shell/paged_view.h"
#include "ui/views/reliability/goodput/model.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/cell_grid.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

namespace ringside
{

namespace
{

using Held = std::array<bool, kCheckpointParts>;

struct ShardMove
{
    const Resharding& result;
    ShardLayout whole; // what `from` shows, or shows a part of
    ShardLayout from;
    ShardLayout to;
    std::int64_t units = 0;
    double bytes_each = 0; // an element's
};

// Ranks as boxes: tensor and data across, stages down. A box shows what its rank holds, however little it is.
class Grid
{
public:
    Grid(const Painter& painter, Rect area, const ShardLayout& layout, std::int64_t units)
        : p_(painter), l_(layout), units_(units), cells_{area, layout.pipeline, layout.tensor * layout.data}
    {
        const Rect first = cells_.cell(0, 0);
        cells_.gap = std::min({p_.px(6), first.w * 0.15F, first.h * 0.2F});
    }

    Rect box(std::int64_t rank) const { return cells_.cell(rank / cells_.columns, rank % cells_.columns); }

    Rect place(const ShardPiece& piece, std::int64_t rank) const
    {
        const Rect b = box(rank);
        const std::int64_t tensor = rank % l_.tensor;
        const std::int64_t data = rank / l_.tensor % l_.data;
        const std::int64_t stage = rank / l_.tensor / l_.data;
        const auto cells = static_cast<double>(l_.cells());
        const auto cell = static_cast<double>(l_.sharded ? tensor * l_.data + data : tensor);
        const auto [first, last] = units_of_stage(units_, l_.pipeline, stage);
        const auto units = static_cast<float>(std::max<std::int64_t>(1, last - first));
        const auto x1 = static_cast<float>(piece.low * cells - cell);
        const auto x2 = static_cast<float>(piece.high * cells - cell);
        const float y1 = static_cast<float>(piece.first_unit - first) / units;
        const float y2 = static_cast<float>(piece.last_unit - first) / units;
        return {b.x + b.w * x1, b.y + b.h * y1, b.w * (x2 - x1), b.h * (y2 - y1)};
    }

    void draw_boxes() const
    {
        for (std::int64_t rank = 0; rank < l_.ranks(); ++rank)
        {
            p_.fill(box(rank), p_.theme.panel);
        }
    }

    // All of them, or none where the last has no room.
    void draw_names() const
    {
        const float h = p_.height(Type::mono_small);
        const float widest = p_.width(Type::mono_small, std::to_string(l_.ranks() - 1));
        const Rect last = box(l_.ranks() - 1);
        const bool named = widest + p_.px(4) < last.w && h + p_.px(4) < last.h;
        for (std::int64_t rank = 0; rank < l_.ranks(); ++rank)
        {
            const Rect b = box(rank);
            p_.outline(b, p_.theme.line, 1);
            if (named)
            {
                const std::string name = std::to_string(rank);
                const float w = p_.width(Type::mono_small, name) + p_.px(4);
                p_.fill({b.centre() - w / 2, b.middle() - h / 2, w, h}, p_.theme.window, p_.px(3));
                p_.text(b.centre(), b.middle(), Type::mono_small, p_.theme.text, name, Align::centre);
            }
        }
    }

private:
    const Painter& p_;
    const ShardLayout& l_;
    std::int64_t units_;
    CellGrid cells_;
};

// "TP 8 x PP 4 x 2 of 8 shards", where the picture has room for a part of `whole` only.
std::string say_layout(const ShardLayout& l, const ShardLayout& whole)
{
    const auto some = [](std::int64_t n, std::int64_t all)
    { return n < all ? fmt::format("{} of {}", n, all) : std::to_string(n); };
    return fmt::format("TP {} \u00d7 PP {}{}", some(l.tensor, whole.tensor), some(l.pipeline, whole.pipeline),
                       whole.data > 1 ? fmt::format(" \u00d7 {} {}", some(l.data, whole.data),
                                                    l.sharded ? "shards" : "replicas")
                                      : "");
}

Rect between(Rect a, Rect b, float t)
{
    const auto mixed = [t](float from, float to) { return from + (to - from) * t; };
    return {mixed(a.x, b.x), mixed(a.y, b.y), mixed(a.w, b.w), mixed(a.h, b.h)};
}

void draw_piece_card(const Painter& p, Rect room, const ShardPiece& piece, Bytes size)
{
    const std::vector<TipLine> lines{
        {"bytes", format_bytes(size, p.look.unit), 0},
        {"layers", fmt::format("{} to {}", piece.first_unit, piece.last_unit - 1), 0},
        {"of each tensor", fmt::format("{} to {}", format_percent(piece.low), format_percent(piece.high)),
         0}};
    tip_card(p, room, ImGui::GetIO().MousePos,
             piece.stays() ? fmt::format("Stays on rank {}", piece.to)
                           : fmt::format("Rank {} to rank {}", piece.from, piece.to),
             lines);
}

// `share` of the way, 0 to 1.
void draw_reshard(const Painter& p, Rect area, const ShardMove& move, double share)
{
    const Theme& t = p.theme;
    if (area.h < p.px(70) || area.w < p.px(200))
    {
        return;
    }
    const Rect head = area.cut_top(p.px(26));
    const float gap = std::clamp(area.w * 0.08F, p.px(24), p.px(90));
    Rect left{area.x, area.y, (area.w - gap) / 2, area.h};
    Rect right{area.x + left.w + gap, area.y, left.w, area.h};
    draw_chart_title(p, {left.x, head.y, left.w, head.h}, "Saved: " + say_layout(move.from, move.whole));
    draw_chart_title(p, {right.x, head.y, right.w, head.h}, "Loaded: " + say_layout(move.to, move.to),
                     move.result.kept > 0 ? "hatched: stays on its rank" : "");
    p.arrow({left.right() + p.px(6), area.middle()}, {right.x - p.px(8), area.middle()}, t.muted, p.px(2));
    const Grid before(p, left, move.from, move.units);
    const Grid after(p, right, move.to, move.units);
    before.draw_boxes();
    after.draw_boxes();
    const float moved = ease(static_cast<float>(std::clamp(share, 0.0, 1.0)));
    const auto ranks = static_cast<std::size_t>(move.from.ranks());
    const auto colour = [&](const ShardPiece& piece)
    { return stage_colour(t, static_cast<std::size_t>(piece.from), std::max<std::size_t>(2, ranks)); };
    for (const ShardPiece& piece : move.result.pieces)
    {
        p.fill(before.place(piece, piece.from), colour(piece));
    }
    const ShardPiece* hovered = nullptr;
    for (const ShardPiece& piece : move.result.pieces)
    {
        const Rect there = after.place(piece, piece.to);
        const Rect now = piece.stays() ? there : between(before.place(piece, piece.from), there, moved);
        const Rect slice{now.x, now.y, std::max(1.0F, now.w - 1), std::max(1.0F, now.h - 1)};
        const bool underway = !piece.stays() && moved > 0 && moved < 1; // what it passes shows through
        p.fill(slice, with_alpha(colour(piece), underway ? 0.3F : 1));
        if (underway)
        {
            p.outline(slice, colour(piece));
        }
        if (piece.stays())
        {
            p.hatch(now, t.window, kExposedHatch);
        }
        hovered = p.points_at(now) ? &piece : hovered;
    }
    before.draw_names();
    after.draw_names();
    if (hovered != nullptr)
    {
        const Rect room{head.x, head.y - p.px(140), area.right() - head.x,
                        area.bottom() - head.y + p.px(140)};
        draw_piece_card(p, room, *hovered, Bytes(move.bytes_each * static_cast<double>(hovered->elements)));
    }
}

// Bytes of a part that has as many bytes as there are parameters.
std::string bytes_of(const Painter& p, const CheckpointSize& size, CheckpointPart part)
{
    const Bytes bytes = part == CheckpointPart::weights    ? size.weights
                        : part == CheckpointPart::master   ? size.master
                        : part == CheckpointPart::momentum ? size.momentum
                        : part == CheckpointPart::variance ? size.variance
                                                           : Bytes{};
    return part > CheckpointPart::variance ? "bytes"
           : bytes > Bytes{}               ? format_bytes(bytes, p.look.unit)
                                           : "\u2013";
}

std::string explain_missing(const Held& held, const ResumeRun& resumed)
{
    const auto missing = static_cast<std::size_t>(std::count(held.begin(), held.end(), false));
    if (missing == 0)
    {
        return "Nothing is missing: the same losses as without the interruption, bit for bit.";
    }
    if (missing > 1)
    {
        return "Several parts are missing; tick them one at a time to see the effect of each.";
    }
    const auto at = static_cast<std::size_t>(std::find(held.begin(), held.end(), false) - held.begin());
    std::string words(says_of(static_cast<CheckpointPart>(at)));
    return resumed.skipped > 0 ? fmt::format("{} Skipped here: {}.", words, resumed.skipped) : words;
}

// The names of what is left out: "variance and step"; empty when nothing is.
std::string missing_words(const Held& held)
{
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < held.size(); ++i)
    {
        if (!held.at(i))
        {
            names.push_back(name_of(static_cast<CheckpointPart>(i)));
        }
    }
    std::string words;
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        words += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
        words += names[i];
    }
    return words;
}

// The part whose tick was pressed.
std::optional<CheckpointPart> draw_checklist(const Painter& p, Rect area, const CheckpointSize& size,
                                             const Held& held)
{
    using Part = CheckpointPart;
    const auto holds = [&held](Part part) { return held.at(static_cast<std::size_t>(part)); };
    const auto ink = [&](Part part) { return holds(part) ? p.theme.text : p.theme.muted; };
    const auto tick = [&](const Painter& at, Rect r, Part part, bool lit)
    {
        const float side = std::min(at.px(14), r.h - 4);
        const Rect box{r.x, r.middle() - side / 2, side, side};
        at.outline(box, lit ? at.theme.text : at.theme.muted, 1, at.px(2));
        if (holds(part))
        {
            at.tick_in(box, at.theme.text);
        }
        if (r.h > at.px(25)) // else the keys would overlap
        {
            at.keycap(box.right() + at.px(10), r.middle(), std::to_string(static_cast<int>(part) + 1));
        }
    };
    const Table<Part> table(
        {Column<Part>("Checkpoint contents", [ink](Part part) { return Cell(name_of(part), ink(part)); })
             .with(60, tick),
         {"",
          [&](Part part) { return Cell(holds(part) ? bytes_of(p, size, part) : "left out", ink(part)); }}},
        [](Part part) { return fmt::format("###holds {}", name_of(part)); }, nullptr, 28,
        [](Part part) { return fmt::format("Without it: {}", says_of(part)); });
    constexpr auto parts = rows_of<Part, kCheckpointParts>();
    const TableEvent event = table.draw(p, area, parts);
    return event.pressed ? std::optional(parts.at(*event.pressed)) : std::nullopt;
}

// The run that was never interrupted, and the resumed one where they differ.
void draw_resume(const Painter& p, Rect area, const ResumeRun& whole, const ResumeRun& resumed,
                 const Held& held)
{
    constexpr std::size_t kFrom = 180;
    const std::string missing = missing_words(held);
    const float high = p.height(Type::small) * 2.4F;
    if (area.h > high + p.px(120))
    {
        const Rect words = area.cut_bottom(high);
        p.list.PushClipRect({words.x, words.y}, {words.right(), words.bottom()}, true);
        p.paragraph(words, Type::small, p.theme.muted, explain_missing(held, resumed));
        p.list.PopClipRect();
    }
    double most = 0.1;
    std::vector<PlotPoint> smooth;
    std::vector<PlotPoint> after;
    for (std::size_t i = kFrom; i < static_cast<std::size_t>(kResumeSteps); ++i)
    {
        const auto step = static_cast<double>(i);
        most = std::max({most, whole.smooth[i], resumed.smooth[i]});
        smooth.push_back({step, whole.smooth[i]});
        if (i >= static_cast<std::size_t>(kResumeAt))
        {
            after.push_back({step, resumed.smooth[i]});
        }
    }
    const std::string title = missing.empty() ? "Loss of a small run resumed from it"
                                              : fmt::format("Loss after resuming without {}", missing);
    Plot plot(p, area,
              {kFrom, static_cast<double>(kResumeSteps - 1), PlotScale::linear, "step", plain_number},
              {0, most * 1.1, PlotScale::linear, "", [](double v) { return fmt::format("{:.2f}", v); }},
              {.title = title});
    if (!plot)
    {
        return;
    }
    plot.rule_x(static_cast<double>(kResumeAt), {p.theme.text, 1, true}, "resume");
    plot.line(after, {p.theme.forward, 2.5F}, missing.empty() ? "" : "resumed");
    plot.line(smooth, {p.theme.text, 1.5F}, missing.empty() ? "" : "never interrupted");
}

constexpr std::int64_t kMostTensor = 16;
constexpr std::int64_t kMostStages = 8;
constexpr std::int64_t kMostData = 4;

constexpr std::array<std::string_view, 2> kPages{"checkpoint/contents", "checkpoint/shards"};

Held everything()
{
    Held all{};
    all.fill(true);
    return all;
}

struct CheckpointState
{
    static ShardLayout whole(const Frame& frame);
    static ShardLayout from(const Frame& frame);
    ShardLayout to(const Frame& frame) const;
    ShardMove move(const Frame& frame) const;
    void flip(CheckpointPart part, Out& out);

    Held held = everything();
    ResumeRun unbroken = resume_run(held);
    ResumeRun resumed = unbroken;
    std::int64_t tensor = 0; // 0: half of the scenario's
    std::int64_t pipeline = 0;
    std::int64_t data = 0;
    Derived<std::tuple<std::vector<std::int64_t>, ShardLayout, ShardLayout>, Resharding> resharding;
};
using CheckpointRoom = PageRoom<CheckpointState>;

// The scenario's layout: one replica, or all shards of it.
ShardLayout CheckpointState::whole(const Frame& frame)
{
    const Scenario& s = frame.now.scenario;
    ShardLayout layout;
    layout.tensor = s.parallel.tensor;
    layout.pipeline = s.parallel.pipeline;
    layout.sharded = s.parallel.zero >= 1;
    layout.data = layout.sharded ? dense_replicas(s) : 1;
    return layout;
}

// What the picture shows of it.
ShardLayout CheckpointState::from(const Frame& frame)
{
    ShardLayout layout = whole(frame);
    layout.tensor = std::min(layout.tensor, kMostTensor);
    layout.pipeline = std::min({layout.pipeline, kMostStages, frame.now.scenario.model.layers});
    layout.data = std::min({layout.data, std::max<std::int64_t>(1, kMostTensor / layout.tensor), kMostData});
    return layout;
}

ShardLayout CheckpointState::to(const Frame& frame) const
{
    ShardLayout layout = from(frame);
    layout.tensor = tensor > 0 ? tensor : std::max<std::int64_t>(1, layout.tensor / 2);
    layout.pipeline = std::min(pipeline > 0 ? pipeline : layout.pipeline, frame.now.scenario.model.layers);
    layout.data = data > 0 ? data : layout.data;
    return layout;
}

ShardMove CheckpointState::move(const Frame& frame) const
{
    const Evaluated& now = frame.now;
    const std::tuple asked{reshard_units(now.report->parameters, now.scenario.model.layers), from(frame),
                           to(frame)};
    const Resharding& result = resharding.of(asked, [](const auto& of) { return std::apply(reshard, of); });
    const Bytes size = checkpoint_size(now.scenario, now.report->memory).total();
    return {result,
            whole(frame),
            from(frame),
            to(frame),
            std::ssize(std::get<0>(asked)),
            result.elements > 0 ? size.value / static_cast<double>(result.elements) : 0};
}

Motion shards_motion(const Frame& frame, CheckpointState&)
{
    return {.duration = 1,
            .per_second = 0.35,
            .stops = {0, 1},
            .label = frame.playback.t <= 0   ? "saved"
                     : frame.playback.t >= 1 ? "loaded"
                                             : fmt::format("{:.0f}% moved", 100 * frame.playback.t),
            .rest = 1};
}

void CheckpointState::flip(CheckpointPart part, Out& out)
{
    bool& holds = held.at(static_cast<std::size_t>(part));
    holds = !holds;
    resumed = resume_run(held);
    out.animating = true;
}

void draw_contents(const CheckpointRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    CheckpointState& state = r.state;
    const bool both = area.w > p.px(560);
    Rect list = both ? area.cut_left(std::clamp(area.w * 0.38F, p.px(250), p.px(380))) : area;
    p.part("contents", list);
    const CheckpointSize size = checkpoint_size(r.frame.now.scenario, r.frame.now.report->memory);
    if (const auto part = draw_checklist(p, list, size, state.held))
    {
        state.flip(*part, r.out);
    }
    if (both)
    {
        area.cut_left(p.px(32));
        p.part("loss", area);
        draw_resume(p, area, state.unbroken, state.resumed, state.held);
    }
}

void draw_shards(const CheckpointRoom& r)
{
    r.p.part("shards", r.area);
    draw_reshard(r.p, r.area, r.state.move(r.frame), r.frame.playback.t);
}

Caption contents_caption(const Frame& frame, CheckpointState& state)
{
    const Evaluated& now = frame.now;
    const CheckpointSize size = checkpoint_size(now.scenario, now.report->memory);
    const RunRates rates = run_rates(now.scenario, size, Seconds(now.report->step.total()), {});
    const ByteUnit unit = frame.preferences.unit;
    const std::string missing = missing_words(state.held);
    const auto parameters = static_cast<double>(now.report->parameters.total);
    Caption caption;
    caption.sentence =
        missing.empty()
            ? fmt::format("A full checkpoint is **{}**; {} write{} it in **{}**, at most {} each.",
                          format_bytes(size.total(), unit), counted(size.writers, "rank"),
                          size.writers == 1 ? "s" : "", say_time(rates.save_s),
                          format_bytes(size.largest, unit))
            : fmt::format("Without the **{}**, training resumes, but not exactly.", missing);
    const StateBytes each = state_bytes(now.scenario.training);
    caption.formula =
        fmt::format("({:g} + {:g} + {:g} + {:g}) P = {:g} \u00d7 {} = {}", each.weight, each.master,
                    each.momentum, each.variance, each.weight + each.master + each.momentum + each.variance,
                    figure(parameters), format_bytes(size.total(), unit));
    caption.source = fmt::format("Weights, master copy, momentum, variance. {} without the 16-bit weights, "
                                 "which can be recast from the FP32 master copy: 12 P "
                                 "for AdamW. Gradients are not saved. BLOOM 176B: 2.3 TB, of which 329 GB "
                                 "bf16 weights (Le Scao et al. 2022).",
                                 format_bytes(size.without_rounded(), unit));
    return caption;
}

Caption shards_caption(const Frame& frame, CheckpointState& state)
{
    const ShardMove moves = state.move(frame);
    const auto bytes = [&](std::int64_t n)
    { return format_bytes(Bytes(moves.bytes_each * static_cast<double>(n)), frame.preferences.unit); };
    Caption caption = contents_caption(frame, state);
    caption.sentence = fmt::format(
        "Loaded on TP {} \u00d7 PP {}, **{}** of the shards shown move to another rank and {} stay.",
        moves.to.tensor, moves.to.pipeline, bytes(moves.result.moved), bytes(moves.result.kept));
    return caption;
}

void panel_shards(PanelColumn& column, const CheckpointRoom& r)
{
    CheckpointState& state = r.state;
    const ShardLayout now = state.to(r.frame);
    column.heading("Load on another layout");
    const auto power = [&](const char* label, std::int64_t value, std::int64_t most, std::int64_t& own)
    {
        auto log = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
        const auto all = std::log2(static_cast<double>(most));
        if (column.slide(label, grouped(value), Track::even(0, all, say_whole), log))
        {
            own = std::int64_t{1} << log;
        }
    };
    power("TP when loading", now.tensor, kMostTensor, state.tensor);
    power("PP when loading", now.pipeline, kMostStages, state.pipeline);
    if (now.sharded)
    {
        power("DP shards when loading", now.data, kMostData, state.data);
    }
    const ShardMove moves = state.move(r.frame);
    const auto bytes = [&](std::int64_t n)
    { return format_bytes(Bytes(moves.bytes_each * static_cast<double>(n)), r.p.look.unit); };
    column.gap();
    column.fact("Moves to another rank", bytes(moves.result.moved));
    column.fact("Stays on its rank", bytes(moves.result.kept));
    column.fact("Most one rank receives", bytes(moves.result.most_received));
    column.fact("Slices", grouped(std::ssize(moves.result.pieces)));
}

void panel_contents(PanelColumn& column, const CheckpointRoom& r)
{
    const ByteUnit unit = r.p.look.unit;
    const CheckpointSize size = checkpoint_size(r.frame.now.scenario, r.frame.now.report->memory);
    column.fact("Checkpoint", format_bytes(size.total(), unit));
    column.fact("Written by", counted(size.writers, "rank"));
    column.fact("Most one rank writes", format_bytes(size.largest, unit));
    column.fact("Without 16-bit weights", format_bytes(size.without_rounded(), unit),
                "They can be recast from the FP32 master copy");
    column.gap();
    if (column.button("See it in the Lab", "L"))
    {
        r.out.push(OpenView{"lab"});
    }
    tooltip(r.p, "A small GPT really resumes without its optimizer state, and without its random state");
}

constexpr Page<CheckpointState> kContentsPage{"Contents", draw_contents, panel_contents, contents_caption};
constexpr Page<CheckpointState> kShardsPage{"Shards",       draw_shards,   panel_shards,
                                            shards_caption, shards_motion, "Resharding"};

class CheckpointView final : public PagedView<CheckpointState>
{
public:
    CheckpointView() : PagedView(kPages, {&kContentsPage, &kShardsPage}) {}

    ViewKeys keys() override
    {
        CheckpointState& s = state_;
        return {turn_key("Contents, or shards on another layout"),
                {"1 \u2026 9", "Leave a part out, or put it back",
                 [&s](const KeyPress& k) { s.flip(static_cast<CheckpointPart>(k.which), k.out); }},
                {"0", "Put every part back",
                 [&s]
                 {
                     s.held = everything();
                     s.resumed = s.unbroken;
                 }},
                {"H D", "Halve or double TP when loading",
                 [&s](const KeyPress& k)
                 {
                     const std::int64_t now = s.to(k.frame).tensor;
                     s.tensor = std::clamp<std::int64_t>(k.which == 0 ? now / 2 : now * 2, 1, kMostTensor);
                 }},
                {"L", "The Lab: resumed for real", [](const KeyPress& k) { k.out.push(OpenView{"lab"}); }}};
    }
};

} // namespace

extern const ViewInfo checkpoint_view{
    20,
    "checkpoint",
    ViewGroup::reliability,
    "Checkpoints",
    "Checkpoints",
    "Contents and size of a checkpoint, a resume with parts missing, shards on another layout",
    {"model", "tensor", "pipeline", "parallel.zero"},
    make_view<CheckpointView>,
    kPages};

} // namespace ringside
