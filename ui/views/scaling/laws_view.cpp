// Where to spend the compute: size against tokens by the published scaling laws, from the scenario's own.
#include "ui/views/scaling/laws/pages.h"

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kPages{"laws/valleys", "laws/models", "laws/serving",
                                                 "laws/repeats"};

class LawsView final : public PagedView<LawsState>
{
public:
    LawsView() : PagedView(kPages, {&isoflop_page, &models_page, &inference_page, &epochs_page}) {}

    ViewKeys keys() override
    {
        return {turn_key("IsoFLOP curves, trained models, inference, repeated data"),
                {"F", "Which fit: as printed, with all digits, refitted", turns(state_.kind, kFits)},
                {"R", "Back to the scenario's model and tokens", [this] { state_.moved.reset(); }},
                {"drag", "The point: along the curve, over the map, to another number of epochs"},
                {"click", "An optimum or a model: go there"}};
    }
};

} // namespace

extern const ViewInfo laws_view{
    10,
    "laws",
    ViewGroup::scaling,
    "Scaling laws",
    "Scaling laws",
    "IsoFLOP curves, Kaplan and Chinchilla with their fits, trained models, inference and repeated data",
    {"model", "training.tokens"},
    make_view<LawsView>,
    kPages};

} // namespace ringside
