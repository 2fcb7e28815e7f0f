#include "tests/ui/words.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace ringside::test
{

namespace
{

struct Glyph
{
    const ImFont* font;
    const ImFontGlyph* glyph;
};

// A corner of the texture.
struct Corner
{
    float u, v;
    bool operator==(const Corner&) const = default;
};
struct CornerHash
{
    std::size_t operator()(Corner c) const
    {
        return std::size_t{std::bit_cast<std::uint32_t>(c.u)} * 2654435761U ^
               std::bit_cast<std::uint32_t>(c.v);
    }
};
using Glyphs = std::unordered_map<Corner, Glyph, CornerHash>;

bool is_plain(const ImDrawVert& v)
{
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    return v.uv.x == white.x && v.uv.y == white.y;
}

Glyphs glyphs_of(const Fonts& fonts)
{
    Glyphs found;
    found.reserve(16384);
    for (const ImFont* font : fonts.faces)
    {
        for (const ImFontGlyph& glyph : font->Glyphs)
        {
            if (glyph.Visible != 0)
            {
                found.try_emplace(Corner{glyph.U0, glyph.V0}, Glyph{font, &glyph});
            }
        }
    }
    return found;
}

std::string utf8(unsigned code)
{
    std::string out;
    if (code < 0x80)
    {
        out += static_cast<char>(code);
    }
    else if (code < 0x800)
    {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
    else
    {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
    return out;
}

// Red, green, blue from 0 to 255, and alpha from 0 to 1.
struct Paint
{
    std::array<float, 3> colour;
    float alpha;
};

Paint paint_of(ImU32 packed)
{
    const auto channel = [packed](int shift) { return static_cast<float>((packed >> shift) & 0xFF); };
    return {{channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)},
            channel(IM_COL32_A_SHIFT) / 255};
}

Paint over(const Paint& top, const Paint& below)
{
    Paint out = below;
    for (std::size_t i = 0; i < 3; ++i)
    {
        out.colour[i] = top.alpha * top.colour[i] + (1 - top.alpha) * below.colour[i];
    }
    return out;
}

// WCAG 2.2, relative luminance.
double luminance(const Paint& paint)
{
    const auto linear = [](float channel)
    {
        const double c = channel / 255;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(paint.colour[0]) + 0.7152 * linear(paint.colour[1]) +
           0.0722 * linear(paint.colour[2]);
}

double contrast(const Paint& a, const Paint& b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// A filled triangle, as far as it may be drawn.
struct Filled
{
    std::array<const ImDrawVert*, 3> corners;
    ImVec2 least, most; // of the box round it

    // What it puts at a place, if anything.
    std::optional<Paint> at(ImVec2 p) const
    {
        if (p.x < least.x || p.x > most.x || p.y < least.y || p.y > most.y)
        {
            return std::nullopt;
        }
        const auto side = [](ImVec2 a, ImVec2 b, ImVec2 c)
        { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); };
        const ImVec2 a = corners[0]->pos;
        const ImVec2 b = corners[1]->pos;
        const ImVec2 c = corners[2]->pos;
        const float whole = side(a, b, c);
        const std::array<float, 3> part{side(b, c, p) / whole, side(c, a, p) / whole, side(a, b, p) / whole};
        if (whole == 0 || std::any_of(part.begin(), part.end(), [](float x) { return !(x >= 0); }))
        {
            return std::nullopt;
        }
        Paint mixed{{0, 0, 0}, 0};
        for (std::size_t i = 0; i < 3; ++i)
        {
            const Paint corner = paint_of(corners[i]->col);
            mixed.alpha += part[i] * corner.alpha;
            for (std::size_t k = 0; k < 3; ++k)
            {
                mixed.colour[k] += part[i] * corner.colour[k];
            }
        }
        return mixed;
    }
};

// A character: its middle, its colour, and how many triangles were filled before it.
struct Mark
{
    ImVec2 middle;
    ImU32 colour;
    std::size_t before;
    float size; // of its font
};

class Reader
{
public:
    explicit Reader(const Window& window) : glyphs_(glyphs_of(window.drawing.fonts())) {}

    std::vector<Words> read()
    {
        read_all();
        return std::move(all_);
    }

    std::vector<Contrast> contrasts(const Paint& behind_all)
    {
        read_all();
        std::vector<Contrast> found;
        for (std::size_t i = 0; i < all_.size(); ++i)
        {
            std::vector<double> ratios;
            for (const Mark& mark : marks_[i])
            {
                const Paint behind = behind_all_up_to(mark, behind_all);
                ratios.push_back(contrast(over(paint_of(mark.colour), behind), behind));
            }
            std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                             ratios.end());
            found.push_back({all_[i], ratios[ratios.size() / 2], marks_[i].front().size});
        }
        return found;
    }

private:
    Paint behind_all_up_to(const Mark& mark, Paint behind) const
    {
        for (std::size_t i = 0; i < mark.before; ++i)
        {
            if (const auto paint = fills_[i].at(mark.middle))
            {
                behind = over(*paint, behind);
            }
        }
        return behind;
    }

    void read_all()
    {
        const ImDrawData* data = ImGui::GetDrawData();
        for (int i = 0; i < data->CmdListsCount; ++i)
        {
            for (const ImDrawCmd& command : data->CmdLists[i]->CmdBuffer)
            {
                read(*data->CmdLists[i], command);
            }
            pen_.reset();
        }
    }

    // Where the next character of the same words would be.
    struct Pen
    {
        float x, y, space;
    };

    // A character is two triangles of four corners, in this order.
    void read(const ImDrawList& list, const ImDrawCmd& command)
    {
        const auto vertex = [&](unsigned k) -> const ImDrawVert&
        { return list.VtxBuffer[static_cast<int>(command.VtxOffset + list.IdxBuffer[static_cast<int>(k)])]; };
        const unsigned end = command.IdxOffset + command.ElemCount;
        for (unsigned k = command.IdxOffset; k + 5 < end;)
        {
            const ImDrawVert& corner = vertex(k);
            const auto found =
                is_plain(corner) ? glyphs_.end() : glyphs_.find(Corner{corner.uv.x, corner.uv.y});
            const bool quad = found != glyphs_.end() && &vertex(k + 3) == &corner &&
                              vertex(k + 2).uv.x == found->second.glyph->U1 &&
                              vertex(k + 2).uv.y == found->second.glyph->V1;
            if (quad)
            {
                add(found->second, corner.pos, vertex(k + 2).pos, command.ClipRect);
                const ImVec2 middle{(corner.pos.x + vertex(k + 2).pos.x) / 2,
                                    (corner.pos.y + vertex(k + 2).pos.y) / 2};
                marks_.resize(all_.size());
                marks_.back().push_back({middle, corner.col, fills_.size(), size_});
            }
            else
            {
                fill({&corner, &vertex(k + 1), &vertex(k + 2)}, command.ClipRect);
            }
            k += quad ? 6 : 3;
        }
    }

    void fill(const std::array<const ImDrawVert*, 3>& corners, const ImVec4& clip)
    {
        // Lines take their edge from the texture; they are no ground that words stand on.
        if (!std::all_of(corners.begin(), corners.end(), [](const ImDrawVert* v) { return is_plain(*v); }))
        {
            return;
        }
        const auto [left, right] = std::minmax({corners[0]->pos.x, corners[1]->pos.x, corners[2]->pos.x});
        const auto [top, bottom] = std::minmax({corners[0]->pos.y, corners[1]->pos.y, corners[2]->pos.y});
        fills_.push_back({corners,
                          {std::max(left, clip.x), std::max(top, clip.y)},
                          {std::min(right, clip.z), std::min(bottom, clip.w)}});
    }

    void add(const Glyph& g, ImVec2 from, ImVec2 to, const ImVec4& clip)
    {
        const float width = g.glyph->X1 - g.glyph->X0;
        const float scale = width > 0 ? (to.x - from.x) / width : 1;
        const float x = from.x - g.glyph->X0 * scale;
        const float y = from.y - g.glyph->Y0 * scale;
        const float space = g.font->GetCharAdvance(' ') * scale;
        const float gap = pen_ ? x - pen_->x : 0;
        // Strong words stand on the same line in another face, whose top is not quite the same.
        const bool follows =
            pen_ && std::abs(y - pen_->y) < 3 && gap > -0.3F * space && gap < 1.8F * pen_->space;
        if (!follows)
        {
            all_.push_back({"", {from.x, std::clamp(from.y, clip.y, clip.w), 0, 0}, false});
        }
        Words& words = all_.back();
        if (follows && gap > 0.6F * pen_->space)
        {
            words.text += ' ';
        }
        words.text += utf8(g.glyph->Codepoint);
        const Rect r = words.rect;
        words.rect.x = std::min(r.x, from.x);
        words.rect.y = std::min(r.y, std::max(from.y, clip.y));
        words.rect.w = std::max(r.right(), to.x) - words.rect.x;
        words.rect.h = std::max(r.bottom(), std::min(to.y, clip.w)) - words.rect.y;
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        constexpr float kNear = 2; // the blank edge of a character's box
        // Above and below a scrolled area cuts, and may.
        words.cut = words.cut || from.x < std::max(0.0F, clip.x) - kNear ||
                    to.x > std::min(size.x, clip.z) + kNear || from.y < -kNear || to.y > size.y + kNear;
        pen_ = Pen{x + g.glyph->AdvanceX * scale, y, space};
        size_ = g.font->FontSize * scale;
    }

    Glyphs glyphs_;
    std::optional<Pen> pen_;
    float size_ = 0; // [px] of the last character's font
    std::vector<Words> all_;
    std::vector<std::vector<Mark>> marks_; // of each of these
    std::vector<Filled> fills_;
};

} // namespace

std::vector<Words> words_of(const Window& window)
{
    return Reader(window).read();
}

std::vector<Contrast> contrasts_of(const Window& window)
{
    const Preferences& chosen = window.session().preferences();
    const Theme& theme = theme_of(chosen.light, chosen.high_contrast);
    return Reader(window).contrasts(paint_of(theme.window));
}

std::string text_of(const Window& window)
{
    std::string all;
    for (const Words& words : words_of(window))
    {
        all += (all.empty() ? "" : " ") + words.text;
    }
    return all;
}

std::string heard_in(Window& window)
{
    Transcript transcript;
    window.drawing.set_transcript(&transcript);
    window.frames(1);
    window.drawing.set_transcript(nullptr);
    std::string all;
    for (const ReadPart& part : transcript.parts())
    {
        all += part.text + (part.value.empty() ? "" : ": " + part.value) +
               (part.tip.empty() ? "" : ". " + part.tip) + "\n";
    }
    for (const std::string& said : transcript.said())
    {
        all += said + "\n";
    }
    return all;
}

bool says(const Window& window, std::string_view words)
{
    return text_of(window).find(words) != std::string::npos;
}

const Words* seek_words(const std::vector<Words>& all, std::string_view start)
{
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Words& w) { return w.text.starts_with(start); });
    return found == all.end() ? nullptr : &*found;
}

std::string cut_words(const Window& window)
{
    std::string all;
    for (const Words& words : words_of(window))
    {
        all += words.cut ? (all.empty() ? "\u201c" : ", \u201c") + words.text + "\u201d" : "";
    }
    return all;
}

std::string words_on_each_other(const Window& window)
{
    const auto all = words_of(window);
    std::string found;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        for (std::size_t k = i + 1; k < all.size(); ++k)
        {
            const Rect& a = all[i].rect;
            const Rect& b = all[k].rect;
            const float wide = std::min(a.right(), b.right()) - std::max(a.x, b.x);
            const float high = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
            if (wide > 2 && high > 2)
            {
                found += fmt::format("{} / {}; ", all[i].text, all[k].text);
            }
        }
    }
    return found;
}

Preferences Setup::preferences(Preferences from) const
{
    from.text_scale = text;
    from.presenter = presenter;
    from.light = light;
    return from;
}

std::string Setup::says() const
{
    return fmt::format("{} x {}, text {}{}{}", window.x, window.y, text, presenter ? ", presenter" : "",
                       light ? ", light" : "");
}

std::span<const Setup> setups()
{
    static constexpr std::array kSetups{
        Setup{{1280, 800}, 1, false, false},    Setup{{1280, 720}, 1.75F, false, false},
        Setup{{1920, 1080}, 1, false, true},    Setup{{800, 600}, 1, false, false},
        Setup{{640, 480}, 1, false, true},      Setup{{640, 480}, 0.75F, false, false},
        Setup{{1280, 800}, 2.5F, false, false}, Setup{{640, 480}, 2.5F, false, false},
        Setup{{1280, 800}, 1, true, true},      Setup{{1920, 1080}, 1, true, false}};
    return kSetups;
}

void check_words(const Window& window)
{
    const Drawn drawn = window.drawn();
    CHECK(drawn.fault == "");
    CHECK(drawn.missing_glyphs == 0);
    CHECK(cut_words(window) == "");
    CHECK(words_on_each_other(window) == "");
}

void check_words_at_every_size(Window& window, std::string_view state)
{
    const Preferences before = window.session().preferences();
    for (const Setup& setup : setups())
    {
        INFO(state << ", " << setup.says());
        window.session().set_preferences(setup.preferences(before));
        window.resize(setup.window);
        window.frames(3);
        window.settle(5000);
        check_words(window);
    }
    window.session().set_preferences(before);
    window.resize({1280, 800});
    window.settle(5000);
}

} // namespace ringside::test
