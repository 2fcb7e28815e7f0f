#include "core/base/text/text.h"
#include "ui/views/performance/roofline/pages.h"

#include <algorithm>

namespace ringside
{

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

std::string flop_rate_words(double rate)
{
    return rate >= 1e15   ? three_digits(rate / 1e15) + " PFLOP/s"
           : rate >= 1e12 ? three_digits(rate / 1e12) + " TFLOP/s"
                          : three_digits(rate / 1e9) + " GFLOP/s";
}

std::string intensity_words(double intensity)
{
    return three_digits(intensity) + " FLOP/B";
}

} // namespace ringside
