// Where to spend the compute: size against tokens by the published scaling laws, from the scenario's own.
#include "ui/shell/view.h"
#include "ui/views/scaling/laws/pictures.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kPages{"laws/valleys", "laws/models", "laws/serving",
                                                 "laws/repeats"};

class LawsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override
    {
        return laws_caption(state_, split_of(frame, state_));
    }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        draw_laws_panel(painter, area, state_, split_of(frame, state_), out);
        return true;
    }
    ViewKeys keys() override;
    void show(std::string_view page) override { turn_to(state_.picture, kPages, page); }

private:
    LawsState state_;
};

void LawsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const LawsSplit split = split_of(frame, state_);
    switch (state_.picture)
    {
    case LawsPicture::valleys:
        draw_valleys(painter, area, state_, split, out);
        break;
    case LawsPicture::models:
        draw_trained_models(painter, area, state_, split, out);
        break;
    case LawsPicture::serving:
        draw_serving(painter, area, state_, split, out);
        break;
    case LawsPicture::repeats:
        draw_repeats(painter, area, state_, split, out);
        break;
    }
}

ViewKeys LawsView::keys()
{
    return {{"Y", "Valleys, trained models, serving, repeated data", turns(state_.picture, kLawsPictures)},
            {"F", "Whose fit: as printed, with all digits, fitted anew", turns(state_.kind, kFits)},
            {"R", "Back to the scenario's model and tokens", [this] { state_.moved.reset(); }},
            {"drag", "The point: along the valley, over the map, to another number of passes"},
            {"click", "An optimum or a model: stand there"}};
}

constexpr std::array<std::string_view, 2> kControls{"model", "training.tokens"};

} // namespace

extern const ViewInfo laws_view;
const ViewInfo laws_view{
    30,
    "laws",
    "Scaling",
    "Scaling laws",
    "Scaling laws",
    "IsoFLOP curves, Kaplan and Chinchilla with their fits, trained models, inference and repeated data",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<LawsView>()); },
    kPages};

} // namespace ringside
