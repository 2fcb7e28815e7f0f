#include "ui/views/study/drill/answer.h"

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

bool Points::draw(Sheet& sheet, const std::vector<std::string>& points)
{
    const Painter& p = sheet.p;
    bool changed = false;
    sheet.heading("Which points did you make?", "Space: made, \u2193: not");
    for (std::size_t i = 0; i < std::min(points.size(), made_.size()); ++i)
    {
        const IdScope id(static_cast<int>(i));
        const DrawnCard card = sheet.card({.label = "###point",
                                           .words = points[i],
                                           .left = 44,
                                           .right = p.px(12),
                                           .least = 36,
                                           .gap = 5,
                                           .chosen = i == cursor_});
        if (card.pressed.clicked)
        {
            made_[i] = !made_[i];
            cursor_ = last_ = i;
            changed = true;
        }
        const Rect box{card.r.x + p.px(12), card.r.middle() - p.px(10), p.px(20), p.px(20)};
        p.outline(box, p.theme.muted, 1, p.px(4));
        if (made_[i])
        {
            p.tick(box.x + p.px(3), box.middle(), p.theme.ok);
        }
    }
    sheet.gap(8);
    return changed;
}

bool Points::keys()
{
    const int by = key_steps(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
    cursor_ = by < 0 ? cursor_ - std::min<std::size_t>(cursor_, 1)
                     : std::min(cursor_ + (by > 0 ? 1 : 0), made_.size());
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
