#include "core/training/descent.h"

#include "core/base/random.h"
#include "core/training/learning_rate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kBounds = 1e6;

using Pair = std::array<double, 2>;

Pair gradient_at(const Valley& v, const Pair& w)
{
    const double c = std::cos(v.angle);
    const double s = std::sin(v.angle);
    const double dx = w[0] - v.x;
    const double dy = w[1] - v.y;
    const double u = v.along * (c * dx + s * dy);
    const double across = v.across * (c * dy - s * dx);
    return {c * u - s * across, s * u + c * across};
}

bool beyond(double x, double y)
{
    return !(std::max(std::fabs(x), std::fabs(y)) <= kBounds);
}

double norm(const Pair& g)
{
    return std::hypot(g[0], g[1]);
}

// What an optimizer keeps between steps, and the step it makes.
class Walker
{
public:
    explicit Walker(const DescentOptions& options) : o_(options) {}

    // Subtracted from the weights.
    Pair update(const Pair& w, Pair g)
    {
        ++step_;
        const bool inside = o_.stepper != Stepper::adamw;
        Pair out{};
        for (std::size_t i = 0; i < 2; ++i)
        {
            g[i] += inside ? o_.weight_decay * w[i] : 0;
            out[i] = o_.rate * direction(i, g[i]) + (inside ? 0 : o_.rate * o_.weight_decay * w[i]);
        }
        return out;
    }

private:
    double direction(std::size_t i, double g)
    {
        switch (o_.stepper)
        {
        case Stepper::sgd:
            return g;
        case Stepper::momentum:
            return m_[i] = o_.momentum * m_[i] + g;
        case Stepper::adam_l2:
        case Stepper::adamw:
            break;
        }
        m_[i] = o_.beta1 * m_[i] + (1 - o_.beta1) * g;
        v_[i] = o_.beta2 * v_[i] + (1 - o_.beta2) * g * g;
        const double m = o_.bias_correction ? m_[i] / (1 - std::pow(o_.beta1, step_)) : m_[i];
        const double v = o_.bias_correction ? v_[i] / (1 - std::pow(o_.beta2, step_)) : v_[i];
        return m / (std::sqrt(v) + o_.epsilon);
    }

    const DescentOptions& o_;
    Pair m_{};
    Pair v_{};
    int step_ = 0;
};

} // namespace

double Valley::loss(double px, double py) const
{
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double u = c * (px - x) + s * (py - y);
    const double v = c * (py - y) - s * (px - x);
    return (along * u * u + across * v * v) / 2;
}

std::vector<DescentPoint> descend(const Valley& valley, const DescentOptions& o)
{
    SplitMix random(o.seed);
    Walker walker(o);
    Pair w{o.x, o.y};
    std::vector<DescentPoint> path{{.x = w[0], .y = w[1], .loss = valley.loss(w[0], w[1])}};
    while (path.size() <= o.steps && !beyond(w[0], w[1]))
    {
        Pair g = gradient_at(valley, w);
        g[0] += valley.noise * random.normal();
        g[1] += valley.noise * random.normal();
        const double factor = clip_factor(norm(g), o.clip);
        const Pair step = walker.update(w, {g[0] * factor, g[1] * factor});
        w = {w[0] - step[0], w[1] - step[1]};
        path.push_back({w[0], w[1], valley.loss(w[0], w[1]), norm(g), norm(step), g[0], g[1]});
    }
    return path;
}

bool diverged(const std::vector<DescentPoint>& path)
{
    return !path.empty() && beyond(path.back().x, path.back().y);
}

double largest_stable_rate(const Valley& valley)
{
    return 2 / std::max(valley.along, valley.across);
}

} // namespace ringside
