#include "ui/views/waterfall/constants.h"

#include <fmt/format.h>

#include "core/scenario/fields.h"
#include "ui/views/waterfall/words.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Upper case first, so that it reads as a sentence.
std::string sentence(std::string_view says)
{
    std::string text(says);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

} // namespace

void draw_constants(const Frame& frame, const Painter& p, Rect area)
{
    const Theme& t = p.theme;
    const auto fields = fields_of(Calibration{});
    const float roomy = area.w / p.look.scale;
    const Rect head = area.cut_top(p.px(30));
    const float longest = p.width(Type::mono_small, "attention_efficiency") + p.px(12);
    const float names = roomy > 420 ? longest : std::min(longest, area.w / 3);
    const float value = names + p.px(56);
    const float words = value + p.px(44);
    p.text_within(head.x, head.middle(), value, Type::body_strong, t.text,
                  frame.now.scenario.cluster.gpu.name);
    p.text_within(head.x + words, head.middle(), head.w - words, Type::small, t.muted,
                  "what it is, and where the value comes from");
    const float pitch = std::floor(std::min(p.px(48), area.h / static_cast<float>(fields.size())));
    const bool two = pitch >= p.px(36);
    for (const Field<Calibration>& field : fields)
    {
        const Rect row = area.cut_top(pitch);
        if (row.h < p.px(14))
        {
            return;
        }
        p.line(row.x, row.y, row.right(), row.y, t.grid);
        const ConstantWords known = constant_words(frame, field.name);
        const float first = two ? row.middle() - p.px(9) : row.middle();
        p.text_within(row.x, first, names - p.px(8), Type::mono_small, t.text, field.name);
        p.text(row.x + value, first, Type::mono_small, t.text, known.value, Align::right);
        p.text(row.x + value + p.px(6), first, Type::small, t.muted, field.unit == "us" ? "µs" : field.unit);
        p.text_within(row.x + words, first, row.w - words, Type::small, t.text, sentence(field.says));
        if (two)
        {
            p.text_within(row.x + words, row.middle() + p.px(9), row.w - words, Type::small, t.muted,
                          known.source);
        }
        if (ImGui::IsWindowHovered() && row.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(p, fmt::format("{} = {} {}\n{}\n\n{}", field.name, known.value, field.unit,
                                            sentence(field.says), known.source));
        }
    }
}

} // namespace ringside
