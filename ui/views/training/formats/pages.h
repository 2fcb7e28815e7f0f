// The pages of the view of number formats, what a user has set in them, and what follows from that at a
// moment of its clock.
#pragma once

#include "core/base/derived.h"
#include "core/performance/low_precision.h"
#include "core/training/block_format.h"
#include "core/training/loss_scale.h"
#include "core/training/number_format.h"
#include "ui/shell/paged_view.h"

namespace ringside
{

struct FormatsState
{
    FormatsState();

    std::optional<FormatId> chosen; // none: what the scenario multiplies in
    bool choosing = false;          // the list of formats is asked for
    double value = 0.1;             // on the ruler; may be infinite or NaN once a bit was flipped
    double middle = 0.1;            // of the zoomed line
    bool saturate = true;           // 8-bit formats
    Walk walk{FormatId::bf16, 1, 0.001, 256};
    std::uint64_t seed = 1; // of draws
    BlockId block = BlockId::mxfp4;
    std::vector<double> numbers;     // in blocks, all above 0
    std::optional<LowRecipe> recipe; // the first of the lowest bits that the GPU multiplies in
    std::optional<double> kept;      // in BF16; as each recipe has it
    std::optional<double> rows;      // of a product; as the scenario has them
    LossScaleRun run;
    Derived<std::pair<LossScaleRun, std::uint64_t>, std::vector<LossScaleStep>> steps; // of its seed
};
using FormatsRoom = PageRoom<FormatsState>;

extern const Page<FormatsState> bits_page, sums_page, blocks_page, recipes_page, loss_scale_page;

FormatId shown_format(const FormatsState& state, const Frame& frame);
// Shows it and asks for the list of all when it is pressed.
void choose_format(PanelColumn& column, const FormatsRoom& room);
// How far the clock is, at most `last`.
std::size_t moment_of(const Frame& frame, std::size_t last);
// 64 numbers whose magnitudes spread over some octaves, one of them far out.
std::vector<double> made_up_numbers(std::uint64_t seed);
// One of the numbers is far larger than the others, or no longer.
void turn_outlier(FormatsState& state);

// Range against precision, and the numbers next to one number.
void draw_format_range(const Painter& painter, Rect area, FormatsState& state, FormatId shown);
void draw_format_line(const Painter& painter, Rect area, FormatsState& state, FormatId shown);

// "2⁻¹⁴", "1.5", "6.55e4": powers of two as such.
std::string exact_power(double value);
std::string short_figure(double value);

} // namespace ringside
