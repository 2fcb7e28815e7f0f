// The parts of the view of gradient compression: its runs; a step of one rank as a sum of pictures; the
// table, the panel.
#pragma once

#include "core/base/work.h"
#include "core/evaluate/report.h"
#include "core/network/compression/run.h"
#include "core/performance/compression/wire.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <optional>

namespace ringside
{

class PanelColumn;

// A run with every step's moment.
struct CompressionShown
{
    CompressionRun run;
    CompressionSummary summary;
};
CompressionShown compression_shown(const CompressionOptions& options, const CompressionRun& uncompressed);

// The runs of one frame: those on show, and others as far as they are.
class CompressionRuns
{
public:
    CompressionRuns(const CompressionShown& shown, const CompressionSummary& uncompressed,
                    const GradientProjection& projection)
        : shown_(&shown), uncompressed_(&uncompressed), projection_(&projection)
    {
    }

    void add(WorkAnswer<CompressionSummary> other) { others_.push_back(std::move(other)); }

    const CompressionRun& shown() const { return shown_->run; }
    const CompressionSummary& summary() const { return shown_->summary; } // of the same
    const CompressionSummary& uncompressed() const { return *uncompressed_; }
    const GradientProjection& projection() const { return *projection_; }
    // Null where it is under way or has failed.
    const CompressionSummary* find(const CompressionOptions& options) const;
    // The first of the others that failed; null: none.
    const WorkStatus* failed() const;

private:
    const CompressionShown* shown_;
    const CompressionSummary* uncompressed_;
    const GradientProjection* projection_;
    std::vector<WorkAnswer<CompressionSummary>> others_;
};

// The gradient that is trained, as one block.
GradientShape small_shape();

// What stands under each picture, and whether what is left out is lost.
struct HeatStyle
{
    std::string gradient;
    std::string carried;
    std::string sent;
    std::string left;
    bool lost = false;
};
// Gradient + residual = sent + left out. Height the four pictures want at this width.
float heat_height(const Painter& painter, float width);
void draw_heat(const Painter& painter, Rect area, const CompressionMoment& moment, const HeatStyle& style);
// Minus, zero, plus; its width.
float draw_heat_key(const Painter& painter, float right, float middle);

float compression_table_height(const Painter& painter);
// `rows`: one for each compressor. The one that was pressed.
std::optional<Compressor> draw_compression_table(const Painter& painter, Rect area,
                                                 std::span<const CompressionOptions> rows,
                                                 const CompressionRuns& runs, Compressor chosen,
                                                 std::size_t step);

// The compressor's settings, and what it would change in the scenario. True when the list of compressors is
// asked for; `o` is changed in place.
bool draw_compression_panel(PanelColumn& column, const Painter& painter, CompressionOptions& o,
                            const CompressionRuns& runs);
// What a GPU sends as replicas grow: all-gathers grow with them, all-reduces hardly.
void draw_growth(const Painter& painter, Rect area, const GradientProjection& projection,
                 const CompressionOptions& o);

} // namespace ringside
