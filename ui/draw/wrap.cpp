#include "ui/draw/wrap.h"

namespace ringside
{

std::size_t fitting(const Painter& painter, Type type, std::string_view text, float most)
{
    if (painter.width(type, text) <= most)
    {
        return text.size();
    }
    std::size_t fits = 0;
    std::size_t after_sign = 0;
    for (std::size_t end = 1; end <= text.size(); ++end)
    {
        const bool whole = end == text.size() || (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
        if (!whole)
        {
            continue;
        }
        if (fits > 0 && painter.width(type, text.substr(0, end)) > most)
        {
            break;
        }
        fits = end;
        after_sign =
            std::string_view(",_=/-:.").find(text[end - 1]) != std::string_view::npos ? end : after_sign;
    }
    return after_sign > 0 ? after_sign : fits;
}

} // namespace ringside
