#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/views/serving/finetune/pictures.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

Fill fill_of(const Theme& t, FinetunePart part, bool paged)
{
    const Colour gaps = with_alpha(t.window, 0.6F);
    switch (part)
    {
    case FinetunePart::base:
        return {t.of(Component::weights)};
    case FinetunePart::scales:
        return {.ink = t.of(Component::weights), .lines = gaps};
    case FinetunePart::adapters:
        return {t.context};
    case FinetunePart::gradients:
        return {t.of(Component::gradients)};
    case FinetunePart::optimizer:
        return {.ink = t.of(Component::momentum), .lines = paged ? gaps : 0};
    case FinetunePart::buffers:
        return {t.of(Component::buffers)};
    case FinetunePart::activations:
        break;
    }
    return {t.of(Component::activations)};
}

std::string say(const Term& term, Bytes bytes, ByteUnit unit)
{
    return fmt::format("{}: {}\n\n{}\n= {}{}{}", term.label, format_bytes(bytes, unit), term.formula,
                       term.working, term.source.empty() ? "" : "\n\n", term.source);
}

class Bars
{
public:
    Bars(const Frame& frame, const Painter& painter, Rect area, const FinetuneModel& model)
        : frame_(frame), p_(painter), model_(model)
    {
        const float row = p_.height(Type::small) + p_.px(6);
        tabled_ = area.h > p_.px(260);
        table_ = tabled_ ? area.cut_bottom(row * static_cast<float>(kCards.size() + 1)) : Rect{};
        names_ = area.cut_bottom(p_.px(30));
        title_ = area.cut_top(p_.px(24));
        field_ = area;
        field_.cut_left(p_.px(64));
        field_.cut_right(p_.px(8));
        pitch_ = field_.w / static_cast<float>(kFinetuneRecipes);
    }

    std::optional<FinetuneRecipe> draw(FinetuneLevels& levels, Out& out)
    {
        most_ =
            static_cast<double>(levels.most.towards(static_cast<float>(wanted_most()), frame_, p_.look, out));
        draw_head();
        draw_cards(); // behind the bars, whose figures they would strike
        std::optional<FinetuneRecipe> pressed;
        for (const FinetuneRecipe recipe : kRecipes)
        {
            pressed = draw_bar(recipe, levels, out) ? std::optional(recipe) : pressed;
        }
        if (tabled_)
        {
            draw_table();
        }
        p_.part("recipes", field_);
        return pressed;
    }

private:
    // The thin parts first: the others are named on the bars.
    void draw_head() const
    {
        using enum FinetunePart;
        const std::int64_t gpus = model_.settings.setup.gpus;
        Rect row = title_;
        row.cut_left(p_.text_within(row.x, row.middle(), row.w, Type::small_strong, p_.theme.text,
                                    gpus == 1 ? std::string("Memory on one GPU")
                                              : fmt::format("Memory on each of {} GPUs", gpus)) +
                     p_.px(20));
        std::vector<LegendItem> items;
        for (const FinetunePart part : {adapters, optimizer, buffers, base, gradients, activations})
        {
            items.push_back({std::string(name_of(part)), fill_of(p_.theme, part, false)});
        }
        draw_legend(p_, row, items);
    }

    // Such that LoRA's bar and the largest card are in sight; what is taller is cut off.
    double wanted_most() const
    {
        double low = 1e300;
        double high = 0;
        for (const FinetuneRecipe recipe : kRecipes)
        {
            low = std::min(low, model_.of(recipe).total().value);
            high = std::max(high, model_.of(recipe).total().value);
        }
        const double lora = model_.of(FinetuneRecipe::lora).total().value;
        return std::min(high * 1.08, std::max({lora * 1.15, low * 1.15, std::min(90e9, high * 1.08)}));
    }

    float y(double bytes) const
    {
        return field_.bottom() - field_.h * static_cast<float>(std::min(1.0, bytes / std::max(1.0, most_)));
    }

    Rect column(FinetuneRecipe recipe) const
    {
        const float inset = std::min(p_.px(10), pitch_ * 0.12F);
        return {field_.x + pitch_ * static_cast<float>(recipe) + inset, field_.y, pitch_ - 2 * inset,
                field_.h};
    }

    bool draw_bar(FinetuneRecipe recipe, FinetuneLevels& levels, Out& out)
    {
        const Theme& t = p_.theme;
        const FinetuneReport& r = model_.of(recipe);
        const Rect bar = column(recipe);
        const bool chosen = recipe == model_.settings.recipe;
        const Press pressed = press(p_, {bar.x, bar.y, bar.w, names_.bottom() - bar.y},
                                    fmt::format("###recipe {}", name_of(recipe)).c_str(), 4);
        std::vector<BarPart> parts;
        for (std::size_t i = 0; i < kFinetuneParts; ++i)
        {
            const auto part = static_cast<FinetunePart>(i);
            const float gigabytes = levels.parts[static_cast<std::size_t>(recipe)][i].towards(
                static_cast<float>(r.of(part).value / 1e9), frame_, p_.look, out);
            // What is paged out is not there.
            const bool there = part != FinetunePart::optimizer || !r.setup.paged;
            parts.push_back({static_cast<double>(gigabytes) * 1e9, fill_of(t, part, r.setup.paged),
                             there ? name_of(part) : "",
                             there ? format_gigabytes(r.of(part), p_.look.unit) : ""});
        }
        // A bar that is cut off has its sum at the top.
        const bool cut = r.total().value > most_ * 1.001;
        const float words = cut ? field_.y + p_.px(14) + p_.height(Type::mono_small) : field_.y;
        const StackedBar drawn =
            draw_stacked_bar(p_, bar, parts, {.most = most_, .words_below = words, .reads = false});
        if (pressed.hovered && drawn.hovered)
        {
            const auto part = static_cast<FinetunePart>(*drawn.hovered);
            tooltip_at_mouse(p_, say(explain_finetune(model_.scenario, r, part), r.of(part), p_.look.unit));
        }
        draw_end(bar, r);
        const float middle = names_.middle();
        p_.text(bar.centre(), middle, chosen ? Type::body_strong : Type::body, chosen ? t.text : t.muted,
                p_.shortened(Type::body_strong, name_of(recipe), pitch_), Align::centre);
        if (chosen)
        {
            p_.outline(drawn.all.inset(-p_.px(3)), t.text, p_.px(2));
        }
        return pressed.clicked;
    }

    // The sum above the bar; a bar that is cut off has two strokes through it.
    void draw_end(Rect bar, const FinetuneReport& r) const
    {
        const Theme& t = p_.theme;
        const double total = r.total().value;
        const std::string words = format_bytes(r.total(), p_.look.unit);
        const bool cut = total > most_ * 1.001;
        const float w = p_.width(Type::mono_small, words);
        const float half = p_.height(Type::mono_small) / 2;
        float middle = y(total) - half - p_.px(2);
        if (cut)
        {
            draw_break(p_, {bar.x - p_.px(4), field_.y + p_.px(20), bar.w + p_.px(8), p_.px(12)});
            middle = field_.y + half + p_.px(1);
        }
        middle = std::max(middle, field_.y + half);
        if (w + p_.px(4) > pitch_)
        {
            return;
        }
        p_.fill({bar.centre() - w / 2 - p_.px(4), middle - half, w + p_.px(8), 2 * half},
                with_alpha(t.window, 0.88F), p_.px(3));
        p_.text(bar.centre(), middle, Type::mono_small, t.text, words, Align::centre);
    }

    void draw_cards() const
    {
        const Theme& t = p_.theme;
        p_.line(field_.x, field_.bottom(), field_.right(), field_.bottom(), t.line);
        float above = field_.bottom() + p_.px(100);
        for (const double card : kCards)
        {
            const float at = y(card * 1e9);
            if (card * 1e9 > most_)
            {
                continue;
            }
            p_.dashed(field_.x, at, field_.right(), at, t.text, 1);
            if (at < above - p_.height(Type::mono_small))
            {
                p_.text(field_.x - p_.px(8), at, Type::mono_small, t.text, fmt::format("{:.0f} GB", card),
                        Align::right);
                above = at;
            }
        }
    }

    void draw_table() const
    {
        const Theme& t = p_.theme;
        const float row = table_.h / static_cast<float>(kCards.size() + 1);
        p_.text_within(table_.x, table_.y + row / 2, table_.w, Type::small, t.muted,
                       model_.settings.setup.paged ? "GPUs needed, sharded, optimizer paged out"
                                                   : "GPUs needed, fully sharded");
        for (std::size_t card = 0; card < kCards.size(); ++card)
        {
            const float middle = table_.y + row * (static_cast<float>(card) + 1.5F);
            p_.text(field_.x - p_.px(8), middle, Type::mono_small, t.muted,
                    fmt::format("{:.0f} GB", kCards[card]), Align::right);
            for (const FinetuneRecipe recipe : kRecipes)
            {
                const std::int64_t n = model_.gpus_of(recipe, card);
                const Rect bar = column(recipe);
                const bool one = n == 1;
                const std::string words = n == 0 ? "none" : grouped(n);
                if (one)
                {
                    p_.tick(bar.centre() - p_.width(Type::mono_small, words) / 2 - p_.px(18), middle, t.ok);
                }
                p_.text(bar.centre(), middle, Type::mono_small,
                        recipe == model_.settings.recipe ? t.text : t.muted, words, Align::centre);
            }
        }
    }

    const Frame& frame_;
    const Painter& p_;
    const FinetuneModel& model_;
    Rect table_;
    Rect names_;
    Rect title_;
    Rect field_;
    float pitch_ = 1;
    double most_ = 1;
    bool tabled_ = true;
};

} // namespace

std::optional<FinetuneRecipe> draw_finetune_bars(const Frame& frame, const Painter& painter, Rect area,
                                                 const FinetuneModel& model, FinetuneLevels& levels, Out& out)
{
    return Bars(frame, painter, area, model).draw(levels, out);
}

FinetuneModel finetune_model(const std::pair<Scenario, FinetuneSettings>& from)
{
    const auto& [scenario, settings] = from;
    FinetuneSetup setup = settings.setup;
    setup.sequence = scenario.training.sequence_length;
    setup.micro_batch = scenario.training.micro_batch;
    FinetuneModel model{settings, scenario, {}, {}, lora_matrices(scenario.model)};
    for (const FinetuneRecipe recipe : kRecipes)
    {
        const auto at = static_cast<std::size_t>(recipe);
        model.reports[at] = finetune_report(scenario, recipe, setup);
        for (std::size_t card = 0; card < kCards.size(); ++card)
        {
            model.gpus[at][card] = gpus_for(scenario, recipe, setup, Bytes(kCards[card] * 1e9));
        }
    }
    return model;
}

} // namespace ringside
