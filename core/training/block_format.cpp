#include "core/training/block_format.h"

#include "core/base/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::string_view kMx = "OCP Microscaling Formats (MX) 1.0, sections 5.1 and 6.3";

constexpr std::array<BlockFormat, kBlockFormats> kBlockTable{{
    {BlockId::tensor_fp8, "FP8, one scale", FormatId::e4m3, 0, 0, "FP32",
     "Micikevicius et al. 2022, arXiv 2209.05433, section 2: one scale a tensor"},
    {BlockId::mxfp8, "MXFP8", FormatId::e4m3, 32, 8, "E8M0", kMx},
    {BlockId::mxfp4, "MXFP4", FormatId::e2m1, 32, 8, "E8M0", kMx},
    {BlockId::nvfp4, "NVFP4", FormatId::e2m1, 16, 8, "E4M3", "NVIDIA 2025, arXiv 2509.25149, appendix B"},
}};

double largest_magnitude(std::span<const double> values)
{
    return largest_over(values, [&](double v) { return std::fabs(v); });
}

// 2^-127 to 2^127, what E8M0 can say.
double power_of_two_scale(double most, const NumberFormat& element)
{
    if (most == 0)
    {
        return std::ldexp(1, -127);
    }
    return std::ldexp(1, std::clamp(std::ilogb(most) - element.most_exponent(), -127, 127));
}

double block_scale(const BlockFormat& f, double most, double tensor_scale)
{
    const NumberFormat& element = number_format(f.element);
    switch (f.id)
    {
    case BlockId::tensor_fp8:
        return most == 0 ? 1 : most / largest(element);
    case BlockId::mxfp8:
    case BlockId::mxfp4:
        return power_of_two_scale(most, element);
    case BlockId::nvfp4:
        break;
    }
    return tensor_scale * round_to(number_format(FormatId::e4m3), most / largest(element) / tensor_scale,
                                   Overflow::saturate);
}

} // namespace

double BlockFormat::bits_per_value() const
{
    const double own = number_format(element).bits();
    return block == 0 ? own : own + static_cast<double>(scale_bits) / block;
}

std::span<const BlockFormat> block_formats()
{
    return kBlockTable;
}

const BlockFormat& block_format(BlockId id)
{
    return kBlockTable.at(static_cast<std::size_t>(id));
}

Quantized quantize(const BlockFormat& f, std::span<const double> values)
{
    const NumberFormat& element = number_format(f.element);
    Quantized q;
    const double all = largest_magnitude(values);
    if (f.id == BlockId::nvfp4 && all > 0)
    {
        q.tensor_scale = all / (largest(element) * largest(number_format(FormatId::e4m3)));
    }
    const std::size_t size = f.block == 0 ? values.size() : static_cast<std::size_t>(f.block);
    for (std::size_t first = 0; first < values.size(); first += size)
    {
        const auto block = values.subspan(first, std::min(size, values.size() - first));
        const double scale = block_scale(f, largest_magnitude(block), q.tensor_scale);
        q.scales.push_back(scale);
        for (const double v : block)
        {
            q.values.push_back(scale == 0 ? 0 : scale * round_to(element, v / scale, Overflow::saturate));
        }
    }
    return q;
}

double relative_error(std::span<const double> values, std::span<const double> quantized)
{
    double off = 0;
    double all = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        off += (values[i] - quantized[i]) * (values[i] - quantized[i]);
        all += values[i] * values[i];
    }
    return all > 0 ? std::sqrt(off / all) : 0;
}

double flushed_share(std::span<const double> values, std::span<const double> quantized)
{
    double there = 0;
    double gone = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        there += values[i] != 0 ? 1 : 0;
        gone += values[i] != 0 && quantized[i] == 0 ? 1 : 0;
    }
    return there > 0 ? gone / there : 0;
}

} // namespace ringside
