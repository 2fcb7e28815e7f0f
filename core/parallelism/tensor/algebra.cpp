#include "core/parallelism/tensor/algebra.h"

#include "core/base/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace ringside
{

namespace
{

constexpr std::size_t kStages = 12;

Matrix four_by_four(const std::array<double, 16>& values)
{
    Matrix m(kSide, kSide);
    std::copy(values.begin(), values.end(), m.values.begin());
    return m;
}

template <class F>
Matrix each(const Matrix& m, const F& f)
{
    Matrix out = m;
    std::transform(m.values.begin(), m.values.end(), out.values.begin(), f);
    return out;
}

Matrix times(const Matrix& a, const Matrix& b)
{
    Matrix out = a;
    std::transform(a.values.begin(), a.values.end(), b.values.begin(), out.values.begin(),
                   [](double x, double y) { return x * y; });
    return out;
}

} // namespace

Matrix product(const Matrix& a, const Matrix& b)
{
    Matrix out(a.rows, b.cols);
    for (std::int64_t r = 0; r < a.rows; ++r)
    {
        for (std::int64_t c = 0; c < b.cols; ++c)
        {
            for (std::int64_t i = 0; i < a.cols; ++i)
            {
                out.at(r, c) += a.at(r, i) * b.at(i, c);
            }
        }
    }
    return out;
}

Matrix transposed(const Matrix& m)
{
    Matrix out(m.cols, m.rows);
    for (std::int64_t r = 0; r < m.rows; ++r)
    {
        for (std::int64_t c = 0; c < m.cols; ++c)
        {
            out.at(c, r) = m.at(r, c);
        }
    }
    return out;
}

Matrix sum(const Matrix& a, const Matrix& b)
{
    Matrix out = a;
    std::transform(a.values.begin(), a.values.end(), b.values.begin(), out.values.begin(), std::plus<>{});
    return out;
}

Matrix slice(const Matrix& m, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols)
{
    Matrix out(rows, cols);
    for (std::int64_t r = 0; r < rows; ++r)
    {
        for (std::int64_t c = 0; c < cols; ++c)
        {
            out.at(r, c) = m.at(row + r, col + c);
        }
    }
    return out;
}

double largest_difference(const Matrix& a, const Matrix& b)
{
    return largest_over(a.values.size(), [&](std::size_t i) { return std::abs(a.values[i] - b.values[i]); });
}

double gelu(double x)
{
    return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
}

double gelu_slope(double x)
{
    const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return (1 + std::erf(x / std::numbers::sqrt2)) / 2 + x * density;
}

std::string_view says(TensorStage stage)
{
    constexpr std::array<std::string_view, kStages> kSays{"the input",
                                                          "all-gather of tokens",
                                                          "X A",
                                                          "GeLU",
                                                          "Y B",
                                                          "sum over ranks",
                                                          "the gradient of Z",
                                                          "all-gather of tokens",
                                                          "dZ B\u1d40",
                                                          "slope of GeLU",
                                                          "dH A\u1d40",
                                                          "sum over ranks"};
    return kSays.at(static_cast<std::size_t>(stage));
}

bool communicates(TensorStage stage)
{
    return stage == TensorStage::gather || stage == TensorStage::reduce ||
           stage == TensorStage::loss_gather || stage == TensorStage::input_reduce;
}

TensorAlgebra::TensorAlgebra(TensorOptions options)
    : options_(std::move(options)),
      a_(four_by_four({1, -1, 0.5, 2, -0.5, 1, 1, -1, 0.5, 0.5, -2, 1, 1, 0, 1, -0.5})),
      b_(four_by_four({1, 0.5, -1, 1, -1, 1, 0.5, 0, 0.5, -0.5, 1, 1, 2, 1, -1, 0.5})),
      target_(four_by_four({1, 0, -1, 0.5, 0, 1, 0.5, -1, -0.5, 1, 1, 0, 1, -1, 0, 1})), parts_(kStages),
      whole_(kStages)
{
    if (options_.x.values.size() != static_cast<std::size_t>(kSide * kSide))
    {
        options_.x = four_by_four({1, 0.5, -1, 2, -1, 1, 0.5, 0, 2, -0.5, 1, 1, 0, -1, 1, 0.5});
    }
    run_whole();
    options_.cut == TensorCut::row_first ? trap() : forward();
    if (options_.cut == TensorCut::column_first)
    {
        backward();
    }
}

void TensorAlgebra::run_whole()
{
    const auto whole = [this](TensorStage stage) -> Matrix&
    { return whole_[static_cast<std::size_t>(stage)]; };
    const Matrix& x = options_.x;
    whole(TensorStage::input) = whole(TensorStage::gather) = x;
    const Matrix h = whole(TensorStage::first) = product(x, a_);
    const Matrix y = whole(TensorStage::activation) = each(h, gelu);
    whole(TensorStage::second) = whole(TensorStage::reduce) = product(y, b_);
    whole(TensorStage::loss) = whole(TensorStage::loss_gather) = target_;
    const Matrix dy = whole(TensorStage::second_back) = product(target_, transposed(b_));
    const Matrix dh = whole(TensorStage::slope) = times(dy, each(h, gelu_slope));
    whole(TensorStage::first_back) = whole(TensorStage::input_reduce) = product(dh, transposed(a_));
    if (options_.cut == TensorCut::row_first)
    {
        whole(TensorStage::reduce) = y;
    }
}

// Gives every rank the whole matrix, or its own rows.
void TensorAlgebra::spread(TensorStage stage, const Matrix& m, bool split)
{
    const std::int64_t each_rows = kSide / options_.ranks;
    for (std::int64_t rank = 0; rank < options_.ranks; ++rank)
    {
        const std::int64_t row = split ? rank * each_rows : 0;
        of(stage).push_back({slice(m, row, split ? each_rows : kSide, 0, kSide), row, 0, false});
    }
    stages_.push_back(stage);
}

void TensorAlgebra::reduce(TensorStage from, TensorStage to, bool split)
{
    Matrix all = of(from).front().values;
    for (std::int64_t rank = 1; rank < options_.ranks; ++rank)
    {
        all = sum(all, of(from)[static_cast<std::size_t>(rank)].values);
    }
    spread(to, all, split);
}

void TensorAlgebra::forward()
{
    const bool split = options_.sequence_parallel;
    const std::int64_t wide = kSide / options_.ranks;
    spread(TensorStage::input, options_.x, split);
    if (split)
    {
        spread(TensorStage::gather, options_.x, false);
    }
    for (std::int64_t rank = 0; rank < options_.ranks; ++rank)
    {
        const Matrix h = product(options_.x, first_weights(rank).values);
        const Matrix y = each(h, gelu);
        of(TensorStage::first).push_back({h, 0, rank * wide, false});
        of(TensorStage::activation).push_back({y, 0, rank * wide, false});
        of(TensorStage::second)
            .push_back({product(y, second_weights(rank).values), 0, 0, options_.ranks > 1});
    }
    stages_.insert(stages_.end(), {TensorStage::first, TensorStage::activation, TensorStage::second});
    reduce(TensorStage::second, TensorStage::reduce, split);
}

void TensorAlgebra::backward()
{
    const bool split = options_.sequence_parallel;
    const std::int64_t wide = kSide / options_.ranks;
    spread(TensorStage::loss, target_, split);
    if (split)
    {
        spread(TensorStage::loss_gather, target_, false);
    }
    for (std::int64_t rank = 0; rank < options_.ranks; ++rank)
    {
        const Matrix dy = product(target_, transposed(second_weights(rank).values));
        const Matrix dh = times(dy, each(part(rank, TensorStage::first).values, gelu_slope));
        of(TensorStage::second_back).push_back({dy, 0, rank * wide, false});
        of(TensorStage::slope).push_back({dh, 0, rank * wide, false});
        of(TensorStage::first_back)
            .push_back({product(dh, transposed(first_weights(rank).values)), 0, 0, options_.ranks > 1});
    }
    stages_.insert(stages_.end(), {TensorStage::second_back, TensorStage::slope, TensorStage::first_back});
    reduce(TensorStage::first_back, TensorStage::input_reduce, split);
}

void TensorAlgebra::trap()
{
    const std::int64_t wide = kSide / options_.ranks;
    for (std::int64_t rank = 0; rank < options_.ranks; ++rank)
    {
        const Matrix x = slice(options_.x, 0, kSide, rank * wide, wide);
        const Matrix h = product(x, first_weights(rank).values);
        of(TensorStage::input).push_back({x, 0, rank * wide, false});
        of(TensorStage::first).push_back({h, 0, 0, options_.ranks > 1});
        of(TensorStage::activation).push_back({each(h, gelu), 0, 0, options_.ranks > 1});
    }
    stages_ = {TensorStage::input, TensorStage::first, TensorStage::activation};
    reduce(TensorStage::activation, TensorStage::reduce, false);
}

const RankPart& TensorAlgebra::part(std::int64_t rank, TensorStage stage) const
{
    return of(stage)[static_cast<std::size_t>(rank)];
}

RankPart TensorAlgebra::first_weights(std::int64_t rank) const
{
    const std::int64_t wide = kSide / options_.ranks;
    const std::int64_t from = rank * wide;
    return options_.cut == TensorCut::column_first
               ? RankPart{slice(a_, 0, kSide, from, wide), 0, from, false}
               : RankPart{slice(a_, from, wide, 0, kSide), from, 0, false};
}

RankPart TensorAlgebra::second_weights(std::int64_t rank) const
{
    const std::int64_t wide = kSide / options_.ranks;
    return {slice(b_, rank * wide, wide, 0, kSide), rank * wide, 0, false};
}

const Matrix& TensorAlgebra::whole(TensorStage stage) const
{
    return whole_[static_cast<std::size_t>(stage)];
}

double TensorAlgebra::difference(TensorStage stage) const
{
    Matrix together(kSide, kSide);
    for (const RankPart& p : of(stage))
    {
        for (std::int64_t r = 0; r < p.values.rows; ++r)
        {
            for (std::int64_t c = 0; c < p.values.cols; ++c)
            {
                double& cell = together.at(p.row + r, p.col + c);
                cell = p.partial ? cell + p.values.at(r, c) : p.values.at(r, c);
            }
        }
    }
    return largest_difference(together, whole(stage));
}

} // namespace ringside
