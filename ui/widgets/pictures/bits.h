// The bits of a number as boxes, coloured by what they stand for.
#pragma once

#include "core/training/number_format.h"
#include "ui/draw/painter.h"

namespace ringside
{

enum class BitField : std::uint8_t
{
    sign,
    exponent,
    mantissa
};

struct ShownBit
{
    int bit = 0; // from the end of the mantissa
    bool set = false;
};

BitField field_of_bit(const NumberFormat& format, int bit);
Colour colour_of_bit(const Theme& theme, BitField field);
// What the digit in its box is drawn in.
Colour ink_of_bit(const Theme& theme, const NumberFormat& format, ShownBit bit);
// The box, without a digit.
void draw_bit(const Painter& painter, Rect box, const NumberFormat& format, ShownBit bit, bool hovered);

} // namespace ringside
