#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/pipeline/order_check.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/stage_layers.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/views/pipeline/pipelines/rows.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/scrolled_sheet.h"

#include <algorithm>

namespace ringside
{

namespace
{

double most_of(const InFlightCurve& curve)
{
    return std::ranges::max_element(curve.steps, {}, &StashStep::held)->held;
}

// "ZB-H1 4, 11.2 GB"
std::string curve_words(const InFlightCurve& curve, bool roomy, ByteUnit unit)
{
    const double most = most_of(curve);
    return fmt::format("{} {}{}", curve.name, plain_number(most),
                       roomy && curve.bytes > 0 ? ", " + format_bytes(Bytes(most * curve.bytes), unit) : "");
}

// As steps on the lanes' time axis: the last curve is filled, the others are lines, dashed differently.
void draw_curves(const Painter& p, Rect area, TimeWindow window, const std::vector<InFlightCurve>& curves)
{
    double most = 1;
    for (const InFlightCurve& curve : curves)
    {
        most = std::max(most, most_of(curve));
    }
    const float left = p.px(56);
    Plot plot(p, {area.x - left, area.y, area.w + left + p.px(12), area.h}, {window.from, window.to},
              {0, most, PlotScale::linear, "", plain_number, {0, most / 2, most}}, {.left = left});
    if (!plot)
    {
        return;
    }
    const Colour filled = p.theme.of(Component::activations).fill;
    for (std::size_t i = curves.size(); i-- > 0;)
    {
        std::vector<PlotPoint> held;
        for (const StashStep& step : curves[i].steps)
        {
            held.push_back({step.t, step.held});
        }
        const auto line = stairs(held, false);
        const std::string what = curve_words(curves[i], curves.size() < 3, p.look.unit);
        if (i + 1 == curves.size())
        {
            plot.fill_below(line, with_alpha(filled, 0.4F));
            plot.line(line, {filled, 2}, "filled: " + what, true);
            continue;
        }
        const PlotStroke stroke = i == 0   ? PlotStroke{p.theme.text, 1.5F, true}
                                  : i == 1 ? PlotStroke{p.theme.muted, 1.5F}
                                           : PlotStroke{p.theme.muted, 2.5F, true};
        plot.line(line, stroke, (i == 0 ? "dashed: " : i == 1 ? "line: " : "thick dashes: ") + what, true);
    }
}

} // namespace

std::vector<InFlightCurve> in_flight_curves(const Frame& frame, const std::vector<PipelineRow>& rows,
                                            std::size_t stage)
{
    // What the engine says a stage stores of one micro-batch.
    const auto& stages = frame.now.report->memory.stages;
    const StageMemory& memory = stages[std::min(stage, stages.size() - 1)];
    const Scenario& s = frame.now.scenario;
    const double even = static_cast<double>(s.model.layers) / static_cast<double>(s.parallel.pipeline);
    std::vector<InFlightCurve> curves;
    for (const PipelineRow& row : rows)
    {
        if (!row.runs() || stage >= row.timeline->ranks())
        {
            continue;
        }
        // A split of one's own is that of every schedule with as many virtual stages; an order of one's own
        // has stages of its own.
        const bool split =
            !even_stages(s.model, s.parallel, virtual_stages(s.training.schedule, pipeline_shape(s))) &&
            row.shape.chunks == rows.front().shape.chunks;
        const double layers = split ? static_cast<double>(memory.layers) : even;
        curves.push_back({row.name, stash_over_time(*row.timeline, stage, row.weight),
                          row.kind == nullptr ? 0 : memory.layer_bytes.value * layers});
    }
    return curves;
}

void draw_in_flight(const Painter& painter, Rect area, TimeWindow window,
                    const std::vector<InFlightCurve>& curves, std::size_t stage)
{
    draw_chart_title(painter, area.cut_top(painter.px(28)),
                     fmt::format("Activations in flight on stage {}", stage),
                     "micro-batches stored until their weight gradient is done");
    area.cut_left(painter.px(72));
    area.cut_top(painter.px(14));
    area.cut_bottom(painter.px(10));
    draw_curves(painter, area, window, curves);
}

namespace
{

constexpr const char* kExample = "# one line per rank: virtual stage, F B I or W, micro-batch\n"
                                 "0F0 0F1 0B0 0B1\n"
                                 "1F0 1B0 1F1 1B1\n";

} // namespace

std::optional<ScheduleKind> add_schedule_popup(const Painter& p)
{
    std::vector<Choosable> items;
    for (const ScheduleKind kind : schedules())
    {
        items.push_back({kind->id, kind->name, kind->says});
    }
    const auto chosen = choice_popup(p, kAddPopup, items);
    return chosen ? std::optional(schedules()[*chosen]) : std::nullopt;
}

void PasteOrder::check()
{
    read_ = true;
    auto order = read_order(text_);
    faults_ = order ? Issues{} : order.issues();
    order_ = order ? std::optional(std::move(*order)) : std::nullopt;
    if (order_)
    {
        faults_ = check_order(*order_);
    }
    if (order_ && faults_.empty())
    {
        const Costs costs{std::vector<StageCost>(static_cast<std::size_t>(order_->virtual_stages)), 0, false,
                          1};
        const auto run = simulate(order_->order, costs);
        faults_ = run ? Issues{} : run.issues();
    }
}

void PasteOrder::draw_verdict(Sheet& sheet) const
{
    const Painter& p = sheet.p;
    const float middle = sheet.y() + p.px(10);
    faults_.empty() ? p.tick(sheet.x(), middle, p.theme.ok) : p.triangle(sheet.x(), middle, p.theme.warning);
    sheet.words(
        Type::small, p.theme.text,
        faults_.empty()
            ? fmt::format("{} ranks, {} virtual stages, {} micro-batches; every operation has its input",
                          order_->order.size(), order_->virtual_stages, order_->micro_batches)
            : to_line(faults_.front()),
        p.px(24));
    sheet.gap(12);
}

std::optional<WrittenOrder> PasteOrder::draw(const Painter& p)
{
    PopupSheet sheet(p, kPastePopup, 560);
    if (!sheet)
    {
        return std::nullopt;
    }
    sheet->heading("Your own schedule");
    sheet->note("B is the whole backward; I and W are its input and weight gradients. 0F3&1B1 run together.");
    sheet->gap(8);
    const bool asked = ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Enter);
    const bool good_before = faults_.empty() && order_;
    const Rect field = sheet->row(220);
    sheet->gap(8);
    ImGui::SetCursorScreenPos(field.min());
    if (ImGui::IsWindowAppearing())
    {
        text_ = text_.empty() ? kExample : text_;
        read_ = false;
        ImGui::SetKeyboardFocusHere();
    }
    else if (in_vain_)
    {
        ImGui::SetKeyboardFocusHere(); // Ctrl Enter leaves a text field; what is faulty is to be mended
    }
    in_vain_ = asked && !good_before;
    {
        const FontScope font(p.look.fonts.of(Type::mono_small));
        if (ImGui::InputTextMultiline("###own order", &text_, {field.w, field.h}))
        {
            read_ = false;
        }
        read_field(p, "Your own order", text_);
    }
    if (!read_)
    {
        check();
    }
    draw_verdict(*sheet);
    Rect row = sheet->row(36);
    if (faults_.empty() && order_ &&
        (button(sheet->p, row.cut_right(p.px(220)), "Simulate it###simulate own", "Ctrl Enter",
                ButtonStyle::primary) ||
         asked))
    {
        ImGui::CloseCurrentPopup();
        return order_;
    }
    return std::nullopt;
}

} // namespace ringside
