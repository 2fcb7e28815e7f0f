#include "ui/views/goodput/range.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

double slide(const Painter& p, Rect row, const Range& r, double value, TypedEntry& entry)
{
    const double at = std::clamp(value, r.low, r.high);
    const double share =
        r.logarithmic ? std::log(at / r.low) / std::log(r.high / r.low) : (at - r.low) / (r.high - r.low);
    const SliderText words{r.label, r.shown, {}, false};
    const SliderChange change = slider(p, row, words, static_cast<float>(share), entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
    {
        const auto to = static_cast<double>(std::clamp(change.position, 0.0F, 1.0F));
        return r.logarithmic ? r.low * std::pow(r.high / r.low, to) : r.low + (r.high - r.low) * to;
    }
    case SliderChange::Kind::stepped:
        return std::clamp(r.logarithmic ? at * (change.steps > 0 ? 1.25 : 0.8)
                                        : at + change.steps * (r.high - r.low) / 20,
                          r.low, r.high);
    case SliderChange::Kind::typed:
    {
        std::string text = change.text;
        std::erase(text, '%');
        const auto typed = parse_number(text);
        return typed ? std::clamp(*typed * r.unit, r.low, r.high) : value;
    }
    case SliderChange::Kind::none:
        break;
    }
    return value;
}

} // namespace ringside
