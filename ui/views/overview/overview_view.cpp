// One training step, three answers at once: the pipeline and its bubble, shards moving between ranks, the
// ring passing chunks.
//
// It plays four rounds and then rests, so that a window left alone goes to sleep.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/report.h"
#include "core/model/stages.h"
#include "core/network/collective/cost.h"
#include "ui/shell/tween.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/pictures/lanes.h"
#include "ui/widgets/pictures/ring.h"
#include "ui/widgets/pictures/shards.h"

#include <algorithm>

namespace ringside
{

namespace
{

// The step's story on a clock from 0 to 1: the pipeline runs, gradients are summed, weights are handed back.
constexpr double kPipelineEnds = 0.55;
constexpr double kSecondsPerLoop = 16;

class OverviewView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    ViewKeys keys() override { return {{"click", "Open a part on its own"}}; }

private:
    void draw_pipeline(const Frame& frame, const Painter& painter, Rect area, Out& out) const;
    void draw_state_and_ring(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_shards_part(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_ring_part(const Frame& frame, const Painter& painter, Rect area, Out& out) const;
    // `brief` where the number has no room.
    bool heading(const Painter& painter, Rect row, const char* label, const std::string& number,
                 std::string_view brief = {}) const;

    std::array<Tween, 3> sharded_; // weights, gradients, optimizer
};

struct Moment
{
    double pipeline = 0; // share of the pipeline that has run
    double ring = 0;     // steps of the drawn ring
    double reduce = 0;   // share of the reduce-scatter
    double gather = 0;   // share of the all-gather
};

Moment moment_of(const Frame& frame)
{
    const double t = std::clamp(frame.playback.t, 0.0, 1.0);
    Moment m;
    m.pipeline = std::min(1.0, t / kPipelineEnds);
    const double after = std::clamp((t - kPipelineEnds) / (0.97 - kPipelineEnds), 0.0, 1.0);
    m.ring = after * static_cast<double>(frame.now.report->collective->steps.steps.size());
    m.reduce = std::clamp(after * 2, 0.0, 1.0);
    m.gather = std::clamp(after * 2 - 1, 0.0, 1.0);
    return m;
}

Motion OverviewView::motion(const Frame& frame) const
{
    const Moment m = moment_of(frame);
    Motion motion;
    motion.duration = 1;
    motion.per_second = 1 / kSecondsPerLoop;
    motion.rounds = 4; // and not for ever: a window left alone should come to rest
    motion.rest = 0.7;
    const std::size_t ring = frame.now.report->collective->steps.steps.size();
    const double makespan = frame.now.report->pipeline->timeline.makespan;
    for (int i = 0; i < 12; ++i)
    {
        motion.stops.push_back(kPipelineEnds * i / 12);
    }
    for (std::size_t i = 0; i <= ring; ++i)
    {
        motion.stops.push_back(kPipelineEnds + (0.97 - kPipelineEnds) * static_cast<double>(i) /
                                                   static_cast<double>(std::max<std::size_t>(1, ring)));
    }
    motion.label = m.pipeline < 1 ? fmt::format("t = {}", three_digits(makespan * m.pipeline))
                                  : fmt::format("ring {}/{}",
                                                std::min(ring, static_cast<std::size_t>(m.ring) + 1), ring);
    return motion;
}

bool OverviewView::heading(const Painter& painter, Rect row, const char* label, const std::string& number,
                           std::string_view brief) const
{
    const Press pressed = press(painter, row, label);
    const std::string_view words = std::string_view(label).substr(0, std::string_view(label).find("##"));
    const float w = painter.text(row.x, row.middle(), Type::body_strong, painter.theme.text, words);
    const float room = row.w - w - painter.width(Type::small, "open \u2192") - painter.px(24);
    painter.text_within(row.x + w + painter.px(12), row.middle(), room, Type::small, painter.theme.muted,
                        brief.empty() || painter.width(Type::small, number) <= room ? number : brief);
    painter.text(row.right(), row.middle(), Type::small,
                 pressed.hovered ? painter.theme.text : painter.theme.muted, "open \u2192", Align::right);
    return pressed.clicked;
}

// The micro-batch that is on its way at t: when one has gone all the way, the next that sets out.
std::vector<std::size_t> path_on_its_way(const Timeline& timeline, std::int64_t micro_batches, double t)
{
    constexpr std::size_t kMostEvents = 4000; // beyond, a block is no longer seen
    std::vector<std::size_t> path;
    double free = 0;
    for (std::int32_t m = 0; timeline.events.size() < kMostEvents && m < micro_batches; ++m)
    {
        const auto next = path_of(timeline, m);
        if (next.empty() || timeline.events[next.front()].start < free)
        {
            continue;
        }
        if (!path.empty() && timeline.events[next.front()].start > t)
        {
            break;
        }
        path = next;
        free = timeline.events[path.back()].end;
    }
    return path;
}

// What it has gone through so far, ringed and joined.
void draw_path(const Painter& p, Rect field, float pitch, const Timeline& timeline, TimeWindow window,
               std::span<const std::size_t> path, double t)
{
    std::optional<ImVec2> last;
    const float high = pitch - lane_gap(p, pitch);
    for (const std::size_t i : path)
    {
        const Event& e = timeline.events[i];
        if (e.start > t)
        {
            break;
        }
        const float x = window.x(field, e.start);
        const Rect cell{x, field.y + pitch * static_cast<float>(e.rank),
                        std::max(p.px(3), window.x(field, std::min(e.end, t)) - x), high};
        p.outline(cell.inset(-p.px(1)), p.theme.text, p.px(2), p.px(2));
        if (last)
        {
            p.line(last->x, last->y, cell.x, cell.middle(), p.theme.text, p.px(1.5F));
        }
        last = ImVec2{cell.right(), cell.middle()};
    }
    if (last)
    {
        p.list.AddCircleFilled(*last, p.px(6), p.theme.text);
        p.list.AddCircleFilled(*last, p.px(3), p.theme.window);
    }
}

void OverviewView::draw_pipeline(const Frame& frame, const Painter& painter, Rect area, Out& out) const
{
    const PipelineReport& pipeline = *frame.now.report->pipeline;
    const Timeline& timeline = pipeline.timeline;
    const Scenario& s = frame.now.scenario;
    const std::string number =
        fmt::format("{}, {}; TP {} \u00d7 PP {} \u00d7 DP {} on {} {}", s.training.schedule->name,
                    counted(pipeline.shape.micro_batches, "micro-batch"), s.parallel.tensor,
                    s.parallel.pipeline, grouped(data_parallel(s)), grouped(s.cluster.gpus),
                    s.cluster.gpu.name.empty() ? "GPUs" : s.cluster.gpu.name);
    if (heading(painter, area.cut_top(painter.px(32)), "Pipeline###open pipeline", number))
    {
        out.push(OpenView{"pipelines"});
    }
    const Theme& t = painter.theme;
    const Rect legend = area.h > painter.px(150) ? area.cut_bottom(painter.px(24)) : Rect{};
    area.cut_bottom(painter.px(28));
    const TimeWindow window{0, std::max(1e-9, timeline.makespan)};
    const float pitch = lane_pitch(painter, area.h, timeline.ranks());
    const LanesStyle style{pitch};
    const double share = input_share(frame.now.scenario.stage_times);
    const Density density(timeline, share);
    if (const auto event = draw_lanes(painter, area, {&timeline, &density, share}, window, style))
    {
        lane_tip(painter, area, timeline, *event);
    }
    Rect field = area;
    field.cut_left(painter.px(style.label_width));
    const float height = pitch * static_cast<float>(timeline.ranks());
    draw_time_axis(painter, {field.x, field.y + height + painter.px(2), field.w, painter.px(28)}, window);
    const Moment m = moment_of(frame);
    const float x = window.x(field, timeline.makespan * m.pipeline);
    // What has not run yet lies behind a veil.
    painter.fill({x, field.y, field.right() - x, height}, with_alpha(painter.theme.window, 0.6F));
    painter.line(x, field.y - painter.px(4), x, field.y + height + painter.px(4), t.text, painter.px(2));
    const double now = timeline.makespan * m.pipeline;
    if (m.pipeline < 1)
    {
        const auto path = path_on_its_way(timeline, pipeline.shape.micro_batches, now);
        draw_path(painter, field, pitch, timeline, window, path, now);
    }
    draw_legend(
        painter, legend,
        std::array{LegendItem{"forward", {t.forward}}, LegendItem{"backward, input", {t.backward_input}},
                   LegendItem{"backward, weight", {t.backward_weight}}, LegendItem{"idle", idle_fill(t)}});
    const std::string unit =
        fmt::format("time units: one forward pass = {}", plain_number(s.stage_times.forward));
    if (legend.w > painter.width(Type::small, unit) + painter.px(460))
    {
        painter.text(legend.right(), legend.middle(), Type::small, t.muted, unit, Align::right);
    }
}

void OverviewView::draw_shards_part(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const std::int64_t zero = frame.now.scenario.parallel.zero;
    Shards shards = shards_of(frame.now.scenario, frame.now.zero()[0], frame.now.zero()[3]);
    const Moment m = moment_of(frame);
    for (ShardBand& band : shards.bands)
    {
        const std::size_t index = band.name == "weights" ? 0 : band.name == "gradients" ? 1 : 2;
        const std::int64_t from = band.name == "optimizer" ? 1 : band.name == "gradients" ? 2 : 3;
        float place =
            sharded_[index].towards(zero >= from ? 1.0F : 0.0F, frame, painter.look, out, kShardSeconds * 2);
        // In a step with ZeRO: gradients travel to their owners, and the owners' new weights travel back.
        if (zero >= 1 && index == 1)
        {
            place = std::max(place * (m.reduce > 0 ? 1.0F
                                      : zero >= 2  ? 1.0F
                                                   : 0.0F),
                             m.gather > 0 && zero < 2 ? 1.0F - static_cast<float>(m.gather)
                                                      : static_cast<float>(m.reduce));
        }
        if ((zero == 1 || zero == 2) && index == 0 && m.gather > 0)
        {
            place = 1 - static_cast<float>(m.gather);
        }
        band.sharded = std::clamp(place, 0.0F, 1.0F);
    }
    const std::string number =
        fmt::format("ZeRO-{} over {}, {} of model states each", zero, counted(shards.ranks, "rank"),
                    format_bytes(frame.now.report->memory.worst().total() -
                                     frame.now.report->memory.worst().of(Component::activations) -
                                     frame.now.report->memory.worst().of(Component::buffers),
                                 painter.look.unit));
    if (heading(painter, area.cut_top(painter.px(32)), "Shards###open shards", number))
    {
        out.push(OpenView{"zero"});
    }
    if (shards.bands.empty())
    {
        empty_state(painter, area, "", "All states are in host memory.");
        return;
    }
    if (area.h > painter.px(160))
    {
        std::vector<LegendItem> legend;
        for (const ShardBand& band : shards.bands)
        {
            for (const Component part : band.name == "optimizer" ? band.parts : std::vector<Component>())
            {
                legend.push_back({std::string(name_of(part)), {painter.theme.of(part)}});
            }
        }
        draw_legend(painter, area.cut_bottom(painter.px(28)), legend);
    }
    if (const auto column =
            draw_shards(painter, area, shards, {area.w > painter.px(420) ? 112.0F : 0.0F, true}))
    {
        shards_tip(painter, area, shards, *column);
    }
}

void OverviewView::draw_ring_part(const Frame& frame, const Painter& painter, Rect area, Out& out) const
{
    const CollectiveReport& c = *frame.now.report->collective;
    const std::string number = c.steps.steps.empty()
                                   ? "one rank: nothing to sum"
                                   : fmt::format("{} in {}", format_bytes(c.message, painter.look.unit),
                                                 format_seconds(c.cost.total()));
    if (heading(painter, area.cut_top(painter.px(32)), "Ring###open ring", number,
                c.steps.steps.empty() ? "one rank" : format_seconds(c.cost.total())))
    {
        out.push(OpenView{"ring"});
    }
    area.cut_top(painter.px(8));
    area.cut_bottom(painter.px(4));
    const Moment m = moment_of(frame);
    draw_ring(painter, area, c.steps, m.ring, {std::nullopt, false, false});
    if (std::min(area.w, area.h) > painter.px(180) && !c.steps.steps.empty())
    {
        const bool summing = m.pipeline < 1;
        const Phase phase =
            c.steps.steps[std::min(static_cast<std::size_t>(m.ring), c.steps.steps.size() - 1)].phase;
        painter.text(area.centre(), area.middle() - painter.px(10), Type::small, painter.theme.muted,
                     summing                          ? "waits for"
                     : phase == Phase::reduce_scatter ? "reduce-"
                                                      : "all-",
                     Align::centre);
        painter.text(area.centre(), area.middle() + painter.px(10), Type::small, painter.theme.muted,
                     summing                          ? "gradients"
                     : phase == Phase::reduce_scatter ? "scatter"
                                                      : "gather",
                     Align::centre);
    }
}

void OverviewView::draw_state_and_ring(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (area.h > area.w)
    {
        draw_shards_part(frame, painter, area.cut_top(area.h * 0.5F), out);
        area.cut_top(painter.px(12));
        draw_ring_part(frame, painter, area, out);
        return;
    }
    const Rect ring = area.cut_right(std::min(area.w * 0.4F, area.h + painter.px(40)));
    area.cut_right(painter.px(32));
    area.cut_bottom(painter.px(8));
    draw_shards_part(frame, painter, area, out);
    draw_ring_part(frame, painter, ring, out);
}

void OverviewView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (area.h < painter.px(330))
    {
        // No room for three pictures: the one that moves now.
        moment_of(frame).pipeline < 1 ? draw_pipeline(frame, painter, area, out)
                                      : draw_state_and_ring(frame, painter, area, out);
        return;
    }
    const bool tall = area.h > area.w;
    const auto stages = static_cast<float>(frame.now.scenario.parallel.pipeline);
    const float wanted = painter.px(68) + painter.px(36) * std::min(stages, 8.0F);
    draw_pipeline(frame, painter, area.cut_top(std::min(wanted, area.h * (tall ? 0.34F : 0.42F))), out);
    area.cut_top(painter.px(12));
    painter.line(area.x, area.y, area.right(), area.y, painter.theme.grid);
    area.cut_top(painter.px(8));
    draw_state_and_ring(frame, painter, area, out);
}

Caption OverviewView::caption(const Frame& frame) const
{
    const Moment m = moment_of(frame);
    const Scenario& s = frame.now.scenario;
    const Report& r = *frame.now.report;
    Caption caption;
    const std::int64_t ranks = dense_replicas(s);
    if (m.pipeline < 1 || ranks == 1)
    {
        const Term term = explain_step_bubble(r);
        caption.sentence =
            fmt::format("{} flow{} through {}; the pipeline idles **{} of the step**.",
                        counted(micro_batches(s), "micro-batch"), micro_batches(s) == 1 ? "s" : "",
                        counted(s.parallel.pipeline, "stage"), format_percent(term.value));
        caption.formula =
            fmt::format("bubble = {} = {} = {}", term.formula, term.working, format_percent(term.value));
        caption.source = term.source;
        return caption;
    }
    const Term term = explain_all_reduce(s, r);
    caption.formula =
        fmt::format("T = {} = {} = {}", term.formula, term.working, format_seconds(Seconds(term.value)));
    caption.source = term.source;
    if (m.gather <= 0)
    {
        caption.sentence =
            fmt::format("Then {} replicas sum **{}** of gradients: each slice is sent to {}.", grouped(ranks),
                        format_bytes(r.collective->message, frame.preferences.unit),
                        s.parallel.zero >= 1 ? "the rank that owns it" : "one rank, summed hop by hop");
    }
    else
    {
        caption.sentence =
            s.parallel.zero >= 1
                ? "The owners update their slice, and the **new weights go back** to every rank."
                : "An **all-gather** sends the finished sums around once more, so that every rank has all of "
                  "them.";
    }
    return caption;
}

} // namespace

extern const ViewInfo overview_view{
    10,
    "overview",
    ViewGroup::overview,
    "Step",
    "One training step",
    "One step in three pictures: pipeline with its bubble, ZeRO shards, ring all-reduce",
    {"model", "model_size", "gpus", "pipeline", "micro_batches", "parallel.zero"},
    make_view<OverviewView>};

} // namespace ringside
