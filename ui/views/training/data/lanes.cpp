// One reader over time: a lane for each worker, one for the GPUs, and the queue between them below.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/training/data/pages.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr const char* kWorkersGrip = "###workers of a reader";
constexpr const char* kPrefetchGrip = "###batches ahead";
constexpr const char* kSampleGrip = "###time a sample";

Fill fill_of(const Theme& t, FeedWork work)
{
    switch (work)
    {
    case FeedWork::read:
        return {t.data};
    case FeedWork::hang:
        return {.ink = t.data, .lines = t.window, .hatch = kExposedHatch};
    case FeedWork::prepare:
        return plain_fill(mix(t.panel, t.context.fill, 0.7F));
    case FeedWork::compute:
        return {t.forward};
    case FeedWork::starve:
        return {.ink = {t.panel}, .lines = t.idle_hatch};
    case FeedWork::full:
        break;
    }
    return plain_fill(t.panel);
}

std::string say(const FeedSpan& span)
{
    const std::string time = format_seconds(Seconds(span.to - span.from));
    switch (span.work)
    {
    case FeedWork::read:
        return fmt::format("Batch {}: read, or waiting for other reads, {}", span.batch, time);
    case FeedWork::hang:
        return fmt::format("Batch {}: the read stalls for {}", span.batch, time);
    case FeedWork::prepare:
        return fmt::format("Batch {}: preprocessed in {}", span.batch, time);
    case FeedWork::full:
        return fmt::format("Queue full: idle for {}", time);
    case FeedWork::compute:
        return fmt::format("GPUs compute batch {} in {}", span.batch, time);
    case FeedWork::starve:
        break;
    }
    return fmt::format("GPUs wait for data for {}", time);
}

class FeedPicture
{
public:
    FeedPicture(const DataRoom& room, const FeedModel& model, double now)
        : p_(room.p), state_(room.state), model_(model), run_(model.run()), now_(now), out_(room.out),
          labels_(room.area)
    {
        window_ = {0, std::max(run_.length, 1e-12)};
        lay_out(room.area);
    }

    void draw()
    {
        draw_head();
        if (field_.w < p_.px(60))
        {
            return;
        }
        if (workers_.h >= static_cast<float>(run_.workers.size()))
        {
            p_.part("workers", workers_);
            std::vector<LaneName> names;
            for (std::size_t w = 0; w < run_.workers.size(); ++w)
            {
                names.push_back({fmt::format("worker {}", w), "idle " + format_percent(idle_share(w))});
            }
            draw_lanes(workers_, pitch_, names, run_.workers);
        }
        p_.part("gpus", gpu_);
        const std::array gpus{LaneName{
            model_.gpus() == 1 ? "GPU" : fmt::format("{} GPUs", grouped(model_.gpus())), "", "", "", true}};
        draw_lanes(gpu_, gpu_.h, gpus, std::array{run_.gpu});
        if (queue_.h > p_.px(24))
        {
            p_.part("queue", queue_);
            draw_queue();
        }
        draw_time_axis(p_, axis_, window_, run_.length);
        if (now_ < run_.length)
        {
            draw_now(p_, {field_.x, field_.y, field_.w, axis_.y - field_.y}, window_, now_);
        }
        if (workers_.h > p_.px(24))
        {
            grip_workers();
            grip_sample();
        }
    }

private:
    void lay_out(Rect area)
    {
        head_ = area.cut_top(p_.px(26));
        key_ = area.h > p_.px(180) ? area.cut_top(p_.px(26)) : Rect{};
        area.cut_top(p_.px(4));
        axis_ = area.cut_bottom(p_.height(Type::mono_small) / 2 + p_.px(14));
        area.cut_right(p_.px(14));
        axis_.cut_right(p_.px(14));
        names_ = area.w > p_.px(360) ? p_.width(Type::small, "worker 88") + p_.px(28) : p_.px(16);
        const auto lanes = static_cast<float>(run_.workers.size());
        const float least = area.h > p_.px(150) ? std::max(p_.px(60), area.h * 0.28F) : 0;
        const float high = std::clamp(area.h * 0.14F, p_.px(18), p_.px(72));
        const float room = std::max(0.0F, area.h - least - high - p_.px(26));
        pitch_ = std::min(std::max(p_.px(60), area.h * 0.14F), room / lanes);
        axis_.cut_left(names_);
        field_ = area;
        field_.cut_left(names_);
        workers_ = field_.cut_top(pitch_ * lanes);
        field_.cut_top(p_.px(20)); // for the handle of the workers
        gpu_ = field_.cut_top(high);
        if (least > 0)
        {
            field_.cut_top(p_.height(Type::small) + p_.px(14));
            queue_ = field_;
        }
        field_ = workers_;
    }

    void draw_head() const
    {
        const FeedNeed& need = model_.need();
        const std::string readers = need.readers == 1
                                        ? "One DataLoader"
                                        : fmt::format("One of {} DataLoaders", grouped(need.readers));
        draw_chart_title(p_, head_,
                         fmt::format("{}, {} per batch", readers, counted(need.batch_samples, "sample")), {},
                         fmt::format("seed {}", state_.seed));
        std::vector<LegendItem> key;
        const auto one = [&](FeedWork work, const char* says) {
            key.push_back({says, fill_of(p_.theme, work)});
        };
        one(FeedWork::prepare, "preprocess");
        one(FeedWork::read, "read");
        one(FeedWork::compute, "compute");
        one(FeedWork::starve, "GPUs idle (input-bound)");
        one(FeedWork::full, "worker idle (queue full)");
        if (state_.hangs || state_.refills)
        {
            one(FeedWork::hang, "stalled");
        }
        if (key_.h > 0)
        {
            draw_legend(p_, key_, key);
        }
    }

    void draw_lanes(Rect field, float pitch, std::span<const LaneName> names,
                    std::span<const std::vector<FeedSpan>> lanes) const
    {
        TimeLanes rows(p_, {field.x - names_, field.y, field.w + names_, field.h}, window_, {pitch, names_},
                       names);
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        {
            for (const FeedSpan& span : lanes[lane])
            {
                if (span.from >= now_)
                {
                    break;
                }
                const double to = std::min(span.to, now_);
                const auto block = rows.block(lane, span.from, to, fill_of(p_.theme, span.work));
                if (block && span.work == FeedWork::compute)
                {
                    rows.label(*block, p_.theme.forward.label, {std::to_string(span.batch)});
                }
                if (rows.points_at(rows.cell(lane, span.from, to)) && state_.hold.owner.empty() &&
                    !ImGui::IsAnyItemHovered())
                {
                    tooltip_at_mouse(p_, say(span));
                }
            }
        }
    }

    // The share of a worker's time that it waits for room in the queue.
    double idle_share(std::size_t worker) const
    {
        double idle = 0;
        for (const FeedSpan& span : run_.workers[worker])
        {
            idle += span.work == FeedWork::full ? std::min(span.to, run_.length) - span.from : 0;
        }
        return std::clamp(idle / window_.to, 0.0, 1.0);
    }

    float queue_y(double batches) const
    {
        const auto room = static_cast<double>(model_.times().workers * model_.times().prefetch);
        return queue_.bottom() - queue_.h * static_cast<float>(std::min(1.0, batches / room) * 0.92);
    }

    void draw_queue()
    {
        const Theme& t = p_.theme;
        p_.fill(queue_, t.panel);
        const Ink& ink = t.of(Component::buffers);
        for (std::size_t i = 0; i < run_.queue.size() && run_.queue[i].at < now_; ++i)
        {
            const QueuePoint& point = run_.queue[i];
            const double end = i + 1 < run_.queue.size() ? run_.queue[i + 1].at : run_.length;
            const float from = window_.x(field_, point.at);
            const float to = window_.x(field_, std::min({end, now_, run_.length}));
            const float usable = queue_y(static_cast<double>(point.usable));
            const float ready = queue_y(static_cast<double>(point.ready));
            p_.fill({from, usable, to - from, queue_.bottom() - usable}, ink.fill);
            const Rect blocked{from, ready, to - from, usable - ready};
            if (blocked.h > 0)
            {
                p_.fill(blocked, mix(t.panel, ink.fill, 0.3F));
            }
        }
        const float middle = queue_.y - p_.height(Type::small) / 2 - p_.px(4);
        p_.text_within(queue_.x, middle, queue_.w, Type::small_strong, t.text,
                       state_.plan.in_order ? "Batches in the queue; pale ones wait for an earlier batch"
                                            : "Batches in the queue, in any order");
        p_.line(queue_.x, queue_.bottom(), queue_.right(), queue_.bottom(), t.line);
        grip_prefetch();
    }

    // What a handle makes of a value: by the mouse so much for each pixel of `way`, by a key a step. Named
    // beside it.
    double handle(ImVec2 at, const char* id, const std::string& name, double value, double scale,
                  float (*way)(ImVec2), double (*stepped)(double, int))
    {
        const PlotGrip grip = draw_grip(p_, at, id, p_.theme.text);
        tooltip(p_, "Drag, or use the arrow keys");
        labels_.put(p_, at, p_.px(14), Type::small, p_.theme.text, name);
        const auto by = pulled(state_.hold, grip, id, value, scale);
        const double to = by ? state_.hold.value + state_.hold.scale * static_cast<double>(way(*by)) : value;
        const double next = stepped(to, grip.steps);
        out_.animating = out_.animating || grip.to || grip.steps != 0;
        return next;
    }

    void grip_workers()
    {
        const ImVec2 at{field_.x, workers_.bottom() + p_.px(10)};
        std::int64_t& workers = state_.plan.workers;
        const double to = handle(
            at, kWorkersGrip, fmt::format("num_workers {}", workers), static_cast<double>(workers),
            1 / static_cast<double>(p_.px(28)), [](ImVec2 by) { return by.x + by.y; },
            [](double value, int steps) { return value + steps; });
        workers = std::llround(std::clamp(to, 1.0, kMostWorkers));
    }

    void grip_prefetch()
    {
        const std::int64_t room = model_.times().workers * model_.times().prefetch;
        const float y = queue_y(static_cast<double>(room));
        p_.dashed(queue_.x, y, queue_.right(), y, p_.theme.muted);
        p_.text(queue_.x - p_.px(8), y, Type::mono_small, p_.theme.muted, grouped(room), Align::right);
        p_.text(queue_.x - p_.px(8), queue_.bottom() - p_.height(Type::mono_small) / 2, Type::mono_small,
                p_.theme.muted, "0", Align::right);
        std::int64_t& prefetch = state_.plan.prefetch;
        const double to = handle(
            {queue_.right(), y}, kPrefetchGrip,
            fmt::format("num_workers \u00d7 prefetch_factor {}", prefetch), static_cast<double>(prefetch),
            1 / static_cast<double>(p_.px(24)), [](ImVec2 by) { return by.x - by.y; },
            [](double value, int steps) { return value + steps; });
        prefetch = std::llround(std::clamp(to, 1.0, kMostPrefetch));
    }

    // At the end of the first batch that the first worker prepares.
    void grip_sample()
    {
        const auto& spans = run_.workers.front();
        const auto first = std::find_if(spans.begin(), spans.end(),
                                        [](const FeedSpan& s) { return s.work == FeedWork::prepare; });
        if (first == spans.end())
        {
            return;
        }
        const float x = std::min(window_.x(field_, first->to), field_.right());
        const float y = workers_.y + (pitch_ - lane_gap(p_, pitch_)) / 2;
        const double sample = model_.cost().sample_s;
        // Seconds of a sample in a pixel, as the axis was when the grip was taken.
        const double scale = window_.to / static_cast<double>(std::max(field_.w, 1.0F)) * sample /
                             std::max(first->to - first->from, 1e-12);
        const double to = handle(
            {x, y}, kSampleGrip, format_seconds(Seconds(sample)) + " per sample", sample, scale,
            [](ImVec2 by) { return by.x; },
            [](double value, int steps) { return value * std::pow(1.1, steps); });
        const double least = state_.hold.owner == kSampleGrip ? state_.hold.value * 0.02 : 1e-6;
        const double wanted = std::clamp(to, std::max(least, 1e-6), 1e4);
        if (std::abs(wanted / sample - 1) > 1e-6)
        {
            state_.plan.sample_s = wanted;
        }
    }

    const Painter& p_;
    DataState& state_;
    const FeedModel& model_;
    const FeedRun& run_;
    double now_;
    Out& out_;
    Labels labels_;
    TimeWindow window_;
    Rect head_, key_, axis_, field_, workers_, gpu_, queue_;
    float names_ = 0;
    float pitch_ = 0;
};

} // namespace

void draw_feed_lanes(const DataRoom& room, const FeedModel& model, double now)
{
    FeedPicture(room, model, now).draw();
}

} // namespace ringside
