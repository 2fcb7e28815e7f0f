#include "core/base/json/json.h"
#include "core/study/questions/evidence/evidence.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace ringside;
using nlohmann::json;

namespace
{

Result<std::string> as_it_is(std::string_view text)
{
    return std::string(text);
}

Evidence made(const json& settings, std::uint64_t seed)
{
    auto evidence = make_evidence(settings, seed, as_it_is);
    INFO(settings.dump() << (evidence ? "" : to_line(evidence.issues().front())));
    REQUIRE(evidence);
    return std::move(*evidence);
}

Evidence made(const char* kind, const char* fault, std::uint64_t seed)
{
    return made({{"kind", kind}, {"fault", fault}}, seed);
}

std::string refused(const json& settings)
{
    const auto evidence = make_evidence(settings, 1, as_it_is);
    REQUIRE_FALSE(evidence);
    return to_line(evidence.issues().front());
}

double mean(const std::vector<double>& y, std::size_t from, std::size_t to)
{
    double sum = 0;
    for (std::size_t i = from; i < to; ++i)
    {
        sum += y[i];
    }
    return sum / static_cast<double>(to - from);
}

} // namespace

TEST_CASE("every kind of evidence can be made with every fault, the same from the same seed")
{
    for (const EvidenceKind& kind : evidence_kinds())
    {
        for (const std::string_view fault : kind.faults)
        {
            INFO(kind.id << " " << fault);
            for (std::uint64_t seed = 0; seed < 20; ++seed)
            {
                const Evidence a = made(std::string(kind.id).c_str(), std::string(fault).c_str(), seed);
                const Evidence b = made(std::string(kind.id).c_str(), std::string(fault).c_str(), seed);
                CHECK((!a.series.empty() || !a.lines.empty()));
                CHECK(a.lines == b.lines);
                REQUIRE(a.series.size() == b.series.size());
                for (std::size_t i = 0; i < a.series.size(); ++i)
                {
                    CHECK(a.series[i].x.size() == a.series[i].y.size());
                    CHECK(std::equal(a.series[i].y.begin(), a.series[i].y.end(), b.series[i].y.begin(),
                                     [](double x, double y)
                                     { return x == y || (std::isnan(x) && std::isnan(y)); }));
                    CHECK(std::is_sorted(a.series[i].x.begin(), a.series[i].x.end()));
                }
            }
        }
    }
}

TEST_CASE("loss curves do what their faults do")
{
    for (std::uint64_t seed = 0; seed < 50; ++seed)
    {
        const auto loss = [&](const char* fault) { return made("loss", fault, seed).series[0].y; };
        const std::vector<double> healthy = loss("none");
        CHECK(mean(healthy, 180, 200) < mean(healthy, 0, 10) / 2);
        const std::vector<double> spike = loss("spike");
        CHECK(std::abs(mean(spike, 180, 200) - mean(healthy, 180, 200)) < 0.1);
        CHECK(*std::max_element(spike.begin() + 60, spike.end()) > mean(healthy, 60, 200) + 2);
        CHECK(mean(loss("divergence"), 180, 200) > mean(healthy, 180, 200) + 2);
        CHECK(std::isnan(loss("nan").back()));
        CHECK_FALSE(std::isnan(loss("nan").front()));
        CHECK(mean(loss("plateau"), 180, 200) > mean(healthy, 180, 200) + 0.3);
        const Evidence overfit = made("loss", "overfit", seed);
        REQUIRE(overfit.series.size() == 2);
        CHECK(mean(overfit.series[1].y, 180, 200) > mean(overfit.series[0].y, 180, 200) + 0.5);
    }
}

TEST_CASE("the gradient norm rises before the loss breaks, where it is asked for")
{
    const Evidence e = made({{"kind", "loss"}, {"fault", "divergence"}, {"gradient_norm", true}}, 5);
    REQUIRE(e.series.size() == 2);
    CHECK(e.series[1].name == "gradient norm");
    CHECK(mean(e.series[1].y, 190, 200) > 10 * mean(e.series[1].y, 40, 60));
}

TEST_CASE("one slow rank, one slow node, and noise look different")
{
    for (std::uint64_t seed = 0; seed < 50; ++seed)
    {
        const auto slow = [&](const char* fault)
        {
            const std::vector<double> y = made("ranks", fault, seed).series[0].y;
            std::vector<double> sorted = y;
            std::sort(sorted.begin(), sorted.end());
            return std::count_if(y.begin(), y.end(),
                                 [&](double v) { return v > 1.15 * sorted[sorted.size() / 4]; });
        };
        CHECK(slow("even") == 0);
        CHECK(slow("one_slow") == 1);
        CHECK(slow("node_slow") == 8);
        CHECK(slow("jitter") > 1);
    }
}

TEST_CASE("exactly one rank of a collective log differs from the others")
{
    for (const char* fault : {"skipped", "mismatch_shape", "mismatch_order", "dead_rank", "slow_rank"})
    {
        for (std::uint64_t seed = 0; seed < 30; ++seed)
        {
            std::map<std::string, int> kinds;
            std::map<std::string, std::string> of_rank;
            for (const std::string& line : made("collectives", fault, seed).lines)
            {
                of_rank[line.substr(0, 6)] += line.substr(6) + "\n";
            }
            for (const auto& [rank, lines] : of_rank)
            {
                ++kinds[lines];
            }
            INFO(fault);
            REQUIRE(of_rank.size() == 8);
            REQUIRE(kinds.size() == 2);
            CHECK(std::any_of(kinds.begin(), kinds.end(), [](const auto& k) { return k.second == 1; }));
        }
    }
}

TEST_CASE("memory grows with a leak, jumps at evaluation, and runs out in a first step that cannot fit")
{
    for (std::uint64_t seed = 0; seed < 50; ++seed)
    {
        const auto used = [&](const char* fault) { return made("memory", fault, seed).series[0].y; };
        CHECK(std::abs(mean(used("flat"), 140, 160) - mean(used("flat"), 0, 20)) < 0.5);
        CHECK(mean(used("leak"), 90, 100) > mean(used("leak"), 0, 20) + 5);
        const std::vector<double> jumps = used("spike_at_eval");
        CHECK(*std::max_element(jumps.begin(), jumps.end()) > mean(jumps, 0, 20) + 10);
        CHECK(std::isnan(used("first_step_oom").back()));
        const Evidence gaps = made("memory", "fragmentation", seed);
        CHECK(mean(gaps.series[1].y, 140, 160) - mean(gaps.series[0].y, 140, 160) > 10);
    }
}

TEST_CASE("GPUs wait for storage, for checkpoints or for the network")
{
    for (std::uint64_t seed = 0; seed < 30; ++seed)
    {
        const auto busy = [&](const char* fault, std::size_t series)
        { return mean(made("utilization", fault, seed).series[series].y, 0, 300); };
        CHECK(busy("steady", 0) > 90);
        CHECK(busy("loader_gaps", 0) < 85);
        CHECK(busy("loader_gaps", 2) > 20);
        CHECK(busy("communication_bound", 1) > 50);
        CHECK(busy("checkpoint_stalls", 2) > busy("steady", 2) + 5);
    }
}

TEST_CASE("a loss scale that collapses ends at 1, one that is fixed never moves")
{
    for (std::uint64_t seed = 0; seed < 30; ++seed)
    {
        CHECK(made("loss_scale", "collapse", seed).series[0].y.back() <= 2);
        CHECK(made("loss_scale", "healthy", seed).series[0].y.back() >= 16384);
        const Evidence fixed = made("loss_scale", "fixed_too_high", seed);
        CHECK(fixed.series[0].y.front() == fixed.series[0].y.back());
        CHECK(fixed.series[1].y.back() > 150);
    }
}

TEST_CASE("steps and times run on through the lines of a log")
{
    const Evidence e =
        made({{"kind", "log"}, {"lines", {"{time} step {step} a", "{time} step {step} b"}}}, 1);
    REQUIRE(e.lines.size() == 2);
    CHECK(e.lines[0].find('{') == std::string::npos);
    CHECK(e.lines[0].substr(0, 8) < e.lines[1].substr(0, 8));
    CHECK(made({{"kind", "text"}, {"text", "words"}}, 1).lines == std::vector<std::string>{"words"});
}

TEST_CASE("evidence that cannot be made is named with what can")
{
    CHECK(refused({{"kind", "smell"}}) ==
          "kind: there is no \"smell\" (use loss, loss_scale, ranks, collectives, memory, "
          "utilization, trace, log, text)");
    CHECK(refused({{"kind", "loss"}, {"fault", "sad"}}).find("fault: loss has no \"sad\" (use none, spike") ==
          0);
    CHECK(refused({{"kind", "loss"}, {"fault", "nan"}, {"colour", 1}}).find("colour: unknown setting") == 0);
    CHECK(refused({{"kind", "loss"}, {"fault", "nan"}, {"gradient_norm", 1}}).find("gradient_norm:") == 0);
    CHECK(refused({{"kind", "log"}}).find("lines: missing") == 0);
    CHECK(refused({{"kind", "log"}, {"lines", {1}}}).find("lines[0]: not text") == 0);
}
