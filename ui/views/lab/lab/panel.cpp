#include "ui/views/lab/lab/panel.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/models.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/choice.h"

namespace ringside
{

namespace
{

constexpr std::array<double, 13> kRates{1e-5, 3e-5, 1e-4, 3e-4, 6e-4, 1e-3, 2e-3,
                                        4e-3, 1e-2, 2e-2, 4e-2, 0.1,  0.4};
constexpr std::array<double, 8> kClips{0, 0.1, 0.25, 0.5, 1, 2, 5, 10}; // 0: none
constexpr std::array<double, 8> kBatches{1, 2, 4, 8, 16, 32, 64, 128};

// Beyond the stops, to see it diverge.
constexpr Track track_of(std::span<const double> stops, NumberText text)
{
    return Track::at(stops, text).typed_from(0, 100);
}

std::string say_rate(double value)
{
    return fmt::format("{:.2g}", value);
}

std::string say_clip(double value)
{
    return value > 0 ? plain_number(value) : "none";
}

std::string model_name(const LabRun& run)
{
    const auto model = model_of(run.config);
    const std::string_view name = model ? lab_models()[*model].name : "Own shape";
    return fmt::format("{}, {}", name, format_count(static_cast<double>(run.predicted.parameters)));
}

// Where there is more than one.
void draw_devices(PanelColumn& column, const LabFrame& lab, Out& out)
{
    if (lab.chosen >= lab.devices.size())
    {
        return;
    }
    const auto items = list_of<Choosable>(lab.devices,
                                          [](const LabChoice& device) {
                                              return Choosable{device.name, device.name, device.says};
                                          });
    if (const auto chosen = column.dropdown("###device of the lab", lab.devices[lab.chosen].name,
                                            "lab devices", items, "Another device starts the run again"))
    {
        out.push(LabAction(ChooseDevice{*chosen}));
    }
}

void draw_model(PanelColumn& column, const LabRun& run, TrainerConfig& config)
{
    const auto says = list_of<std::string>(
        lab_models(), [](const LabModel& m)
        { return fmt::format("{} layers of width {}, {} tokens", m.layers, m.hidden, m.context); });
    std::vector<Choosable> items;
    for (std::size_t i = 0; i < lab_models().size(); ++i)
    {
        items.push_back({lab_models()[i].name, lab_models()[i].name, says[i]});
    }
    if (const auto chosen = column.dropdown("###model of the lab", model_name(run), "lab models", items,
                                            "Another size starts the run again"))
    {
        config = with_model(config, lab_models()[*chosen]);
    }
}

void draw_demo_list(PanelColumn& column, const LabFrame& lab, Out& out)
{
    for (std::size_t i = 0; i < lab_demos().size(); ++i)
    {
        const LabDemo& demo = lab_demos()[i];
        if (column.option(fmt::format("{}###demo {}", demo.title, demo.id), demo.key,
                          lab.demo && lab.demo->demo == i))
        {
            out.push(LabAction(AskDemo{i}));
        }
    }
}

// Before a switch is pressed: what it will do; or why it cannot be pressed.
void draw_switch_list(PanelColumn& column, const LabFrame& lab, Out& out)
{
    for (std::size_t i = 0; i < lab.switches.size(); ++i)
    {
        const LabSwitch& s = lab_switches()[i];
        const LabSwitchFrame& shown = lab.switches[i];
        if (column.option(fmt::format("{}: {}###switch {}", s.title, shown.says, s.id), s.key, shown.on,
                          s.predict))
        {
            out.push(LabAction(PressSwitch{i}));
        }
        column.paragraph(Type::small, column.p.theme.muted,
                         shown.refusal.empty() ? forecast_words(shown, s) : shown.refusal);
        column.gap(2);
    }
}

void draw_sliders(PanelColumn& column, TrainerConfig& c)
{
    const Track batches = Track::at(kBatches, say_whole).typed_from(1, 4096);
    std::int64_t accumulation = c.accumulation();
    column.slide("Learning rate", track_of(kRates, say_rate), c.recipe.learning_rate);
    column.slide("Max gradient norm", track_of(kClips, say_clip), c.recipe.clip);
    column.slide("Micro-batch", batches, c.training.micro_batch);
    column.slide("Accumulation", batches, accumulation);
    c.training.global_batch = c.training.micro_batch * accumulation;
}

void draw_choices(PanelColumn& column, TrainerConfig& c)
{
    constexpr std::array kPrecisions{Precision::fp32, Precision::bf16, Precision::fp16};
    constexpr std::array kRecomputes{Recompute::none, Recompute::selective, Recompute::full};
    constexpr std::array kOptimizers{Optimizer::adamw, Optimizer::sgd_momentum};
    constexpr std::array kTasks{LabTask::text, LabTask::copy, LabTask::sort, LabTask::addition};
    column.choice("Precision", {"fp32", "bf16", "fp16"}, kPrecisions, c.training.precision);
    if (column.choice("Recompute", {"none", "selective", "full"}, kRecomputes, c.training.recompute))
    {
        // Selective recomputation drops scores, which flash attention never keeps.
        c.training.flash_attention = c.training.recompute != Recompute::selective;
    }
    column.choice("Optimizer", {"AdamW", "SGD"}, kOptimizers, c.training.optimizer);
    LabTask task = c.data.task;
    if (column.choice("Text, or a toy task", {"text", "copy", "sort", "a + b"}, kTasks, task) &&
        (task != LabTask::text || c.data.text))
    {
        c.data.task = task;
        c.model.vocab = 0;
    }
}

// Start or pause, and the small ones below: every command with its key.
void draw_lab_buttons(PanelColumn& column, const LabFrame& lab, Out& out)
{
    const bool asking = lab.demo && !lab.demo->answer;
    const char* label = lab.running ? "Pause###run" : lab.started() ? "Resume###run" : "Start training###run";
    if (column.button(label, "Space", asking ? ButtonStyle::plain : ButtonStyle::primary) && !asking)
    {
        out.push(LabAction(lab.running ? LabCommand::pause : LabCommand::run));
    }
    if (const auto pressed = column.buttons({{"Rewind###rewind", "R"}, {"Step###step", "."}}))
    {
        out.push(LabAction(*pressed == 0 ? LabCommand::rewind : LabCommand::step));
    }
    const char* second = lab.b ? "End B###second" : "Run B###second";
    if (const auto pressed = column.buttons({{"Mark###mark", "M"}, {second, "B"}}))
    {
        out.push(LabAction(*pressed == 0 ? LabCommand::mark : LabCommand::second));
    }
}

} // namespace

void LabPanel::draw_knobs(PanelColumn& column, const LabFrame& lab, Out& out)
{
    run_ = lab.b ? run_ : 0;
    if (lab.b)
    {
        column.choice({"Run A", "Run B"}, run_);
    }
    const LabRun& run = run_ == 0 ? lab.a : *lab.b;
    TrainerConfig next = run.config;
    draw_devices(column, lab, out);
    draw_model(column, run, next);
    draw_sliders(column, next);
    draw_choices(column, next);
    if (!(next == run.config))
    {
        out.push(LabAction(TurnKnobs{next, run_, ImGui::IsMouseDown(0)}));
    }
}

void LabPanel::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const LabFrame& lab = *frame.lab;
    PanelColumn buttons(p, area.cut_bottom(p.px(3 * 32 + 2 * 6)), out.animating);
    draw_lab_buttons(buttons, lab, out);
    area.cut_bottom(p.px(8));
    PanelColumn column(p, area, out.animating);
    column.choice({"Settings", "Switches", "Demos"}, page_);
    if (page_ == LabPage::switches)
    {
        draw_switch_list(column, lab, out);
        return;
    }
    if (page_ == LabPage::demos)
    {
        column.paragraph(Type::small, p.theme.muted,
                         "What goes wrong in training, shown on a run of its own. Yours is kept.");
        draw_demo_list(column, lab, out);
        return;
    }
    draw_knobs(column, lab, out);
}

} // namespace ringside
