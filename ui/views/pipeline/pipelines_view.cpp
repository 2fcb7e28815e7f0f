// Where does the pipeline wait: up to four schedules on one time axis, their bubbles, and what each stage has
// to keep.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/network/traffic.h"
#include "core/pipeline/export.h"
#include "core/scenario/choices.h"
#include "core/scenario/stage_layers.h"
#include "ui/shell/view.h"
#include "ui/views/pipeline/pipelines/compare.h"
#include "ui/views/pipeline/pipelines/legend.h"
#include "ui/views/pipeline/pipelines/popups.h"
#include "ui/views/pipeline/pipelines/rows.h"
#include "ui/views/pipeline/pipelines/stash.h"
#include "ui/views/pipeline/pipelines/words.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/stage_strip.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kRest = 0.45; // of the step: where the clock stands until somebody moves it

class PipelinesView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
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
    bool stepping(const Frame& frame) const;
    PipelineLegend legend(const Frame& frame) const;
    void draw_strip(const Frame& frame, const Painter& painter, Rect row, Out& out);
    // `low`: there is no room for words below the heading.
    void draw_heading(const Frame& frame, const Painter& painter, Rect row, std::size_t index, bool low,
                      Out& out);
    void draw_rows(const Frame& frame, const Painter& painter, Rect area, float pitch, Out& out);
    static void draw_refusal(const Painter& painter, Rect area, const Issue& why);
    void draw_end(const Frame& frame, const Painter& painter) const;
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
    std::size_t stage_ = 0;                       // of the stash
    StashPart stash_;
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

// Somebody moved the clock: what runs and what is kept at its moment is shown.
bool PipelinesView::stepping(const Frame& frame) const
{
    const double t = frame.playback.t;
    const double all = rows_.longest(frame.now);
    return t > 0 && t < all && std::abs(t - all * kRest) > 1e-9 * all;
}

PipelineLegend PipelinesView::legend(const Frame& frame) const
{
    const auto& all = rows(frame);
    PipelineLegend legend;
    legend.counts_kept = stepping(frame);
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
                     fmt::format("{} pass here each way for every micro-batch: b s h \u00d7 2 bytes",
                                 format_bytes(pipeline_message(s), frame.preferences.unit))};
    std::vector<std::int64_t> even;
    for (std::int64_t k = 0; k < all; ++k)
    {
        strip.layers.push_back(layers_of_stage(s.model, s.parallel, all, k));
        even.push_back(layers_of_stage(s.model, {}, all, k));
    }
    painter.text_within(row.x, row.middle(), painter.px(68), Type::small, painter.theme.muted, "layers");
    row.cut_left(painter.px(72));
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
            rows_.remove(index);
            hovered_.reset();
            paths_.clear();
            out.animating = true;
            return;
        }
        if (r.runs() && r.kind != nullptr && small_button("train with it", fmt::format("use {}", r.name)))
        {
            out.push(ChangeScenario{with_schedule(frame.now.scenario, r.kind)});
        }
    }
    // Numbered once the table has no room for names.
    const std::string heading = rows(frame).size() > 2 ? fmt::format("{}  {}", index + 1, r.name) : r.name;
    const float name = painter.width(Type::body_strong, heading);
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, heading);
    const float label = std::max(painter.px(72), name + painter.px(12));
    const std::string says =
        r.runs() ? fmt::format("{} units, {} {}", three_digits(r.timeline->makespan),
                               format_percent(bubble_of(*r.timeline, counting_)), words_of(counting_))
        : low    ? r.refused.front().message
                 : "";
    painter.text_within(row.x + label, row.middle(), row.w - label, Type::small, t.muted, says);
    painter.part(index == 0 ? "bubble" : "other bubbles", {row.x + label, row.y, row.w - label, row.h});
}

void PipelinesView::draw_rows(const Frame& frame, const Painter& painter, Rect area, float pitch, Out& out)
{
    const auto& all = rows(frame);
    const auto had = hovered_;
    hovered_.reset();
    const std::size_t count = std::min(shown_, all.size()); // a heading may remove a row
    const TimeWindow w = window(frame);
    drawn_.assign(all.size(), {});
    for (std::size_t i = 0; i < count && i < all.size(); ++i)
    {
        const bool low =
            pitch * static_cast<float>(frame.now.report.pipeline.timeline.ranks()) < painter.px(24);
        draw_heading(frame, painter, area.cut_top(painter.px(30)), i, low, out);
        if (i >= rows(frame).size())
        {
            break;
        }
        const PipelineRow& row = all[i];
        if (!row.runs())
        {
            const Rect where =
                area.cut_top(pitch * static_cast<float>(frame.now.report.pipeline.timeline.ranks()));
            if (low)
            {
                continue; // the heading says it
            }
            painter.triangle(where.x + painter.px(80), where.y + painter.px(12), painter.theme.warning);
            draw_refusal(painter, {where.x + painter.px(100), where.y, where.w - painter.px(100), where.h},
                         row.refused.front());
            continue;
        }
        const Rect where = area.cut_top(pitch * static_cast<float>(row.timeline->ranks()));
        drawn_[i] = where;
        painter.part(i == 0 ? "lanes" : "other lanes", where);
        drawn_[i].cut_left(painter.px(72));
        LanesStyle style{pitch};
        style.chosen = stage_;
        if (stepping(frame))
        {
            style.now = frame.playback.t;
        }
        if (had && had->row < all.size() && had->event < all[had->row].timeline->events.size())
        {
            style.lit = all[had->row].timeline->events[had->event].operation.micro_batch;
            style.path =
                i < paths_.size() ? std::span<const std::size_t>(paths_[i]) : std::span<const std::size_t>{};
        }
        const Lanes lanes{row.timeline.get(), &row.density, input_share(frame.now.scenario.stage_times),
                          &row.columns, row.weight.empty() ? 1 : row.weight.front()};
        if (const auto hit = draw_lanes(painter, where, lanes, w, style))
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
        paths_.clear();
        for (const PipelineRow& row : all)
        {
            paths_.push_back(
                hovered_ ? path_of(*row.timeline,
                                   all[hovered_->row].timeline->events[hovered_->event].operation.micro_batch)
                         : std::vector<std::size_t>{});
        }
    }
}

// Why a schedule cannot run: on one line where the row is low.
void PipelinesView::draw_refusal(const Painter& painter, Rect area, const Issue& why)
{
    const std::string words = why.message + "; " + why.hint;
    if (area.h < painter.px(64))
    {
        painter.text_within(area.x, area.y + painter.px(12), area.w, Type::small, painter.theme.text, words);
        return;
    }
    painter.paragraph({area.x, area.y + painter.px(2), area.w, area.h}, Type::small, painter.theme.text,
                      words);
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
    if (field.h > painter.px(60))
    {
        const auto line = [&](float y, Type type, const std::string& words, Colour colour)
        {
            const float width = painter.width(type, words) + painter.px(8);
            if (width > end - x)
            {
                return;
            }
            painter.fill({(x + end) / 2 - width / 2, y - painter.px(10), width, painter.px(20)},
                         with_alpha(painter.theme.window, 0.9F), painter.px(4));
            painter.text((x + end) / 2, y, type, colour, words, Align::centre);
        };
        line(middle - painter.px(20), Type::body_strong, fmt::format("{} units saved", three_digits(saved)),
             painter.theme.text);
        line(middle + painter.px(20), Type::small, fmt::format("{} shorter", format_percent(saved / first)),
             painter.theme.muted);
    }
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
        rows_.add(*kind);
        out.animating = true;
    }
    if (auto own = paste_.draw(painter))
    {
        rows_.add_own(std::move(*own));
        zoom_.reset();
        out.animating = true;
    }
    (void)frame;
}

void PipelinesView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        open_ = nullptr;
        empty_state(painter, area, "One stage: no pipeline, no bubble.",
                    "Raise \u201cPipeline stages\u201d to cut the model into stages.");
        return;
    }
    draw_popups(frame, painter, out);
    const auto& all = rows(frame);
    if (paths_of_ != rows_.version())
    {
        paths_of_ = rows_.version();
        hovered_.reset(); // the events are others now
        paths_.clear();
    }
    stage_ = std::min(stage_, static_cast<std::size_t>(frame.now.scenario.parallel.pipeline) - 1);
    draw_legend(painter, area.cut_top(painter.px(28)), legend(frame));
    if (area.h > painter.px(420))
    {
        area.cut_top(painter.px(4));
        draw_strip(frame, painter, area.cut_top(painter.px(26)), out);
        area.cut_top(painter.px(4));
    }
    const float axis = painter.px(34);
    // The stash has at least 130 pixels, and what the lanes leave.
    const float least = area.h > painter.px(400) ? painter.px(130) : 0;
    const float room = area.h - least - axis - painter.px(12);
    std::size_t lanes = 0;
    float headings = 0;
    shown_ = 0;
    // A lesson leaves less room: better one schedule that can be seen than two that cannot.
    const float more_least = frame.lesson != nullptr ? painter.px(10) : 1;
    for (const PipelineRow& row : all)
    {
        const std::size_t more =
            row.runs() ? row.timeline->ranks() : frame.now.report.pipeline.timeline.ranks();
        const float thinnest = shown_ == 0 ? 1 : more_least;
        if (headings + painter.px(30) + static_cast<float>(lanes + more) * thinnest > room)
        {
            break; // less than a pixel a lane
        }
        ++shown_;
        lanes += more;
        headings += painter.px(30);
    }
    if (shown_ == 0)
    {
        empty_state(painter, area, "",
                    "No room for the lanes: enlarge the window, or press Ctrl \u2212 for smaller text.");
        return;
    }
    const float pitch = lane_pitch(painter, room - headings, lanes, 48);
    const float used = headings + pitch * static_cast<float>(lanes) + painter.px(6) + axis;
    Rect field = area;
    field.cut_left(painter.px(72));
    const Rect stash{area.x, area.y + used, area.w, std::min(area.h - used, painter.px(400))};
    zoom_.mouse({field.x, field.y, field.w, used}, rows_.longest(frame.now));
    draw_rows(frame, painter, area, pitch, out);
    const float bottom = area.y + used - axis - painter.px(6);
    draw_end(frame, painter);
    const TimeWindow w = window(frame);
    draw_time_axis(painter, {field.x, bottom + painter.px(6), field.w, axis}, w);
    if (least > 0)
    {
        stash_.draw(frame, painter, stash, w, all, rows_.version(), stage_);
        painter.part("stash", stash);
    }
    const float now = w.x(field, frame.playback.t);
    if (now >= field.x && now <= field.right())
    {
        // Past the axis and the stash's heading, which it must not strike through.
        painter.dashed(now, field.y, now, bottom, painter.theme.text, 1);
        if (least > 0)
        {
            painter.dashed(now, stash.y + painter.px(42), now, stash.bottom(), painter.theme.text, 1);
        }
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
        caption.sentence = "With one stage every micro-batch runs through without waiting.";
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
            rows_.full() ? column.buttons({paste}) : column.buttons({paste, {"Add###add", "N"}});
        open_ = !pressed ? open_ : *pressed == 0 ? kPastePopup : kAddPopup;
    }
    if (column.button("Times of this model###model times", "L"))
    {
        take_model_times(frame, out);
    }
    return true;
}

void PipelinesView::take_model_times(const Frame& frame, Out& out)
{
    Scenario next = frame.now.scenario;
    next.stage_times = times_of_model(next);
    out.push(ChangeScenario{next, false, "F, I, W, recompute and head as this model's FLOPs have them"});
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
        {"N", "Add a schedule, up to four", [this] { open_ = rows_.full() ? open_ : kAddPopup; }},
        {"Delete", "Take the last one away",
         [this](const KeyPress& k) { rows_.remove(rows(k.frame).size() - 1); }},
        {"P", "Paste your own order, checked and simulated", [this] { open_ = kPastePopup; }},
        {"L", "Times as this model's FLOPs have them",
         [](const KeyPress& k) { take_model_times(k.frame, k.out); }},
        {"O", "Bubble of total, over ideal, of the stage span", turns(counting_, 4)},
        {"G", "Save the timelines as SVG", [this](const KeyPress& k) { save(k.frame, false, k.out); }},
        {"E", "Save a trace for Perfetto", [this](const KeyPress& k) { save(k.frame, true, k.out); }},
        {"click", "Stash of this stage"}};
    add_zoom(all, zoom_, [this](const Frame& f) { return rows_.longest(f.now); });
    return all;
}

constexpr std::array<std::string_view, 7> kControls{"training.schedule",
                                                    "pipeline",
                                                    "micro_batches",
                                                    "stage_times.forward",
                                                    "stage_times.backward_input",
                                                    "stage_times.backward_weight",
                                                    "stage_times.transfer"};

} // namespace

extern const ViewInfo pipelines_view;
const ViewInfo pipelines_view{
    8,
    "pipelines",
    "Pipeline",
    "Schedules",
    "Pipeline schedules",
    "Pipeline schedules from an event simulator: bubbles, paths of micro-batches, stash",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<PipelinesView>()); }};

} // namespace ringside
