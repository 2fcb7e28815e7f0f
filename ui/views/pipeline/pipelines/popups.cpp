#include "ui/views/pipeline/pipelines/popups.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/pipeline/order_check.h"
#include "core/pipeline/simulate.h"
#include "ui/widgets/choice.h"

namespace ringside
{

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
