// Where does the pipeline wait? Up to four schedules on one time axis, their bubbles, and the activations
// that a stage has in flight.
// One file, since rows, axis and stash share one window of time.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/network/traffic.h"
#include "core/pipeline/export.h"
#include "core/pipeline/sound.h"
#include "core/scenario/choices.h"
#include "core/scenario/stage_layers.h"
#include "ui/shell/view.h"
#include "ui/views/pipeline/pipelines/rows.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/stage_strip.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kHeading = 30;  // [design px]
constexpr float kLaneName = 72; // [design px]
constexpr double kRest = 0.45;  // of the step: where the clock stands until the user moves it

class PipelinesView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    std::shared_ptr<const Score> sound(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    struct Hovered
    {
        std::size_t row = 0;
        std::size_t event = 0;
        bool operator==(const Hovered&) const = default;
    };

    const std::vector<PipelineRow>& rows(const Frame& frame) const { return rows_.of(frame.now); }
    TimeWindow window(const Frame& frame) const { return zoom_.window(rows_.longest(frame.now)); }
    // The user moved the clock: what runs and what is kept at its moment is shown.
    bool stepping(const Frame& frame) const
    {
        const double t = frame.playback.t;
        const double all = rows_.longest(frame.now);
        return t > 0 && t < all && std::abs(t - all * kRest) > 1e-9 * all;
    }
    PipelineLegend legend(const Frame& frame) const;
    void draw_strip(const Frame& frame, const Painter& painter, Rect row, Out& out);
    // `low`: there is no room for words below the heading.
    void draw_heading(const Frame& frame, const Painter& painter, Rect row, std::size_t index, bool low,
                      Out& out);
    std::size_t fit_rows(const Frame& frame, const Painter& painter, float room);
    void draw_rows(const Frame& frame, const Painter& painter, Rect area, float pitch, Out& out);
    void trace_hovered(const Frame& frame);
    void draw_end(const Frame& frame, const Painter& painter) const;
    void draw_top(const Frame& frame, const Painter& painter, Rect& area, Out& out);
    void draw_stash(const Frame& frame, const Painter& painter, Rect stash, const TimeWindow& w);
    void draw_popups(const Frame& frame, const Painter& painter, Out& out);
    static void take_model_times(const Frame& frame, Out& out);
    void save(const Frame& frame, bool trace, Out& out) const;

    PipelineRows rows_;
    BubbleKind counting_ = BubbleKind::of_total;
    TimeZoom zoom_;
    std::optional<Hovered> hovered_;
    std::vector<std::vector<std::size_t>> paths_; // [row] of the hovered micro-batch
    int paths_of_ = -1;                           // version of the rows that hovered_ and paths_ refer to
    std::size_t shown_ = 0;                       // rows there is room for
    std::vector<Rect> drawn_;                     // [row] where the lanes are, without their names
    std::size_t stage_ = 0;                       // whose activations in flight are on show
    Derived<std::pair<int, std::size_t>, std::vector<InFlightCurve>> in_flight_; // of a version, a stage
    Derived<int, std::shared_ptr<const Score>> sound_; // of a version: the first row's
    PasteOrder paste_;
    const char* open_ = nullptr; // the popup asked for, opened where its window is
};

Motion PipelinesView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = rows_.longest(frame.now);
    motion.per_second = motion.duration / 12;
    motion.rest = motion.duration * kRest;
    motion.label = fmt::format("t = {} units", three_digits(frame.playback.t));
    motion.stops = rows_.moments(frame.now); // stepping goes from one end of an operation to the next
    return motion;
}

std::shared_ptr<const Score> PipelinesView::sound(const Frame& frame) const
{
    const PipelineRow& own = rows(frame).front();
    return sound_.of(rows_.version(frame.now),
                     [&](int)
                     {
                         return own.runs() && own.timeline->ranks() > 1
                                    ? std::make_shared<const Score>(score_of(*own.timeline, "stage"))
                                    : nullptr;
                     });
}

PipelineLegend PipelinesView::legend(const Frame& frame) const
{
    const auto& all = rows(frame);
    PipelineLegend legend;
    legend.counts_stored = stepping(frame);
    legend.chunks = std::any_of(all.begin(), all.end(),
                                [](const PipelineRow& r) { return r.runs() && r.shape.chunks > 1; });
    if (hovered_)
    {
        legend.micro_batch = all[hovered_->row].timeline->events[hovered_->event].operation.micro_batch;
    }
    return legend;
}

// The cut of the layers; dragging it changes the scenario.
void PipelinesView::draw_strip(const Frame& frame, const Painter& painter, Rect row, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const std::int64_t all = virtual_stages(s.training.schedule, pipeline_shape(s));
    StageStrip strip{{},
                     s.stage_times.embedding,
                     s.stage_times.head,
                     fmt::format("{} sent each way per micro-batch: b s h \u00d7 2 bytes",
                                 format_bytes(pipeline_message(s), frame.preferences.unit))};
    std::vector<std::int64_t> even;
    for (std::int64_t k = 0; k < all; ++k)
    {
        strip.layers.push_back(layers_of_stage(s.model, s.parallel, all, k));
        even.push_back(layers_of_stage(s.model, {}, all, k));
    }
    painter.text_within(row.x, row.middle(), painter.px(68), Type::small, painter.theme.muted, "layers");
    row.cut_left(painter.px(kLaneName));
    bool dragging = false;
    if (const auto moved = draw_stage_strip(painter, row, strip, dragging))
    {
        Scenario next = s;
        next.parallel.stage_layers = moved->layers == even ? std::vector<std::int64_t>{} : moved->layers;
        next.stage_times.embedding = moved->embedding;
        next.stage_times.head = moved->head;
        out.push(ChangeScenario{next, dragging});
    }
}

void PipelinesView::draw_heading(const Frame& frame, const Painter& painter, Rect row, std::size_t index,
                                 bool low, Out& out)
{
    const PipelineRow& r = rows(frame)[index];
    const Theme& t = painter.theme;
    const auto small_button = [&](const char* words, const std::string& id)
    {
        const float w = painter.width(Type::small, words) + painter.px(12);
        const Rect box = row.cut_right(w);
        const Press pressed = press(painter, box, (words + ("###" + id)).c_str(), 4);
        painter.text(box.centre(), box.middle(), Type::small,
                     pressed.hovered || pressed.focused ? t.text : t.muted, words, Align::centre);
        row.cut_right(painter.px(4));
        return pressed.clicked;
    };
    if (index > 0)
    {
        if (small_button("\u2715", fmt::format("remove {}", r.name)))
        {
            rows_.remove(frame.now, index);
            hovered_.reset();
            paths_.clear();
            out.animating = true;
            return;
        }
        if (r.runs() && r.kind != nullptr && small_button("Use this schedule", fmt::format("use {}", r.name)))
        {
            out.push(ChangeScenario{with_schedule(frame.now.scenario, r.kind)});
        }
    }
    // Numbered once the table has no room for names.
    const std::string heading = rows(frame).size() > 2 ? fmt::format("{}  {}", index + 1, r.name) : r.name;
    const float name = painter.width(Type::body_strong, heading);
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, heading);
    const float label = std::max(painter.px(kLaneName), name + painter.px(12));
    std::string says = low && !r.runs() ? r.refused.front().message : "";
    if (r.runs())
    {
        const double saved = 1 - r.timeline->makespan / rows(frame).front().timeline->makespan;
        says = fmt::format("{} units, {} {}{}", three_digits(r.timeline->makespan),
                           format_percent(bubble_of(*r.timeline, counting_)), words_of(counting_),
                           r.same_work && saved > 1e-6 ? fmt::format(", {} shorter", format_percent(saved))
                                                       : "");
    }
    painter.text_within(row.x + label, row.middle(), row.w - label, Type::small, t.muted, says);
    painter.part(index == 0 ? "bubble" : "other bubbles", {row.x + label, row.y, row.w - label, row.h});
}

// A row that cannot run has as many lanes as the scenario's.
std::size_t lanes_of_row(const Frame& frame, const PipelineRow& row)
{
    return row.runs() ? row.timeline->ranks() : frame.now.report->pipeline->timeline.ranks();
}

Lanes lanes_of(const Frame& frame, const PipelineRow& row)
{
    return {row.timeline.get(), &row.density, input_share(frame.now.scenario.stage_times), &row.columns,
            row.weight.empty() ? 1 : row.weight.front()};
}

// Why a schedule cannot run: on one line where the row is low, nothing where its heading says it.
void draw_refusal(const Painter& painter, Rect area, const Issue& why)
{
    if (area.h < painter.px(24))
    {
        return;
    }
    const std::string words = why.message + "; " + why.hint;
    area.cut_left(painter.px(kLaneName + 8));
    painter.triangle(area.x, area.y + painter.px(12), painter.theme.warning);
    area.cut_left(painter.px(20));
    if (area.h < painter.px(64))
    {
        painter.text_within(area.x, area.y + painter.px(12), area.w, Type::small, painter.theme.text, words);
        return;
    }
    painter.paragraph({area.x, area.y + painter.px(2), area.w, area.h}, Type::small, painter.theme.text,
                      words);
}

void PipelinesView::draw_rows(const Frame& frame, const Painter& painter, Rect area, float pitch, Out& out)
{
    const auto& all = rows(frame);
    const auto had = std::exchange(hovered_, std::nullopt);
    const TimeWindow w = window(frame);
    drawn_.assign(all.size(), {});
    LanesStyle style{pitch};
    style.chosen = stage_;
    style.now = stepping(frame) ? std::optional(frame.playback.t) : std::nullopt;
    style.numbers =
        std::ranges::all_of(all,
                            [&](const PipelineRow& row) {
                                return !row.runs() || numbers_fit(painter, area.w - painter.px(kLaneName),
                                                                  lanes_of(frame, row), w);
                            });
    if (had && had->row < all.size() && had->event < all[had->row].timeline->events.size())
    {
        style.lit = all[had->row].timeline->events[had->event].operation.micro_batch;
    }
    for (std::size_t i = 0; i < shown_ && i < rows(frame).size(); ++i)
    {
        const Rect heading = area.cut_top(painter.px(kHeading));
        const Rect where = area.cut_top(pitch * static_cast<float>(lanes_of_row(frame, all[i])));
        draw_heading(frame, painter, heading, i, where.h < painter.px(24), out);
        if (i >= rows(frame).size())
        {
            break; // its heading has removed it
        }
        const PipelineRow& row = all[i];
        if (!row.runs())
        {
            draw_refusal(painter, where, row.refused.front());
            continue;
        }
        painter.part(i == 0 ? "lanes" : "other lanes", where);
        drawn_[i] = where;
        drawn_[i].cut_left(painter.px(kLaneName));
        style.path = style.lit && i < paths_.size() ? std::span<const std::size_t>(paths_[i])
                                                    : std::span<const std::size_t>{};
        if (const auto hit = draw_lanes(painter, where, lanes_of(frame, row), w, style))
        {
            hovered_ = Hovered{i, *hit};
            if (ImGui::IsMouseClicked(0))
            {
                stage_ = static_cast<std::size_t>(row.timeline->events[*hit].rank);
            }
        }
    }
    if (had != hovered_)
    {
        out.animating = true;
        trace_hovered(frame);
    }
}

// The paths of the micro-batch under the mouse, through every row.
void PipelinesView::trace_hovered(const Frame& frame)
{
    const auto& all = rows(frame);
    paths_.clear();
    for (const PipelineRow& row : all)
    {
        paths_.push_back(
            hovered_ ? path_of(*row.timeline,
                               all[hovered_->row].timeline->events[hovered_->event].operation.micro_batch)
                     : std::vector<std::size_t>{});
    }
}

// How much the fastest schedule saves over the first.
void PipelinesView::draw_end(const Frame& frame, const Painter& painter) const
{
    const auto& all = rows(frame);
    const auto fastest =
        std::min_element(all.begin(), all.end(),
                         [](const PipelineRow& a, const PipelineRow& b)
                         {
                             const auto length = [](const PipelineRow& r)
                             { return r.runs() && r.same_work ? r.timeline->makespan : 1e300; };
                             return length(a) < length(b);
                         });
    const auto row = static_cast<std::size_t>(fastest - all.begin());
    if (row >= drawn_.size() || !fastest->runs())
    {
        return;
    }
    const Rect field = drawn_[row];
    const double first = all.front().timeline->makespan;
    const double saved = first - fastest->timeline->makespan;
    const TimeWindow w = window(frame);
    const float x = w.x(field, fastest->timeline->makespan);
    const float end = std::min(field.right(), w.x(field, first));
    if (saved < first * 1e-6 || x > field.right() - painter.px(20) || x < field.x)
    {
        return;
    }
    painter.line(x, field.y, x, field.bottom(), painter.theme.text, painter.px(2));
    const float middle = field.middle();
    painter.arrow({end, middle}, {x + painter.px(6), middle}, painter.theme.text);
}

void PipelinesView::draw_popups(const Frame& frame, const Painter& painter, Out& out)
{
    if (open_ != nullptr)
    {
        ImGui::OpenPopup(open_);
        open_ = nullptr;
    }
    if (const auto kind = add_schedule_popup(painter))
    {
        rows_.add(frame.now, *kind);
        out.animating = true;
    }
    if (auto own = paste_.draw(painter))
    {
        rows_.add_own(frame.now, std::move(*own));
        zoom_.reset();
        out.animating = true;
    }
}

// How many rows have room; returns their lanes.
std::size_t PipelinesView::fit_rows(const Frame& frame, const Painter& painter, float room)
{
    const auto& all = rows(frame);
    // A lesson leaves less room: better one schedule that can be seen than two that cannot.
    const float thinnest = frame.lesson != nullptr ? painter.px(10) : 1;
    std::size_t lanes = 0;
    for (shown_ = 0; shown_ < all.size(); ++shown_)
    {
        const std::size_t more = lanes_of_row(frame, all[shown_]);
        if (static_cast<float>(shown_ + 1) * painter.px(kHeading) +
                static_cast<float>(lanes + more) * (shown_ == 0 ? 1 : thinnest) >
            room)
        {
            break; // less than a pixel a lane
        }
        lanes += more;
    }
    return lanes;
}

// The legend and, where there is room, the strip; what is left is `area`.
void PipelinesView::draw_top(const Frame& frame, const Painter& painter, Rect& area, Out& out)
{
    draw_legend(painter, area.cut_top(painter.px(28)), legend(frame));
    if (area.h > painter.px(420))
    {
        area.cut_top(painter.px(4));
        draw_strip(frame, painter, area.cut_top(painter.px(26)), out);
        area.cut_top(painter.px(4));
    }
}

// Activations in flight below the lanes, on their time axis.
void PipelinesView::draw_stash(const Frame& frame, const Painter& painter, Rect stash, const TimeWindow& w)
{
    const auto make = [&](const auto&) { return in_flight_curves(frame, rows(frame), stage_); };
    draw_in_flight(painter, stash, w, in_flight_.of({rows_.version(frame.now), stage_}, make), stage_);
    painter.part("stash", stash);
    // Below the heading, which it must not strike through.
    Rect below = stash;
    below.cut_left(painter.px(kLaneName));
    below.cut_top(painter.px(42));
    draw_now(painter, below, w, frame.playback.t);
}

void PipelinesView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        open_ = nullptr;
        empty_state(painter, area, "One stage: no pipeline, no bubble.",
                    "Raise \u201cPipeline stages\u201d to split the model into stages.");
        return;
    }
    draw_popups(frame, painter, out);
    if (paths_of_ != rows_.version(frame.now))
    {
        paths_of_ = rows_.version(frame.now);
        hovered_.reset(); // the events are others now
        paths_.clear();
    }
    stage_ = std::min(stage_, static_cast<std::size_t>(frame.now.scenario.parallel.pipeline) - 1);
    draw_top(frame, painter, area, out);
    const float axis = painter.px(34);
    // The stash has at least 130 pixels, and what the lanes leave.
    const float least = area.h > painter.px(380) ? painter.px(130) : 0;
    const float room = area.h - least - axis - painter.px(12);
    const std::size_t lanes = fit_rows(frame, painter, room);
    const float headings = static_cast<float>(shown_) * painter.px(kHeading);
    if (shown_ == 0)
    {
        empty_state(painter, area, "",
                    "No room for the lanes: enlarge the window, or press Ctrl \u2212 for smaller text.");
        return;
    }
    const float pitch = lane_pitch(painter, room - headings, lanes, 48);
    const float used = headings + pitch * static_cast<float>(lanes) + painter.px(6) + axis;
    Rect field = area;
    field.cut_left(painter.px(kLaneName));
    const Rect stash{area.x, area.y + used, area.w, std::min(area.h - used, painter.px(400))};
    zoom_.mouse({field.x, field.y, field.w, used}, rows_.longest(frame.now));
    draw_rows(frame, painter, area, pitch, out);
    const float bottom = area.y + used - axis - painter.px(6);
    draw_end(frame, painter);
    const TimeWindow w = window(frame);
    draw_time_axis(painter, {field.x, bottom + painter.px(6), field.w, axis}, w);
    for (const Rect& row : drawn_)
    {
        draw_now(painter, row, w, frame.playback.t);
    }
    if (least > 0)
    {
        draw_stash(frame, painter, stash, w);
    }
    if (hovered_ && hovered_->row < rows(frame).size())
    {
        lane_tip(painter, {field.x, field.y, field.w, area.h}, *rows(frame)[hovered_->row].timeline,
                 hovered_->event);
    }
}

Caption PipelinesView::caption(const Frame& frame) const
{
    Caption caption = bubble_formula(frame);
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        caption.sentence = "With one stage there is no pipeline bubble.";
    }
    else if (stepping(frame) && !frame.playback.playing)
    {
        caption.sentence = what_happens(rows(frame).front(), frame.playback.t);
    }
    else
    {
        caption.sentence = compare_in_words(frame, rows(frame));
    }
    return caption;
}

bool PipelinesView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    PanelColumn column(painter, area, out.animating);
    column.heading("Compare");
    Rect rest = column.rest();
    draw_compare(painter, rest, rows(frame), pipeline_message(frame.now.scenario));
    column.below(rest.y);
    column.gap(8);
    if (frame.now.scenario.parallel.pipeline > 1)
    {
        const PanelButton paste{"Paste###paste own", "P"};
        const auto pressed =
            rows_.full(frame.now) ? column.buttons({paste}) : column.buttons({paste, {"Add###add", "N"}});
        open_ = !pressed ? open_ : *pressed == 0 ? kPastePopup : kAddPopup;
    }
    if (column.button("Profile of this model###model times", "L"))
    {
        take_model_times(frame, out);
    }
    return true;
}

void PipelinesView::take_model_times(const Frame& frame, Out& out)
{
    Scenario next = frame.now.scenario;
    next.stage_times = times_of_model(next);
    out.push(
        ChangeScenario{next, false, "F, I, W, recomputation and head in proportion to this model's FLOPs"});
}

void PipelinesView::save(const Frame& frame, bool trace, Out& out) const
{
    std::vector<NamedTimeline> named;
    for (const PipelineRow& row : rows(frame))
    {
        if (row.runs())
        {
            named.push_back({row.name, row.timeline.get(), input_share(frame.now.scenario.stage_times)});
        }
    }
    out.push(trace ? SaveText{"ringside-pipelines.json", timeline_trace(named)}
                   : SaveText{"ringside-pipelines.svg", timeline_svg(named)});
}

ViewKeys PipelinesView::keys()
{
    ViewKeys all{
        {"N", "Add a schedule, up to four",
         [this](const KeyPress& k) { open_ = rows_.full(k.frame.now) ? open_ : kAddPopup; }},
        {"Delete", "Remove the last one",
         [this](const KeyPress& k) { rows_.remove(k.frame.now, rows(k.frame).size() - 1); }},
        {"P", "Paste your own order, checked and simulated", [this] { open_ = kPastePopup; }},
        {"L", "Times in proportion to this model's FLOPs",
         [](const KeyPress& k) { take_model_times(k.frame, k.out); }},
        {"O", "Bubble of total, over ideal, of the stage span", turns(counting_, 4)},
        {"G", "Save the timelines as SVG", [this](const KeyPress& k) { save(k.frame, false, k.out); }},
        {"E", "Save a trace for Perfetto", [this](const KeyPress& k) { save(k.frame, true, k.out); }},
        {"click", "Activations in flight on this stage"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return rows_.longest(f.now); });
    return all;
}

} // namespace

extern const ViewInfo pipelines_view{
    10,
    "pipelines",
    ViewGroup::pipeline,
    "Schedules",
    "Pipeline schedules",
    "Pipeline schedules from an event simulator: bubbles, paths of micro-batches, activations in flight",
    {"training.schedule", "pipeline", "micro_batches", "stage_times.forward", "stage_times.backward_input",
     "stage_times.backward_weight", "stage_times.transfer"},
    make_view<PipelinesView>};

} // namespace ringside
