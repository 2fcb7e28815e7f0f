#include "ui/widgets/pictures/bits.h"

namespace ringside
{

BitField field_of_bit(const NumberFormat& f, int bit)
{
    return bit == f.bits() - 1      ? BitField::sign
           : bit >= f.mantissa_bits ? BitField::exponent
                                    : BitField::mantissa;
}

Colour colour_of_bit(const Theme& t, BitField field)
{
    return field == BitField::sign       ? t.muted
           : field == BitField::exponent ? t.stage_ramp[1]
                                         : t.stage_ramp[3];
}

Colour ink_of_bit(const Theme& t, const NumberFormat& format, ShownBit bit)
{
    const BitField field = field_of_bit(format, bit.bit);
    const bool dark_fill = t.light && field == BitField::exponent;
    return !bit.set                  ? t.muted
           : field == BitField::sign ? t.window
           : dark_fill               ? rgb(0xFFFFFF)
                                     : rgb(0x000000);
}

void draw_bit(const Painter& p, Rect box, const NumberFormat& format, ShownBit bit, bool hovered)
{
    const Theme& t = p.theme;
    const Colour colour = colour_of_bit(t, field_of_bit(format, bit.bit));
    p.fill(box, bit.set ? colour : mix(colour, t.window, 0.86F));
    p.outline(box, hovered ? t.text : mix(colour, t.window, 0.35F));
}

} // namespace ringside
