#include "ui/views/training/data/words.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/term.h"
#include "core/base/text.h"

#include <cmath>

namespace ringside
{

namespace
{

// What to make of it.
std::string advice(const FeedDesk& desk)
{
    const auto wanted = desk.wanted();
    const std::int64_t workers = desk.times().workers;
    if (!wanted)
    {
        return "Storage is too slow for any number of workers.";
    }
    if (workers < *wanted && workers >= workers_needed(desk.need(), desk.cost()))
    {
        return fmt::format("Enough at the mean, but all wait for the slow one: **{}** would do.",
                           grouped(*wanted));
    }
    if (workers < *wanted || (workers > *wanted && desk.run().starved_share() < 0.0005))
    {
        return fmt::format("**{}** would do.", grouped(*wanted));
    }
    return desk.run().starved_share() < 0.0005 ? "That is just as many as it takes."
                                               : "Enough come at the mean, but unevenly.";
}

// What the workers have to be.
std::string needed_formula(const FeedDesk& desk)
{
    const FeedNeed& need = desk.need();
    const BatchCost& cost = desk.cost();
    const FeedTimes& times = desk.times();
    const auto wanted = desk.wanted();
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

Caption feed_caption(const FeedDesk& desk)
{
    const FeedNeed& need = desk.need();
    const double starved = desk.run().starved_share();
    Caption c;
    const double supply = desk.supply().batches_per_s() * static_cast<double>(need.batch_samples);
    const double missing = 1 - supply / need.reader_samples_per_s();
    const std::string supplied = fmt::format("{} supply **{}** samples/s of the **{}** that {} take{}",
                                             counted(desk.times().workers, "worker"), rate_words(supply),
                                             rate_words(need.reader_samples_per_s()),
                                             counted(desk.gpus(), "GPU"), desk.gpus() == 1 ? "s" : "");
    const std::string hungry =
        starved >= 0.0005 ? fmt::format("the GPUs **starve {}** of the time", format_percent(starved))
        : missing > 5e-4
            ? fmt::format("**{} too few**, though so short a run does not show it", format_percent(missing))
            : "after the first batch the GPUs never wait";
    const std::string enough = advice(desk);
    c.sentence = fmt::format("{}: {}. {}", supplied, hungry, enough);
    c.formula = needed_formula(desk);
    c.source = fmt::format(
        "Seconds of one batch: r reads it, c prepares it, t computes it. One reader for each data-parallel "
        "replica; the step takes its {} evenly. Queue as in PyTorch\u2019s DataLoader: at most workers "
        "\u00d7 batches ahead, in order. Sizes on disk: FineWeb (text), ImageNet (pictures); a core\u2019s "
        "1 M tokens/s and 80 ms a picture are assumptions, drag them. Storage: Llama 3\u2019s 2 TB/s for "
        "16,384 GPUs.",
        need.batches == 1 ? "one batch" : grouped(need.batches) + " batches");
    return c;
}

Caption funnel_caption(const DataState& state, const Frame& frame)
{
    const Funnel funnel = funnel_of(state, frame.now);
    const FunnelRecipe& recipe = state.funnel();
    Caption c;
    const std::string left = fmt::format("{} keeps **{}** of what comes in: **{} tokens**.",
                                         state.kept.empty() ? std::string(recipe.name) : "This pipeline",
                                         share_words(funnel.left.back()), format_count(funnel.tokens));
    c.sentence = funnel.passes > 1
                     ? fmt::format("{} The run\u2019s {} are **{} passes**, worth {} fresh ones.", left,
                                   format_count(funnel.wanted), format_count(funnel.passes),
                                   format_count(funnel.worth))
                     : fmt::format("{} The run\u2019s {} need **{}** of them.", left,
                                   format_count(funnel.wanted), format_percent(funnel.passes));
    c.formula = "";
    double before = 1;
    for (const double share : funnel.left)
    {
        c.formula += fmt::format("{}{}", c.formula.empty() ? "" : " \u00d7 ",
                                 figure(before > 0 ? share / before : 0, 3));
        before = share;
    }
    c.formula += fmt::format(" = {}", figure(funnel.left.back(), 3));
    c.source =
        fmt::format("{}. Passes: Muennighoff et al. 2023, arXiv 2305.16264, equation 5.", recipe.source);
    return c;
}

Caption copies_caption(const DataState& state)
{
    constexpr double kAlike = 0.75;
    constexpr double kUnlike = 0.5;
    Caption c;
    c.sentence = fmt::format(
        "{} bands of {} hashes find a pair that is 75% alike with **{}**, one that is 50% alike with **{}**.",
        grouped(std::llround(state.bands)), grouped(std::llround(state.rows)),
        format_percent(duplicate_found(kAlike, state.rows, state.bands)),
        format_percent(duplicate_found(kUnlike, state.rows, state.bands)));
    c.formula =
        fmt::format("1 \u2212 (1 \u2212 s^r)^b = 1 \u2212 (1 \u2212 {}^{})^{} = {}", kAlike, state.rows,
                    state.bands, figure(duplicate_found(kAlike, state.rows, state.bands), 3));
    c.source = "Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4.2. FineWeb: 14 bands "
               "of 8; RefinedWeb: 450 of 20 (Penedo et al. 2024, arXiv 2406.17557, appendix). Two documents "
               "are copies when all r hashes of at least one band agree.";
    return c;
}

} // namespace

std::string rate_words(double per_second)
{
    return per_second > 0 && per_second < 1e-5   ? "<0.00001"
           : per_second > 0 && per_second < 1e-3 ? fmt::format("{:.5f}", per_second)
           : per_second < 1e6                    ? three_digits(per_second)
                                                 : format_count(per_second);
}

Caption data_caption(const DataState& state, const FeedDesk& desk, const Frame& frame)
{
    switch (state.page)
    {
    case DataPage::feed:
        return feed_caption(desk);
    case DataPage::funnel:
        return funnel_caption(state, frame);
    case DataPage::copies:
        break;
    }
    return copies_caption(state);
}

} // namespace ringside
