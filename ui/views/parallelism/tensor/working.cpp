#include <fmt/format.h>

#include "ui/views/parallelism/tensor/pictures.h"

#include <cmath>

namespace ringside
{

namespace
{

std::string terms(const Matrix& left, std::int64_t row, const Matrix& right, std::int64_t col)
{
    std::string words;
    for (std::int64_t i = 0; i < left.cols; ++i)
    {
        words += fmt::format("{}{} \u00d7 {}", i > 0 ? " + " : "", cell_number(left.at(row, i), 2),
                             cell_number(right.at(i, col), 2));
    }
    return words;
}

std::string summands(const TensorAlgebra& t, std::int64_t rank, TensorStage stage, std::int64_t row,
                     std::int64_t col)
{
    const TensorStage from = stage != TensorStage::reduce                 ? TensorStage::first_back
                             : t.options().cut == TensorCut::column_first ? TensorStage::second
                                                                          : TensorStage::activation;
    std::string words;
    for (std::int64_t r = 0; r < t.options().ranks; ++r)
    {
        words += (r > 0 ? " + " : "") +
                 cell_number(t.part(r, from).values.at(row + t.part(rank, stage).row, col), 2);
    }
    return words;
}

} // namespace

std::string cell_number(double value, int digits)
{
    std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
    const bool zero = text.find_first_of("123456789") == std::string::npos;
    if (text.find('.') != std::string::npos)
    {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
        {
            text.pop_back();
        }
    }
    return (value < 0 && !zero ? "\u2212" : "") + text;
}

std::string cell_working(const TensorAlgebra& t, std::int64_t rank, TensorStage stage, std::int64_t row,
                         std::int64_t col)
{
    const auto value = [&](TensorStage of) { return cell_number(t.part(rank, of).values.at(row, col), 2); };
    const bool trap = t.options().cut == TensorCut::row_first;
    switch (stage)
    {
    case TensorStage::first:
        return terms(trap ? t.part(rank, TensorStage::input).values : t.options().x, row,
                     t.first_weights(rank).values, col);
    case TensorStage::activation:
        return fmt::format("GeLU({})", value(TensorStage::first));
    case TensorStage::second:
        return terms(t.part(rank, TensorStage::activation).values, row, t.second_weights(rank).values, col);
    case TensorStage::second_back:
        return terms(t.whole(TensorStage::loss), row, transposed(t.second_weights(rank).values), col);
    case TensorStage::slope:
        return fmt::format("{} \u00d7 slope of GeLU at {}", value(TensorStage::second_back),
                           value(TensorStage::first));
    case TensorStage::first_back:
        return terms(t.part(rank, TensorStage::slope).values, row, transposed(t.first_weights(rank).values),
                     col);
    case TensorStage::reduce:
    case TensorStage::input_reduce:
        return summands(t, rank, stage, row, col);
    default:
        return std::string(says(stage));
    }
}

} // namespace ringside
