#include "ui/widgets/pictures/stage_strip.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

// Time of a virtual stage in layers.
double load(const StageStrip& s, std::size_t k)
{
    return static_cast<double>(s.layers[k]) + (k == 0 ? s.embedding : 0) +
           (k + 1 == s.layers.size() ? s.head : 0);
}

struct Scale
{
    float x;
    float per_layer;
    double embedding;

    // Where the layers of stage k begin.
    float at(const StageStrip& s, std::size_t k) const
    {
        const auto before = static_cast<double>(std::accumulate(
            s.layers.begin(), s.layers.begin() + static_cast<std::ptrdiff_t>(k), std::int64_t{0}));
        return x + static_cast<float>(embedding + before) * per_layer;
    }
};

void draw_stage(const Painter& p, Rect r, const StageStrip& s, std::size_t k, double slowest, double mean)
{
    const Theme& t = p.theme;
    const bool worst = load(s, k) >= slowest - 1e-9 && slowest > mean * 1.001;
    p.fill(r, t.raised, p.px(3));
    p.outline(r, worst ? t.text : t.line, worst ? p.px(2) : 1, p.px(3));
    const std::string share = fmt::format("{} = {}\u00d7", s.layers[k], three_digits(load(s, k) / mean));
    const std::string count = std::to_string(s.layers[k]);
    const Type type = worst ? Type::small_strong : Type::small;
    const bool uneven = slowest > mean * 1.001;
    const std::string& words = uneven && p.width(type, share) + p.px(8) < r.w ? share : count;
    if (p.width(type, words) + p.px(4) < r.w)
    {
        p.text(r.centre(), r.middle(), type, worst ? t.text : t.muted, words, Align::centre);
    }
}

// Moves `by` layers over the cut before stage k, as far as the stages have them.
void move(std::vector<std::int64_t>& layers, std::size_t k, std::int64_t by)
{
    const std::int64_t least = -layers[k - 1];
    const std::int64_t most = layers[k];
    const std::int64_t moved = std::clamp(by, least, most);
    layers[k - 1] += moved;
    layers[k] -= moved;
}

// A handle and what dragging it says.
struct Grip
{
    std::string id;
    std::string says;
    float per_layer; // pixels
};

// Returns by how many layers it was moved; whole ones by the keyboard.
double handle(const Painter& p, Rect r, const Grip& grip, bool& dragging)
{
    const Press pressed = press(p, r, grip.id.c_str(), 3);
    const bool lit = pressed.hovered || pressed.held || pressed.focused;
    p.fill({r.centre() - p.px(1.5F), r.y + p.px(3), p.px(3), r.h - p.px(6)},
           lit ? p.theme.text : p.theme.line, p.px(2));
    if (pressed.hovered || pressed.held)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        tooltip(p, grip.says);
    }
    dragging = dragging || pressed.held;
    if (pressed.held && ImGui::IsMouseDragging(0, 0))
    {
        return static_cast<double>((ImGui::GetIO().MousePos.x - r.centre()) / grip.per_layer);
    }
    if (pressed.focused)
    {
        return arrow_steps(ImGui::GetItemID());
    }
    return 0;
}

// An end's weight after a drag, to a twentieth of a layer.
double weighed(double weight, double by, double layers)
{
    return std::clamp(std::round((weight + by) * 20) / 20, 0.0, layers);
}

// The embedding or the head.
void draw_end(const Painter& p, Rect part, const char* name)
{
    if (part.w <= 2)
    {
        return;
    }
    p.hatch(part, p.theme.muted, kCoveredHatch);
    p.outline(part, p.theme.line);
    const float w = p.width(Type::small, name) + p.px(6);
    if (w < part.w)
    {
        p.fill({part.centre() - w / 2, part.y + 1, w, part.h - 2}, p.theme.window);
        p.text(part.centre(), part.middle(), Type::small, p.theme.muted, name, Align::centre);
    }
}

// All handles; the strip as they left it.
StageStrip handled(const Painter& p, Rect r, const StageStrip& s, const Scale& scale, bool& dragging)
{
    StageStrip next = s;
    const std::size_t count = s.layers.size();
    const auto layers =
        static_cast<double>(std::accumulate(s.layers.begin(), s.layers.end(), std::int64_t{0}));
    const float grip = p.px(12);
    const auto at = [&](float x) { return Rect{x - grip / 2, r.y, grip, r.h}; };
    for (std::size_t k = 1; k < count; ++k)
    {
        const double by =
            handle(p, at(scale.at(s, k)),
                   {fmt::format("###cut {}", k),
                    "Drag to move layers to the neighbor; arrow keys move one. " + s.note, scale.per_layer},
                   dragging);
        move(next.layers, k, std::llround(by));
    }
    const double in = handle(
        p, at(scale.at(s, 0)),
        {"###embedding weight", "Drag to give the embedding weight, in layers", scale.per_layer}, dragging);
    const double out = handle(
        p, at(scale.at(s, count)),
        {"###head weight", "Drag to give the output head weight, in layers", scale.per_layer}, dragging);
    next.embedding = in != 0 ? weighed(s.embedding, in, layers) : s.embedding;
    next.head = out != 0 ? weighed(s.head, -out, layers) : s.head;
    return next;
}

} // namespace

std::optional<StageStrip> draw_stage_strip(const Painter& p, Rect r, const StageStrip& s, bool& dragging)
{
    const auto count = s.layers.size();
    const auto layers =
        static_cast<double>(std::accumulate(s.layers.begin(), s.layers.end(), std::int64_t{0}));
    const double all = layers + s.embedding + s.head;
    if (count == 0 || all <= 0)
    {
        return std::nullopt;
    }
    const Scale scale{r.x, r.w / static_cast<float>(all), s.embedding};
    double slowest = 0;
    for (std::size_t k = 0; k < count; ++k)
    {
        slowest = std::max(slowest, load(s, k));
    }
    const Rect ends{r.x, r.y + p.px(4), r.w, r.h - p.px(8)};
    draw_end(p, {r.x, ends.y, scale.at(s, 0) - r.x - 2, ends.h}, "embedding");
    draw_end(p, {scale.at(s, count), ends.y, r.right() - scale.at(s, count) - 2, ends.h}, "head");
    for (std::size_t k = 0; k < count; ++k)
    {
        const float from = scale.at(s, k);
        draw_stage(p, {from + 1, r.y, scale.at(s, k + 1) - from - 2, r.h}, s, k, slowest,
                   all / static_cast<double>(count));
    }
    // Where cuts lie closer than a finger only the panel's fields are left.
    if (r.w / static_cast<float>(count) < p.px(24))
    {
        return std::nullopt;
    }
    StageStrip next = handled(p, r, s, scale, dragging);
    const bool same = next.layers == s.layers && next.embedding == s.embedding && next.head == s.head;
    return same ? std::nullopt : std::optional(std::move(next));
}

} // namespace ringside
