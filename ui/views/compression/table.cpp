#include "ui/views/compression/table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kRow = 21;
constexpr float kNames = 136;
constexpr float kColumn = 76;
constexpr std::string_view kPending = "\u2026";

struct Row
{
    const CompressionOptions& options;
    const CompressionSummary* run; // null: not worked out yet
    const GradientProjection& scenario;
    ByteUnit unit;
    std::size_t step;
};

std::string times(double ratio)
{
    return three_digits(ratio) + "\u00d7";
}

std::string percent(double share)
{
    return share == 0 ? "0%" : three_digits(share * 100) + "%";
}

struct Column
{
    std::string_view heading;
    std::string_view tip;
    std::string (*value)(const Row&);
    float room; // [design px] the table must have before it is shown
};

// From the left. Those that say what is lost and won stay the longest.
constexpr std::array kColumns{
    Column{"travels", "How the parts of all ranks become one sum",
           [](const Row& r) { return std::string(name_of(info_of(r.options.compressor).travel)); }, 720},
    Column{"bytes", "One rank's part of the 48 \u00d7 32 gradient on show, indices and scales included",
           [](const Row& r) { return format_bytes(wire_size(r.options, small_shape()).total(), r.unit); },
           640},
    Column{"vs FP32", "4 bytes an element over what is sent",
           [](const Row& r) { return times(wire_ratio(r.options, small_shape()).of_fp32); }, 220},
    Column{"vs BF16", "2 bytes an element over what is sent: half the ratio, for the same bytes",
           [](const Row& r) { return times(wire_ratio(r.options, small_shape()).of_bf16); }, 400},
    Column{"error", "||g \u2212 C(g)|| / ||g||, for the same gradient of the uncompressed run in every row",
           [](const Row& r)
           { return r.run != nullptr ? percent(r.run->errors.at(r.step)) : std::string(kPending); },
           320},
    Column{"final loss", "After 120 steps with this compressor",
           [](const Row& r)
           { return r.run != nullptr ? three_digits(r.run->final_loss()) : std::string(kPending); },
           480},
    Column{"GPU sends", "One GPU of the scenario in one step, by a ring",
           [](const Row& r) { return format_bytes(r.scenario.sent(r.options), r.unit); }, 560},
    Column{"takes", "That on the scenario's link",
           [](const Row& r) { return format_seconds(r.scenario.time(r.options)); }, 800}};

} // namespace

float compression_table_height(const Painter& painter)
{
    return painter.px(kRow) * static_cast<float>(kCompressors + 1) + painter.px(4);
}

std::optional<Compressor> draw_compression_table(const Painter& p, Rect area,
                                                 std::span<const CompressionOptions> rows,
                                                 const CompressionRuns& runs, Compressor chosen,
                                                 std::size_t step)
{
    const Theme& t = p.theme;
    const float roomy = area.w / p.look.scale;
    std::vector<const Column*> columns;
    for (const Column& c : kColumns)
    {
        if (roomy >= c.room)
        {
            columns.push_back(&c);
        }
    }
    const float names = std::min(p.px(kNames), area.w - p.px(kColumn) * static_cast<float>(columns.size()));
    const float pitch = (area.w - names) / static_cast<float>(std::max<std::size_t>(1, columns.size()));
    const auto right_of = [&](std::size_t i) { return area.x + names + pitch * static_cast<float>(i + 1); };
    Rect row = area.cut_top(p.px(kRow + 2));
    p.text_within(row.x, row.middle(), names - p.px(8), Type::body_strong, t.text, "Compare");
    for (std::size_t i = 0; i < columns.size(); ++i)
    {
        p.text(right_of(i), row.middle(), Type::small, t.muted, columns[i]->heading, Align::right);
        const Rect heading{right_of(i) - pitch, row.y, pitch, row.h};
        if (ImGui::IsWindowHovered() && heading.contains(ImGui::GetIO().MousePos))
        {
            tooltip_at_mouse(p, columns[i]->tip);
        }
    }
    std::optional<Compressor> clicked;
    for (const CompressionOptions& options : rows)
    {
        const CompressorInfo& info = info_of(options.compressor);
        const bool on = options.compressor == chosen;
        row = area.cut_top(p.px(kRow));
        p.line(row.x, row.y, row.right(), row.y, t.grid);
        const Rect hit = row.inset(p.px(1));
        const Press pressed = press(p, hit, fmt::format("###compressor {}", info.id).c_str(), 4);
        if (on)
        {
            p.fill({row.x - p.px(8), row.y + 1, row.w + p.px(16), row.h - 1}, t.raised, p.px(4));
        }
        clicked = pressed.clicked ? std::optional(options.compressor) : clicked;
        const Colour ink = on || pressed.hovered ? t.text : t.muted;
        p.text_within(row.x, row.middle(), names - p.px(8), on ? Type::small_strong : Type::small, ink,
                      label_of(options));
        const Row values{options, runs.find(options), runs.projection(), p.look.unit, step};
        for (std::size_t i = 0; i < columns.size(); ++i)
        {
            p.text(right_of(i), row.middle(), Type::mono_small, ink, columns[i]->value(values), Align::right);
        }
    }
    return clicked;
}

} // namespace ringside
