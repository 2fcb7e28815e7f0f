#include "ui/views/pipelines/popups.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/schedule/order_check.h"
#include "core/schedule/simulate.h"
#include "ui/shell/scopes.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

namespace ringside
{

namespace
{

constexpr const char* kExample = "# one line a rank: virtual stage, F B I or W, micro-batch\n"
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
    centre_next_popup();
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
