// The pages of the scaling laws: whose fit, and the split that was moved by hand.
//
// The point starts at the scenario's model and tokens, and R goes back; it belongs to the view, because
// sizes between presets have no scenario.
#pragma once

#include "core/base/text/text.h"
#include "core/scaling/law.h"
#include "ui/shell/paged_view.h"

namespace ringside
{

inline constexpr Track kLawsCompute = Track::log(1e17, 1e28, three_digits); // [FLOP]
inline constexpr Track kLawsParameters = Track::log(1e6, 1e14, format_count);
inline constexpr Track kLawsTokens = Track::log(1e7, 1e16, format_count);
inline constexpr Track kLawsServed = Track::log(1e9, 1e17, format_count);
inline constexpr Track kLawsPasses = Track::log(1, 200, three_digits);

struct LawsState
{
    FitKind kind = FitKind::refit;
    std::optional<ComputeOptimum> moved; // nothing: the scenario's model and tokens
    double served = 1e13;                // tokens
    std::optional<double> unique;        // tokens; nothing: a quarter of those seen
    double passes = 4;

    const LossFit& fit() const { return loss_fit(kind); }
};

// A split of a budget with all that follows from it.
struct LawsSplit
{
    bool moved_in = false; // the scenario itself lies beyond the pictures
    double parameters = 1;
    double tokens = 1;
    double flops = 6;
    double loss = 0;
    ComputeOptimum best; // of the same compute
    double best_loss = 0;
    double overspent = 1; // times the compute that the same loss needs
};

using LawsRoom = PageRoom<LawsState>;

extern const Page<LawsState> isoflop_page, models_page, inference_page, epochs_page;

LawsSplit split_of(const Frame& frame, const LawsState& state);
// Moves N along the isoFLOP curve: compute stays.
void move_along(LawsState& state, const LawsSplit& now, double parameters);
void move_to(LawsState& state, double parameters, double tokens);

// Fit and compute, what the page sets, and what the split comes to.
void panel_split(PanelColumn& column, const LawsRoom& room, const std::function<void(const LawsSplit&)>& own);
// The panel with the number of parameters as its own.
void panel_parameters(PanelColumn& column, const LawsRoom& room);
// With the fit's constants as its source, and a word on a scenario beyond the picture.
Caption split_caption(const LawsState& state, const LawsSplit& split, std::string sentence,
                      std::string formula);

// "1e21 FLOPs"
std::string flop_words(double flops);

} // namespace ringside
