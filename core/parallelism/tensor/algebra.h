// Tensor parallelism on matrices of four by four: what every rank holds after every step of an MLP that is
// cut over two or four of them, forward and backward, and the same uncut. Bytes are in plan.h.
//
// The row-parallel-first chain ends at the GeLU, with the sum of GeLUs next to the GeLU of the sum: what
// follows a wrong number is of no use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside
{

struct Matrix
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::vector<double> values; // row by row

    Matrix() = default;
    Matrix(std::int64_t r, std::int64_t c) : rows(r), cols(c), values(static_cast<std::size_t>(r * c), 0) {}
    double& at(std::int64_t r, std::int64_t c) { return values[static_cast<std::size_t>(r * cols + c)]; }
    double at(std::int64_t r, std::int64_t c) const { return values[static_cast<std::size_t>(r * cols + c)]; }
    bool operator==(const Matrix&) const = default;
};

Matrix product(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& m);
Matrix sum(const Matrix& a, const Matrix& b);
// rows x cols from (row, col).
Matrix slice(const Matrix& m, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols);
double largest_difference(const Matrix& a, const Matrix& b);
// x times the normal distribution up to x (Hendrycks and Gimpel 2016, arXiv 1606.08415), and its derivative.
double gelu(double x);
double gelu_slope(double x);

enum class TensorCut : std::uint8_t
{
    column_first, // A by columns, B by rows: one all-reduce at the end (Shoeybi et al., arXiv 1909.08053, 3)
    row_first     // A by rows: partial sums before the GeLU, which must not be taken of them
};

enum class TensorStage : std::uint8_t
{
    input,       // X; its columns with row_first, its rows where the sequence is split
    gather,      // all rows of X, where the sequence was split
    first,       // H = X A
    activation,  // Y = GeLU(H)
    second,      // Z = Y B
    reduce,      // Z summed over ranks; of row_first, what was made by GeLU
    loss,        // dZ
    loss_gather, // all rows of dZ, where the sequence was split
    second_back, // dY = dZ B^T
    slope,       // dH = dY GeLU'(H)
    first_back,  // dX = dH A^T
    input_reduce // dX summed over ranks
};
std::string_view says(TensorStage stage);
// Whether ranks talk to each other in it.
bool communicates(TensorStage stage);

inline constexpr std::int64_t kSide = 4;

struct TensorOptions
{
    std::int64_t ranks = 2; // t: 1, 2 or 4
    TensorCut cut = TensorCut::column_first;
    bool sequence_parallel = false; // X, Z and their gradients are split by rows (tokens) between blocks
    Matrix x;                       // 4 x 4; empty: some numbers of ours

    bool operator==(const TensorOptions&) const = default;
};

// A matrix as one rank has it.
struct RankPart
{
    Matrix values;
    std::int64_t row = 0; // where it lies in the whole
    std::int64_t col = 0;
    bool partial = false; // a summand of the whole
};

// Everything is computed at once; reading it costs nothing.
class TensorAlgebra
{
public:
    explicit TensorAlgebra(TensorOptions options);

    const TensorOptions& options() const { return options_; }
    // What happens, in order; row_first ends with what GeLU of partial sums makes.
    const std::vector<TensorStage>& stages() const { return stages_; }
    // What a stage makes on a rank. The stage must be among stages().
    const RankPart& part(std::int64_t rank, TensorStage stage) const;
    // The rank's weights.
    RankPart first_weights(std::int64_t rank) const;
    RankPart second_weights(std::int64_t rank) const;
    // The uncut matrix that this stage is about.
    const Matrix& whole(TensorStage stage) const;
    // The largest difference of what all ranks have of a stage, put together or added up, to the uncut.
    double difference(TensorStage stage) const;

private:
    std::vector<RankPart>& of(TensorStage stage) { return parts_[static_cast<std::size_t>(stage)]; }
    const std::vector<RankPart>& of(TensorStage stage) const
    {
        return parts_[static_cast<std::size_t>(stage)];
    }
    void run_whole();
    void forward();
    void backward();
    void trap();
    void spread(TensorStage stage, const Matrix& m, bool split);
    void reduce(TensorStage from, TensorStage to, bool split);

    TensorOptions options_;
    Matrix a_, b_, target_;
    std::vector<TensorStage> stages_;
    std::vector<std::vector<RankPart>> parts_; // [stage][rank]
    std::vector<Matrix> whole_;                // [stage]
};

} // namespace ringside
