// Attention that does not read every key: FLOPs of a new token in one layer, by the tokens before it.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/views/memory/context_length/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/fill.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kWindows{128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
constexpr std::array<double, 7> kPickedKeys{128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<double, 7> kFullEvery{0, 2, 3, 4, 5, 6, 8};

double flops_of(const ContextRoom& r, SparseKind kind, double tokens)
{
    return sparse_cost(r.frame.now.scenario.model, kind, r.state.sparse, tokens).flops;
}

Ink sparse_ink(const Theme& t, SparseKind kind)
{
    const std::array inks{t.context, t.forward, t.backward_input, t.tensor, t.backward_weight, t.data};
    return inks.at(static_cast<std::size_t>(kind));
}

void draw_sparse_curves(const ContextRoom& r, Rect area)
{
    const Theme& t = r.p.theme;
    const double most = flops_of(r, SparseKind::full, 1 << 22);
    Plot plot(r.p, area, {512, 1 << 22, PlotScale::log2, "tokens before it", length_words},
              {most / 3e5, most * 1.5, PlotScale::log, "", power_words},
              {.title = "FLOPs of a new token in one layer", .part = "sparse attention", .names = 190});
    if (!plot)
    {
        return;
    }
    for (const SparseKind kind : every<SparseKind>())
    {
        plot.line(sampled(
                      plot.x, [&](double tokens) { return flops_of(r, kind, tokens); }, 120),
                  {sparse_ink(t, kind), 2.5F}, std::string(name_of(kind)), kind == SparseKind::full);
        plot.dot({r.state.tokens, flops_of(r, kind, r.state.tokens)}, {sparse_ink(t, kind), 4});
    }
    if (const auto to =
            plot.rule_x(r.state.tokens, {t.text, 1.5F, true}, length_words(r.state.tokens), "###before").x(2))
    {
        r.state.tokens = std::round(plot.x.clamped(*to));
        r.out.animating = true;
    }
}

void draw_sparse_table(const ContextRoom& r, Rect area)
{
    const Model& model = r.frame.now.scenario.model;
    const double full = flops_of(r, SparseKind::full, r.state.tokens);
    const auto cost = [&](SparseKind kind)
    { return sparse_cost(model, kind, r.state.sparse, r.state.tokens); };
    const Table<SparseKind> table(
        {Column<SparseKind>(fmt::format("At {} tokens", length_words(r.state.tokens)),
                            [](SparseKind kind) { return capitalized(std::string(name_of(kind))); })
             .with(kSwatchRoom, [&](const Painter& p, Rect cell, SparseKind kind, bool)
                   { draw_swatch(p, cell, {sparse_ink(p.theme, kind)}); }),
         {"keys read", [&](SparseKind kind) { return grouped(std::llround(cost(kind).keys)); }, 2},
         {"FLOPs", [&](SparseKind kind) { return format_count(cost(kind).flops); }, 1},
         {"reduction", [&](SparseKind kind) { return three_digits(full / cost(kind).flops) + "\u00d7"; }, 3,
          "FLOPs of full attention over these"}});
    table.draw(r.p, area, every<SparseKind>());
}

void draw_sparse(const ContextRoom& r)
{
    Rect area = r.area;
    const float table = table_height(r.p, kNamesOf<SparseKind>.size());
    if (area.h > table + r.p.px(170))
    {
        draw_sparse_table(r, area.cut_bottom(table));
        area.cut_bottom(r.p.px(12));
    }
    draw_sparse_curves(r, area);
}

void panel_sparse(PanelColumn& column, const ContextRoom& r)
{
    SparseSetup& s = r.state.sparse;
    column.slide("Window, tokens", Track::at(kWindows, say_whole), s.window);
    column.slide("Top-k of the indexer", Track::at(kPickedKeys, say_whole), s.picked,
                 "DeepSeek-V3.2: 2,048; of compressed keys half as many, DeepSeek-V4-Pro\u2019s 1,024");
    column.slide("NSA: selected keys", Track::at(kPickedKeys, say_whole), s.selected, "16 blocks of 64");
    column.slide("Full-attention layer every", Track::only_at(kFullEvery, say_whole), s.full_every,
                 "Hybrid models: so many layers, one of which attends to everything; 0: none does");
    column.gap();
    column.fact("FLOPs per key", format_count(key_flops(r.frame.now.scenario.model)),
                "4 a d; 2 a (2 r + d_rope) where a latent cache is attended to as it is");
    column.fact("An indexer\u2019s", format_count(s.indexer), "64 heads of 128, in FP8; it scores every key");
    column.gap();
    column.note(
        "An indexer still grows with the length, **at a fraction of the cost**; only windows and linear "
        "attention do not.");
}

Caption caption_sparse(const Frame& frame, ContextState& state)
{
    const Model& model = frame.now.scenario.model;
    const auto flops = [&](SparseKind kind)
    { return sparse_cost(model, kind, state.sparse, state.tokens).flops; };
    const double full = flops(SparseKind::full);
    return {
        fmt::format("At {} tokens an indexer makes attention **{}\u00d7** cheaper, NSA **{}\u00d7**, "
                    "compressed keys **{}\u00d7**, a window **{}\u00d7**.",
                    length_words(state.tokens), three_digits(full / flops(SparseKind::indexed)),
                    three_digits(full / flops(SparseKind::native)),
                    three_digits(full / flops(SparseKind::compressed)),
                    three_digits(full / flops(SparseKind::window))),
        fmt::format("DSA: {:.0f} L + {} min(L, {:.0f});  NSA: {} (L/{:.0f} + {:.0f} + {:.0f});  L = {:.0f}",
                    state.sparse.indexer, figure(key_flops(model), 6), state.sparse.picked,
                    figure(key_flops(model), 6), state.sparse.compression, state.sparse.selected,
                    state.sparse.native_window, state.tokens),
        "DSA: DeepSeek-V3.2-Exp, section 2.1; CSA, HCA: DeepSeek-V4, arXiv 2606.19348, section 2.3; NSA: "
        "Yuan et al., arXiv 2502.11089, section 3; window: Beltagy "
        "et "
        "al., arXiv 2004.05150; linear: Katharopoulos et al., arXiv 2006.16236. Heads are those of the model "
        "on "
        "show; projections and the selection itself are left out."};
}

} // namespace

const Page<ContextState> kContextSparse{"Sparse",       draw_sparse, panel_sparse,
                                        caption_sparse, nullptr,     "Sparse attention"};

} // namespace ringside
