#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>
#include <vector>

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

bool draw_compression_panel(PanelColumn& column, const Painter& p, CompressionOptions& o,
                            const CompressionRuns& runs)
{
    const GradientProjection& g = runs.projection();
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
    return asked;
}

namespace
{

using Row = CompressionOptions;

std::string times(double ratio)
{
    return three_digits(ratio) + "\u00d7";
}

std::string percent(double share)
{
    return share == 0 ? "0%" : three_digits(share * 100) + "%";
}

std::vector<Column<Row>> columns_of(const CompressionRuns& runs, std::size_t step, ByteUnit unit)
{
    const auto run = [&runs](auto words)
    {
        return [&runs, words](const Row& r)
        {
            const CompressionSummary* known = runs.find(r);
            return known != nullptr           ? words(*known)
                   : runs.failed() != nullptr ? std::string("failed")
                                              : std::string("\u2026");
        };
    };
    return {{"Compressor", [](const Row& r) { return label_of(r); }},
            {"smaller than BF16", [](const Row& r) { return times(wire_ratio(r, small_shape()).of_bf16); }, 3,
             "2 bytes per element over what is sent, indices and scales included"},
            {"relative error",
             run([step](const CompressionSummary& s) { return percent(s.errors.at(step)); }), 4,
             "||g \u2212 C(g)|| / ||g||, for the same gradient of the uncompressed run in every row"},
            {"final loss", run([](const CompressionSummary& s) { return three_digits(s.final_loss()); }), 2,
             "After 120 steps with this compressor"},
            {"scenario: sent per GPU",
             [&runs, unit](const Row& r) { return format_bytes(runs.projection().sent(r), unit); }, 1,
             "In the scenario, per step"}};
}

std::string says_of(const Row& r, const CompressionRuns& runs, ByteUnit unit)
{
    return fmt::format(
        "The 48 \u00d7 32 gradient in {}, {} smaller than FP32; by {}. In the scenario {} per step.",
        format_bytes(wire_size(r, small_shape()).total(), unit), times(wire_ratio(r, small_shape()).of_fp32),
        name_of(info_of(r.compressor).travel), format_seconds(runs.projection().time(r)));
}

constexpr float kCompressorPitch = 22;

} // namespace

float compression_table_height(const Painter& painter)
{
    return table_height(painter, kCompressors, kCompressorPitch) + painter.px(4);
}

std::optional<Compressor> draw_compression_table(const Painter& p, Rect area,
                                                 std::span<const CompressionOptions> rows,
                                                 const CompressionRuns& runs, Compressor chosen,
                                                 std::size_t step)
{
    const Table<Row> table{columns_of(runs, step, p.look.unit),
                           [](const Row& r)
                           { return fmt::format("###compressor {}", info_of(r.compressor).id); },
                           [chosen](const Row& r) { return r.compressor == chosen; }, kCompressorPitch,
                           [&](const Row& r) { return says_of(r, runs, p.look.unit); }};
    const TableEvent event = table.draw(p, area, rows);
    return event.pressed ? std::optional(rows[*event.pressed].compressor) : std::nullopt;
}

namespace
{

constexpr std::int64_t kMostRanks = std::int64_t{1} << 14;

struct Sender
{
    Travel travel;
    Bytes part;

    double sent(std::int64_t ranks) const { return sent_per_rank(travel, part, ranks).value; }
};

std::vector<PlotPoint> points_of(const Sender& sender)
{
    std::vector<PlotPoint> points;
    for (std::int64_t n = 2; n <= kMostRanks; n *= 2)
    {
        points.push_back({static_cast<double>(n), sender.sent(n)});
    }
    return points;
}

} // namespace

void draw_growth(const Painter& p, Rect area, const GradientProjection& g, const CompressionOptions& o)
{
    const Theme& t = p.theme;
    const Sender own{info_of(o.compressor).travel, g.part(o)};
    const Sender dense{Travel::all_reduce, g.dense(Compressor::bf16)};
    PlotAxis bytes{1e300, 0, PlotScale::log};
    for (const Sender& s : {own, dense})
    {
        bytes.low = std::min({bytes.low, s.sent(2), s.sent(kMostRanks)});
        bytes.high = std::max({bytes.high, s.sent(2), s.sent(kMostRanks)});
    }
    if (!(bytes.low > 0) || !(bytes.high > bytes.low))
    {
        return;
    }
    const auto last = static_cast<double>(kMostRanks);
    const double ranks = std::clamp(static_cast<double>(g.ranks), 2.0, last);
    const AxisWords number = [](double n) { return plain_number(n); };
    Plot plot(p, area, {2, last, PlotScale::log2, "", number, {2, last}}, bytes,
              {.title = "Sent per GPU over replicas N"});
    if (!plot)
    {
        return;
    }
    plot.rule_x(ranks, {t.muted, 1, true}, fmt::format("N = {}", grouped(g.ranks)));
    plot.line(points_of(dense), {t.text, 1.5F}, "dense BF16");
    plot.line(points_of(own), {t.of(Component::gradients), 2.5F});
    const double crossing = gather_crossover(own.part, dense.part);
    if (own.travel == Travel::all_gather && crossing > 2 && crossing < last)
    {
        const PlotPoint cross{crossing, 2 * dense.part.value * (1 - 1 / crossing)};
        plot.dot(cross, {t.text});
        plot.label(cross, plain_number(crossing), true);
    }
}

} // namespace ringside
