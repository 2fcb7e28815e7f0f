// A DataLoader that feeds its GPUs or starves them: what is set, what follows, and what to make of it.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/training/data/pages.h"

#include <algorithm>

namespace ringside
{

void FeedModel::update(const Evaluated& now, const DataState& state)
{
    const Seconds step(now.report->step.total());
    need_ = feed_need(now.scenario, step);
    cost_ = batch_cost(now.scenario, state.plan);
    supply_ = feed_supply(cost_, state.plan, state.slow ? kSlowWorker : 1);
    set_ = data_set(now.scenario, step);
    gpus_ = std::max<std::int64_t>(1, now.scenario.cluster.gpus / need_.readers);
    times_ = FeedTimes{};
    times_.workers = state.plan.workers;
    times_.prefetch = state.plan.prefetch;
    times_.in_order = state.plan.in_order;
    times_.gpu_s = need_.batch_s;
    times_.read_s = cost_.read_s;
    times_.work_s = cost_.work_s;
    times_.spread = state.spread;
    times_.slow = state.slow ? kSlowWorker : 1;
    times_.spike_s = state.hangs ? kHangBatches * need_.batch_s : 0;
    times_.refill_s = state.refills ? kRefillBatches * need_.batch_s : 0;
    const std::pair asked{times_, state.seed};
    if (!made_ || *made_ != asked)
    {
        run_ = simulate_feed(times_, state.seed);
        made_ = asked;
    }
}

namespace
{

constexpr double kPlayed = 20; // [s] that playing takes

std::string say_seconds(double seconds)
{
    return format_seconds(Seconds(seconds));
}

std::string say_storage(double gigabytes_per_s)
{
    return format_bytes(Bytes(gigabytes_per_s * 1e9)) + "/s";
}

void draw_plan(PanelColumn& column, FeedPlan& plan, const FeedModel& model)
{
    if (column.choice({"Tokens", "Text", "Images"}, plan.kind))
    {
        plan.sample_s = 0;
    }
    column.slide("Workers (num_workers)", Track::even(1, kMostWorkers, say_whole), plan.workers);
    column.slide("Prefetch factor", Track::even(1, kMostPrefetch, say_whole), plan.prefetch);
    double sample = model.cost().sample_s;
    if (column.slide("CPU time per sample", Track::log(1e-6, 100, say_seconds), sample))
    {
        plan.sample_s = sample;
    }
    column.slide("Storage per GPU", Track::log(1e-6, 10, say_storage), plan.storage_gb_per_s);
}

std::string needed(const FeedModel& model, double margin)
{
    const auto workers = model.wanted(margin);
    return workers ? grouped(*workers) : "none is enough";
}

void draw_feed_facts(PanelColumn& column, const FeedModel& model)
{
    const FeedNeed& need = model.need();
    const BatchCost& cost = model.cost();
    const auto samples = static_cast<double>(need.batch_samples);
    column.fact(
        "Samples/s needed", rate_words(need.reader_samples_per_s()),
        fmt::format("Samples per second of one reader: global batch / step time / readers = {} / {} / {}",
                    figure(need.samples_per_s * need.batch_s * static_cast<double>(need.batches), 4),
                    format_seconds(Seconds(need.batch_s * static_cast<double>(need.batches))), need.readers));
    column.fact(
        "Samples/s supplied", rate_words(model.supply().batches_per_s() * samples),
        fmt::format(
            "The smaller of workers, W / (r + c) = {} / {}, and storage, 1 / r; r is the time to read a "
            "batch, c to prepare it. On average.",
            model.times().workers, format_seconds(Seconds(cost.total()))));
    column.fact("Workers needed", needed(model, 0),
                fmt::format("(r + c) / t = {} / {}, rounded up", format_seconds(Seconds(cost.total())),
                            format_seconds(Seconds(need.batch_s))));
    column.fact("with 25% headroom", needed(model, 0.25),
                "1.25 (r + c) / t, rounded up: the average alone leaves nothing for jitter");
    column.fact(
        "GPU idle time", format_percent(model.run().starved_share()),
        "Fraction of the time after the first batch in which the GPUs waited for data: simulated, this seed");
    column.fact("Data set on disk", format_bytes(Bytes(model.set().bytes)),
                fmt::format("Tokens times {} bytes, as Megatron-LM writes them: 2 for a vocabulary below "
                            "65,500, else 4. All hosts\u2019 memory holds {} of it.",
                            model.set().token_bytes, format_percent(model.set().cached)));
    column.fact("Cluster read rate", format_bytes(Bytes(model.set().read_bytes_per_s)) + "/s",
                fmt::format("Tokens per second times {} bytes", model.set().token_bytes));
}

// What to make of it.
std::string advice(const FeedModel& model)
{
    const auto wanted = model.wanted();
    const std::int64_t workers = model.times().workers;
    if (!wanted)
    {
        return "Storage is too slow for any number of workers.";
    }
    if (workers < *wanted && workers >= workers_needed(model.need(), model.cost()))
    {
        return fmt::format(
            "Enough on average, but every batch waits for the slow worker: **{}** would be enough.",
            grouped(*wanted));
    }
    if (workers < *wanted || (workers > *wanted && model.run().starved_share() < 0.0005))
    {
        return fmt::format("**{}** would be enough.", grouped(*wanted));
    }
    return model.run().starved_share() < 0.0005 ? "That is exactly enough."
                                                : "Enough on average, but the supply is uneven.";
}

// What the workers have to be.
std::string needed_formula(const FeedModel& model)
{
    const FeedNeed& need = model.need();
    const BatchCost& cost = model.cost();
    const FeedTimes& times = model.times();
    const auto wanted = model.wanted();
    const std::string r = figure(cost.read_s, 3);
    const std::string c = figure(cost.work_s, 3);
    const std::string t = figure(need.batch_s, 3);
    const double late = cost.read_s + times.slow * cost.work_s;
    if (!wanted)
    {
        return fmt::format("r = {} s > t = {} s", r, t);
    }
    if (times.slow <= 1)
    {
        return fmt::format("W \u2265 (r + c) / t = ({} + {}) / {} = {} \u2192 {}", r, c, t,
                           figure(cost.total() / need.batch_s, 3), *wanted);
    }
    if (times.in_order)
    {
        return fmt::format("W \u2265 (r + {0} c) / t = ({1} + {0} \u00d7 {2}) / {3} = {4} \u2192 {5}",
                           times.slow, r, c, t, figure(late / need.batch_s, 3), *wanted);
    }
    return fmt::format("W \u2265 1 + (r + c) (1 / t \u2212 1 / (r + {} c)) = {} \u2192 {}", times.slow,
                       figure(1 + cost.total() * (1 / need.batch_s - 1 / late), 3), *wanted);
}

Caption caption_feed(const Frame& frame, DataState& state)
{
    const FeedModel& model = state.reader(frame);
    const FeedNeed& need = model.need();
    const double starved = model.run().starved_share();
    Caption c;
    const double supply = model.supply().batches_per_s() * static_cast<double>(need.batch_samples);
    const double missing = 1 - supply / need.reader_samples_per_s();
    const std::string supplied =
        fmt::format("{} supply **{}** samples/s; {} need{} **{}**", counted(model.times().workers, "worker"),
                    rate_words(supply), counted(model.gpus(), "GPU"), model.gpus() == 1 ? "s" : "",
                    rate_words(need.reader_samples_per_s()));
    const std::string hungry =
        starved >= 0.0005 ? fmt::format("the GPUs are **idle {}** of the time", format_percent(starved))
        : missing > 5e-4
            ? fmt::format("**{} too few**, though a run this short does not show it", format_percent(missing))
            : "after the first batch the GPUs never wait";
    const std::string enough = advice(model);
    c.sentence = fmt::format("{}: {}. {}", supplied, hungry, enough);
    c.formula = needed_formula(model);
    c.source = fmt::format(
        "r, c, t: seconds to read, prepare and compute one batch. One DataLoader per data-parallel "
        "replica; a step consumes its {} evenly. Queue as in PyTorch\u2019s DataLoader: at most num_workers "
        "\u00d7 prefetch_factor batches ahead, in order. Sizes on disk: FineWeb (text), ImageNet (images); 1 "
        "M "
        "tokens/s and 80 ms per image on one core are assumptions, drag them. Storage: Llama 3\u2019s 2 TB/s "
        "for "
        "16,384 GPUs.",
        need.batches == 1 ? "one batch" : grouped(need.batches) + " batches");
    return c;
}

void draw_feed(const DataRoom& r)
{
    draw_feed_lanes(r, r.state.reader(r.frame), r.frame.playback.t);
}

void panel_feed(PanelColumn& column, const DataRoom& r)
{
    DataState& state = r.state;
    const FeedModel& model = state.reader(r.frame);
    draw_plan(column, state.plan, model);
    column.toggle("In order", state.plan.in_order,
                  "Batches leave the queue in order, PyTorch\u2019s default (in_order=True) (O)");
    column.toggle("One slow worker", state.slow, "Worker 0 takes three times as long (S)");
    column.toggle("I/O stalls", state.hangs,
                  "One read in 24 stalls for as long as the GPUs take for 8 batches (H)");
    column.toggle(
        "Shuffle-buffer refills", state.refills,
        "Every 12 batches each worker refills its shuffle buffer, all at about the same time, for as "
        "long as the GPUs take for 10 batches (F)");
    draw_feed_facts(column, model);
}

Motion motion_feed(const Frame& frame, DataState& state)
{
    Motion motion;
    const FeedRun& run = state.reader(frame).run();
    motion.duration = run.length;
    motion.per_second = run.length / kPlayed;
    motion.rest = run.length;
    motion.label = format_seconds(Seconds(std::min(frame.playback.t, run.length)));
    for (const FeedSpan& span : run.gpu)
    {
        motion.stops.push_back(span.from);
    }
    motion.stops.push_back(run.length);
    return motion;
}

} // namespace

const Page<DataState> feed_page{"Feed", draw_feed, panel_feed, caption_feed, motion_feed, "Data loading"};

std::string rate_words(double per_second)
{
    return per_second > 0 && per_second < 1e-5   ? "<0.00001"
           : per_second > 0 && per_second < 1e-3 ? fmt::format("{:.5f}", per_second)
           : per_second < 1e6                    ? three_digits(per_second)
                                                 : format_count(per_second);
}

std::optional<ImVec2> pulled(DataHold& hold, const PlotGrip& grip, const char* label, double value,
                             double scale)
{
    if (!grip.to)
    {
        hold.owner = hold.owner == label ? std::string() : hold.owner;
        return std::nullopt;
    }
    if (hold.owner != label)
    {
        hold = {label, ImGui::GetIO().MouseClickedPos[0], value, scale};
    }
    return ImVec2{grip.to->x - hold.start.x, grip.to->y - hold.start.y};
}

std::string share_words(double share)
{
    return three_digits(share * 100) + "%";
}

} // namespace ringside
