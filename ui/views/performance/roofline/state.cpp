#include "ui/views/performance/roofline/state.h"

#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

double RooflineRange::held(double value) const
{
    return std::clamp(value, least, most);
}

void RooflineSheet::refresh(const Scenario& scenario, const RooflineState& state)
{
    if (batch_ == state.batch && work_ == state.work && scenario_ == scenario)
    {
        return;
    }
    scenario_ = scenario;
    work_ = state.work;
    batch_ = state.batch;
    roofs_ = roofs_of(scenario);
    points_.clear();
    const auto all = work_ == RooflineWork::decode
                         ? decode_points(scenario, batch_, scenario.training.sequence_length)
                         : training_points(scenario);
    seconds_ = 0;
    for (const RoofPoint& p : all)
    {
        seconds_ += p.seconds();
        if ((p.what.pass == KernelPass::forward) != (work_ == RooflineWork::backward))
        {
            points_.push_back(p);
        }
    }
}

const RoofPoint& RooflineSheet::chosen(const RooflineState& state) const
{
    const auto found = std::find_if(points_.begin(), points_.end(),
                                    [&](const RoofPoint& p)
                                    { return p.what.name == state.chosen && p.what.pass == state.pass; });
    return found == points_.end() ? first_mlp_product(points_) : *found;
}

std::vector<const RoofPoint*> RooflineSheet::products() const
{
    std::vector<const RoofPoint*> all;
    for (const RoofPoint& p : points_)
    {
        if (p.what.multiplies())
        {
            all.push_back(&p);
        }
    }
    return all;
}

const RoofPoint& RooflineSheet::product_point(const RooflineState& state) const
{
    const RoofPoint& point = chosen(state);
    return point.what.multiplies() ? point : first_mlp_product(points_);
}

ProductDetail RooflineSheet::product(const RooflineState& state) const
{
    const LayerKernel& k = product_point(state).what;
    return product_detail(Device(scenario_.cluster.gpu, scenario_.training.precision),
                          state.moved.value_or(k.product), k.peak, k.operand);
}

std::vector<ProductDetail> RooflineSheet::saw(const RooflineState& state,
                                              const std::vector<double>& rows) const
{
    const LayerKernel& k = product_point(state).what;
    return over_rows(Device(scenario_.cluster.gpu, scenario_.training.precision),
                     state.moved.value_or(k.product), k.peak, k.operand, rows);
}

const Multiprocessor& shown_multiprocessor(const RooflineState& state, const Scenario& scenario)
{
    if (state.capability)
    {
        return multiprocessors()[*state.capability % multiprocessors().size()];
    }
    const Multiprocessor* own = multiprocessor_of(scenario.cluster.gpu);
    return own != nullptr ? *own : multiprocessors()[1];
}

Scenario with_rows(const Scenario& scenario, double rows)
{
    const double tokens = rows * static_cast<double>(scenario.parallel.context) /
                          static_cast<double>(std::max<std::int64_t>(1, scenario.training.micro_batch));
    Scenario best = scenario;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t length = 64; length <= (std::int64_t{1} << 20); length *= 2)
    {
        Scenario next = scenario;
        next.training.sequence_length = length;
        const double off = std::fabs(std::log(static_cast<double>(length) / std::max(tokens, 1.0)));
        if (off < nearest && !has_errors(validate(next)))
        {
            nearest = off;
            best = next;
        }
    }
    return best;
}

} // namespace ringside
