#include "ui/views/drill/points.h"

#include "ui/shell/scopes.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

const std::vector<std::string>& points_of(const Question& question)
{
    static const std::vector<std::string> kWhole{"What the answer says"};
    const auto& points = question.rubric.empty() ? question.levels.strong : question.rubric;
    return points.empty() ? kWhole : points;
}

void Points::reset(std::size_t count)
{
    made_.assign(count, false);
    cursor_ = 0;
}

int Points::ticked() const
{
    return static_cast<int>(std::count(made_.begin(), made_.end(), true));
}

bool Points::draw(Sheet& sheet, const std::vector<std::string>& points, bool with_cursor)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    bool changed = false;
    for (std::size_t i = 0; i < std::min(points.size(), made_.size()); ++i)
    {
        const IdScope id(static_cast<int>(i));
        const float left = p.px(44);
        const float words = sheet.width() - left - p.px(12);
        const float h = words_height(p, words, Type::small, points[i]);
        const Rect r = sheet.take(std::max(p.px(36), h + p.px(14)));
        const Press pressed = press(p, r, "###point", 6);
        const bool here = with_cursor && i == cursor_;
        p.fill(r, here || pressed.hovered ? t.raised : t.control, p.px(6));
        p.outline(r, here ? t.text : t.line, here ? p.px(2) : 1, p.px(6));
        const Rect box{r.x + p.px(12), r.middle() - p.px(10), p.px(20), p.px(20)};
        p.outline(box, t.muted, 1, p.px(4));
        if (made_[i])
        {
            p.tick(box.x + p.px(3), box.middle(), t.ok);
        }
        p.paragraph({r.x + left, r.middle() - h / 2, words, 0}, Type::small, t.text,
                    without_light_marks(points[i]));
        if (pressed.clicked)
        {
            made_[i] = !made_[i];
            cursor_ = last_ = i;
            changed = true;
        }
        sheet.gap(5);
    }
    return changed;
}

bool Points::keys()
{
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && cursor_ > 0)
    {
        --cursor_;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow) && cursor_ < made_.size())
    {
        ++cursor_;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Space, false) && cursor_ < made_.size())
    {
        made_[cursor_] = !made_[cursor_];
        last_ = cursor_;
        ++cursor_;
        return true;
    }
    return false;
}

} // namespace ringside
