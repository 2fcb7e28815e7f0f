// The parts of the view of gradient compression: its runs, worked out again only when what they depend on
// changes, those of the table a part per frame; a step of one rank as a sum of pictures; the table, the
// panel.
#pragma once

#include "core/network/compression/run.h"
#include "core/performance/compression/wire.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <list>
#include <optional>

namespace ringside
{

class PanelColumn;

// What the table and the curves need of a run.
struct CompressionSummary
{
    CompressionOptions options;
    std::vector<CompressionStep> steps;
    std::vector<double> errors; // gradient_errors() of the uncompressed run's gradients

    double final_loss() const { return steps.back().loss; }
};

class CompressionRuns
{
public:
    // The run on show with what every step put in and sent, and the same with feedback the other way.
    void update(const CompressionOptions& options) const;
    const CompressionRun& shown() const { return shown_; }
    const CompressionSummary& uncompressed() const { return get({Compressor::none}); }
    const CompressionSummary& get(const CompressionOptions& options) const;

    // Null where it has not been worked out yet. fill_some() works on these in their order; true: more is
    // left.
    const CompressionSummary* find(const CompressionOptions& options) const;
    bool fill_some(std::span<const CompressionOptions> wanted) const;

    void project(const Scenario& scenario, const Report& report) const;
    const GradientProjection& projection() const { return projection_; }

private:
    // A run that is not needed before it is done.
    struct Pending
    {
        CompressionTraining training;
        GradientError error;
        std::vector<double> errors;

        explicit Pending(const CompressionOptions& options) : training(options), error(options) {}
    };

    void keep(CompressionSummary run) const;
    void work_out(const CompressionRun& run) const;
    void work_on(const CompressionOptions& options) const;

    mutable CompressionRun reference_; // uncompressed
    mutable std::optional<Pending> pending_;
    mutable CompressionRun shown_;
    mutable std::list<CompressionSummary> known_; // the newest first
    mutable std::optional<Scenario> scenario_;
    mutable GradientProjection projection_;
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
