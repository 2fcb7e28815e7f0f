// What numbers of few bits can hold: their range and precision, sums that stop growing, scales shared by
// blocks, and gradients that need a loss scale.
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/choice.h"

#include <utility>

namespace ringside
{

namespace
{

constexpr const char* kPopup = "choose a number format";

constexpr std::array<std::string_view, 5> kPages{"formats/bits", "formats/sums", "formats/blocks",
                                                 "formats/scale", "formats/recipes"};

// A loss scale is for FP16: other formats have no need of one.
std::optional<Scenario> in_fp16(const Scenario& own, const Presets&)
{
    if (own.training.precision == Precision::fp16)
    {
        return std::nullopt;
    }
    Scenario next = own;
    next.training.precision = Precision::fp16;
    return next;
}

constexpr std::array kOpenings{Opening{"formats/scale", "FP16", in_fp16}};

class FormatsView final : public PagedView<FormatsState>
{
public:
    FormatsView() : PagedView(kPages, {&bits_page, &sums_page, &blocks_page, &loss_scale_page, &recipes_page})
    {
    }

    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        draw_popup(painter, out);
        PagedView::draw(frame, painter, area, out);
    }
    ViewKeys keys() override;

private:
    void draw_popup(const Painter& painter, Out& out);
};

void FormatsView::draw_popup(const Painter& painter, Out& out)
{
    std::vector<Choosable> choices;
    for (const NumberFormat& f : number_formats())
    {
        choices.push_back({f.name, f.name, f.source});
    }
    if (std::exchange(state_.choosing, false))
    {
        ImGui::OpenPopup(kPopup);
    }
    if (const auto chosen = choice_popup(painter, kPopup, choices))
    {
        state_.chosen = static_cast<FormatId>(*chosen);
        out.animating = true;
    }
}

ViewKeys FormatsView::keys()
{
    return {{"1 to 7", "FP32, TF32, BF16, FP16, E4M3, E5M2, E2M1",
             [this](const KeyPress& k) { state_.chosen = static_cast<FormatId>(k.which); }},
            {"F", "Choose a format from a list", [this] { state_.choosing = true; }},
            turn_key("Bits, sums, block scales, loss scale, recipes"),
            {"R", "New random numbers", [this] { state_.numbers = made_up_numbers(++state_.seed); }},
            {"D", "Loss scaling: dynamic or fixed", flips(state_.run.rule.dynamic)},
            {"O", "8-bit formats saturate or not; in blocks the outlier",
             [this]
             {
                 state_.saturate = state_.saturate != shows(bits_page);
                 if (shows(blocks_page))
                 {
                     turn_outlier(state_);
                 }
             }},
            {"drag", "The number, its neighbors, bars, the distribution"}};
}

} // namespace

extern const ViewInfo formats_view{30,
                                   "formats",
                                   ViewGroup::training,
                                   "Number formats",
                                   "Number formats",
                                   "FP32 to FP4 bit by bit: range, precision, lost sums, block scales, "
                                   "training recipes of 8 and 4 bits, loss scaling",
                                   {"training.precision", "gpu"},
                                   make_view<FormatsView>,
                                   kPages,
                                   ViewRole::other,
                                   kOpenings};

} // namespace ringside
