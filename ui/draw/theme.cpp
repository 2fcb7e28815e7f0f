#include "ui/draw/theme.h"

#include "core/memory/memory.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

static_assert(std::tuple_size_v<decltype(Theme::component)> == kComponents);

constexpr Theme kDark{
    .light = false,
    .window = rgb(0x0E1218),
    .panel = rgb(0x161B22),
    .control = rgb(0x202731),
    .raised = rgb(0x2F3945),
    .grid = rgb(0x2A323D),
    .line = rgb(0x465160),
    .text = rgb(0xEEF2F6),
    .muted = rgb(0xA6B2BF),
    .faint = rgb(0x6E7A88),
    .idle_hatch = rgb(0x5A6675),
    .warning = rgb(0xF8594F),
    .ok = rgb(0x5EE8A8),
    .component = {{
        {rgb(0x3B7DE1), rgb(0x000000), 0}, // weights
        {rgb(0xFFB530), rgb(0x000000), 0}, // gradients
        {rgb(0x3C715E), rgb(0xFFFFFF), 0}, // master
        {rgb(0x35B485), rgb(0x000000), 0}, // momentum
        {rgb(0xB0E5CE), rgb(0x000000), 0}, // variance
        {rgb(0x606779), rgb(0xFFFFFF), 0}, // buffers
        {rgb(0xC773A1), rgb(0x000000), 0}, // activations
    }},
    .forward = {rgb(0x5193F5), rgb(0x000000), 0},
    .backward_input = {rgb(0x5AEBBC), rgb(0x000000), 0},
    .backward_weight = {rgb(0xFAED64), rgb(0x000000), 0},
    .tensor = {rgb(0xF9A007), rgb(0x000000), 0},
    .pipeline = {rgb(0x6F56BC), rgb(0xFFFFFF), 0},
    .data = {rgb(0xCFB7FE), rgb(0x000000), 0},
    .context = {rgb(0xBDE1EA), rgb(0x000000), 0},
    .expert = {rgb(0x089324), rgb(0x000000), 0},
    .series = {{
        {rgb(0xA05AE6), rgb(0x000000), 0},
        {rgb(0x46D2FA), rgb(0x000000), 0},
        {rgb(0x0A8C6E), rgb(0x000000), 0},
        {rgb(0xBED20A), rgb(0x000000), 0},
        {rgb(0xA06E14), rgb(0x000000), 0},
        {rgb(0xFAB4AA), rgb(0x000000), 0},
    }},
    .stage_ramp = {rgb(0x397289), rgb(0x469A9C), rgb(0x70C0A2), rgb(0xB4E0A6), rgb(0xFEFD9F)},
};

constexpr Theme kLight{
    .light = true,
    .window = rgb(0xF3F5F7),
    .panel = rgb(0xFFFFFF),
    .control = rgb(0xE8ECF0),
    .raised = rgb(0xD2D9E0),
    .grid = rgb(0xE1E6EB),
    .line = rgb(0x9AA6B2),
    .text = rgb(0x12171D),
    .muted = rgb(0x4C5865),
    .faint = rgb(0x7A8693),
    .idle_hatch = rgb(0x9AA6B2),
    .warning = rgb(0xCF0004),
    .ok = rgb(0x2D805A),
    .component = {{
        {rgb(0x1A66D0), rgb(0xFFFFFF), rgb(0x0E3872)}, // weights
        {rgb(0xE29808), rgb(0x000000), rgb(0x7C5404)}, // gradients
        {rgb(0x224A3C), rgb(0xFFFFFF), rgb(0x132921)}, // master
        {rgb(0x30A477), rgb(0x000000), rgb(0x1A5A41)}, // momentum
        {rgb(0x9FD7B3), rgb(0x000000), rgb(0x577662)}, // variance
        {rgb(0x9EA5B0), rgb(0x000000), rgb(0x575B61)}, // buffers
        {rgb(0xA8547C), rgb(0xFFFFFF), rgb(0x5C2E44)}, // activations
    }},
    .forward = {rgb(0x3370D7), rgb(0xFFFFFF), rgb(0x1C3E76)},
    .backward_input = {rgb(0x48BC91), rgb(0x000000), rgb(0x286750)},
    .backward_weight = {rgb(0xE5CD34), rgb(0x000000), rgb(0x7E711D)},
    .tensor = {rgb(0xD58529), rgb(0x000000), rgb(0x754917)},
    .pipeline = {rgb(0x460F9E), rgb(0xFFFFFF), rgb(0x270857)},
    .data = {rgb(0xAF98DB), rgb(0x000000), rgb(0x605478)},
    .context = {rgb(0xA8D8DE), rgb(0x000000), rgb(0x5C777A)},
    .expert = {rgb(0x247B3C), rgb(0xFFFFFF), rgb(0x144421)},
    .series = {{
        {rgb(0x7832B4), rgb(0xFFFFFF), rgb(0x421B63)},
        {rgb(0x468CFA), rgb(0x000000), rgb(0x264D89)},
        {rgb(0x0A645A), rgb(0xFFFFFF), rgb(0x053731)},
        {rgb(0x6E9628), rgb(0x000000), rgb(0x3C5216)},
        {rgb(0x82461E), rgb(0xFFFFFF), rgb(0x472610)},
        {rgb(0xBE7896), rgb(0x000000), rgb(0x684252)},
    }},
    .stage_ramp = {rgb(0x04313E), rgb(0x0D5F5E), rgb(0x418E6F), rgb(0x91B87E), rgb(0xE5E081)},
};

// Data keeps its colours and all else is black or white: WCAG 2's contrast of 7 for every word, of 3 and more
// for every line.
constexpr Theme in_high_contrast(Theme t)
{
    const bool light = t.light;
    t.least_contrast = 7.2;
    t.window = t.panel = light ? rgb(0xFFFFFF) : rgb(0x000000);
    t.control = light ? rgb(0xF2F2F2) : rgb(0x121212);
    t.raised = light ? rgb(0xD0D0D0) : rgb(0x303030);
    t.grid = light ? rgb(0x8A8A8A) : rgb(0x6E6E6E);
    t.line = t.faint = t.idle_hatch = light ? rgb(0x3A3A3A) : rgb(0xC8C8C8);
    t.text = light ? rgb(0x000000) : rgb(0xFFFFFF);
    t.muted = light ? rgb(0x1E1E1E) : rgb(0xE8E8E8);
    t.warning = light ? rgb(0xA00000) : rgb(0xFF8A80);
    t.ok = light ? rgb(0x00502A) : rgb(0x7CF5B8);
    return t;
}
constexpr Theme kDarkContrast = in_high_contrast(kDark);
constexpr Theme kLightContrast = in_high_contrast(kLight);

} // namespace

const Theme& theme_of(bool light, bool high_contrast)
{
    static constexpr std::array kThemes{&kDark, &kLight, &kDarkContrast, &kLightContrast};
    return *kThemes[(light ? 1U : 0U) + (high_contrast ? 2U : 0U)];
}

const Theme& dark_theme()
{
    return kDark;
}
const Theme& light_theme()
{
    return kLight;
}

Colour mix(Colour from, Colour to, float amount)
{
    const float share = std::clamp(amount, 0.0F, 1.0F);
    Colour out = 0;
    for (unsigned shift = 0; shift < 32; shift += 8)
    {
        const auto a = static_cast<float>((from >> shift) & 0xFFU);
        const auto b = static_cast<float>((to >> shift) & 0xFFU);
        out |= static_cast<Colour>(std::lround(a + (b - a) * share)) << shift;
    }
    return out;
}

Colour dim(const Theme& theme, Colour colour, float amount)
{
    return mix(colour, (theme.window & 0xFFFFFFU) | (colour & 0xFF000000U), amount);
}

namespace
{

// Relative luminance of WCAG 2.
double luminance(Colour colour)
{
    const auto channel = [colour](unsigned shift)
    {
        const double c = static_cast<double>((colour >> shift) & 0xFFU) / 255;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(16);
}

} // namespace

double contrast_ratio(Colour a, Colour b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Colour ink_on(Colour fill)
{
    constexpr double kEven = 0.179; // where both have the same contrast
    return luminance(fill) > kEven ? rgb(0x000000) : rgb(0xFFFFFF);
}

Colour words_in(const Theme& theme, const Mark& mark)
{
    constexpr int kSteps = 12;
    const float alpha = static_cast<float>(mark.fill >> 24U) / 255;
    Colour from = mix(theme.window, with_alpha(mark.fill, 1), alpha);
    for (const Colour to : {mark.edge != 0 ? mark.edge : from, theme.text})
    {
        for (int i = 0; i < kSteps; ++i)
        {
            const Colour colour = mix(from, to, static_cast<float>(i) / kSteps);
            if (contrast_ratio(colour, theme.window) >= theme.least_contrast)
            {
                return colour;
            }
        }
        from = to;
    }
    return theme.text;
}

Colour with_alpha(Colour colour, float alpha)
{
    return (colour & 0xFFFFFFU) |
           (static_cast<Colour>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255)) << 24U);
}

Colour stage_colour(const Theme& theme, std::size_t stage, std::size_t stages)
{
    const float place = stages < 2 ? 0
                                   : static_cast<float>(stage) / static_cast<float>(stages - 1) *
                                         static_cast<float>(theme.stage_ramp.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), theme.stage_ramp.size() - 2);
    return mix(theme.stage_ramp[below], theme.stage_ramp[below + 1], place - static_cast<float>(below));
}

} // namespace ringside
