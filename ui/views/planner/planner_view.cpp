// Which layout trains it fastest: every legal one searched, the best in a table, all of them as points of
// step time against memory, and rejected layouts, by reason.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/planner/changes.h"
#include "core/planner/current_layout.h"
#include "core/planner/search/layout_work.h"
#include "core/planner/search/near_misses.h"
#include "core/scenario/presets.h"
#include "core/scenario/validate.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/table.h"

#include <imgui_internal.h>

#include <algorithm>

namespace ringside
{

namespace
{

class PlannerView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    bool holds_while_invalid() const override { return current_.has_value(); }
    float panel_height() const override { return 1460; }

private:
    void take_answer(const Frame& frame, const Painter& painter, Out& out);
    void update_current(const Frame& frame);
    // The scenario whose layouts are searched for, whatever its own.
    const Scenario& searched(const Frame& frame) const
    {
        return current_ ? frame.scenario : frame.now.scenario;
    }
    bool live(const Frame& frame) const { return shown_.answers(searched(frame), limits_); }
    void load(const Frame& frame, const Layout& layout, Out& out) const;
    PlannerTableEvent draw_table(const Frame& frame, const Painter& painter, Rect& area,
                                 const PlannerRow& now);
    void draw_parts(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_empty(const Frame& frame, const Painter& painter, Rect area) const;
    void draw_tip(const Frame& frame, const Painter& painter, Rect bounds, const Candidate& c) const;
    void own_arrows() const;
    void update_misses();
    std::shared_ptr<const std::vector<Change>> changes(const Frame& frame) const;
    void update_why(const Frame& frame);
    std::optional<Layout> chosen_layout() const;
    void pin();

    SearchLimits limits_;
    std::optional<Framework> framework_; // chosen; nothing: the scenario's own
    bool every_ = false;
    LayoutAnswer shown_; // the newest that has something to show
    bool listed_every_ = false;
    ByteUnit listed_unit_ = ByteUnit::decimal;
    PlannerRows rows_;
    PlannerTable table_;
    std::optional<Scenario> faulty_;       // of current_, or of none
    std::optional<CurrentLayout> current_; // where the scenario's layout is invalid, and nothing else
    std::optional<Candidate> missed_by_;   // the row of misses_
    std::vector<NearMiss> misses_;         // of the chosen row
    std::optional<Layout> pinned_;         // what the chosen row is compared with; none: the scenario's own
    std::optional<PlannerWhy> why_;        // of the chosen row
    std::optional<Layout> pointed_at_;     // by the mouse on the chart, in the last frame
};

// A new search starts empty: what was found before stays on show until there is something again.
void PlannerView::take_answer(const Frame& frame, const Painter& painter, Out& out)
{
    const auto found = work_on<LayoutWork>(frame.works, {searched(frame), limits_});
    const bool something = found.done() || found->result.fit > 0;
    const std::int64_t tried = found ? found->result.tried : 0;
    const bool known =
        something && shown_.progress == found.progress && shown_.result.tried == tried && live(frame);
    if (something && !known)
    {
        shown_ = found ? *found : LayoutAnswer{searched_scenario(searched(frame), limits_), limits_, {}};
        shown_.progress = found.progress;
        shown_.faults = found.faults;
        out.animating = true; // the panel was drawn with the one before
    }
    if ((something && !known) || listed_every_ != every_ || listed_unit_ != painter.look.unit)
    {
        listed_every_ = every_;
        listed_unit_ = painter.look.unit;
        rows_.take(shown_, every_, listed_unit_);
        missed_by_.reset();
    }
}

void PlannerView::load(const Frame& frame, const Layout& layout, Out& out) const
{
    Scenario next = searched(frame);
    const std::int64_t before = next.cluster.gpus;
    apply(layout, next);
    std::string notice = fmt::format("Loaded: {}", words_of(layout));
    notice += limits_.freed.tokens() ? ", " + words_of_work(layout) : "";
    if (next.cluster.gpus != before)
    {
        notice += fmt::format(", on {} instead of {}", counted(next.cluster.gpus, "GPU"), grouped(before));
    }
    out.push(ChangeScenario{std::move(next), false, std::move(notice)});
}

void PlannerView::update_current(const Frame& frame)
{
    if (frame.valid())
    {
        faulty_.reset();
        current_.reset();
        return;
    }
    if (faulty_ == frame.scenario)
    {
        return;
    }
    faulty_ = frame.scenario;
    current_.reset();
    if (search_faults(frame.scenario).empty())
    {
        current_ = current_layout(frame.scenario, limits_);
    }
    if (current_ && !current_->runs())
    {
        current_.reset();
    }
}

// Only of a whole answer: rows still change before.
void PlannerView::update_misses()
{
    const auto at = shown_.progress < 1 ? std::nullopt : rows_.chosen();
    const std::optional<Candidate> chosen = at ? std::optional(rows_.rows()[*at].candidate) : std::nullopt;
    if (chosen != missed_by_)
    {
        missed_by_ = chosen;
        misses_ = chosen ? near_misses(shown_.scenario, *chosen, shown_.limits) : std::vector<NearMiss>();
    }
}

// The chosen layout of a whole answer.
std::optional<Layout> PlannerView::chosen_layout() const
{
    const auto at = shown_.progress < 1 ? std::nullopt : rows_.chosen();
    return at ? std::optional(rows_.rows()[*at].candidate.layout) : std::nullopt;
}

void PlannerView::pin()
{
    pinned_ = pinned_ ? std::nullopt : chosen_layout();
}

void PlannerView::update_why(const Frame& frame)
{
    const std::optional<Layout> chosen = live(frame) ? chosen_layout() : std::nullopt;
    if (!chosen)
    {
        why_.reset();
        return;
    }
    Scenario to = searched(frame);
    Scenario from = current_ ? current_->scenario : to;
    apply(*chosen, to);
    if (pinned_)
    {
        from = to;
        apply(*pinned_, from);
    }
    if (!faults(from).empty()) // pinned before the scenario changed
    {
        pinned_.reset();
        why_.reset();
    }
    else if (!why_ || why_->from != from || why_->to != to)
    {
        LayoutDifference difference = ringside::difference(from, to);
        why_ = PlannerWhy{std::move(from), std::move(to), std::move(difference), pinned_.has_value()};
    }
}

// After the search, which it would slow down; null before they are known.
std::shared_ptr<const std::vector<Change>> PlannerView::changes(const Frame& frame) const
{
    if (!frame.valid() || !live(frame) || shown_.progress < 1)
    {
        return nullptr;
    }
    const auto found = work_on<ChangeSearch>(frame.works, {frame.now.scenario, limits_});
    return found.done() ? found.result : nullptr;
}

// Up and down choose a row unless the keyboard is on something.
void PlannerView::own_arrows() const
{
    if (GImGui->NavDisableHighlight || GImGui->NavId == 0)
    {
        const ImGuiID id = ImGui::GetID("###rows");
        ImGui::SetKeyOwner(ImGuiKey_UpArrow, id);
        ImGui::SetKeyOwner(ImGuiKey_DownArrow, id);
    }
}

void PlannerView::draw_tip(const Frame& frame, const Painter& painter, Rect bounds, const Candidate& c) const
{
    const Layout& l = c.layout;
    const ByteUnit unit = frame.preferences.unit;
    const double capacity = shown_.result.capacity;
    std::vector<TipLine> lines{{"ZeRO", std::to_string(l.zero), 0},
                               {"micro-batch", std::to_string(l.micro_batch), 0},
                               {"recompute", recompute_words(l), 0},
                               {"memory", format_bytes(Bytes(c.bytes), unit), 0},
                               {"step", format_seconds(Seconds(c.seconds)), 0},
                               {"MFU", format_percent(c.mfu), 0}};
    if (l.pipeline > 1)
    {
        lines.insert(lines.begin() + 3, {"schedule", schedule_words(l), 0});
        lines.push_back({"bubble", format_percent(c.bubble) + " of the step", 0});
    }
    if (l.tensor > 1)
    {
        lines.insert(lines.begin(), {"sequence parallel", l.sequence_parallel ? "yes" : "no", 0});
    }
    if (shown_.limits.objective == Objective::cost)
    {
        lines.push_back({"cost", format_gpu_seconds(c.gpu_seconds()), 0});
    }
    const std::string over = c.bytes > capacity ? fmt::format("\u2715 {} over; click to use it",
                                                              format_bytes(Bytes(c.bytes - capacity), unit))
                                                : "click to use it everywhere";
    tip_card(painter, bounds, ImGui::GetIO().MousePos, words_of(l), lines, over);
}

// Where nothing fits, or nothing has been found yet.
void PlannerView::draw_empty(const Frame& frame, const Painter& painter, Rect area) const
{
    const SearchResult& r = shown_.result;
    if (!live(frame) || shown_.progress < 1)
    {
        empty_state(painter, area, "Searching \u2026");
        return;
    }
    const ByteUnit unit = frame.preferences.unit;
    const std::string smallest =
        r.nearest_miss ? fmt::format("The smallest of {} legal layouts, {} with ZeRO-{} and {} recompute, "
                                     "needs {}: !!\u2715 {} over!!.",
                                     grouped(r.legal), words_of(r.nearest_miss->layout),
                                     r.nearest_miss->layout.zero, name_of(r.nearest_miss->layout.recompute),
                                     format_bytes(Bytes(r.nearest_miss->bytes), unit),
                                     format_bytes(Bytes(r.nearest_miss->bytes - r.capacity), unit))
                       : "No layout is legal.";
    empty_state(painter, area,
                fmt::format("Nothing fits in {} {}", plain_number(in_gigabytes(Bytes(r.capacity), unit)),
                            painter.look.gigabyte()),
                smallest + " More GPUs, a larger GPU or what is switched off under Allow may help; so may "
                           "offloading, under More.");
}

// Takes its room off the area: the better half at most, all of it where the chart has none anyway.
PlannerTableEvent PlannerView::draw_table(const Frame& frame, const Painter& painter, Rect& area,
                                          const PlannerRow& now)
{
    if (rows_.rows().empty())
    {
        draw_empty(frame, painter, area.cut_top(std::min(area.h, painter.px(136))));
        return {};
    }
    const std::optional<PlannerRow> invalid =
        current_ ? std::optional(invalid_row(current_->layout, painter.look.unit)) : std::nullopt;
    const std::size_t more = invalid ? 1 : 0;
    const float half = area.h < painter.px(300) ? area.h : area.h * 0.5F;
    std::size_t rows = std::min<std::size_t>(rows_.rows().size(), 40);
    while (rows > 1 && PlannerTable::height(painter, rows + more) > half)
    {
        --rows;
    }
    const bool is_live = live(frame);
    const Rect room = area.cut_top(std::min(area.h, PlannerTable::height(painter, rows + more)));
    return table_.draw(painter, room, rows_,
                       {now, invalid ? &*invalid : nullptr, shown_.result.capacity, pointed_at_,
                        is_live ? shown_.progress : 1, is_live});
}

void PlannerView::draw_parts(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const PlannerRow now = planner_row(
        current_ ? current_->candidate : candidate_of(frame.now, limits_.freed), 0, painter.look.unit);
    if (current_)
    {
        area.cut_top(std::min(area.h, painter.px(96))); // the shell's banner with the fault
    }
    const Rect whole = area;
    const PlannerTableEvent pressed = draw_table(frame, painter, area, now);
    area.cut_top(painter.px(16));
    std::optional<Candidate> lit;
    if (pressed.hovered)
    {
        if (const auto at = rows_.find(*pressed.hovered))
        {
            lit = rows_.rows()[*at].candidate;
        }
    }
    std::optional<Candidate> before;
    if (frame.before != nullptr)
    {
        before = candidate_of(*frame.before, limits_.freed);
    }
    const PlannerChartEvent event = draw_planner_chart(
        painter, area,
        {shown_, now.candidate, current_ ? "nearest" : "now", before ? &*before : nullptr, lit, live(frame)});
    const bool moved = pointed_at_.has_value() != event.hovered.has_value();
    pointed_at_ = event.hovered ? std::optional(event.hovered->layout) : std::nullopt;
    out.animating = out.animating || moved; // the row is framed a frame later
    if (event.hovered)
    {
        draw_tip(frame, painter, whole, *event.hovered);
    }
    if (pressed.loaded)
    {
        rows_.choose(*pressed.loaded);
    }
    if (pressed.loaded || event.clicked)
    {
        load(frame, pressed.loaded ? *pressed.loaded : event.hovered->layout, out);
    }
}

void PlannerView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    limits_.framework = framework_ ? *framework_ : frame.presets.framework_of(frame.scenario);
    update_current(frame);
    take_answer(frame, painter, out);
    own_arrows();
    draw_parts(frame, painter, area, out);
    if (!live(frame) && shown_.progress > 0)
    {
        painter.fill({area.x - painter.px(12), area.y, area.w + painter.px(24), area.h},
                     with_alpha(painter.theme.window, 0.55F)); // of another scenario
    }
}

Caption PlannerView::caption(const Frame& frame) const
{
    if (!live(frame))
    {
        return {"Searching all legal layouts \u2026", "", ""};
    }
    Caption caption = planner_caption(frame, shown_);
    if (current_)
    {
        caption.sentence += fmt::format(" The layout now is invalid; nearest: {}.", current_->settings);
    }
    return caption;
}

bool PlannerView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    update_misses();
    update_why(frame);
    const auto changes = this->changes(frame);
    draw_planner_panel(painter, area,
                       {frame, shown_, misses_, changes ? std::span(*changes) : std::span<const Change>(),
                        why_ ? &*why_ : nullptr, pinned_, chosen_layout(), layout_of(frame.scenario),
                        frame.presets, limits_, framework_, every_},
                       out);
    return true;
}

ViewKeys PlannerView::keys()
{
    return {{"1 2 3", "Rank by time, memory or cost",
             [this](const KeyPress& k) { limits_.objective = static_cast<Objective>(k.which); }},
            {"\u2191 \u2193", "Choose a row",
             [this](const KeyPress& k)
             {
                 rows_.move(k.which == 0 ? -1 : 1);
                 table_.follow();
             }},
            {"L Enter", "Use the chosen layout everywhere; Enter, too",
             [this](const KeyPress& k)
             {
                 const auto at = rows_.chosen();
                 if (at && live(k.frame))
                 {
                     load(k.frame, rows_.rows()[*at].candidate.layout, k.out);
                 }
             }},
            {"P", "Pin the chosen row to compare others with it, or unpin it", [this] { pin(); }},
            {"E", "Choose the simplest of the rows that equal the best (\u2248)",
             [this]
             {
                 if (rows_.simplest())
                 {
                     rows_.choose(*rows_.simplest());
                     table_.follow();
                 }
             }},
            {"V", "The best per TP, CP, PP and EP, or all variants of them", flips(every_)},
            {"click", "On a heading: sort. On a row or a point: use it"},
            {"wheel", "More rows"}};
}

} // namespace

extern const ViewInfo planner_view{10,
                                   "planner",
                                   ViewGroup::planner,
                                   "Search",
                                   "Layout search",
                                   "Every legal layout: the best in a table, step time vs memory for all",
                                   {"model", "gpus", "training.global_batch"},
                                   make_view<PlannerView>};

} // namespace ringside
