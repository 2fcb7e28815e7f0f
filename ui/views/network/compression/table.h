// Every compressor beside the others: bytes, ratios with their base, error, loss, and what the scenario would
// send.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/network/compression/runs.h"

namespace ringside
{

float compression_table_height(const Painter& painter);
// `rows`: one for each compressor. The one that was pressed.
std::optional<Compressor> draw_compression_table(const Painter& painter, Rect area,
                                                 std::span<const CompressionOptions> rows,
                                                 const CompressionRuns& runs, Compressor chosen,
                                                 std::size_t step);

} // namespace ringside
