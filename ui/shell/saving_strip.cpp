#include "ui/shell/saving_strip.h"

#include <fmt/format.h>

#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

void draw_saving(const Frame& frame, const Painter& painter, Rect& area, Out& out)
{
    const Theme& t = painter.theme;
    const Saving& saving = *frame.saving;
    const std::string left =
        saving.seconds_left > 0 ? fmt::format(", {:.0f} s left", std::ceil(saving.seconds_left)) : "";
    const std::string words = fmt::format("Saving {} {:.0f}%{}", saving.name, saving.share * 100, left);
    // Wide enough for every percent, or what follows would tremble.
    const float w = painter.width(Type::small, fmt::format("Saving {} 100%, 000 s left", saving.name));
    area.cut_left(painter.px(24));
    Rect room = area.cut_left(std::min(area.w, w + painter.px(80)));
    const Rect stop = room.cut_right(std::min(room.w, painter.px(64)));
    room.cut_right(painter.px(12));
    painter.text_within(room.x, room.middle() - painter.px(4), room.w, Type::small, t.text, words);
    const Rect track{room.x, room.middle() + painter.px(12), room.w, painter.px(3)};
    painter.fill(track, t.raised);
    painter.fill({track.x, track.y, track.w * static_cast<float>(saving.share), track.h}, t.text);
    const Rect button{stop.x, stop.middle() - painter.px(14), stop.w, painter.px(28)};
    const Press pressed = press(painter, button, "Stop saving the animation###stop saving");
    painter.fill(button, pressed.hovered ? t.raised : t.control, painter.px(6));
    painter.outline(button, t.line, 1, painter.px(6));
    painter.text(button.centre(), button.middle(), Type::small, t.text, "Stop", Align::centre);
    if (pressed.clicked)
    {
        out.push(Command::save_animation);
    }
}

} // namespace ringside
