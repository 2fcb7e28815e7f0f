#include "ui/views/network/compression/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/compression/growth.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kKeep{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
constexpr std::array<double, 6> kRank{1, 2, 4, 8, 16, 32};

// Name, what a GPU sends, how long that takes.
void say_line(const Painter& p, Rect row, std::string_view name, const std::array<std::string, 2>& values,
              bool strong)
{
    const float column = p.px(70);
    const Colour ink = strong ? p.theme.text : p.theme.muted;
    const bool two = row.w >= 3 * column;
    const float names = row.w - (two ? 2 * column : column);
    p.text_within(row.x, row.middle(), names - p.px(4), strong ? Type::small_strong : Type::small, ink, name);
    p.text(row.right(), row.middle(), Type::mono_small, ink, values[1], Align::right);
    if (two)
    {
        p.text(row.right() - column, row.middle(), Type::mono_small, ink, values[0], Align::right);
    }
}

} // namespace

std::string say_projection(const GradientProjection& p, const CompressionOptions& o)
{
    if (p.ranks < 2)
    {
        return "One rank: nothing is sent, so there is nothing to gain.";
    }
    const CompressionOptions plain{Compressor::bf16};
    const Seconds dense = p.time(plain);
    if (p.exposed(plain).value <= 0)
    {
        return fmt::format("Dense BF16 takes {} and hides behind one backward of {}: **nothing to gain**.",
                           format_seconds(dense), format_seconds(p.hides));
    }
    if (o.compressor == Compressor::bf16)
    {
        return fmt::format("One backward of {} hides a part; **{} stay exposed**.", format_seconds(p.hides),
                           format_seconds(p.exposed(plain)));
    }
    return fmt::format("One backward of {} hides a part; exposed: **{}** instead of {}.",
                       format_seconds(p.hides), format_seconds(p.exposed(o)),
                       format_seconds(p.exposed(plain)));
}

namespace
{

std::string say_share(double share)
{
    return plain_number(share * 100) + "%";
}

void draw_settings(PanelColumn& column, CompressionOptions& o)
{
    if (o.compressor == Compressor::top_k || o.compressor == Compressor::random_k)
    {
        column.slide("Kept, k / n", Track::at(kKeep, say_share, 0.01), o.keep);
    }
    if (o.compressor == Compressor::power_sgd)
    {
        column.slide("Rank r", Track::at(kRank, plain_number), o.rank);
    }
    if (info_of(o.compressor).feeds_back)
    {
        column.toggle("Error feedback", o.feedback, "What is left out is added to the next gradient (E)");
    }
    if (o.compressor == Compressor::top_k)
    {
        column.toggle("Packed indices", o.packed_indices,
                      "\u2308log2 n\u2309 bits for each index instead of 32 (I)");
    }
}

} // namespace

bool draw_compression_panel(const Painter& p, Rect area, CompressionOptions& o, const CompressionRuns& runs,
                            Out& out)
{
    const GradientProjection& g = runs.projection();
    PanelColumn column(p, area, out.animating);
    const bool asked = column.dropdown("###choose a compressor", label_of(o));
    draw_settings(column, o);
    column.heading("In this scenario", fmt::format("N = {}", grouped(g.ranks)));
    const CompressionOptions plain{Compressor::bf16};
    say_line(p, column.row(22), "", {"sends", "takes"}, false);
    for (const CompressionOptions& each : {plain, o})
    {
        const bool chosen = each == o;
        if (chosen && o.compressor == Compressor::bf16)
        {
            continue;
        }
        const std::string_view whole = info_of(o.compressor).name;
        const std::string_view name = chosen ? whole.substr(0, whole.find(',')) : "Dense BF16";
        say_line(p, column.row(24), name,
                 {format_bytes(g.sent(each), p.look.unit), format_seconds(g.time(each))}, chosen);
    }
    column.gap();
    column.note(say_projection(g, o));
    draw_growth(p, column.row(130), g, o);
    return asked;
}

} // namespace ringside
