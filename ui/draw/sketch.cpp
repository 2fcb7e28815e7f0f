#include "ui/draw/sketch.h"

#include <fmt/format.h>

#include "core/base/text/xml.h"

#include <algorithm>
#include <cfloat>
#include <map>

namespace ringside
{

namespace
{

using Kind = SketchShape::Kind;

struct Box
{
    float left = FLT_MAX, top = FLT_MAX, right = -FLT_MAX, bottom = -FLT_MAX;

    void take(ImVec2 p, float around)
    {
        left = std::min(left, p.x - around);
        top = std::min(top, p.y - around);
        right = std::max(right, p.x + around);
        bottom = std::max(bottom, p.y + around);
    }
};

Box box_of(const SketchShape& s)
{
    Box box;
    const float around = s.thickness / 2 + (s.kind == Kind::circle ? s.radius : 0);
    for (const ImVec2 p : s.points)
    {
        box.take(p, around);
    }
    if (s.kind == Kind::words)
    {
        const ImVec2 at = s.points.front();
        box.take({at.x, at.y - s.font->Ascent}, 0);
        box.take({at.x + s.width, at.y - s.font->Descent}, 0);
    }
    return box;
}

bool invisible(const SketchShape& s)
{
    const Box box = box_of(s);
    return (s.colour & IM_COL32_A_MASK) == 0 || s.points.empty() || box.right <= s.clip.x ||
           box.left >= s.clip.z || box.bottom <= s.clip.y || box.top >= s.clip.w;
}

bool cut_by_clip(const SketchShape& s)
{
    constexpr float kSlack = 0.6F; // of a line through the middle of a pixel
    const Box box = box_of(s);
    return box.left < s.clip.x - kSlack || box.top < s.clip.y - kSlack || box.right > s.clip.z + kSlack ||
           box.bottom > s.clip.w + kSlack;
}

// To a hundredth of a pixel, without trailing zeros.
std::string number(float value)
{
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
    {
        text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

class Writer
{
public:
    explicit Writer(const Look& look) : look_(look) {}

    void write(const SketchShape& s)
    {
        if (invisible(s))
        {
            return;
        }
        turn_to(cut_by_clip(s) ? clip_of(s.clip) : 0);
        switch (s.kind)
        {
        case Kind::rectangle:
            rectangle(s);
            break;
        case Kind::circle:
            body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(s.points[0].x),
                                 number(s.points[0].y), number(s.radius), paint(s));
            break;
        case Kind::path:
            path(s);
            break;
        case Kind::words:
            words(s);
            break;
        }
    }

    std::string whole(ImVec2 size)
    {
        turn_to(0);
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
            "{0} {1}\">\n<style>\n.w {{ font-family: Inter, 'DejaVu Sans', sans-serif; }}\n.s {{ "
            "font-family: Inter, 'DejaVu Sans', sans-serif; font-weight: 600; }}\n.m {{ "
            "font-family: 'JetBrains Mono', 'DejaVu Sans Mono', monospace; }}\ntext {{ white-space: "
            "pre; }}\n</style>\n<defs>\n{2}</defs>\n<rect width=\"{0}\" height=\"{1}\" "
            "fill=\"#{3:02x}{4:02x}{5:02x}\"/>\n{6}</svg>\n",
            number(size.x), number(size.y), clips_, look_.theme.window & 0xFFU,
            look_.theme.window >> 8U & 0xFFU, look_.theme.window >> 16U & 0xFFU, body_);
    }

private:
    void turn_to(int clip)
    {
        if (clip == open_)
        {
            return;
        }
        body_ += open_ != 0 ? "</g>\n" : "";
        body_ += clip != 0 ? fmt::format("<g clip-path=\"url(#c{})\">\n", clip) : "";
        open_ = clip;
    }

    int clip_of(const ImVec4& c)
    {
        const std::string rect =
            fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", number(c.x), number(c.y),
                        number(std::max(0.0F, c.z - c.x)), number(std::max(0.0F, c.w - c.y)));
        const auto [found, fresh] = known_.emplace(rect, static_cast<int>(known_.size()) + 1);
        if (fresh)
        {
            clips_ += fmt::format("<clipPath id=\"c{}\">{}</clipPath>\n", found->second, rect);
        }
        return found->second;
    }

    static std::string paint(const SketchShape& s)
    {
        const std::string colour = fmt::format("#{:02x}{:02x}{:02x}", s.colour & 0xFFU,
                                               s.colour >> 8U & 0xFFU, s.colour >> 16U & 0xFFU);
        const auto alpha = static_cast<float>(s.colour >> 24U) / 255;
        const bool line = s.thickness > 0;
        std::string out = line ? fmt::format(" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"", colour,
                                             number(s.thickness))
                               : fmt::format(" fill=\"{}\"", colour);
        out += alpha < 1 ? fmt::format(" {}-opacity=\"{}\"", line ? "stroke" : "fill", number(alpha)) : "";
        return out + (s.crisp ? " shape-rendering=\"crispEdges\"" : "");
    }

    void rectangle(const SketchShape& s)
    {
        const ImVec2 from = s.points[0];
        const float w = s.points[1].x - from.x;
        const float h = s.points[1].y - from.y;
        if (w > 0 && h > 0)
        {
            const float r = std::min({s.radius, w / 2, h / 2});
            body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>\n", number(from.x),
                                 number(from.y), number(w), number(h),
                                 r > 0 ? fmt::format(" rx=\"{}\"", number(r)) : "", paint(s));
        }
    }

    void path(const SketchShape& s)
    {
        body_ += "<path d=\"";
        for (std::size_t i = 0; i < s.points.size(); ++i)
        {
            body_ += fmt::format("{}{} {}", i == 0 ? "M" : "L", number(s.points[i].x), number(s.points[i].y));
        }
        body_ += fmt::format("{}\"{}/>\n", s.closed ? "Z" : "", paint(s));
    }

    void words(const SketchShape& s)
    {
        std::size_t type = 0;
        while (type + 1 < kTypes && look_.fonts.faces[type] != s.font)
        {
            ++type;
        }
        const FaceStyle style = style_of(static_cast<Type>(type));
        // Whatever font is there when it is read, the words end where they ended here.
        body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" font-size=\"{}\" textLength=\"{}\" "
                             "lengthAdjust=\"spacingAndGlyphs\"{}>{}</text>\n",
                             style.mono     ? 'm'
                             : style.strong ? 's'
                                            : 'w',
                             number(s.points[0].x), number(s.points[0].y),
                             number(s.font->FontSize / style.line_over_em), number(s.width), paint(s),
                             escaped_xml(s.text));
    }

    const Look& look_;
    std::string clips_;
    std::string body_;
    std::map<std::string, int> known_;
    int open_ = 0;
};

} // namespace

void Sketch::add(SketchShape shape)
{
    shape.channel = channel_;
    shapes_.push_back(std::move(shape));
}

void Sketch::split()
{
    split_at_ = shapes_.size();
    channel_ = 0;
}

void Sketch::merge()
{
    std::stable_sort(shapes_.begin() + static_cast<std::ptrdiff_t>(split_at_), shapes_.end(),
                     [](const SketchShape& a, const SketchShape& b) { return a.channel < b.channel; });
    channel_ = 0;
}

void Sketch::erase_inside(ImVec2 from, ImVec2 to)
{
    constexpr float kEdge = 1; // smoothed edges reach a pixel further
    std::erase_if(shapes_,
                  [&](const SketchShape& s)
                  {
                      const Box box = box_of(s);
                      return box.left >= from.x - kEdge && box.right <= to.x + kEdge &&
                             box.top >= from.y - kEdge && box.bottom <= to.y + kEdge;
                  });
}

std::string to_svg(const Sketch& sketch, const ImDrawData& drawn, const Look& look)
{
    Writer writer(look);
    for (const ImDrawList* list : drawn.CmdLists)
    {
        for (const SketchShape& s : sketch.shapes())
        {
            if (s.list == list)
            {
                writer.write(s);
            }
        }
    }
    return writer.whole(drawn.DisplaySize);
}

} // namespace ringside
