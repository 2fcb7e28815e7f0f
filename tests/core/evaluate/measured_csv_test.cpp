// Measured steps as a table: what columns mean, every kind of fault with its place, and what fitting brings.
#include "tests/core/support.h"
#include <fmt/format.h>

#include "core/evaluate/measured_csv.h"
#include "core/performance/step_time.h"
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

TEST_CASE("a comma is decimal beside semicolons and tabs, and between thousands beside commas")
{
    CHECK(read("tensor;step_time_s\n4;12,5\n").rows[0].seconds == 12.5);
    CHECK(read("tensor\tstep_time_s\n4\t12,5\n").rows[0].seconds == 12.5);
    CHECK(read("tensor;step_time_s\n4;1 250,5\n").rows[0].seconds == 1250.5);
    CHECK(read("tensor;training.tokens;step_time_s\n4;1,5e12;12.5\n").rows[0].scenario.training.tokens ==
          1.5e12);
    CHECK(read("tensor,step_time_s\n4,\"1,250\"\n").rows[0].seconds == 1250);
    CHECK(read("tensor,step_time_s\n4,\"1,250,000.5\"\n").rows[0].seconds == 1250000.5);
    for (const std::string_view cell : {"12,5", "0,125", "1,2505", "1250,500", "1,250,5", "1.250,5", ",500"})
    {
        INFO(cell);
        const std::string all = faults(fmt::format("tensor,step_time_s\n4,1\n4,\"{}\"\n", cell));
        CHECK(has(all, fmt::format("line 3, step_time_s: \"{}\"", cell)));
    }
    CHECK(has(faults("tensor,step_time_s\n\"1,6\",1\n"), "line 2, tensor: \"1,6\""));
    CHECK(has(faults("tensor;step_time_s\n4;1,250,000\n"), "line 2, step_time_s: \"1,250,000\""));
    CHECK(has(faults("tensor;step_time_s\n4;1.250,5\n"), "line 2, step_time_s: \"1.250,5\""));
}

TEST_CASE("a step of no time, or of ages, was mistyped")
{
    for (const std::string_view cell : {"1e-320", "1e-300", "1e-10", "1e10", "1e300", "0"})
    {
        INFO(cell);
        CHECK(has(faults(fmt::format("step_time_s\n{}\n", cell)),
                  fmt::format("line 2, step_time_s: \"{}\"", cell)));
    }
    CHECK(has(faults("tokens_per_s\n1e-320\n"), "line 2, tokens_per_s: \"1e-320\""));
    CHECK(has(faults("tokens_per_s\n1e300\n"), "line 2, tokens_per_s: \"1e300\""));
}

TEST_CASE("a column that is there twice is refused, by either of its names")
{
    CHECK(has(faults("tensor,tensor,step_time_s\n4,8,1\n"), "column tensor: is there twice"));
    CHECK(has(faults("tensor,parallel.tensor,step_time_s\n4,8,1\n"),
              "column parallel.tensor: is \"tensor\" again"));
    CHECK(has(faults("name,name,step_time_s\na,b,1\n"), "column name: is there twice"));
    CHECK(has(faults("group,group,step_time_s\na,b,1\n"), "column group: is there twice"));
    CHECK(has(faults("step_time_s,step_time_s\n1,2\n"), "2 columns say how long"));
}

TEST_CASE("an open quote is named, CR ends lines, and other bytes than UTF-8 are refused")
{
    CHECK(has(faults("tensor,step_time_s\n4,\"1\n"), "line 2, step_time_s: a quote is not closed"));
    CHECK(has(faults("tensor,step_time_s\n\"4,1\n"), "line 2, tensor: a quote is not closed"));
    CHECK(has(faults("tensor,\"step_time_s\n4,1\n"), "line 1: a quote is not closed"));
    const std::string macintosh = "tensor;step_time_s\r4;12,5\r8;13\r";
    CHECK(is_measured_csv(macintosh));
    REQUIRE(read(macintosh).rows.size() == 2);
    CHECK(read(macintosh).rows[0].seconds == 12.5);
    CHECK(has(faults("tensor,step_time_s\r4,1\r4,never\r"), "line 3, step_time_s"));
    CHECK(has(faults("name,step_time_s\na,1\nGr\xF6\xDF"
                     "e,1\n"),
              "line 3: is not UTF-8"));
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
