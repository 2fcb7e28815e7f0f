// Tensor parallelism on four by four matrices: what ranks make against the uncut result, the trap before the
// GeLU, gradients against differences, and the bytes and heads of a scenario.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/memory/memory.h"
#include "core/network/traffic.h"
#include "core/parallelism/tensor/algebra.h"
#include "core/parallelism/tensor/plan.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using Catch::Approx;

namespace
{

TensorOptions options(std::int64_t ranks, TensorCut cut, bool split = false)
{
    TensorOptions o;
    o.ranks = ranks;
    o.cut = cut;
    o.sequence_parallel = split;
    return o;
}

Matrix two(double a, double b, double c, double d)
{
    Matrix m(2, 2);
    m.values = {a, b, c, d};
    return m;
}

bool has(const TensorAlgebra& t, TensorStage stage)
{
    return std::find(t.stages().begin(), t.stages().end(), stage) != t.stages().end();
}

} // namespace

TEST_CASE("hand-worked: products, slices and the GeLU")
{
    CHECK(product(two(1, 2, 3, 4), two(5, 6, 7, 8)) == two(19, 22, 43, 50));
    CHECK(transposed(two(1, 2, 3, 4)) == two(1, 3, 2, 4));
    CHECK(slice(two(1, 2, 3, 4), 0, 2, 1, 1).values == std::vector<double>{2, 4});
    CHECK(gelu(0) == 0);
    CHECK(gelu(1) == Approx(0.8413447)); // the normal distribution up to 1
    CHECK(gelu(-1) == Approx(-0.1586553));
    CHECK(gelu_slope(0) == Approx(0.5));
    CHECK((gelu(0.7 + 1e-6) - gelu(0.7 - 1e-6)) / 2e-6 == Approx(gelu_slope(0.7)));
    CHECK(gelu(1) + gelu(-1) != Approx(gelu(0)).margin(0.1)); // a function of a sum
}

TEST_CASE("column first: every stage put together is the uncut one, forward and backward, split or not")
{
    for (const std::int64_t ranks : {1, 2, 4})
    {
        for (const bool split : {false, true})
        {
            const TensorAlgebra t(options(ranks, TensorCut::column_first, split));
            CHECK(t.stages().size() == (split ? 12 : 10));
            for (const TensorStage stage : t.stages())
            {
                INFO(says(stage) << " on " << ranks);
                CHECK(t.difference(stage) < 1e-12);
            }
            CHECK(has(t, TensorStage::gather) == split);
        }
    }
}

TEST_CASE("column first communicates once forward and once backward; split, twice as often with half as much")
{
    const auto count = [](const TensorAlgebra& t)
    { return std::count_if(t.stages().begin(), t.stages().end(), communicates); };
    CHECK(count(TensorAlgebra(options(4, TensorCut::column_first))) == 2);
    CHECK(count(TensorAlgebra(options(4, TensorCut::column_first, true))) == 4);
}

TEST_CASE("row first: partial sums add up, their GeLUs do not")
{
    for (const std::int64_t ranks : {2, 4})
    {
        const TensorAlgebra t(options(ranks, TensorCut::row_first));
        CHECK(t.difference(TensorStage::first) < 1e-12);
        CHECK(t.difference(TensorStage::activation) > 0.1);
        CHECK(t.difference(TensorStage::reduce) == t.difference(TensorStage::activation));
    }
    CHECK(TensorAlgebra(options(1, TensorCut::row_first)).difference(TensorStage::reduce) < 1e-12);
}

TEST_CASE("the gradient of the input is what differences say")
{
    const TensorAlgebra base(options(2, TensorCut::column_first));
    const Matrix& dz = base.whole(TensorStage::loss);
    const auto loss = [&](const Matrix& x)
    {
        TensorOptions o = options(4, TensorCut::column_first);
        o.x = x;
        const Matrix z = TensorAlgebra(o).part(0, TensorStage::reduce).values;
        double s = 0;
        for (std::size_t i = 0; i < z.values.size(); ++i)
        {
            s += z.values[i] * dz.values[i];
        }
        return s;
    };
    for (std::size_t i = 0; i < 16; ++i)
    {
        Matrix up = base.options().x;
        Matrix down = up;
        up.values[i] += 1e-5;
        down.values[i] -= 1e-5;
        CHECK(base.part(1, TensorStage::input_reduce).values.values[i] ==
              Approx((loss(up) - loss(down)) / 2e-5).margin(1e-6));
    }
}

TEST_CASE("a rank holds 1/t of both weights, columns of the first and rows of the second")
{
    const TensorAlgebra t(options(4, TensorCut::column_first, true));
    CHECK(t.first_weights(2).values.cols == 1);
    CHECK(t.first_weights(2).col == 2);
    CHECK(t.second_weights(2).values.rows == 1);
    CHECK(t.second_weights(2).row == 2);
    CHECK(t.part(3, TensorStage::input).values.rows == 1);
    CHECK(t.part(3, TensorStage::input).row == 3);
    CHECK(t.part(3, TensorStage::reduce).values.rows == 1);
    CHECK(t.part(3, TensorStage::second).partial);
}

TEST_CASE("hand-worked: Llama 3.1 70B on eight GPUs sends 235 MB in one all-reduce, four a layer")
{
    const TensorPlan plan = tensor_plan(test::scenario(
        R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64}, "parallel": {"tensor": 8, "zero": 1},
            "training": {"sequence_length": 8192, "global_batch": 64, "recompute": "none"}})"));
    CHECK(!plan.supposed);
    CHECK(plan.message.value == 8192.0 * 8192 * 2);
    CHECK(plan.sent.value == 8192.0 * 8192 * 2 * 7 / 4);
    CHECK(plan.passes == 4);
    CHECK(plan.heads == 8);
    CHECK(plan.kv_heads == 1);
    CHECK(plan.kv_copies == 1);
    CHECK(plan.kept_split < plan.kept);
    CHECK(plan.kept_split.value == 33.5 * 8192 * 8192 / 8); // as tests of memory have it
    const Term term = explain_tensor_sent(plan);
    CHECK(term.value == plan.sent.value);
    CHECK(term.working == "2 \u00d7 (8 \u2212 1) / 8 \u00d7 1 \u00d7 8192 \u00d7 8192 \u00d7 2");
}

TEST_CASE("too few key/value heads are held by several GPUs")
{
    const TensorPlan plan = tensor_plan(test::scenario(
        R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64}, "parallel": {"tensor": 16, "zero": 1},
            "training": {"sequence_length": 8192, "global_batch": 64}})"));
    CHECK(plan.heads == 4);
    CHECK(plan.kv_heads == 1);
    CHECK(plan.kv_copies == 2);
}

TEST_CASE("without a tensor cut one is supposed, and the metrics say nothing is sent")
{
    const Scenario s = test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "training": {"global_batch": 8}})");
    const TensorPlan plan = tensor_plan(s);
    CHECK(plan.supposed);
    CHECK(plan.ranks == 8);
    CHECK(!has_errors(validate(plan.scenario)));
    const auto report = evaluate(s);
    REQUIRE(report);
    const auto value = [&](std::string_view name, const Scenario& of)
    {
        const Metric* metric = find_metric(name);
        REQUIRE(metric != nullptr);
        return metric->value(of, *report);
    };
    CHECK(value("tensor.sent_bytes", s) == 0);
    CHECK(value("tensor.kv_copies", s) == 1);
    CHECK(value("tensor.sent_bytes", plan.scenario) == plan.sent.value);
    CHECK(value("tensor.heads", plan.scenario) == 4);
}
