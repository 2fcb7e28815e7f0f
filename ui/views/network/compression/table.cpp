#include "ui/views/network/compression/table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/table.h"

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

// Those that say what is lost and won stay the longest.
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
    const auto ratio = [](auto base)
    { return [base](const Row& r) { return times(wire_ratio(r, small_shape()).*base); }; };
    return {
        {"Compare", [](const Row& r) { return label_of(r); }},
        {"travels", [](const Row& r) { return name_of(info_of(r.compressor).travel); }, 2,
         "How the parts of all ranks become one sum"},
        {"bytes", [unit](const Row& r) { return format_bytes(wire_size(r, small_shape()).total(), unit); }, 3,
         "One rank's part of the 48 \u00d7 32 gradient on show, indices and scales included"},
        {"vs FP32", ratio(&WireRatio::of_fp32), 8, "4 bytes an element over what is sent"},
        {"vs BF16", ratio(&WireRatio::of_bf16), 6,
         "2 bytes an element over what is sent: half the ratio, for the same bytes"},
        {"error", run([step](const CompressionSummary& s) { return percent(s.errors.at(step)); }), 7,
         "||g \u2212 C(g)|| / ||g||, for the same gradient of the uncompressed run in every row"},
        {"final loss", run([](const CompressionSummary& s) { return three_digits(s.final_loss()); }), 5,
         "After 120 steps with this compressor"},
        {"GPU sends", [&runs, unit](const Row& r) { return format_bytes(runs.projection().sent(r), unit); },
         4, "One GPU of the scenario in one step, by a ring"},
        {"takes", [&runs](const Row& r) { return format_seconds(runs.projection().time(r)); }, 1,
         "That on the scenario's link"}};
}

constexpr float kPitch = 21;

} // namespace

float compression_table_height(const Painter& painter)
{
    return table_height(painter, kCompressors, kPitch) + painter.px(4);
}

std::optional<Compressor> draw_compression_table(const Painter& p, Rect area,
                                                 std::span<const CompressionOptions> rows,
                                                 const CompressionRuns& runs, Compressor chosen,
                                                 std::size_t step)
{
    const Table<Row> table{columns_of(runs, step, p.look.unit),
                           [](const Row& r)
                           { return fmt::format("###compressor {}", info_of(r.compressor).id); },
                           [chosen](const Row& r) { return r.compressor == chosen; }, kPitch};
    const TableEvent event = table.draw(p, area, rows);
    return event.pressed ? std::optional(rows[*event.pressed].compressor) : std::nullopt;
}

} // namespace ringside
