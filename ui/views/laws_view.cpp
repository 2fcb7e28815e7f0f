// Where to spend the compute: size against tokens by the published scaling laws, from the scenario's own.
#include "ui/shell/view.h"
#include "ui/views/laws/pictures.h"

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
        panel_.draw(painter, area, state_, split_of(frame, state_), out);
        return true;
    }
    void keys(const Frame& frame, Out& out) override;
    void show(std::string_view page) override { turn_to(state_.picture, kPages, page); }

private:
    LawsState state_;
    LawsPanel panel_;
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

void LawsView::keys(const Frame&, Out& out)
{
    const auto pressed = [&](ImGuiKey key)
    {
        const bool hit = ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl;
        out.animating = out.animating || hit;
        return hit;
    };
    if (pressed(ImGuiKey_Y))
    {
        state_.picture =
            static_cast<LawsPicture>((static_cast<std::size_t>(state_.picture) + 1) % kLawsPictures);
    }
    if (pressed(ImGuiKey_F))
    {
        state_.kind = static_cast<FitKind>((static_cast<std::size_t>(state_.kind) + 1) % kFits);
    }
    if (pressed(ImGuiKey_R))
    {
        state_.moved.reset();
    }
}

constexpr std::array<std::string_view, 2> kControls{"model", "training.tokens"};
constexpr std::array kKeys{
    KeyHelp{"Y", "Valleys, trained models, serving, repeated data"},
    KeyHelp{"F", "Whose fit: as printed, with all digits, fitted anew"},
    KeyHelp{"R", "Back to the scenario's model and tokens"},
    KeyHelp{"drag", "The point: along the valley, over the map, to another number of passes"},
    KeyHelp{"click", "An optimum or a model: stand there"}};

} // namespace

extern const ViewInfo laws_view;
const ViewInfo laws_view{
    62,
    "laws",
    "Scaling",
    "Laws",
    "Where should the compute go?",
    "Valleys of equal compute, Kaplan and Chinchilla with their fits, trained models, serving "
    "and repeated data",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<LawsView>()); },
    kPages};

} // namespace ringside
