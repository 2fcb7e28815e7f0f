#include "ui/widgets/empty_state.h"

#include <fmt/format.h>

#include "core/base/work.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct EmptyLine
{
    std::string_view words;
    Type type;
    Colour colour;
};

float empty_height(const Painter& p, float width, const EmptyLine& line)
{
    return line.words.empty() ? 0 : p.paragraph({0, 0, width, 0}, line.type, 0, line.words);
}

// The largest in which it stands on one line or, where none does, no word is wider than that.
Type heading_type(const Painter& p, std::string_view words, float width, float height)
{
    if (p.width(Type::title, words) <= width && height >= p.px(120))
    {
        return Type::title;
    }
    float longest = 0;
    for (std::size_t at = 0; at < words.size();)
    {
        const std::size_t end = std::min(words.find(' ', at), words.size());
        longest = std::max(longest, p.width(Type::body_strong, words.substr(at, end - at)));
        at = end + 1;
    }
    return longest <= width ? Type::body_strong : Type::small_strong;
}

// In the middle where it is one line, else from the left.
void put_empty_line(const Painter& p, Rect area, const EmptyLine& line)
{
    const float w = std::min(area.w, p.width(line.type, line.words) + 1);
    p.rich({area.centre() - w / 2, area.y, w, 0}, line.type, line.type, line.colour, line.words);
}

} // namespace

bool empty_state(const Painter& p, Rect area, std::string_view heading, std::string_view says,
                 const char* label, std::string_view key)
{
    const float w = std::min(area.w, p.px(720));
    area = {area.centre() - w / 2, area.y, w, area.h};
    const EmptyLine head{heading, heading_type(p, heading, w, area.h), p.theme.text};
    const EmptyLine below{says, Type::body, p.theme.muted};
    const float gap = p.px(10);
    const float high = p.px(label == nullptr ? 0 : 40);
    const float first = empty_height(p, w, head);
    const float second = empty_height(p, w, below);
    const bool says_it = first == 0 || first + gap + second <= area.h;
    const float words = first + (first > 0 && says_it && second > 0 ? gap : 0) + (says_it ? second : 0);
    const bool offers = label != nullptr && words + 2 * gap + high <= area.h;
    const float all = words + (offers ? 2 * gap + high : 0);
    area.cut_top(std::max(0.0F, (area.h - all) * 0.42F)); // looks like the middle
    put_empty_line(p, area, head);
    if (says_it)
    {
        put_empty_line(p, {area.x, area.y + words - second, area.w, 0}, below);
    }
    const float wide = std::min(w, p.px(272));
    return offers && button(p, {area.centre() - wide / 2, area.y + words + 2 * gap, wide, high}, label, key,
                            ButtonStyle::primary);
}

bool draw_status(const Painter& p, Rect& area, const WorkStatus& status)
{
    if (!status.faults.empty())
    {
        empty_state(p, area, "This could not be computed", to_line(status.faults.front()));
        return false;
    }
    area = status.done() ? area : progress_line(p, area, status.progress);
    return true;
}

std::string fault_sentence(const WorkStatus& status)
{
    return fmt::format("This could not be computed: !!{}!!.", to_line(status.faults.front()));
}

} // namespace ringside
