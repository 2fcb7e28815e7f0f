// A row for every recipe: the models it keeps side by side, in bytes, trained ones with gradients and
// optimizer, and the KV cache of the rollouts.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/serving/alignment/pages.h"
#include "ui/widgets/charts/bar_rows.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kCritics{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2};
constexpr std::array<double, 12> kAnswers{1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr std::array<double, 10> kTokens{256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
constexpr std::array<std::string_view, kModelRoles> kShort{"policy", "ref", "RM", "value"};

std::vector<BarPart> parts_of(const Theme& t, const AlignmentReport& r)
{
    std::vector<BarPart> parts;
    for (const ModelCopy& c : r.copies)
    {
        parts.push_back({c.weights.value, {t.of(Component::weights)}});
        parts.push_back({c.gradients.value, {t.of(Component::gradients)}});
        parts.push_back({c.optimizer.value, {t.of(Component::momentum)}});
    }
    parts.push_back({r.cache.value, {t.of(Component::activations)}});
    return parts;
}

void name_copy(const Painter& p, Rect b, const ModelCopy& c)
{
    p.line(b.right(), b.y - p.px(2), b.right(), b.bottom() + p.px(2), p.theme.window, p.px(2));
    const std::string words(name_of(c.role));
    const std::string whole = c.state == CopyState::trained ? words + ", trained" : words;
    const bool roomy = p.width(Type::small, whole) <= b.w - p.px(8);
    const std::string_view said = roomy ? whole : kShort.at(static_cast<std::size_t>(c.role));
    const float w = p.width(Type::small, said);
    // Closer to the edge rather than no name.
    const float edge = w <= b.w - p.px(8) ? p.px(2) : p.px(1);
    if (w <= b.w - 4 * edge && b.h >= p.height(Type::small) - p.px(4))
    {
        p.fill({b.x + edge, b.middle() - p.px(9), w + 3 * edge, p.px(18)}, with_alpha(p.theme.window, 0.82F),
               p.px(3));
        p.text(b.x + 2.5F * edge, b.middle(), Type::small, p.theme.text, said);
    }
}

std::string tip_of(const ModelCopy& c, ByteUnit unit)
{
    return fmt::format("{}, {}: {}\n\nweights {}, gradients {}, optimizer {}", name_of(c.role),
                       c.state == CopyState::trained ? "trained" : "frozen", format_bytes(c.total(), unit),
                       format_bytes(c.weights, unit), format_bytes(c.gradients, unit),
                       format_bytes(c.optimizer, unit));
}

// Names on the copies of a row, and what is under the mouse.
void draw_copies(const Painter& p, const AlignmentReport& r, const AlignmentSetup& setup,
                 const StackedBar& bar)
{
    for (std::size_t i = 0; i < r.copies.size(); ++i)
    {
        const Rect first = bar.parts[3 * i];
        name_copy(p, {first.x, first.y, bar.parts[3 * i + 2].right() - first.x, first.h}, r.copies[i]);
    }
    if (bar.hovered)
    {
        const std::size_t copy = *bar.hovered / 3;
        tooltip_at_mouse(p, copy < r.copies.size()
                                ? tip_of(r.copies[copy], p.look.unit)
                                : fmt::format("KV cache of {} rollouts of {} tokens while they are "
                                              "generated: {}",
                                              grouped(setup.answers), grouped(setup.tokens),
                                              format_bytes(r.cache, p.look.unit)));
    }
}

void draw_models(const AlignmentRoom& r)
{
    const Painter& p = r.p;
    const Theme& t = p.theme;
    const Scenario& scenario = r.frame.now.scenario;
    Rect area = r.area;
    Rect head = area.cut_top(p.px(24));
    head.cut_left(p.text_within(head.x, head.middle(), head.w, Type::small_strong, t.text,
                                "Models in memory, before sharding") +
                  p.px(24));
    draw_legend(p, head,
                std::array{LegendItem{"weights", {t.of(Component::weights)}},
                           LegendItem{"gradients", {t.of(Component::gradients)}},
                           LegendItem{"optimizer", {t.of(Component::momentum)}},
                           LegendItem{"KV cache", {t.of(Component::activations)}}});
    BarRows rows{{{}, {"", "", 1, 0}}, {}, 92};
    double most = 1;
    for (const AlignmentInfo& info : alignment_recipes())
    {
        const AlignmentReport& report = r.state.of(scenario, info.recipe);
        most = std::max(most, report.total().value);
        rows.rows.push_back({std::string(info.name),
                             {{parts_of(t, report), {}, format_bytes(report.total(), p.look.unit)},
                              {{}, {}, counted(gpus_for(scenario, report), "GPU")}},
                             "",
                             fmt::format("###align {}", info.name),
                             "",
                             info.recipe == r.state.recipe});
    }
    rows.columns[0].most =
        static_cast<double>(r.state.most.towards(static_cast<float>(most / 1e9), r.frame, p.look, r.out)) *
        1e9;
    rows.reads = false;
    const DrawnRows drawn = draw_bar_rows(p, area, rows);
    p.part("copies", area);
    for (const AlignmentInfo& info : alignment_recipes())
    {
        if (const auto& bars = drawn.bars[static_cast<std::size_t>(info.recipe)]; !bars.empty())
        {
            draw_copies(p, r.state.of(scenario, info.recipe), r.state.setup, bars.front());
        }
    }
    if (drawn.pressed)
    {
        r.state.recipe = static_cast<AlignmentRecipe>(*drawn.pressed);
        r.out.animating = true;
    }
}

std::string say_critic(double share)
{
    return fmt::format("{} of policy", format_percent(share));
}

void panel_models(PanelColumn& column, const AlignmentRoom& r)
{
    AlignmentSetup& setup = r.state.setup;
    column.slide("Critic size", Track::at(kCritics, say_critic), setup.critic);
    column.slide("Concurrent rollouts", Track::at(kAnswers, say_whole), setup.answers);
    column.slide("Tokens per rollout", Track::at(kTokens, say_whole), setup.tokens);
    column.toggle("Adapters (LoRA)", setup.adapters,
                  "Rank 16 on all linear layers; with its adapters off the policy is the reference, and the "
                  "value model the reward model (A)");
    column.toggle("Verifiable reward (GRPO)", setup.rules,
                  "A rule or a test checks the response; no reward model is kept (V)");
}

Caption caption_models(const Frame& frame, AlignmentState& state)
{
    const AlignmentReport& r = state.of(frame.now.scenario, state.recipe);
    const AlignmentInfo& info = info_of(r.recipe);
    const Term term = explain_alignment(frame.now.scenario, r, state.setup);
    const auto trained =
        std::ranges::count_if(r.copies, [](const ModelCopy& c) { return c.state == CopyState::trained; });
    return {fmt::format("{} keeps **{} model{}** in memory, {} of them trained: **{}**. It learns from {}.",
                        info.name, r.copies.size(), r.copies.size() == 1 ? "" : "s", trained,
                        format_bytes(r.total(), frame.preferences.unit), info.data),
            fmt::format("{} = {} = {}", term.formula, term.working,
                        format_bytes(Bytes(term.value), frame.preferences.unit)),
            fmt::format(
                "{}.\n16 bytes per trained parameter (weights and gradients 2 + 2, AdamW 12), 2 per frozen "
                "one; activations are left out.",
                term.source)};
}

} // namespace

std::int64_t gpus_for(const Scenario& scenario, const AlignmentReport& report)
{
    const double each = std::max(1.0, scenario.cluster.gpu.memory_gb * 1e9);
    return static_cast<std::int64_t>(std::ceil(report.total().value / each));
}

const Page<AlignmentState> copies_of_models_page{"Memory", draw_models, panel_models, caption_models};

const AlignmentReport& AlignmentState::of(const Scenario& scenario, AlignmentRecipe which)
{
    const auto reports = [](const auto& from)
    {
        std::array<AlignmentReport, kAlignmentRecipes> all;
        for (const AlignmentInfo& info : alignment_recipes())
        {
            all[static_cast<std::size_t>(info.recipe)] =
                alignment_report(from.first, info.recipe, from.second);
        }
        return all;
    };
    return reports_.of({scenario, setup}, reports)[static_cast<std::size_t>(which)];
}

} // namespace ringside
