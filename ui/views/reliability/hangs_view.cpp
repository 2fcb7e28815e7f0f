// A job that hangs: eight ranks' calls as their flight recorders have them, the watchdog's clock, and the
// user who finds out which rank desynchronized first, and how.
//
// The clock is in parts: the run, then ten minutes of the watchdog. One file, since calls, clock and
// verdict tell of one hang.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/pipeline/simulate.h"
#include "core/reliability/hang.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/run_frame.h"
#include "ui/shell/view.h"
#include "ui/views/reliability/hangs/recorded.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/timeline.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

struct HangLanesStyle
{
    double now = 0;                     // [s] of the run; what comes later is not drawn
    std::optional<std::size_t> accused; // rank
    bool revealed = false;              // the culprit's call is marked
    bool timing = true;                 // start events are recorded
};

double hang_window(const HangCase& hang); // the end

// What the lanes show [s]: the second step, since the first is like it and in order.
double hang_start(const HangCase& hang)
{
    double from = hang_window(hang);
    const double most = from - 0.1;
    for (std::size_t rank = 0; rank < kHangRanks; ++rank)
    {
        const std::size_t half = hang.programs.at(rank).size() / 2;
        const auto& log = hang.logs.at(rank);
        from = std::min(from, log.size() > half ? log[half].posted - 0.05 : from);
    }
    return std::clamp(from, 0.0, most);
}

const Ink& ink_of(const Theme& theme, CallGroup group)
{
    switch (group)
    {
    case CallGroup::tensor:
        return theme.tensor;
    case CallGroup::data:
        return theme.data;
    case CallGroup::pipeline:
        return theme.pipeline;
    case CallGroup::world:
        break;
    }
    return theme.context;
}

class CallLanes
{
public:
    CallLanes(const Painter& painter, const HangCase& hang, const HangLanesStyle& style)
        : p_(painter), hang_(hang), style_(style),
          findings_(analyze(hang.logs)), window_{hang_start(hang), hang_window(hang)}
    {
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            names_.push_back({fmt::format("rank {}", rank)});
            names_.back().strong = style.accused == rank;
        }
    }

    std::optional<std::size_t> draw(Rect area)
    {
        const LaneStyle style{area.h / static_cast<float>(kHangRanks),
                              p_.width(Type::small_strong, "rank 0") + p_.px(14)};
        std::optional<std::size_t> pressed_rank;
        std::optional<std::size_t> hovered;
        for (std::size_t rank = 0; rank < kHangRanks; ++rank)
        {
            const Rect row{area.x, area.y + style.pitch * static_cast<float>(rank), area.w, style.pitch};
            const Press pressed = press(p_, row, fmt::format("###rank {} diverged first", rank).c_str(), 4);
            pressed_rank = pressed.clicked ? std::optional(rank) : pressed_rank;
            hovered = pressed.hovered ? std::optional(rank) : hovered;
        }
        const HangRecord* pointed = nullptr;
        {
            TimeLanes lanes(p_, area, window_, style, names_);
            for (std::size_t rank = 0; rank < kHangRanks; ++rank)
            {
                const HangRecord* here = draw_lane(lanes, rank, hovered == rank);
                pointed = here != nullptr ? here : pointed;
            }
            draw_now(p_, lanes.field(), window_, style_.now);
        }
        if (pointed != nullptr && hovered)
        {
            draw_tip(area, *hovered, *pointed);
        }
        return pressed_rank;
    }

private:
    bool ended(const HangRecord& record) const
    {
        return record.state == CallState::completed && record.done <= style_.now;
    }

    // A call: waiting in it hatched, its transfer filled. Returns the one under the mouse.
    const HangRecord* draw_lane(TimeLanes& lanes, std::size_t rank, bool hovered) const
    {
        const Rect r = lanes.lane(rank);
        const HangRecord* pointed = nullptr;
        if (hovered)
        {
            p_.fill(r, p_.theme.control);
        }
        for (const HangRecord& record : hang_.logs.at(rank))
        {
            if (record.posted < style_.now && record.state != CallState::scheduled)
            {
                draw_call(lanes, rank, record);
                const double until = ended(record) ? record.done : style_.now;
                pointed = lanes.points_at(lanes.cell(rank, record.posted, until)) ? &record : pointed;
            }
        }
        const bool culprit = style_.revealed && rank == hang_.culprit;
        if (culprit || style_.accused == rank)
        {
            p_.outline(r, p_.theme.text, p_.px(2), p_.px(3));
        }
        if (culprit)
        {
            mark_culprit(rank, r);
        }
        return pointed;
    }

    void draw_call(TimeLanes& lanes, std::size_t rank, const HangRecord& record) const
    {
        constexpr double kTransfer = 0.04; // [s] as long as one is drawn
        const Theme& t = p_.theme;
        const Ink& ink = ink_of(t, record.call.group);
        const bool over = ended(record);
        const double until = over ? record.done : style_.now;
        const double moving = over ? std::max(record.posted, record.done - kTransfer) : until;
        lanes.block(rank, record.posted, moving,
                    {.ink = {with_alpha(ink.fill, 0.16F)},
                     .lines = with_alpha(ink.fill, over ? 0.5F : 1.0F),
                     .hatch = kExposedHatch});
        if (over)
        {
            p_.fill(lanes.body(rank, moving, until, true), ink.fill);
        }
        const Rect whole = lanes.cell(rank, record.posted, until);
        lanes.tag(whole, Type::mono_small, fmt::format("{} {}", name_of(record.call.group), record.sequence),
                  Align::left);
        if (!over && mismatched(rank, record))
        {
            p_.outline(whole, t.text, p_.px(1.5F));
        }
    }

    // Whether this call's entries differ between the members of its group.
    bool mismatched(std::size_t rank, const HangRecord& record) const
    {
        return std::any_of(findings_.begin(), findings_.end(),
                           [&](const HangFinding& f)
                           {
                               const auto group = members(f.group, rank);
                               return f.group == record.call.group && f.sequence == record.sequence &&
                                      !f.different.empty() &&
                                      std::find(group.begin(), group.end(), f.different.front()) !=
                                          group.end();
                           });
    }

    // Where the culprit left the others: its first call after that, or the end of its log.
    void mark_culprit(std::size_t rank, Rect r) const
    {
        const auto& log = hang_.logs.at(rank);
        const double at = hang_.call < log.size() ? log[hang_.call].posted
                          : log.empty()           ? 0
                                                  : log.back().done;
        const double place = std::isfinite(at) ? std::clamp(at, window_.from, window_.to) : window_.to;
        const float x = window_.x(r, place);
        const float half = p_.px(7);
        p_.list.AddTriangleFilled({x - half, r.y - half}, {x + half, r.y - half}, {x, r.y + half * 0.7F},
                                  p_.theme.text);
    }

    void draw_tip(Rect area, std::size_t rank, const HangRecord& record) const
    {
        const CallState state = state_at(record, style_.now, style_.timing);
        const std::string odd = !ended(record) && mismatched(rank, record) ? ", mismatch" : "";
        const std::array lines{TipLine{"sequence number", fmt::format("{}", record.sequence), 0},
                               TipLine{"elements", grouped(record.call.elements), 0},
                               TipLine{"state", std::string(name_of(state)) + odd, 0}};
        tip_card(p_, {area.x, area.y - p_.px(60), area.w, area.h + p_.px(160)}, ImGui::GetIO().MousePos,
                 fmt::format("Rank {}: {} {}", rank, name_of(record.call.group), name_of(record.call.kind)),
                 lines, record.call.what);
    }

    const Painter& p_;
    const HangCase& hang_;
    const HangLanesStyle& style_;
    std::vector<HangFinding> findings_;
    TimeWindow window_;
    std::vector<LaneName> names_;
};

double hang_window(const HangCase& hang)
{
    return std::max(1.0, hang.last * 1.04 + 0.2);
}

// The rank whose lane was pressed.
std::optional<std::size_t> draw_hang_lanes(const Painter& painter, Rect area, const HangCase& hang,
                                           const HangLanesStyle& style)
{
    if (area.w < painter.px(120) || area.h < painter.px(60))
    {
        return std::nullopt;
    }
    return CallLanes(painter, hang, style).draw(area);
}

// The clock: the run takes the first part of it, the watchdog's ten minutes the rest.
constexpr double kRun = 7;
constexpr double kAll = 10;

void draw_call_groups(const Painter& p, Rect row)
{
    constexpr std::array kNames{"tp: tensor pairs", "dp: data pairs", "pp: send, recv", "world: all 8 ranks"};
    std::vector<LegendItem> items;
    for (std::size_t i = 0; i < kCallGroups; ++i)
    {
        items.push_back({kNames.at(i), {ink_of(p.theme, static_cast<CallGroup>(i))}});
    }
    draw_legend(p, row, items);
}

class HangsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame& frame) const override;

private:
    double now(const Frame& frame) const;    // [s] of the run
    double waited(const Frame& frame) const; // [s] of the watchdog
    bool right() const { return accused_ == hang_.culprit && named_ == hang_.fault; }
    bool revealed() const { return shown_ || right(); }
    void next(Out& out);
    void draw_watchdog(const Frame& frame, const Painter& painter, Rect row) const;
    void draw_recorder(const Frame& frame, const Painter& painter, Rect area) const;
    void draw_faults(PanelColumn& column);
    void tell();
    std::string verdict() const;
    // Null: no dumps were opened, or a case is on show all the same.
    const RunReading* recorded(const Frame& frame) const
    {
        return frame.run != nullptr && frame.run->run.hang && !cases_ ? &frame.run->run : nullptr;
    }

    bool cases_ = false; // although dumps were opened
    std::uint64_t seed_ = 1;
    HangCase hang_ = draw_hang(1);
    std::optional<std::size_t> accused_;
    std::optional<HangFault> named_;
    bool shown_ = false;
    bool timing_ = true; // start events are recorded
};

double HangsView::now(const Frame& frame) const
{
    const double start = hang_start(hang_);
    return start + std::min(1.0, frame.playback.t / kRun) * (hang_window(hang_) - start);
}

double HangsView::waited(const Frame& frame) const
{
    return hang_.stuck ? std::max(0.0, frame.playback.t - kRun) / (kAll - kRun) * kWatchdogSeconds : 0;
}

Motion HangsView::motion(const Frame& frame) const
{
    if (recorded(frame) != nullptr)
    {
        return {};
    }
    return {.duration = kAll,
            .per_second = 0.8,
            .stops = {0, kRun / 2, kRun, kAll},
            .label = frame.playback.t <= kRun || !hang_.stuck
                         ? format_seconds(Seconds(now(frame)))
                         : fmt::format("+ {:.1f} min", waited(frame) / 60),
            .rest = kRun};
}

std::vector<std::string> HangsView::facts(const Frame& frame) const
{
    if (const RunReading* const run = recorded(frame))
    {
        return {counted(run->hang->ranks, "dump")};
    }
    return {fmt::format("case {}", seed_), "8 ranks: TP 2, DP 2, PP 2"};
}

void HangsView::next(Out& out)
{
    ++seed_;
    hang_ = draw_hang(seed_);
    accused_.reset();
    named_.reset();
    shown_ = false;
    out.push(Seek{0});
    out.push(Play{true});
}

void HangsView::draw_watchdog(const Frame& frame, const Painter& p, Rect row) const
{
    const double waiting = waited(frame);
    const bool fired = waiting >= kWatchdogSeconds - 1e-6;
    const std::string words = !hang_.stuck && frame.playback.t >= kRun ? "Everything completed: nothing hangs"
                              : fired ? "Watchdog: timed out after 10 minutes, every rank is aborted"
                                      : fmt::format("Watchdog: {:.1f} of 10 min", waiting / 60);
    const float w = p.width(Type::small_strong, words);
    p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text, words);
    const float left = row.x + w + p.px(16);
    if (row.right() - left > p.px(60))
    {
        const Rect bar{left, row.middle() - p.px(5), row.right() - left, p.px(10)};
        draw_stacked_bar(p, bar, std::array{BarPart{waiting, plain_fill(p.theme.muted)}},
                         {kWatchdogSeconds, false});
        p.outline(bar, p.theme.line);
    }
}

std::string HangsView::verdict() const
{
    if (right() || shown_)
    {
        return explain_hang(hang_);
    }
    if (accused_ && named_)
    {
        return accused_ == hang_.culprit
                   ? "The rank is right, the cause is not: compare its calls with those of its group."
               : named_ == hang_.fault ? "The cause is right, the rank is not: it only waits for another."
                                       : "Neither. Find the call that its group did not issue alike, and the "
                                         "rank that waits for no other.";
    }
    return !accused_ ? "Click the lane of the rank that desynchronized first."
                     : "And what did it do? Choose in the panel.";
}

void HangsView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    if (const RunReading* const run = recorded(frame))
    {
        draw_recorded_hang(p, area, *run);
        return;
    }
    draw_call_groups(p, area.cut_top(p.px(24)));
    area.cut_top(p.px(8));
    const Rect dog = area.cut_bottom(p.px(26));
    const bool told = area.h > p.px(260);
    Rect words = told ? area.cut_bottom(p.height(Type::small) * 2.6F + p.px(6)) : Rect{};
    p.part("lanes", area);
    const HangLanesStyle style{now(frame), accused_, revealed(), timing_};
    if (const auto rank = draw_hang_lanes(p, area, hang_, style))
    {
        accused_ = *rank;
        out.animating = true;
    }
    if (told)
    {
        words.cut_top(p.px(6));
        p.part("verdict", words);
        if (right())
        {
            p.tick(words.x, words.y + p.height(Type::small) / 2, p.theme.ok);
            words.cut_left(p.px(24));
        }
        p.paragraph(words, Type::small, p.theme.text, verdict());
    }
    p.part("watchdog", dog);
    draw_watchdog(frame, p, dog);
}

Caption HangsView::caption(const Frame& frame) const
{
    if (const RunReading* const run = recorded(frame))
    {
        return recorded_hang_caption(*run);
    }
    const std::vector<HangFinding> findings = analyze(hang_.logs);
    Caption caption;
    const bool over = frame.playback.t >= kRun;
    caption.sentence =
        !over ? "Eight ranks train. Each waits in every call until all ranks of its group have issued it."
        : !hang_.stuck ? "One rank was late, and then **training continued**: slow, not stuck."
        : revealed()
            ? fmt::format("**Rank {} desynchronized first**: {}.", hang_.culprit, name_of(hang_.fault))
            : "All ranks hang, and **one of them desynchronized first**. Which one, and how?";
    caption.formula =
        revealed() && !findings.empty()
            ? findings.front().says
            : "a collective completes when every rank of its group has issued call n with matching arguments";
    caption.source =
        "Sequence numbers and states as in PyTorch\u2019s Flight Recorder: a number for each process "
        "group (collective_seq_id); a state is that of the rank\u2019s own CUDA events. Its "
        "analyzer names the first call on which a group disagrees or a rank is missing. "
        "Timeout: 10 minutes for NCCL in "
        "init_process_group. MegaScale (Jiang et al. 2024, arXiv 2402.15627, section 5) finds "
        "hung ranks the same way: "
        "which rank waits, in what, for which.";
    return caption;
}

// The flight recorder of the rank under suspicion, newest first.
void HangsView::draw_recorder(const Frame& frame, const Painter& p, Rect area) const
{
    const std::size_t rank = accused_.value_or(0);
    const double at = now(frame);
    std::vector<HangRecord> log = hang_.logs.at(rank);
    std::ranges::reverse(log);
    std::erase_if(log, [at](const HangRecord& record) { return record.posted > at; });
    const auto ink = [&](const HangRecord& record)
    { return state_at(record, at, timing_) == CallState::completed ? p.theme.muted : p.theme.text; };
    const Table<HangRecord> table(
        {Column<HangRecord>(fmt::format("Flight recorder, rank {}", rank),
                            [&](const HangRecord& record)
                            {
                                return Cell(fmt::format("{} {} {}", name_of(record.call.group),
                                                        record.sequence, name_of(record.call.kind)),
                                            ink(record));
                            })
             .with(kSwatchRoom, [](const Painter& at_p, Rect cell, const HangRecord& record, bool)
                   { draw_swatch(at_p, cell, {ink_of(at_p.theme, record.call.group)}); }),
         {"", [&](const HangRecord& record)
          { return Cell(name_of(state_at(record, at, timing_)), ink(record)); }}});
    table.draw(p, area, log);
}

void HangsView::draw_faults(PanelColumn& column)
{
    column.heading("What did it do?");
    for (std::size_t i = 0; i < kHangFaults; ++i)
    {
        const auto fault = static_cast<HangFault>(i);
        const bool right = revealed() && fault == hang_.fault;
        if (column.option(fmt::format("{0}###it {0}", name_of(fault)), std::to_string(i + 1), named_ == fault,
                          says_of(fault), right ? OptionMark::good : OptionMark::none))
        {
            named_ = fault;
        }
    }
}

void HangsView::tell()
{
    shown_ = true;
    accused_ = hang_.culprit;
    named_ = hang_.fault;
}

bool HangsView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    PanelColumn column(p, area, out.animating);
    if (frame.run != nullptr && frame.run->run.hang)
    {
        column.choice({"Your dumps", "Cases"}, cases_);
    }
    if (const RunReading* const run = recorded(frame))
    {
        for (const std::string& message : run->messages)
        {
            column.note(message);
        }
        column.note("Choose Cases to find the culprit of hangs that were made up.");
        return true;
    }
    draw_faults(column);
    column.gap();
    if (const auto pressed = column.buttons({{"Reveal", "R"}, {"Next", "N"}}))
    {
        *pressed == 0 ? tell() : next(out);
    }
    column.toggle("Record start events", timing_);
    draw_recorder(frame, p, column.rest());
    return true;
}

ViewKeys HangsView::keys()
{
    return {{"click W S", "The rank that desynchronized first",
             [this](const KeyPress& k)
             {
                 const std::size_t step = k.which == 0 ? kHangRanks - 1 : 1;
                 accused_ = accused_ ? (*accused_ + step) % kHangRanks : 0;
             }},
            {"1 \u2026 6", "What it did",
             [this](const KeyPress& k) { named_ = static_cast<HangFault>(k.which); }},
            {"R", "Reveal the answer", [this] { tell(); }},
            {"N", "Another case", [this](const KeyPress& k) { next(k.out); }},
            {"T", "Record start events, or not", flips(timing_)}};
}

} // namespace

extern const ViewInfo hangs_view{
    40,
    "hangs",
    ViewGroup::reliability,
    "Hangs",
    "Collective hangs",
    "The collective calls of eight ranks until they hang, the watchdog, and the root cause",
    {},
    make_view<HangsView>,
    {},
    ViewRole::hangs};

} // namespace ringside
