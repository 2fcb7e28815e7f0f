#include "core/base/minimize.h"

#include <algorithm>

namespace ringside
{

namespace
{

using Point = std::vector<double>;
using Function = std::function<double(const Point&)>;

class Simplex
{
public:
    Simplex(const Function& f, const Point& start, double edge) : f_(f)
    {
        corners_.push_back({start, f(start)});
        for (std::size_t i = 0; i < start.size(); ++i)
        {
            Point corner = start;
            corner[i] += edge;
            corners_.push_back({corner, f(corner)});
        }
        sort();
    }

    const Minimum& best() const { return corners_.front(); }
    double spread() const { return corners_.back().value - corners_.front().value; }

    // Moves the worst corner through the middle of the others, further where that helps, less where not; else
    // all corners come closer to the best.
    void step()
    {
        const Minimum reflected = through_middle(-1);
        if (reflected.value < best().value)
        {
            const Minimum further = through_middle(-2);
            corners_.back() = further.value < reflected.value ? further : reflected;
        }
        else if (reflected.value < corners_[corners_.size() - 2].value)
        {
            corners_.back() = reflected;
        }
        else
        {
            const Minimum nearer = through_middle(reflected.value < corners_.back().value ? -0.5 : 0.5);
            if (nearer.value < std::min(reflected.value, corners_.back().value))
            {
                corners_.back() = nearer;
            }
            else
            {
                shrink();
            }
        }
        sort();
    }

private:
    void sort()
    {
        std::ranges::stable_sort(corners_,
                                 [](const Minimum& a, const Minimum& b) { return a.value < b.value; });
    }

    // The point on the line from the middle of all but the worst (0) to the worst (1).
    Minimum through_middle(double share) const
    {
        const Point& worst = corners_.back().at;
        Point point(worst.size());
        for (std::size_t i = 0; i < point.size(); ++i)
        {
            double middle = 0;
            for (std::size_t c = 0; c + 1 < corners_.size(); ++c)
            {
                middle += corners_[c].at[i] / static_cast<double>(corners_.size() - 1);
            }
            point[i] = middle + share * (worst[i] - middle);
        }
        return {point, f_(point)};
    }

    void shrink()
    {
        for (std::size_t c = 1; c < corners_.size(); ++c)
        {
            for (std::size_t i = 0; i < corners_[c].at.size(); ++i)
            {
                corners_[c].at[i] = (corners_[c].at[i] + best().at[i]) / 2;
            }
            corners_[c].value = f_(corners_[c].at);
        }
    }

    const Function& f_;
    std::vector<Minimum> corners_;
};

} // namespace

Minimum minimize(const Function& f, const Point& start, double step, int steps, double tolerance)
{
    if (start.empty())
    {
        return {start, f(start)};
    }
    Simplex simplex(f, start, step);
    for (int i = 0; i < steps && simplex.spread() > tolerance; ++i)
    {
        simplex.step();
    }
    return simplex.best();
}

} // namespace ringside
