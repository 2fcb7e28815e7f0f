#include "ui/views/training/data/panel.h"

#include <fmt/format.h>

#include "core/base/term.h"
#include "core/base/text.h"
#include "core/scaling/repeats.h"
#include "ui/views/training/data/copies.h"
#include "ui/views/training/data/words.h"
#include "ui/widgets/panel_column.h"

#include <cmath>

namespace ringside
{

namespace
{

std::string say_seconds(double seconds)
{
    return format_seconds(Seconds(seconds));
}

std::string say_storage(double gigabytes_per_s)
{
    return storage_rate_words(gigabytes_per_s * 1e9);
}

void draw_plan(PanelColumn& column, FeedPlan& plan, const FeedDesk& desk)
{
    if (column.choice({"Tokens", "Text", "Images"}, plan.kind))
    {
        plan.sample_s = 0;
    }
    column.slide("DataLoader workers (num_workers)", Track::even(1, kMostWorkers, say_whole), plan.workers);
    column.slide("Prefetch factor", Track::even(1, kMostPrefetch, say_whole), plan.prefetch);
    double sample = desk.cost().sample_s;
    if (column.slide("Time a sample", Track::log(1e-6, 100, say_seconds), sample))
    {
        plan.sample_s = sample;
    }
    column.slide("Storage by GPU", Track::log(1e-6, 10, say_storage), plan.storage_gb_per_s);
}

std::string needed(const FeedDesk& desk, double margin)
{
    const auto workers = desk.wanted(margin);
    return workers ? grouped(*workers) : "none suffice";
}

void draw_feed_facts(PanelColumn& column, const FeedDesk& desk)
{
    const FeedNeed& need = desk.need();
    const BatchCost& cost = desk.cost();
    const auto samples = static_cast<double>(need.batch_samples);
    column.fact("Needed", rate_words(need.reader_samples_per_s()) + " /s",
                fmt::format("Samples a second of one reader: global batch / step / readers = {} / {} / {}",
                            figure(need.samples_per_s * need.batch_s * static_cast<double>(need.batches), 4),
                            format_seconds(Seconds(need.batch_s * static_cast<double>(need.batches))),
                            need.readers));
    column.fact(
        "Supplied", rate_words(desk.supply().batches_per_s() * samples) + " /s",
        fmt::format("The smaller of workers, W / (r + c) = {} / {}, and storage, 1 / r; r reads a batch, c "
                    "prepares it. At the mean.",
                    desk.times().workers, format_seconds(Seconds(cost.total()))));
    column.fact("Workers needed", needed(desk, 0),
                fmt::format("(r + c) / t = {} / {}, rounded up", format_seconds(Seconds(cost.total())),
                            format_seconds(Seconds(need.batch_s))));
    column.fact("with a quarter to spare", needed(desk, 0.25),
                "1.25 (r + c) / t, rounded up: the mean alone leaves nothing for jitter");
    column.fact(
        "This run starves", format_percent(desk.run().starved_share()),
        "Share of the time after the first batch in which the GPUs had none: simulated, with this seed");
    column.fact("All tokens on disk", format_bytes(Bytes(desk.set().bytes)),
                fmt::format("Tokens times {} bytes, as Megatron-LM writes them: 2 below 65,500 rows of the "
                            "vocabulary, else 4. All hosts\u2019 memory holds {} of it.",
                            desk.set().token_bytes, format_percent(desk.set().cached)));
    column.fact("Cluster reads them at", storage_rate_words(desk.set().read_bytes_per_s),
                fmt::format("Tokens per second times {} bytes", desk.set().token_bytes));
}

void draw_feed_panel(PanelColumn& column, DataState& state, const FeedDesk& desk)
{
    draw_plan(column, state.plan, desk);
    column.toggle("In order", state.plan.in_order,
                  "Batches leave in the order of their numbers, as PyTorch has it unless told otherwise (O)");
    column.toggle("A slow worker", state.slow, "Worker 0 takes three times as long (S)");
    column.toggle("I/O stalls", state.hangs,
                  "One read in 24 brings nothing for as long as the GPUs take for 8 batches (H)");
    column.toggle("Buffers refill", state.refills,
                  "After every 12 batches each worker fills its shuffle buffer again, all of them at about "
                  "the same time, for as long as the GPUs take for 10 batches (F)");
    draw_feed_facts(column, desk);
}

void draw_funnel_panel(PanelColumn& column, DataState& state, const Frame& frame)
{
    for (std::size_t i = 0; i < funnel_recipes().size(); ++i)
    {
        const FunnelRecipe& recipe = funnel_recipes()[i];
        if (column.option(fmt::format("{}###recipe {}", recipe.name, recipe.id), std::to_string(i + 1),
                          state.recipe == i, recipe.source))
        {
            state.recipe = i;
            state.kept.clear();
        }
    }
    column.gap();
    if (!state.kept.empty() && column.button("As published", "R"))
    {
        state.kept.clear();
    }
    const Funnel funnel = funnel_of(state, frame.now);
    const FunnelRecipe& recipe = state.funnel();
    column.fact("Left", share_words(funnel.left.back()),
                fmt::format("Product of what the stages keep, in {}", recipe.counts));
    column.fact("Tokens left", format_count(funnel.tokens),
                state.kept.empty() ? "As published" : "As published, times the change of the shares");
    column.fact("The run wants", format_count(funnel.wanted), "training.tokens");
    column.fact("Epochs", format_count(funnel.passes), "Wanted / left");
    column.fact("Worth, fresh", format_count(funnel.worth),
                fmt::format("U + U R* (1 \u2212 e^(\u2212R/R*)), R = passes \u2212 1, R* = {:.3g} "
                            "(Muennighoff et al. 2023, equation 5)",
                            kRepeatDecay));
    if (recipe.input_tokens > 0 && funnel.left.back() > 0)
    {
        column.fact("Crawled for one pass", format_count(recipe.input_tokens * funnel.wanted / funnel.tokens),
                    "Tokens that must come in so that none is seen twice");
    }
}

void draw_copies_panel(PanelColumn& column, DataState& state)
{
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const std::string label =
            fmt::format("As {}: {} \u00d7 {}###as {}", known.name, known.bands, known.rows, known.name);
        if (column.button(label.c_str()))
        {
            state.rows = static_cast<double>(known.rows);
            state.bands = static_cast<double>(known.bands);
        }
    }
    column.slide("Bands b", Track::log(2, kMostBands, say_whole).rounded(), state.bands);
    column.slide("Hashes in each r", Track::even(1, kMostRows, say_whole).rounded(), state.rows);
    column.fact("Hashes a document", grouped(std::llround(state.rows * state.bands)),
                "b r MinHashes are worked out and kept for every document");
    column.fact("Threshold", format_percent(duplicate_threshold(state.rows, state.bands)),
                "(1/b)^(1/r): about where the curve is steepest");
    for (const double similarity : {0.6, 0.7, 0.75, 0.8, 0.85, 0.9})
    {
        column.fact(fmt::format("{:.0f}% alike: found", similarity * 100),
                    format_percent(duplicate_found(similarity, state.rows, state.bands)),
                    fmt::format("1 \u2212 (1 \u2212 {}^{})^{}", similarity, state.rows, state.bands));
    }
}

} // namespace

std::string storage_rate_words(double bytes_per_s)
{
    return format_bytes(Bytes(bytes_per_s)) + "/s";
}

void draw_data_panel(const Painter& p, Rect area, DataState& state, const FeedDesk& desk, const Frame& frame,
                     Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice(kDataPages, state.page);
    switch (state.page)
    {
    case DataPage::feed:
        draw_feed_panel(column, state, desk);
        break;
    case DataPage::funnel:
        draw_funnel_panel(column, state, frame);
        break;
    case DataPage::copies:
        draw_copies_panel(column, state);
        break;
    }
}

} // namespace ringside
