#include "core/model/family.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/weights.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace ringside
{

namespace
{

// Requests are rounded to a grid of sizes 2% apart and every shape is within kTolerance of its grid point, so
// neighbours never change places: (1 + kTolerance) / (1 - kTolerance) < kGrid. That makes the slider monotone
// without any memory.
constexpr double kGrid = 1.02;
constexpr double kTolerance = 0.0098;
// Heads are 128 wide from here on, 64 below (Llama 3.2 1B has 64, 3B has 128).
constexpr double kWideHeads = 1.5e9;

struct Proportion
{
    double parameters;
    double aspect; // hidden / layers
};

// Brown et al., arXiv 2005.14165, Table 2.1; MT-NLG 530B, arXiv 2201.11990; Narayanan et al., arXiv
// 2104.04473, Table 1.
constexpr std::array kGptProportions{Proportion{1.25e8, 64},  Proportion{1.3e9, 85},
                                     Proportion{6.7e9, 128},  Proportion{1.75e11, 128},
                                     Proportion{5.3e11, 195}, Proportion{1e12, 200}};
// Llama 3.2's model card; Llama Team, arXiv 2407.21783, Table 3; beyond it the proportions of the largest
// GPTs.
constexpr std::array kLlamaProportions{Proportion{1e8, 64},      Proportion{1.24e9, 128},
                                       Proportion{8.03e9, 128},  Proportion{7.06e10, 102.4},
                                       Proportion{4.06e11, 130}, Proportion{1e13, 200}};

// Straight lines between the published points, on a logarithmic axis of sizes.
double aspect_at(double parameters, Family family)
{
    const std::span<const Proportion> table =
        family == Family::gpt ? std::span<const Proportion>(kGptProportions) : kLlamaProportions;
    const auto above = std::find_if(table.begin(), table.end(),
                                    [&](const Proportion& p) { return p.parameters >= parameters; });
    if (above == table.begin() || above == table.end())
    {
        return above == table.end() ? table.back().aspect : table.front().aspect;
    }
    const Proportion& below = *(above - 1);
    const double share =
        std::log(parameters / below.parameters) / std::log(above->parameters / below.parameters);
    return below.aspect + share * (above->aspect - below.aspect);
}

std::int64_t round_up(std::int64_t value, std::int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

// The largest divisor of `multiple` that is at most `most`; 1 where there is none.
std::int64_t sensible_multiple(std::int64_t multiple, double most)
{
    std::int64_t divisor =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, std::max<std::int64_t>(1, multiple));
    while (multiple % divisor != 0)
    {
        --divisor;
    }
    return divisor;
}

// What a shape has to meet.
struct Request
{
    Family family;
    double parameters;
    double aspect;
    double hidden; // that the aspect and the size ask for
    std::int64_t layer_multiple = 1;
    std::int64_t head_multiple = 1;
};

Model skeleton(Family family)
{
    Model m;
    m.layers = 1;
    if (family == Family::gpt)
    {
        m.biases = true;
        m.dropout = true;
        return m;
    }
    m.gated_mlp = true;
    m.tied_embeddings = false;
    m.attention = Attention::gqa;
    m.norm = Norm::rmsnorm;
    m.positions = Positions::rope;
    m.vocab = 128256;
    m.max_sequence_length = 131072;
    return m;
}

Request request_of(double parameters, Family family, std::int64_t layer_multiple, std::int64_t head_multiple)
{
    Request request{family, parameters, aspect_at(parameters, family), 0};
    const Model m = skeleton(family);
    const double rows = static_cast<double>(m.vocab) * (m.tied_embeddings ? 1 : 2);
    // A block has about 12 h^2 parameters in both families: 12 h^3 / aspect + rows h = parameters, by Newton
    // from above.
    double h = std::cbrt(parameters * request.aspect / 12);
    for (int i = 0; i < 8; ++i)
    {
        const double cube = 12 * h * h / request.aspect;
        h -= (cube * h + rows * h - parameters) / (3 * cube + rows);
    }
    request.hidden = h;
    request.layer_multiple = sensible_multiple(layer_multiple, 4 * h / request.aspect);
    request.head_multiple = sensible_multiple(head_multiple, 4 * h / 64);
    return request;
}

// Heads for a width. Fewer and narrower ones only where the multiple would make attention much wider than the
// model.
void set_heads(const Request& request, Model& m)
{
    const bool grouped = request.family == Family::llama;
    // Groups split over tensor ranks as the heads do: 8, or the first multiple beyond.
    const std::int64_t unit = grouped ? round_up(8, request.head_multiple) : request.head_multiple;
    m.head_dim = request.parameters < kWideHeads ? 64 : 128;
    while (m.head_dim > 32 && 2 * unit * m.head_dim > 3 * m.hidden)
    {
        m.head_dim /= 2;
    }
    m.heads = std::max<std::int64_t>(1, (m.hidden + unit * m.head_dim / 2) / (unit * m.head_dim)) * unit;
    m.kv_heads = grouped ? unit : m.heads;
}

// The family's MLP width for a hidden width.
std::int64_t usual_ffn(const Request& request, const Model& m)
{
    if (request.family == Family::gpt)
    {
        return round_up(4 * m.hidden, request.head_multiple);
    }
    // 3.5 h since Llama 3 8B (Llama Team, Table 3); before, the 8/3 h that keeps a 4 h MLP's size (arXiv
    // 2002.05202, section 2).
    const double wide = request.parameters > 7.5e9 ? 3.5 : 8.0 / 3;
    return round_up(static_cast<std::int64_t>(wide * static_cast<double>(m.hidden)),
                    std::lcm<std::int64_t>(256, request.head_multiple));
}

// Parameters of a shape as its layers and ffn vary: fixed + layers (block + slope ffn).
struct Size
{
    double fixed;
    double block;
    double slope;

    double at(std::int64_t layers, std::int64_t ffn) const
    {
        return fixed + static_cast<double>(layers) * (block + slope * static_cast<double>(ffn));
    }
};

Size size_of(Model m)
{
    m.layers = 1;
    m.ffn = 0;
    const ParameterCount without = count_parameters(m);
    m.ffn = 256;
    const ParameterCount with = count_parameters(m);
    return {static_cast<double>(without.total - without.layers), static_cast<double>(without.layers),
            static_cast<double>(with.total - without.total) / 256};
}

// The ffn that brings `layers` layers to the requested size, in the roundest steps that come near enough; 0:
// none does.
std::int64_t fitted_ffn(const Request& request, const Size& size, std::int64_t layers)
{
    const auto l = static_cast<double>(layers);
    std::int64_t step = 256;
    while (step > 1 && l * size.slope * static_cast<double>(std::lcm(step, request.head_multiple)) >
                           2 * 0.95 * kTolerance * request.parameters)
    {
        step /= 2;
    }
    step = std::lcm(step, request.head_multiple);
    const double ffn = ((request.parameters - size.fixed) / l - size.block) / size.slope;
    return ffn < static_cast<double>(step) ? 0 : std::llround(ffn / static_cast<double>(step)) * step;
}

struct Candidate
{
    Model model;
    double penalty = 1e300;
};

// How far a shape is from what people build; no unit. Odd numbers of layers and unround widths cost a little.
double penalty(const Request& request, const Model& m, double usual, double error)
{
    const auto h = static_cast<double>(m.hidden);
    const auto deviation = [](double value, double from) { return std::abs(std::log(value / from)); };
    double sum = deviation(h / static_cast<double>(m.layers), request.aspect);
    const double odd_ffn = deviation(static_cast<double>(m.ffn), usual);
    // GPT's 4 h is a rule, given up only where the multiples leave nothing like the aspect.
    sum += 2 * odd_ffn + (request.family == Family::gpt && odd_ffn > 0 ? 0.4 : 0);
    sum += deviation(static_cast<double>(m.heads * m.head_dim), h);
    sum += (m.hidden % 1024 != 0 ? 0.03 : 0) + (m.hidden % 256 != 0 ? 0.03 : 0);
    sum += (m.layers % 4 != 0 ? 0.02 : 0) + (m.layers % 2 != 0 ? 0.02 : 0);
    return sum + (error > kTolerance ? 1000 * error : 0); // outside only when nothing is inside
}

// The best number of layers and ffn for a width, if better than what there is.
void try_width(const Request& request, std::int64_t hidden, Candidate& best)
{
    Model m = best.model;
    m.hidden = hidden;
    set_heads(request, m);
    const Size size = size_of(m);
    const std::int64_t usual = usual_ffn(request, m);
    const double wanted = (request.parameters - size.fixed) / (size.at(1, usual) - size.fixed);
    const std::int64_t fewer =
        static_cast<std::int64_t>(std::max(0.0, wanted)) / request.layer_multiple * request.layer_multiple;
    for (const std::int64_t layers : {fewer, fewer + request.layer_multiple})
    {
        const auto error = [&](std::int64_t ffn)
        { return std::abs(size.at(layers, ffn) / request.parameters - 1); };
        m.layers = layers;
        m.ffn = error(usual) <= kTolerance || layers == 0 ? usual : fitted_ffn(request, size, layers);
        if (layers == 0 || m.ffn == 0)
        {
            continue;
        }
        if (const double p = penalty(request, m, static_cast<double>(usual), error(m.ffn)); p < best.penalty)
        {
            best = {m, p};
        }
    }
}

} // namespace

Model model_of_size(double parameters, Family family, std::int64_t layer_multiple, std::int64_t head_multiple)
{
    const double asked = std::isfinite(parameters) ? std::clamp(parameters, kLeastParameters, kMostParameters)
                                                   : kLeastParameters;
    const double rung = std::round(std::log(asked / kLeastParameters) / std::log(kGrid));
    const Request request =
        request_of(kLeastParameters * std::pow(kGrid, rung), family, layer_multiple, head_multiple);

    Candidate best{skeleton(family)};
    std::int64_t step = request.parameters < kWideHeads ? 64 : 128;
    while (0.8 * request.hidden > 40 * static_cast<double>(step)) // at most 40 widths are tried
    {
        step *= 2;
    }
    for (std::int64_t h = step; static_cast<double>(h) < 1.4 * request.hidden; h += step)
    {
        if (static_cast<double>(h) > 0.6 * request.hidden)
        {
            try_width(request, h, best);
        }
    }
    const auto count = static_cast<double>(count_parameters(best.model).total);
    best.model.name =
        fmt::format("{} shape, {}", family == Family::gpt ? "GPT" : "Llama", format_count(count));
    return resolved(best.model);
}

Family family_of(const Model& model)
{
    return model.gated_mlp ? Family::llama : Family::gpt;
}

} // namespace ringside
