// Measured steps as a table: what columns mean, every kind of fault with its place, and what fitting brings.
#include "tests/core/support.h"
#include <fmt/format.h>

#include "core/engine/measured_csv.h"
#include "core/engine/step_time.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario base()
{
    return test::presets().scenario("default")->scenario;
}

MeasuredSet read(const std::string& text)
{
    const auto set = measured_from_csv(text, base(), test::presets());
    INFO((set ? std::string() : to_line(set.issues().front())));
    REQUIRE(set);
    return *set;
}

std::string faults(const std::string& text)
{
    const auto set = measured_from_csv(text, base(), test::presets());
    std::string all;
    for (const Issue& issue : set ? Issues{} : set.issues())
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a table is told by its column of times, whatever separates it")
{
    CHECK(is_measured_csv("name,gpus,step_time_s\na,8,1\n"));
    CHECK(is_measured_csv("gpus;step_time_ms\n8;100\n"));
    CHECK(is_measured_csv("\xEF\xBB\xBFtokens_per_s\tgpus\r\n1e6\t8\r\n"));
    CHECK_FALSE(is_measured_csv("name,gpus\na,8\n"));
    CHECK_FALSE(is_measured_csv(R"({"schema": "ringside.scenario/1"})"));
    CHECK_FALSE(is_measured_csv(""));
}

TEST_CASE("columns are fields by path or last name; what a row leaves out is as in the scenario")
{
    const MeasuredSet set = read("name,parallel.tensor,micro_batch,step_time_s\n"
                                 "one,4,1,7.5\n"
                                 "\"two, too\",,2,\"8\"\n");
    REQUIRE(set.rows.size() == 2);
    CHECK(set.rows[0].name == "one");
    CHECK(set.rows[0].scenario.parallel.tensor == 4);
    CHECK(set.rows[0].seconds == 7.5);
    CHECK(set.rows[1].name == "two, too");
    CHECK(set.rows[1].scenario.parallel.tensor == base().parallel.tensor);
    CHECK(set.rows[1].scenario.training.micro_batch == 2);
    CHECK(set.rows[1].scenario.model == base().model);
}

TEST_CASE("times come in seconds, milliseconds or tokens a second")
{
    const Scenario s = base();
    const double tokens =
        static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
    CHECK(read("step_time_s\n2.5\n").rows[0].seconds == 2.5);
    CHECK(read("step_time_ms\n2500\n").rows[0].seconds == Approx(2.5));
    CHECK(read("tokens_per_s\n1e6\n").rows[0].seconds == Approx(tokens / 1e6));
    CHECK(read("tokens_per_s\n16k\n").rows[0].seconds == Approx(tokens / 16000));
}

TEST_CASE("a preset is taken before what changes it, whatever the order of the columns")
{
    const MeasuredSet set = read("model.layers,model,step_time_s\n16,llama-3.1-8b,3\n");
    CHECK(set.rows[0].scenario.model.hidden == 4096);
    CHECK(set.rows[0].scenario.model.layers == 16);
}

TEST_CASE("every fault of a table names line and column")
{
    CHECK(has(faults("gpus,tensr,step_time_s\n8,1,1\n"), "column tensr"));
    CHECK(has(faults("gpus,step_time_s,step_time_ms\n8,1,1\n"), "2 columns say how long"));
    CHECK(has(faults("gpus\n8\n"), "0 columns say how long"));
    CHECK(has(faults("step_time_s\n"), "rows of figures"));
    const std::string all =
        faults("gpus,tensor,step_time_s\n256,8,1\n256,3,1\n256,8\n256,8,never\n256,8,-1\n");
    CHECK(has(all, "line 3, "));
    CHECK(has(all, "line 4: has 2 cells"));
    CHECK(has(all, "line 5, step_time_s: \"never\""));
    CHECK(has(all, "line 6, step_time_s: \"-1\""));
    CHECK_FALSE(has(all, "line 2"));
    CHECK(has(faults("gpus,step_time_s\n8,\"1\n"), "line 2"));
}

TEST_CASE("a table of thousands of rows, or of faults, is refused without end")
{
    std::string table = "step_time_s\n";
    for (std::size_t i = 0; i <= kMostMeasuredRows; ++i)
    {
        table += "1\n";
    }
    CHECK(has(faults(table), "501 rows"));
    std::string faulty = "gpus,step_time_s\n";
    for (int i = 0; i < 100; ++i)
    {
        faulty += "8,none\n";
    }
    const auto set = measured_from_csv(faulty, base(), test::presets());
    REQUIRE_FALSE(set);
    CHECK(set.issues().size() == 20);
}

TEST_CASE("steps made with other constants give those constants back, and each row its errors")
{
    Scenario other = base();
    other.cluster.gpu.calibration.gemm_efficiency *= 0.8;
    std::string table = "micro_batch,step_time_s\n";
    for (const std::int64_t micro_batch : {1, 2, 4})
    {
        Scenario s = other;
        s.training.micro_batch = micro_batch;
        REQUIRE_FALSE(has_errors(validate(s)));
        table += fmt::format("{},{:.12g}\n", micro_batch, step_time(s).total());
    }
    const MeasuredSet set = read(table);
    CHECK(constants_for(set) == std::vector<std::string>{"gemm_efficiency"});
    const auto fit = fit_calibration({set}, constants_for(set), false);
    REQUIRE(fit);
    CHECK(fit->after.gemm_efficiency == Approx(other.cluster.gpu.calibration.gemm_efficiency).epsilon(1e-3));
    REQUIRE(fit->rows.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
    {
        CHECK(fit->rows[i].seconds == set.rows[i].seconds);
        CHECK(fit->rows[i].before < -0.05); // too fast with the constants as they were
        CHECK(std::abs(fit->rows[i].after) < 1e-3);
    }
    const auto as_it_is = fit_calibration({set}, {}, false);
    REQUIRE(as_it_is);
    CHECK(as_it_is->after == as_it_is->before);
    CHECK(as_it_is->rows[0].after == as_it_is->rows[0].before);
}

TEST_CASE("few rows fit few constants, and links only where a row crosses them")
{
    const auto rows = [&](std::size_t n, std::int64_t gpus, std::int64_t tensor)
    {
        MeasuredSet set;
        for (std::size_t i = 0; i < n; ++i)
        {
            MeasuredRow row;
            row.scenario = base();
            row.scenario.cluster.gpus = gpus;
            row.scenario.parallel.tensor = tensor;
            set.rows.push_back(row);
        }
        return constants_for(set);
    };
    CHECK(rows(1, 256, 8) == std::vector<std::string>{"gemm_efficiency"});
    CHECK(rows(20, 8, 1) == std::vector<std::string>{"gemm_efficiency", "host_kernel_us"});
    CHECK(rows(20, 256, 8) == std::vector<std::string>{"gemm_efficiency", "link_efficiency",
                                                       "network_efficiency", "host_kernel_us"});
    CHECK(rows(6, 256, 8).size() == 3);
}
