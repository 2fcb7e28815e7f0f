#include "ui/views/pipelines/popups.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/schedule/simulate.h"
#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"

namespace ringside
{

namespace
{

constexpr const char* kExample = "# one line a rank: virtual stage, F B I or W, micro-batch\n"
                                 "0F0 0F1 0B0 0B1\n"
                                 "1F0 1B0 1F1 1B1\n";

// In the middle; with large type on a small window it scrolls.
void keep_on_screen()
{
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x * 0.96F, display.y * 0.92F});
}

} // namespace

std::optional<ScheduleKind> add_schedule_popup(const Painter& p)
{
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{p.px(8), p.px(8)});
    keep_on_screen();
    const PopupScope popup(kAddPopup);
    if (!popup)
    {
        return std::nullopt;
    }
    const Painter here(*ImGui::GetWindowDrawList(), p.look);
    std::optional<ScheduleKind> chosen;
    for (const ScheduleKind kind : schedules())
    {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const Rect row{at.x, at.y, p.px(660), p.px(30)};
        const Press pressed = press(here, row, fmt::format("{}###add {}", kind->name, kind->id).c_str());
        if (pressed.hovered || pressed.focused)
        {
            here.fill(row, p.theme.control, p.px(4));
        }
        here.text_within(row.x + p.px(10), row.middle(), p.px(120), Type::small_strong, p.theme.text,
                         kind->name);
        here.text_within(row.x + p.px(136), row.middle(), row.w - p.px(144), Type::small, p.theme.muted,
                         kind->says);
        if (kind == schedules().front())
        {
            ImGui::SetItemDefaultFocus();
        }
        if (pressed.clicked)
        {
            chosen = kind;
            ImGui::CloseCurrentPopup();
        }
        ImGui::SetCursorScreenPos({at.x, row.bottom()});
    }
    ImGui::Dummy({1, 1});
    return chosen;
}

void PasteOrder::check()
{
    read_ = true;
    auto order = read_order(text_);
    faults_ = order ? Issues{} : order.issues();
    order_ = order ? std::optional(std::move(*order)) : std::nullopt;
    if (order_)
    {
        const Costs costs{std::vector<StageCost>(static_cast<std::size_t>(order_->virtual_stages)), 0, false,
                          1};
        const auto run = simulate(order_->order, costs);
        faults_ = run ? Issues{} : run.issues();
    }
}

void PasteOrder::draw_verdict(const Painter& here, Rect r) const
{
    if (!faults_.empty())
    {
        here.triangle(r.x, r.y + here.px(12), here.theme.warning);
        here.paragraph({r.x + here.px(24), r.y + here.px(2), r.w - here.px(24), r.h}, Type::small,
                       here.theme.text, to_line(faults_.front()));
        return;
    }
    here.tick(r.x, r.y + here.px(12), here.theme.ok);
    here.text_within(
        r.x + here.px(24), r.y + here.px(12), r.w - here.px(24), Type::small, here.theme.text,
        fmt::format("{} ranks, {} virtual stages, {} micro-batches; every operation finds its input",
                    order_->order.size(), order_->virtual_stages, order_->micro_batches));
}

std::optional<WrittenOrder> PasteOrder::draw(const Painter& p)
{
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{p.px(16), p.px(16)});
    keep_on_screen();
    const PopupScope popup(kPastePopup);
    if (!popup)
    {
        return std::nullopt;
    }
    const Painter here(*ImGui::GetWindowDrawList(), p.look);
    const auto row = [&](float height)
    {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::Dummy({p.px(560), p.px(height)});
        return Rect{at.x, at.y, p.px(560), p.px(height)};
    };
    Rect r = row(24);
    here.text(r.x, r.middle(), Type::body_strong, p.theme.text, "Your own schedule");
    here.paragraph(
        row(44), Type::small, p.theme.muted,
        "B is the whole backward; I and W are its input and weight gradients. 0F3&1B1 run together.");
    const bool asked = ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Enter);
    const bool good_before = faults_.empty() && order_;
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
        if (ImGui::InputTextMultiline("###own order", &text_, {p.px(560), p.px(220)}))
        {
            read_ = false;
        }
    }
    if (!read_)
    {
        check();
    }
    draw_verdict(here, row(48));
    r = row(36);
    const Rect accept{r.right() - p.px(220), r.y, p.px(220), r.h};
    const bool good = faults_.empty() && order_;
    if (good &&
        (button(here, accept, "Simulate it###simulate own", "Ctrl Enter", ButtonStyle::primary) || asked))
    {
        ImGui::CloseCurrentPopup();
        return order_;
    }
    return std::nullopt;
}

} // namespace ringside
