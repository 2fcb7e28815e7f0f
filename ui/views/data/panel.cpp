#include "ui/views/data/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "core/engine/scaling_law/repeats.h"
#include "ui/views/data/copies.h"
#include "ui/views/data/words.h"
#include "ui/views/goodput/range.h"

#include <cmath>

namespace ringside
{

namespace
{

void flip(const Painter& p, Rect& area, const char* label, bool& on, std::string_view says)
{
    on = toggle(p, area.cut_top(p.px(26)), label, on) != on;
    tooltip(p, says);
}

void draw_sliders(const Painter& p, Rect& area, DataState& state, const FeedDesk& desk)
{
    FeedPlan& plan = state.plan;
    constexpr std::array<std::string_view, kDataKinds> kKinds{"Tokens", "Text", "Pictures"};
    if (const auto kind = segments(p, area.cut_top(p.px(32)), kKinds, static_cast<std::size_t>(plan.kind)))
    {
        plan.kind = static_cast<DataKind>(*kind);
        plan.sample_s = 0;
    }
    area.cut_top(p.px(6));
    const auto row = [&] { return area.cut_top(p.px(42)); };
    const auto workers = static_cast<double>(plan.workers);
    plan.workers = std::llround(
        slide(p, row(), {"Workers of a reader", grouped(plan.workers), 1, kMostWorkers, false, 1}, workers,
              state.entry));
    const auto prefetch = static_cast<double>(plan.prefetch);
    plan.prefetch = std::llround(
        slide(p, row(), {"Batches ahead, each", grouped(plan.prefetch), 1, kMostPrefetch, false, 1}, prefetch,
              state.entry));
    const double sample = desk.cost().sample_s;
    const double wish =
        slide(p, row(), {"Time a sample", format_seconds(Seconds(sample)), 1e-6, 100, true, 1}, sample,
              state.entry);
    plan.sample_s = wish == sample ? plan.sample_s : wish;
    const double storage = plan.storage_gb_per_s;
    plan.storage_gb_per_s =
        slide(p, row(), {"Storage by GPU", storage_rate_words(storage * 1e9), 1e-6, 10, true, 1}, storage,
              state.entry);
}

std::string needed(const FeedDesk& desk, double margin)
{
    const auto workers = desk.wanted(margin);
    return workers ? grouped(*workers) : "none suffice";
}

void draw_feed_facts(const Painter& p, Rect& area, const FeedDesk& desk)
{
    const FeedNeed& need = desk.need();
    const BatchCost& cost = desk.cost();
    const auto samples = static_cast<double>(need.batch_samples);
    fact_row(p, area, "Needed", rate_words(need.reader_samples_per_s()) + " /s",
             fmt::format("Samples a second of one reader: global batch / step / readers = {} / {} / {}",
                         figure(need.samples_per_s * need.batch_s * static_cast<double>(need.batches), 4),
                         format_seconds(Seconds(need.batch_s * static_cast<double>(need.batches))),
                         need.readers));
    fact_row(
        p, area, "Supplied", rate_words(desk.supply().batches_per_s() * samples) + " /s",
        fmt::format("The smaller of workers, W / (r + c) = {} / {}, and storage, 1 / r; r reads a batch, c "
                    "prepares it. At the mean.",
                    desk.times().workers, format_seconds(Seconds(cost.total()))));
    fact_row(p, area, "Workers needed", needed(desk, 0),
             fmt::format("(r + c) / t = {} / {}, rounded up", format_seconds(Seconds(cost.total())),
                         format_seconds(Seconds(need.batch_s))));
    fact_row(p, area, "with a quarter to spare", needed(desk, 0.25),
             "1.25 (r + c) / t, rounded up: the mean alone leaves nothing for jitter");
    fact_row(p, area, "This run starves", format_percent(desk.run().starved_share()),
             "Share of the time after the first batch in which the GPUs had none: simulated, with this seed");
    fact_row(p, area, "All tokens on disk", format_bytes(Bytes(desk.set().bytes)),
             fmt::format("Tokens times {} bytes, as Megatron-LM writes them: 2 below 65,500 rows of the "
                         "vocabulary, else 4. All hosts\u2019 memory holds {} of it.",
                         desk.set().token_bytes, format_percent(desk.set().cached)));
    fact_row(p, area, "Cluster reads them at", storage_rate_words(desk.set().read_bytes_per_s),
             fmt::format("Tokens a second times {} bytes", desk.set().token_bytes));
}

void draw_feed_panel(const Painter& p, Rect area, DataState& state, const FeedDesk& desk)
{
    draw_sliders(p, area, state, desk);
    flip(p, area, "In order", state.plan.in_order,
         "Batches leave in the order of their numbers, as PyTorch has it unless told otherwise (O)");
    flip(p, area, "A slow worker", state.slow, "Worker 0 takes three times as long (S)");
    flip(p, area, "Reads hang", state.hangs,
         "One read in 24 brings nothing for as long as the GPUs take for 8 batches (H)");
    flip(p, area, "Buffers refill", state.refills,
         "After every 12 batches each worker fills its shuffle buffer anew, all of them at about the same "
         "time, for as long as the GPUs take for 10 batches (F)");
    area.cut_top(p.px(4));
    draw_feed_facts(p, area, desk);
}

void draw_funnel_panel(const Painter& p, Rect area, DataState& state, const Frame& frame)
{
    for (std::size_t i = 0; i < funnel_recipes().size(); ++i)
    {
        const FunnelRecipe& recipe = funnel_recipes()[i];
        const Rect row = area.cut_top(p.px(34));
        const Rect card{row.x, row.y, row.w, row.h - p.px(4)};
        const Press pressed =
            press(p, card, fmt::format("{}###recipe {}", recipe.name, recipe.id).c_str(), 6);
        tooltip(p, recipe.source);
        p.card(card, state.recipe == i, pressed.hovered);
        const Rect cap = p.keycap(card.x + p.px(8), card.middle(), std::to_string(i + 1));
        p.text_within(cap.right() + p.px(10), card.middle(), card.right() - cap.right() - p.px(18),
                      Type::small, p.theme.text, recipe.name);
        if (pressed.clicked)
        {
            state.recipe = i;
            state.kept.clear();
        }
    }
    area.cut_top(p.px(4));
    if (!state.kept.empty() && button(p, area.cut_top(p.px(32)), "As published", "R"))
    {
        state.kept.clear();
    }
    area.cut_top(p.px(6));
    const Funnel funnel = funnel_of(state, frame.now);
    const FunnelRecipe& recipe = state.funnel();
    fact_row(p, area, "Left", share_words(funnel.left.back()),
             fmt::format("Product of what the stages keep, in {}", recipe.counts));
    fact_row(p, area, "Tokens left", format_count(funnel.tokens),
             state.kept.empty() ? "As published" : "As published, times the change of the shares");
    fact_row(p, area, "The run wants", format_count(funnel.wanted), "training.tokens");
    fact_row(p, area, "Passes", format_count(funnel.passes), "Wanted / left");
    fact_row(
        p, area, "Worth, fresh", format_count(funnel.worth),
        fmt::format("U + U R* (1 \u2212 e^(\u2212R/R*)), R = passes \u2212 1, R* = {:.3g} (Muennighoff et "
                    "al. 2023, equation 5)",
                    kRepeatDecay));
    if (recipe.input_tokens > 0 && funnel.left.back() > 0)
    {
        fact_row(p, area, "Crawled for one pass",
                 format_count(recipe.input_tokens * funnel.wanted / funnel.tokens),
                 "Tokens that must come in so that none is seen twice");
    }
}

void draw_copies_panel(const Painter& p, Rect area, DataState& state)
{
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        if (button(p, area.cut_top(p.px(32)),
                   fmt::format("As {}: {} \u00d7 {}###as {}", known.name, known.bands, known.rows, known.name)
                       .c_str()))
        {
            state.rows = static_cast<double>(known.rows);
            state.bands = static_cast<double>(known.bands);
        }
        area.cut_top(p.px(6));
    }
    state.bands = std::round(slide(p, area.cut_top(p.px(45)),
                                   {"Bands b", grouped(std::llround(state.bands)), 2, kMostBands, true, 1},
                                   state.bands, state.entry));
    state.rows =
        std::round(slide(p, area.cut_top(p.px(45)),
                         {"Hashes in each r", grouped(std::llround(state.rows)), 1, kMostRows, false, 1},
                         state.rows, state.entry));
    area.cut_top(p.px(6));
    fact_row(p, area, "Hashes a document", grouped(std::llround(state.rows * state.bands)),
             "b r MinHashes are worked out and kept for every document");
    fact_row(p, area, "Threshold", format_percent(duplicate_threshold(state.rows, state.bands)),
             "(1/b)^(1/r): about where the curve is steepest");
    for (const double similarity : {0.6, 0.7, 0.75, 0.8, 0.85, 0.9})
    {
        fact_row(p, area, fmt::format("{:.0f}% alike: found", similarity * 100),
                 format_percent(duplicate_found(similarity, state.rows, state.bands)),
                 fmt::format("1 \u2212 (1 \u2212 {}^{})^{}", similarity, state.rows, state.bands));
    }
}

} // namespace

std::string storage_rate_words(double bytes_per_s)
{
    return format_bytes(Bytes(bytes_per_s)) + "/s";
}

void draw_data_panel(const Painter& p, Rect area, DataState& state, const FeedDesk& desk, const Frame& frame)
{
    if (const auto page =
            segments(p, area.cut_top(p.px(32)), kDataPages, static_cast<std::size_t>(state.page)))
    {
        state.page = static_cast<DataPage>(*page);
    }
    area.cut_top(p.px(8));
    switch (state.page)
    {
    case DataPage::feed:
        draw_feed_panel(p, area, state, desk);
        break;
    case DataPage::funnel:
        draw_funnel_panel(p, area, state, frame);
        break;
    case DataPage::copies:
        draw_copies_panel(p, area, state);
        break;
    }
}

} // namespace ringside
