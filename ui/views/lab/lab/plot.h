// The lab's pictures: curves over steps, each with its own mean over it, speed and memory measured next to
// predicted, numbers by size, where tokens go, demonstrations; and their headings and first page.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/sheet.h"

#include <span>
#include <string>

namespace ringside
{

struct StepCurve
{
    std::span<const float> values; // what is not finite is left out
    std::int64_t stride = 1;       // steps between two of them
    double from = 0;               // earlier steps are not drawn
    bool main = true;              // else thinner, dashed
    bool exact = false;            // drawn as it is, without its mean
    std::string name;              // at its right end
};

// From step 0 to the last, and all values.
PlotAxis step_axis(std::span<const StepCurve> curves);
PlotAxis value_axis(std::span<const StepCurve> curves, PlotScale scale = PlotScale::linear);
void draw_step_curve(const Painter& painter, Plot& plot, const StepCurve& curve);
// Title and, where there is room, what it says of itself.
void draw_head(const Painter& painter, Rect row, std::string_view title, std::string_view says);
// Wrapped text where there is still room for it, which is then taken off the area; else nothing.
void say_if_room(const Painter& painter, Rect& area, Type type, Colour colour, std::string_view words,
                 float gap);
// Before the first start: a title, what `words` puts below it, and one button. True when it was pressed.
bool draw_start_page(const Painter& painter, Rect area, const char* id, std::string_view title,
                     const std::function<void(Sheet&)>& words, const char* label, std::string_view key);

void draw_cards(const Painter& painter, Rect area, const LabFrame& lab);

// Under a heading in `head`.
void draw_loss(const Painter& painter, Rect head, Rect area, const LabFrame& lab);
void draw_gradient(const Painter& painter, Rect head, Rect area, const LabFrame& lab);

// The question with its three answers.
void draw_demo_question(const Painter& painter, Rect area, const LabDemoFrame& demo, Out& out);
// How far it is, or what it turned out to be beside what was expected.
void draw_demo_finding(const Painter& painter, Rect area, const LabDemoFrame& demo, Out& out);

void draw_lab_experts(const Painter& painter, Rect head, Rect area, const LabFrame& lab, Out& out);
// "capacity = ceil(f k T / E) = ceil(1.25 x 2 x 64 / 8) = 20 of 64 tokens", and the last step in a sentence.
std::string capacity_formula(const TrainerConfig& config);
std::string routing_words(const std::vector<LayerRouting>& layers);

void draw_kernels(const Painter& painter, Rect head, Rect area, const LabFrame& lab, Out& out);
void draw_exponents(const Painter& painter, Rect head, Rect area, const LabFrame& lab);
void draw_samples(const Painter& painter, Rect head, Rect area, const LabFrame& lab);

// What the switch that was pressed last has done, next to what was predicted of it.
void draw_switch_card(const Painter& painter, Rect area, const LabFrame& lab);
// "1.90 MB -> 2.41 MB, time x 1.08"
std::string forecast_words(const LabSwitchFrame& shown, const LabSwitch& about);
std::string trial_formula(const LabTrial& trial);
// FLOP/s by micro-batch: under the device's peak and what launches alone allow, predicted and measured.
void draw_batches(const Painter& painter, Rect head, Rect area, const LabFrame& lab);
std::string batch_words(const LabFrame& lab);

void draw_peak(const Painter& painter, Rect area, const LabFrame& lab);
// Before anything has run: the prediction alone.
void draw_predicted_bar(const Painter& painter, Rect area, const LabRun& run);

} // namespace ringside
