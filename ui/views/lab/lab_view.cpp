// The live lab: a small GPT trained for real, what the engine predicted of it next to what is measured, and
// hyperparameters that act while it runs.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/sound.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/moments.h"
#include "ui/views/lab/lab/panel.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/lab/words.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside
{

namespace
{

enum class Tab : std::uint8_t
{
    loss,
    gradient,
    memory,
    numbers,
    text,
    batch,
    kernels, // of a card that was chosen
    experts  // of models that have them
};
constexpr std::array<std::string_view, 8> kTabs{"Loss", "Gradient", "Memory",  "Numbers",
                                                "Text", "Batch",    "Kernels", "Experts"};
bool has_tab(const LabFrame& lab, Tab tab)
{
    const bool kernels = lab.chosen > 0 || (lab.started() && !lab.a.snapshot->kernels.list.empty());
    const bool experts = lab.started() && lab.a.snapshot->config.model.experts > 0;
    return tab == Tab::kernels ? kernels : tab == Tab::experts ? experts : true;
}
std::vector<Tab> tabs_of(const LabFrame& lab)
{
    std::vector<Tab> tabs;
    for (std::size_t i = 0; i < kTabs.size(); ++i)
    {
        if (const auto tab = static_cast<Tab>(i); has_tab(lab, tab))
        {
            tabs.push_back(tab);
        }
    }
    return tabs;
}

// "F2 F3", in the order of the list.
template <class List>
std::string keys_of(const List& list)
{
    std::string keys;
    for (const auto& each : list)
    {
        keys += (keys.empty() ? "" : " ") + std::string(each.key);
    }
    return keys;
}

bool asking(const LabFrame& lab)
{
    return lab.demo && !lab.demo->answer;
}

auto asks(LabCommand command)
{
    return [command](const KeyPress& k) { k.out.push(LabAction(command)); };
}

class LabView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    std::shared_ptr<const Score> sound(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    float panel_height() const override { return panel_.page() == LabPage::switches ? 740 : 664; }
    std::vector<std::string> facts(const Frame& frame) const override
    {
        return lab_facts(*frame.lab, frame.preferences.unit);
    }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    bool shows_trial(const LabFrame& lab) const
    {
        return lab.started() && lab.trial && panel_.page() == LabPage::switches;
    }
    void follow(const LabFrame& lab);
    bool shows_memory(const LabFrame& lab) const { return lab.started() && tab_ == Tab::memory; }
    void choose_tab(const KeyPress& k);
    ViewKeys page_keys();
    ViewKeys device_keys();
    void draw_tab(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_run(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static std::string expected_words(const LabFrame& lab);
    static void draw_start(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_failure(const Painter& painter, Rect area, const TrainingSnapshot& run);

    Tab tab_ = Tab::loss;
    StepMemory step_memory_;
    LabPanel panel_;
    bool had_demo_ = false;
    std::string trial_; // that was followed last
    std::string demo_keys_ = keys_of(lab_demos());
    std::string switch_keys_ = keys_of(lab_switches());
};

Motion LabView::motion(const Frame& frame) const
{
    const LabFrame& lab = *frame.lab;
    Motion motion;
    if (!lab.started() || asking(lab))
    {
        return motion;
    }
    const std::int64_t newest = lab.a.snapshot->step;
    motion.duration = std::max(1.0, static_cast<double>(newest));
    motion.label = fmt::format("step {}", grouped(lab.look.value_or(newest)));
    motion.pace = lab.look ? "looking back" : lab.running ? "live" : "paused";
    motion.rest = motion.duration;
    return motion;
}

// The score of the step that is looked at, or else of the newest.
std::shared_ptr<const Score> LabView::sound(const Frame& frame) const
{
    const LabFrame& lab = *frame.lab;
    if (!lab.started() || asking(lab) || lab.a.snapshot->step < 1)
    {
        return {};
    }
    std::vector<double> losses;
    for (const LabRun* run : {&lab.a, lab.b ? &*lab.b : nullptr})
    {
        if (run != nullptr && run->snapshot != nullptr && run->snapshot->step > 0)
        {
            const TrainingSnapshot& s = *run->snapshot;
            losses.push_back(lab.look ? at_step(s, s.losses, *lab.look).value_or(s.loss) : s.loss);
        }
    }
    return std::make_shared<const Score>(score_of_step(lab.look.value_or(lab.a.snapshot->step), losses));
}

std::string LabView::expected_words(const LabFrame& lab)
{
    const LabPrediction& p = lab.a.predicted;
    if (lab.measuring)
    {
        return "Measuring this device for two seconds, so that times can be predicted too \u2026";
    }
    return p.step_seconds > 0
               ? fmt::format("Predicted: {} per step, {} tokens/s.", format_seconds(Seconds(p.step_seconds)),
                             format_rate(p.tokens_per_second))
               : std::string();
}

// Before the first start: what will happen, and one thing to press.
void LabView::draw_start(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    const auto words = [&](Sheet& sheet)
    {
        if (!lab.fault.empty())
        {
            sheet.p.triangle(sheet.x(), sheet.y() + p.px(12), p.theme.warning);
            sheet.words(Type::body, p.theme.text, lab.fault, p.px(28));
            sheet.gap(12);
        }
        sheet.words(Type::body, p.theme.muted, model_words(lab.a));
        sheet.gap(16);
        draw_predicted_bar(sheet.p, sheet.row(32), lab.a);
        sheet.gap(12);
        sheet.say(expected_words(lab));
        sheet.gap(12);
        sheet.note(lab.saved ? "Demos, at the right: what goes wrong in training. L loads the saved run."
                             : "Demos, at the right: what goes wrong in training.");
    };
    if (draw_start_page(p, area, "###lab start", "A small GPT, trained here while you watch", words,
                        "Start training###start", "Space"))
    {
        out.push(LabAction(LabCommand::run));
    }
}

void LabView::draw_failure(const Painter& p, Rect area, const TrainingSnapshot& run)
{
    area.cut_top(p.px(16));
    p.triangle(area.x, area.y + p.px(12), p.theme.warning);
    p.list.PushClipRect(area.min(), area.max(), true);
    p.paragraph({area.x + p.px(32), area.y, area.w - p.px(32), 0}, Type::body, p.theme.text,
                "It could not be trained: " + run.message + ". Set the hyperparameter back and press Space.");
    p.list.PopClipRect();
}

Caption LabView::caption(const Frame& frame) const
{
    const LabFrame& lab = *frame.lab;
    Caption caption = lab_caption(lab);
    if (tab_ == Tab::gradient && lab.started() && lab.a.snapshot->state != RunState::failed)
    {
        caption.sentence = noise_words(*lab.a.snapshot);
        caption.formula =
            "noise scale = tr(\u03a3) / |G|\u00b2, from the norms of one micro-batch and of the batch";
        caption.source = "McCandlish et al., arXiv 1812.06162, appendix A.1";
    }
    if (shows_trial(lab) && lab.a.snapshot->state != RunState::failed)
    {
        caption.sentence = lab_switches()[lab.trial->which].because;
        caption.formula = trial_formula(*lab.trial);
        caption.source = "";
    }
    if (tab_ == Tab::experts && lab.started() && !lab.a.snapshot->experts.empty())
    {
        caption.sentence = routing_words(lab.a.snapshot->experts);
        caption.formula = capacity_formula(lab.a.snapshot->config);
        caption.source =
            "Capacity: Lepikhin et al., arXiv 2006.16668, section 2.2. Balance E \u03a3 f P: Fedus et "
            "al., arXiv 2101.03961, equations 4 to 6.";
    }
    return caption;
}

void LabView::draw_tab(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    tab_ = has_tab(lab, tab_) ? tab_ : Tab::loss;
    Rect head = area.cut_top(p.px(28));
    area.cut_top(p.px(4));
    if (head.w > p.px(300))
    {
        const auto shown = tabs_of(lab);
        const auto names =
            list_of<std::string_view>(shown, [](Tab tab) { return kTabs.at(static_cast<std::size_t>(tab)); });
        const auto now = static_cast<std::size_t>(std::ranges::find(shown, tab_) - shown.begin());
        const Rect tabs =
            head.cut_right(std::min(p.px(80) * static_cast<float>(names.size()), head.w * 0.55F));
        head.cut_right(p.px(16));
        if (const auto clicked = segments(p, tabs, names, now))
        {
            tab_ = shown[*clicked];
        }
    }
    switch (tab_)
    {
    case Tab::loss:
        draw_loss(p, head, area, lab);
        break;
    case Tab::gradient:
        draw_gradient(p, head, area, lab);
        break;
    case Tab::memory:
        step_memory_.draw(p, head, area, frame, out);
        break;
    case Tab::numbers:
        draw_exponents(p, head, area, lab);
        break;
    case Tab::text:
        draw_samples(p, head, area, lab);
        break;
    case Tab::batch:
        draw_batches(p, head, area, lab);
        break;
    case Tab::kernels:
        draw_kernels(p, head, area, lab, out);
        break;
    case Tab::experts:
        draw_lab_experts(p, head, area, lab, out);
        break;
    }
}

void LabView::draw_run(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    const float wanted = std::max(std::min(p.px(290), area.h * 0.48F), area.h * 0.36F);
    Rect lower = area.cut_bottom(area.h > p.px(360) ? wanted : 0);
    if (lower.h > 0)
    {
        lower.cut_top(p.px(8));
        p.line(lower.x, lower.y, lower.right(), lower.y, p.theme.grid);
        lower.cut_top(p.px(12));
        lower.cut_bottom(p.px(8));
        const bool beside = lower.w > p.px(560);
        const Rect cards = lower.cut_right(beside ? std::round(lower.w * 0.34F) : 0);
        lower.cut_right(beside ? p.px(32) : 0);
        if (lab.demo && lab.demo->answer)
        {
            draw_demo_finding(p, lower, *lab.demo, out);
        }
        else if (shows_trial(lab))
        {
            draw_switch_card(p, lower, lab);
        }
        else
        {
            draw_peak(p, lower, lab);
        }
        draw_cards(p, cards, lab);
    }
    if (lab.a.snapshot->state == RunState::failed && lab.a.snapshot->step == 0)
    {
        draw_failure(p, area, *lab.a.snapshot);
        return;
    }
    draw_tab(frame, p, area, out);
}

// To where a demonstration or a switch shows what it does.
void LabView::follow(const LabFrame& lab)
{
    if (lab.demo.has_value() != had_demo_)
    {
        had_demo_ = lab.demo.has_value();
        tab_ = had_demo_ ? Tab::loss : tab_;
        panel_.show(had_demo_ ? LabPage::demos : LabPage::knobs);
    }
    const std::string trial =
        lab.trial ? fmt::format("{} {} {}", lab.trial->which, lab.trial->step, lab.trial->to) : "";
    if (trial != trial_ && lab.trial)
    {
        panel_.show(LabPage::switches);
        tab_ = lab_switches()[lab.trial->which].id == kBatchSwitch ? Tab::batch : tab_;
    }
    trial_ = trial;
}

void LabView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    follow(lab);
    if (asking(lab))
    {
        draw_demo_question(p, area, *lab.demo, out);
    }
    else if (!lab.started())
    {
        draw_start(frame, p, area, out);
    }
    else
    {
        draw_run(frame, p, area, out);
    }
}

bool LabView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    panel_.draw(frame, p, area, out);
    return true;
}

// What makes steps.
ViewKeys run_keys()
{
    return {{"Space Enter", "Start, pause, resume",
             [](const KeyPress& k)
             {
                 // Space is the transport's once there is a run.
                 if (!k.frame.lab->started() && !asking(*k.frame.lab))
                 {
                     k.out.push(LabAction(LabCommand::run));
                 }
             }},
            {".", "One step, then pause", asks(LabCommand::step)},
            {",", "Look one step back; Home and End: the first and the newest"},
            {"M", "Mark this step", asks(LabCommand::mark)},
            {"R", "Rewind to the last mark", asks(LabCommand::rewind)},
            {"B", "A second run alongside, as the first began; again to end it", asks(LabCommand::second)},
            {"S", "Sample a text now", asks(LabCommand::sample)}};
}

void leave_demo(const KeyPress& k)
{
    if (k.frame.lab->demo)
    {
        k.out.push(LabAction(LabCommand::clear));
    }
}

void add_keys(ViewKeys& keys, ViewKeys more)
{
    std::ranges::move(more, std::back_inserter(keys));
}

void LabView::choose_tab(const KeyPress& k)
{
    if (asking(*k.frame.lab))
    {
        k.out.push(LabAction(AnswerDemo{k.which}));
    }
    else
    {
        tab_ = tabs_of(*k.frame.lab)[k.which];
    }
}

ViewKeys LabView::keys()
{
    ViewKeys all = run_keys();
    add_keys(all, page_keys());
    add_keys(all, device_keys());
    add_keys(all, {{demo_keys_, "Demonstrations; 1 to 3 say what you expect",
                    [](const KeyPress& k) { k.out.push(LabAction(AskDemo{k.which})); }},
                   {"Backspace", "Clear the run", asks(LabCommand::clear)},
                   {"Esc", "Leave the demonstration; close what is open", leave_demo},
                   {switch_keys_, "Switches, as the panel lists them; again: back",
                    [](const KeyPress& k) { k.out.push(LabAction(PressSwitch{k.which})); }}});
    return all;
}

ViewKeys LabView::page_keys()
{
    return {
        {"1 to 8",
         "Loss, gradient, memory over the step, numbers, text, batch; kernels and experts where there are "
         "any",
         [this](const KeyPress& k)
         {
             if (k.which < tabs_of(*k.frame.lab).size())
             {
                 choose_tab(k);
             }
         }},
        {"P", "Play the memory of one step",
         [this](const KeyPress& k)
         {
             if (shows_memory(*k.frame.lab))
             {
                 step_memory_.play(k.frame.clock);
             }
         }},
        {"\u2190 \u2192", "Move through the memory of one step",
         [this](const KeyPress& k)
         {
             if (shows_memory(*k.frame.lab))
             {
                 step_memory_.step(*k.frame.lab->a.snapshot, k.which == 0 ? -1 : 1);
             }
         }}};
}

ViewKeys LabView::device_keys()
{
    return {{"G", "Train on the next device, where there are several",
             [](const KeyPress& k)
             {
                 const LabFrame& lab = *k.frame.lab;
                 if (!lab.devices.empty())
                 {
                     k.out.push(LabAction(ChooseDevice{(lab.chosen + 1) % lab.devices.size()}));
                 }
             }},
            {"H", "Time the kernels of one step, on a GPU through WebGPU",
             [this](const KeyPress& k)
             {
                 if (k.frame.lab->started() && has_tab(*k.frame.lab, Tab::kernels))
                 {
                     tab_ = Tab::kernels;
                     k.out.push(LabAction(LabCommand::time));
                 }
             }},
            {"W", "Save a checkpoint", asks(LabCommand::save)},
            {"L", "Load the last checkpoint", asks(LabCommand::load)}};
}

} // namespace

extern const ViewInfo lab_view{
    10,
    "lab",
    ViewGroup::lab,
    "Train",
    "Live lab",
    "A small GPT trained for real: loss, memory and speed, predicted next to measured",
    {},
    make_view<LabView>,
    {},
    ViewRole::lab};

} // namespace ringside
