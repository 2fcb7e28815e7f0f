#include "ui/views/study/errata/parts.h"

#include <array>

namespace ringside
{

namespace
{

struct ErratumSign
{
    std::string_view sign;
    std::string_view words;
};
constexpr std::array<ErratumSign, kErratumKinds> kErratumSigns{{{"\u2260", "said both ways"},
                                                                {"\u00d7", "wrong"},
                                                                {"\u2248", "true under conditions"},
                                                                {"?", "ambiguous"},
                                                                {"\u2205", "a value is lost"}}};

const ErratumSign& sign_of(ErratumKind kind)
{
    return kErratumSigns.at(static_cast<std::size_t>(kind));
}

} // namespace

void draw_mark(const Painter& p, ImVec2 c, ErratumKind kind, Colour ink)
{
    p.text(c.x, c.y, Type::mono, kind == ErratumKind::wrong ? p.theme.warning : ink, sign_of(kind).sign,
           Align::centre);
}

std::string_view words_of(ErratumKind kind)
{
    return sign_of(kind).words;
}

} // namespace ringside
