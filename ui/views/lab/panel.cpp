#include "ui/views/lab/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/lab/models.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 13> kRates{1e-5, 3e-5, 1e-4, 3e-4, 6e-4, 1e-3, 2e-3,
                                        4e-3, 1e-2, 2e-2, 4e-2, 0.1,  0.4};
constexpr std::array<double, 8> kClips{0, 0.1, 0.25, 0.5, 1, 2, 5, 10}; // 0: none
constexpr std::array<double, 8> kBatches{1, 2, 4, 8, 16, 32, 64, 128};

std::size_t nearest(std::span<const double> values, double value)
{
    const auto off = [value](double v) { return std::abs(std::log(v + 1e-9) - std::log(value + 1e-9)); };
    return static_cast<std::size_t>(
        std::min_element(values.begin(), values.end(), [&](double a, double b) { return off(a) < off(b); }) -
        values.begin());
}

struct Knob
{
    const char* label;
    std::span<const double> values;
    std::string shown;
    bool whole = false;
};

// The value after what was done to its slider this frame.
double turn(const Painter& p, Rect row, const Knob& knob, double value, TypedEntry& entry, bool& dragging)
{
    const auto last = static_cast<double>(knob.values.size() - 1);
    const std::size_t at = nearest(knob.values, value);
    const SliderChange change =
        slider(p, row, {knob.label, knob.shown}, static_cast<float>(static_cast<double>(at) / last), entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        dragging = true;
        return knob
            .values[static_cast<std::size_t>(std::lround(static_cast<double>(change.position) * last))];
    case SliderChange::Kind::stepped:
        return knob.values[static_cast<std::size_t>(
            std::clamp(static_cast<int>(at) + change.steps, 0, static_cast<int>(knob.values.size()) - 1))];
    case SliderChange::Kind::typed:
        if (const auto typed = parse_number(change.text); typed && *typed >= 0)
        {
            return knob.whole ? std::round(std::clamp(*typed, 1.0, 4096.0)) : std::min(*typed, 100.0);
        }
        return value;
    case SliderChange::Kind::none:
        break;
    }
    return value;
}

// A word over several to choose from.
template <class Value, std::size_t N>
void choose(const Painter& p, Rect& area, std::string_view label,
            const std::array<std::pair<std::string_view, Value>, N>& all, Value& value)
{
    const Rect row = area.cut_top(p.px(22));
    p.text_within(row.x, row.middle(), row.w, Type::small, p.theme.muted, label);
    std::array<std::string_view, N> words;
    std::size_t chosen = N;
    for (std::size_t i = 0; i < N; ++i)
    {
        words[i] = all[i].first;
        chosen = all[i].second == value ? i : chosen;
    }
    if (const auto clicked = segments(p, area.cut_top(p.px(30)), words, chosen))
    {
        value = all[*clicked].second;
    }
    area.cut_top(p.px(6));
}

std::string batch_words(double value)
{
    return fmt::format("{:.0f}", value);
}

std::string model_name(const LabRun& run)
{
    const auto model = model_of(run.config);
    const std::string_view name = model ? lab_models()[*model].name : "Own shape";
    return fmt::format("{}, {}", name, format_count(static_cast<double>(run.predicted.parameters)));
}

void draw_model(const Painter& p, Rect row, const LabRun& run, TrainerConfig& config)
{
    if (dropdown(p, row, "###model of the lab", model_name(run)))
    {
        ImGui::OpenPopup("lab models");
    }
    tooltip(p, "Another size starts the run again");
    std::vector<std::string> says;
    for (const LabModel& m : lab_models())
    {
        says.push_back(fmt::format("{} layers of width {}, {} tokens", m.layers, m.hidden, m.context));
    }
    std::vector<Choosable> items;
    for (std::size_t i = 0; i < lab_models().size(); ++i)
    {
        items.push_back({lab_models()[i].name, lab_models()[i].name, says[i]});
    }
    if (const auto chosen = choice_popup(p, "lab models", items))
    {
        config = with_model(config, lab_models()[*chosen]);
    }
}

void draw_demo_list(const Painter& p, Rect area, const LabFrame& lab, Out& out)
{
    for (std::size_t i = 0; i < lab_demos().size(); ++i)
    {
        if (area.h < p.px(30))
        {
            return;
        }
        const LabDemo& demo = lab_demos()[i];
        const Rect row = area.cut_top(p.px(36));
        const bool on = lab.demo && lab.demo->demo == i;
        const Press pressed = press(p, {row.x, row.y + p.px(3), row.w, row.h - p.px(6)},
                                    fmt::format("{}###demo {}", demo.title, demo.id).c_str());
        if (on || pressed.hovered)
        {
            p.fill({row.x - p.px(6), row.y + p.px(2), row.w + p.px(12), row.h - p.px(4)},
                   on ? p.theme.raised : p.theme.control, p.px(6));
        }
        const Rect cap = p.keycap(row.x, row.middle(), demo.key);
        const float x = std::max(cap.right() + p.px(10), row.x + p.px(48));
        p.text_within(x, row.middle(), row.right() - x, on ? Type::small_strong : Type::small, p.theme.text,
                      demo.title);
        if (pressed.clicked)
        {
            out.push(LabAction(AskDemo{i}));
        }
    }
}

} // namespace

void LabPanel::draw_sliders(const Painter& p, Rect& area, TrainerConfig& c, bool& dragging)
{
    const float row = p.px(46);
    c.recipe.learning_rate =
        turn(p, area.cut_top(row), {"Learning rate", kRates, fmt::format("{:.2g}", c.recipe.learning_rate)},
             c.recipe.learning_rate, entry_, dragging);
    c.recipe.clip =
        turn(p, area.cut_top(row),
             {"Clip at norm", kClips, c.recipe.clip > 0 ? plain_number(c.recipe.clip) : std::string("none")},
             c.recipe.clip, entry_, dragging);
    const auto accumulation = static_cast<double>(c.accumulation());
    const auto micro = static_cast<double>(c.training.micro_batch);
    const double next_micro = turn(p, area.cut_top(row), {"Micro-batch", kBatches, batch_words(micro), true},
                                   micro, entry_, dragging);
    const double next =
        turn(p, area.cut_top(row), {"Accumulation", kBatches, batch_words(accumulation), true}, accumulation,
             entry_, dragging);
    c.training.micro_batch = static_cast<std::int64_t>(std::max(1.0, next_micro));
    c.training.global_batch = c.training.micro_batch * static_cast<std::int64_t>(std::max(1.0, next));
}

void LabPanel::draw_choices(const Painter& p, Rect& area, TrainerConfig& c)
{
    using Words = std::string_view;
    choose(p, area, "Precision",
           std::array<std::pair<Words, Precision>, 3>{
               {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"fp16", Precision::fp16}}},
           c.training.precision);
    // Selective recomputation drops scores, which flash attention never keeps.
    Recompute recompute = c.training.recompute;
    choose(p, area, "Recompute",
           std::array<std::pair<Words, Recompute>, 3>{
               {{"none", Recompute::none}, {"sel", Recompute::selective}, {"full", Recompute::full}}},
           recompute);
    if (recompute != c.training.recompute)
    {
        c.training.flash_attention = recompute != Recompute::selective;
        c.training.recompute = recompute;
    }
    choose(p, area, "Optimizer",
           std::array<std::pair<Words, Optimizer>, 2>{
               {{"AdamW", Optimizer::adamw}, {"SGD", Optimizer::sgd_momentum}}},
           c.training.optimizer);
    LabTask task = c.data.task;
    choose(p, area, "Data",
           std::array<std::pair<Words, LabTask>, 4>{{{"text", LabTask::text},
                                                     {"copy", LabTask::copy},
                                                     {"sort", LabTask::sort},
                                                     {"a + b", LabTask::addition}}},
           task);
    if (task != c.data.task && (task != LabTask::text || c.data.text))
    {
        c.data.task = task;
        c.model.vocab = 0;
    }
}

void LabPanel::draw_knobs(const Painter& p, Rect area, const LabFrame& lab, Out& out)
{
    run_ = lab.b ? run_ : 0;
    if (lab.b)
    {
        const std::array<std::string_view, 2> runs{"Run A", "Run B"};
        if (const auto clicked = segments(p, area.cut_top(p.px(30)), runs, run_))
        {
            run_ = *clicked;
        }
        area.cut_top(p.px(10));
    }
    const LabRun& run = run_ == 0 ? lab.a : *lab.b;
    TrainerConfig next = run.config;
    bool dragging = false;
    draw_model(p, area.cut_top(p.px(36)), run, next);
    area.cut_top(p.px(12));
    draw_sliders(p, area, next, dragging);
    area.cut_top(p.px(2));
    draw_choices(p, area, next);
    if (!(next == run.config))
    {
        out.push(LabAction(TurnKnobs{next, run_, dragging}));
    }
}

void LabPanel::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    const std::array<std::string_view, 2> pages{"Knobs", "Demos"};
    if (const auto clicked = segments(p, area.cut_top(p.px(34)), pages, demos_ ? 1 : 0))
    {
        demos_ = *clicked == 1;
    }
    area.cut_top(p.px(14));
    draw_lab_buttons(p, area.cut_bottom(p.px(136)), lab, out);
    area.cut_bottom(p.px(8));
    if (demos_)
    {
        area.cut_top(p.paragraph(area, Type::small, p.theme.muted,
                                 "What goes wrong in training, shown on a run of its own. Yours is kept.") +
                     p.px(10));
        draw_demo_list(p, area, lab, out);
        return;
    }
    draw_knobs(p, area, lab, out);
}

void draw_lab_buttons(const Painter& p, Rect area, const LabFrame& lab, Out& out)
{
    const float gap = p.px(8);
    const bool asking = lab.demo && !lab.demo->answer;
    Rect row = area.cut_top(p.px(40));
    const char* label = lab.running ? "Pause###run" : lab.started() ? "Go on###run" : "Start training###run";
    if (button(p, row, label, "Space", asking ? ButtonStyle::plain : ButtonStyle::primary) && !asking)
    {
        out.push(LabAction(lab.running ? LabCommand::pause : LabCommand::run));
    }
    const auto pair = [&](const char* left, std::string_view left_key, LabCommand left_does,
                          const char* right, std::string_view right_key, LabCommand right_does)
    {
        area.cut_top(gap);
        row = area.cut_top(p.px(40));
        const Rect half = row.cut_left((row.w - gap) / 2);
        row.cut_left(gap);
        if (button(p, half, left, left_key))
        {
            out.push(LabAction(left_does));
        }
        if (button(p, row, right, right_key))
        {
            out.push(LabAction(right_does));
        }
    };
    pair("Rewind###rewind", "R", LabCommand::rewind, "Step###step", ".", LabCommand::step);
    pair("Mark###mark", "M", LabCommand::mark, lab.b ? "End B###second" : "Run B###second", "B",
         LabCommand::second);
}

} // namespace ringside
