// Tiles and waves against products that cuBLAS made on one H200 (torch 2.11, bf16 linear and fp8 _scaled_mm,
// each the median of three means): tests/data/products_h200.csv, 126 shapes from 512 to 53,248.
#include "tests/core/support.h"
#include "tests/source_path.h"

#include "core/performance/step_model/kernels.h"
#include "core/scenario/presets.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace ringside;

namespace
{

// Mean of |ln(computed / measured)| by decade of FLOPs.
std::map<int, double> misses(const std::string& kind, const Device& device, double peak, double operand)
{
    std::ifstream in(test::source_path("tests/data/products_h200.csv"));
    std::map<int, std::pair<double, int>> sums;
    std::string line;
    while (std::getline(in, line))
    {
        std::ranges::replace(line, ',', ' ');
        std::istringstream words(line);
        std::string name;
        Product p;
        double microseconds = 0;
        if (words >> name >> p.rows >> p.cols >> p.inner >> microseconds && name == kind)
        {
            const double computed = product_seconds(device, p, peak, operand) + device.kernel;
            auto& [sum, count] = sums[static_cast<int>(std::log10(p.flops()))];
            sum += std::abs(std::log(computed / (microseconds * 1e-6)));
            ++count;
        }
    }
    std::map<int, double> means;
    for (const auto& [decade, sum] : sums)
    {
        means[decade] = sum.first / sum.second;
    }
    return means;
}

} // namespace

TEST_CASE("products take what was measured on an H200")
{
    const Gpu gpu = test::presets().gpu("h200-sxm")->gpu;
    const Device bf16(gpu, Precision::bf16);
    auto miss = misses("bf16", bf16, bf16.peak, 2);
    REQUIRE(miss.size() >= 4);
    // Below 1e10 FLOPs the measurement is the launch.
    CHECK(miss[10] < 0.11);
    CHECK(miss[11] < 0.045);
    CHECK(miss[12] < 0.025);
    const Device fp8(gpu, Precision::fp8);
    miss = misses("fp8", fp8, fp8.layer_peak, 1);
    CHECK(miss[10] < 0.17);
    CHECK(miss[11] < 0.07);
    CHECK(miss[12] < 0.06);
}
