// What a person has set in the view of number formats, and what follows from it at a moment of its clock.
#pragma once

#include "core/training/block_format.h"
#include "core/training/loss_scale.h"
#include "core/training/rounding_walk.h"
#include "ui/shell/frame.h"
#include "ui/widgets/controls.h"

namespace ringside
{

enum class FormatsPage : std::uint8_t
{
    bits,
    sums,
    blocks,
    gradients
};
inline constexpr std::array<std::string_view, 4> kFormatsPages{"Bits", "Sums", "Blocks", "Scale"};

struct FormatsState
{
    FormatsPage page = FormatsPage::bits;
    std::optional<FormatId> chosen; // none: what the scenario multiplies in
    double value = 0.1;             // on the ruler; may be infinite or NaN once a bit was flipped
    double middle = 0.1;            // of the zoomed line
    bool saturate = true;           // 8-bit formats
    Walk walk{FormatId::bf16, 1, 0.001, 256};
    std::uint64_t seed = 1; // of draws
    BlockId block = BlockId::mxfp4;
    std::vector<double> numbers; // in blocks, all above 0
    LossScaleRun run;
};

// 64 numbers whose magnitudes spread over some octaves, one of them far out.
std::vector<double> made_up_numbers(std::uint64_t seed);
// One of the numbers is far larger than the others, or no longer.
void turn_outlier(FormatsState& state);

FormatId shown_format(const FormatsState& state, const Frame& frame);
Overflow overflow_of(const FormatsState& state, const NumberFormat& format);

std::size_t addition_at(const FormatsState& state, const Frame& frame);
std::size_t loss_scale_steps(const FormatsState& state);
std::size_t loss_step_at(const FormatsState& state, const Frame& frame);

// "2^-14", "1.5", "6.55e4": powers of two as such.
std::string exact_power(double value);
std::string short_figure(double value);

} // namespace ringside
