// Where the seconds of a step go: from model FLOPs at the peak, loss by loss, to the step; what one change
// would do; and the constants all of it depends on.
#include "ui/views/performance/waterfall/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 3> kPages{"waterfall/step", "waterfall/sensitivity",
                                                 "waterfall/constants"};

class WaterfallView final : public PagedView<WaterfallState>
{
public:
    WaterfallView() : PagedView(kPages, {&step_page, &sensitivity_page, &constants_page}) {}

    ViewKeys keys() override
    {
        return {turn_key("Step time, sensitivity, constants"),
                {"W", "Sensitivity: each setting one step down and up", [this] { go(sensitivity_page); }},
                {"C", "The constants, with their sources", [this] { go(constants_page); }},
                {"N", "FLOP convention: 6N, attention, causal, HFU", turns(state_.convention.numerator, 4)},
                {"P", "Dense or sparse peak", turns(state_.convention.peak, 2)},
                {"wheel", "More constants"}};
    }
};

} // namespace

extern const ViewInfo waterfall_view{
    10,
    "waterfall",
    ViewGroup::performance,
    "Step time",
    "Step time and MFU",
    "From model FLOPs at peak to the step time, loss by loss; sensitivity to each setting",
    {"model", "gpus", "software", "tensor", "pipeline", "micro_batch"},
    make_view<WaterfallView>,
    kPages};

} // namespace ringside
