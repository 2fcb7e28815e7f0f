#include "ui/widgets/table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/compression/runs.h"

namespace ringside
{

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
            return known != nullptr ? words(*known) : std::string("\u2026");
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

} // namespace ringside
