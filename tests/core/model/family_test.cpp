#include "tests/core/support.h"

#include "core/model/family.h"
#include "core/model/weights.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace ringside;

namespace
{

double count(const Model& model)
{
    return static_cast<double>(count_parameters(model).total);
}

Issues faults(const Model& model, std::int64_t tensor, std::int64_t pipeline)
{
    Scenario s;
    s.model = model;
    s.parallel.tensor = tensor;
    s.parallel.pipeline = pipeline;
    s.cluster.gpus = tensor * pipeline;
    s.cluster.gpus_per_node = tensor;
    return validate(s);
}

const Model& preset(const std::string& id)
{
    return test::presets().model(id)->model;
}

} // namespace

TEST_CASE("the slider finds the published shapes at their published sizes")
{
    for (const auto& [id, parameters, family] :
         {std::tuple{"llama-3.1-8b", 8.03e9, Family::llama},
          std::tuple{"llama-3.1-70b", 70.6e9, Family::llama}, std::tuple{"gpt-3-175b", 175e9, Family::gpt},
          std::tuple{"gpt-2-124m", 124e6, Family::gpt}})
    {
        const Model& published = preset(id);
        const Model m = model_of_size(parameters, family);
        INFO(id);
        CHECK(m.layers == published.layers);
        CHECK(m.hidden == published.hidden);
        CHECK(m.ffn == published.ffn);
        CHECK(m.heads == published.heads);
        CHECK(m.kv_heads == published.kv_heads);
        CHECK(m.head_dim == published.head_dim);
        CHECK(family_of(m) == family);
        CHECK(family_of(published) == family);
    }
    CHECK(model_of_size(70.6e9, Family::llama).name == "Llama shape, 70.6 B");
    CHECK(model_of_size(70.6e9, Family::llama).preset.empty());
}

TEST_CASE("sizes outside the range, and no numbers at all, give the nearest end")
{
    for (const Family family : {Family::gpt, Family::llama})
    {
        const Model least = model_of_size(kLeastParameters, family);
        const Model most = model_of_size(kMostParameters, family);
        CHECK(model_of_size(-5, family) == least);
        CHECK(model_of_size(0, family) == least);
        CHECK(model_of_size(1, family) == least);
        CHECK(model_of_size(1e300, family) == most);
        CHECK(model_of_size(std::numeric_limits<double>::quiet_NaN(), family) == least);
        CHECK(model_of_size(std::numeric_limits<double>::infinity(), family) == least);
    }
}

TEST_CASE("every size and cut gives a valid shape within 2.1 percent that never shrinks as the request grows")
{
    double worst = 0;
    for (const Family family : {Family::gpt, Family::llama})
    {
        for (const std::int64_t layer_multiple : {1, 2, 3, 4, 8, 16})
        {
            for (const std::int64_t head_multiple : {1, 2, 4, 8, 16})
            {
                double before = 0;
                for (double parameters = kLeastParameters; parameters <= kMostParameters; parameters *= 1.017)
                {
                    const Model m = model_of_size(parameters, family, layer_multiple, head_multiple);
                    const double now = count(m);
                    const Issues issues = faults(m, head_multiple, layer_multiple);
                    INFO(parameters << " layers " << layer_multiple << " heads " << head_multiple << " -> "
                                    << m.layers << " x " << m.hidden << " ffn " << m.ffn << " heads "
                                    << m.heads << " x " << m.head_dim << " = " << now
                                    << (issues.empty() ? "" : to_line(issues[0])));
                    const double error = std::abs(now / parameters - 1);
                    worst = std::max(worst, error);
                    if (error > 0.021 || now < before || has_errors(issues) ||
                        m.layers % layer_multiple != 0 || m.heads % head_multiple != 0)
                    {
                        FAIL_CHECK("not as promised");
                    }
                    before = now;
                }
            }
        }
    }
    CHECK(worst < 0.021);
}

TEST_CASE("shapes stay in the proportions people build")
{
    for (const Family family : {Family::gpt, Family::llama})
    {
        for (double parameters = 2e9; parameters <= kMostParameters; parameters *= 1.05)
        {
            const Model m = model_of_size(parameters, family);
            const double aspect = static_cast<double>(m.hidden) / static_cast<double>(m.layers);
            const double wide = static_cast<double>(m.ffn) / static_cast<double>(m.hidden);
            INFO(parameters << " -> " << m.layers << " x " << m.hidden << " ffn " << m.ffn << " heads "
                            << m.heads);
            CHECK(aspect > 60);
            CHECK(aspect < 260);
            CHECK(m.head_dim == 128);
            CHECK(m.hidden % 128 == 0);
            CHECK((family == Family::gpt ? wide == 4 : (wide > 2.3 && wide < 4.2)));
        }
    }
}

TEST_CASE("multiples nobody could cut a small model into are lowered to a divisor")
{
    const Model m = model_of_size(1e8, Family::gpt, 1024, 512);
    CHECK(m.layers <= 64);
    CHECK(m.heads <= 64);
    CHECK(std::abs(count(m) / 1e8 - 1) < 0.021);
    const Model odd = model_of_size(5e9, Family::llama, 7, 6);
    CHECK(odd.layers % 7 == 0);
    CHECK_FALSE(has_errors(faults(odd, 6, 7)));
}

TEST_CASE("there is a shape of every size")
{
    for (double parameters = kLeastParameters; parameters <= kMostParameters; parameters *= 1.05)
    {
        for (const Family family : {Family::gpt, Family::llama})
        {
            INFO(parameters);
            CHECK(model_of_size(parameters, family, 4, 8).layers > 0);
        }
    }
}
