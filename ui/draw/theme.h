// Every colour the window uses, dark and light, each also in high contrast. The interface is neutral; colour
// belongs to data and means the same everywhere. Colours were chosen for separation under colour-blindness;
// tests/ui/theme_test.cpp recomputes it.
#pragma once

#include <array>
#include <cstdint>

namespace ringside
{

enum class Component;

using Colour = std::uint32_t; // as ImGui packs it: 0xAABBGGRR

constexpr Colour rgb(std::uint32_t hex, std::uint32_t alpha = 255)
{
    return (alpha << 24U) | ((hex & 0xFFU) << 16U) | (hex & 0xFF00U) | ((hex >> 16U) & 0xFFU);
}

// A colour for data: what fills a block, what is written on it, and its edge (only drawn where the fill is
// close to the window).
struct Ink
{
    Colour fill = 0;
    Colour label = 0;
    Colour edge = 0; // 0: none
};

// What a line or a point of a chart is drawn in, and its entry in a legend: a colour, or data's ink with the
// edge that it has in the light theme.
struct Mark
{
    Mark() = default;
    Mark(Colour colour) : fill(colour) {} // NOLINT(google-explicit-constructor): every colour is a mark's
    Mark(const Ink& ink) : fill(ink.fill), edge(ink.edge) {} // NOLINT(google-explicit-constructor)

    Colour fill = 0;
    Colour edge = 0; // 0: none
};

struct Theme
{
    bool light = false;
    double least_contrast = 4.7; // of words in a mark's colour: 4.5 and what shines through their ground
    Colour window, panel, control, raised;
    Colour grid, line;
    Colour text, muted, faint; // faint is never text
    Colour idle_hatch;
    Colour warning; // "does not fit" and "wrong", nothing else, and never without a shape
    Colour ok;
    std::array<Ink, 7> component; // by Component
    Ink forward, backward_input, backward_weight;
    Ink tensor, pipeline, data, context, expert; // communication by axis
    std::array<Ink, 6> series;                   // what is compared and is none of these: GPUs, algorithms
    std::array<Colour, 5> stage_ramp;

    const Ink& of(Component c) const { return component[static_cast<std::size_t>(c)]; }
};

const Theme& dark_theme();
const Theme& light_theme();
const Theme& theme_of(bool light, bool high_contrast);

// Towards the window's colour: for everything that is not on a highlighted path.
Colour dim(const Theme& theme, Colour colour, float amount = 0.78F);
Colour mix(Colour from, Colour to, float amount);
Colour with_alpha(Colour colour, float alpha);
// WCAG 2's ratio, 1 to 21.
double contrast_ratio(Colour a, Colour b);
// The colour of words that name a mark: as near to its colour as a contrast of 4.5 with the window allows.
Colour words_in(const Theme& theme, const Mark& mark);
// Black or white on a fill, whichever stands out more.
Colour ink_on(Colour fill);
// Stage `stage` of `stages` on the ramp.
Colour stage_colour(const Theme& theme, std::size_t stage, std::size_t stages);

} // namespace ringside
