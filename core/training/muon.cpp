#include "core/training/muon.h"

#include "core/base/units.h"
#include "core/model/weights.h"

#include <algorithm>

namespace ringside
{

double newton_schulz(double s, std::int64_t steps)
{
    for (std::int64_t i = 0; i < steps; ++i)
    {
        const double square = s * s;
        s *= 3.4445 + square * (-4.7750 + square * 2.0315);
    }
    return s;
}

double muon_flops(double rows, double cols, std::int64_t steps)
{
    const double m = std::min(rows, cols);
    const double n = std::max(rows, cols);
    return real(steps) * (4 * m * m * n + 2 * m * m * m);
}

MuonCost muon_cost(const Model& model, std::int64_t steps)
{
    MuonCost cost;
    for (std::int64_t layer = 0; layer < model.layers; ++layer)
    {
        for (const Weight& w : layer_weights(model, Parallel{}, layer_kind(model, layer)))
        {
            if (w.matrix())
            {
                const double each = real(w.rows) * real(w.cols);
                cost.matrices += each * real(w.copies);
                cost.flops += real(w.copies) * muon_flops(real(w.rows), real(w.cols), steps);
                cost.token_flops += 6 * each * real(w.active_copies);
            }
        }
    }
    return cost;
}

double adamw_exchanged()
{
    return 4 + 4;
}

double muon_exchanged()
{
    return adamw_exchanged() + 2;
}

} // namespace ringside
