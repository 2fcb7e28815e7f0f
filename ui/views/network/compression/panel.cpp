#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::array<double, 9> kKeep{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
constexpr std::array<double, 6> kRank{1, 2, 4, 8, 16, 32};

// What the scenario would gain, in one sentence.
std::string say_projection(const GradientProjection& p, const CompressionOptions& o)
{
    if (p.ranks < 2)
    {
        return "One rank: nothing is sent, so compression gains nothing.";
    }
    const CompressionOptions plain{Compressor::bf16};
    const Seconds dense = p.time(plain);
    if (p.exposed(plain).value <= 0)
    {
        return fmt::format(
            "Dense BF16 takes {} and overlaps fully with one backward of {}: **nothing to gain**.",
            format_seconds(dense), format_seconds(p.hides));
    }
    if (o.compressor == Compressor::bf16)
    {
        return fmt::format("One backward of {} overlaps with part of it; **{} exposed**.",
                           format_seconds(p.hides), format_seconds(p.exposed(plain)));
    }
    return fmt::format("One backward of {} overlaps with part of it; **{} exposed** instead of {}.",
                       format_seconds(p.hides), format_seconds(p.exposed(o)),
                       format_seconds(p.exposed(plain)));
}

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
        column.toggle("Error feedback", o.feedback, "What is not sent is added to the next gradient (E)");
    }
    if (o.compressor == Compressor::top_k)
    {
        column.toggle("Packed indices", o.packed_indices,
                      "\u2308log2 n\u2309 bits per index instead of 32 (I)");
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
    column.heading("In this scenario", counted(g.ranks, "replica"));
    std::vector<CompressionOptions> rows{{Compressor::bf16}};
    if (o.compressor != Compressor::bf16)
    {
        rows.push_back(o);
    }
    const auto name = [](const CompressionOptions& each)
    {
        const std::string_view whole = info_of(each.compressor).name;
        return each.compressor == Compressor::bf16 ? "Dense BF16" : whole.substr(0, whole.find(','));
    };
    const Table<CompressionOptions> table{
        {{"", name},
         {"sends", [&](const CompressionOptions& each) { return format_bytes(g.sent(each), p.look.unit); },
          1},
         {"takes", [&](const CompressionOptions& each) { return format_seconds(g.time(each)); }}},
        nullptr,
        [&](const CompressionOptions& each) { return each == o; }};
    table.draw(p, column.row(kTablePitch * static_cast<float>(rows.size() + 1)), rows);
    column.gap();
    column.note(say_projection(g, o));
    draw_growth(p, column.row(130), g, o);
    return asked;
}

} // namespace ringside
