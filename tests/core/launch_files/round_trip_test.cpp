// What is exported reads back: every field that a framework can say is the same again, for drawn scenarios.
#include "tests/core/random_scenarios.h"
#include "tests/share.h"

#include "core/launch_files/launch_files.h"
#include "core/planner/launch/framework_launch.h"
#include "core/planner/launch/rules.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>

using namespace ringside;

namespace
{

constexpr int kDrawn = 1000;

// The next scenario with a model that the framework has ready, where it has any.
Scenario drawn_for(const Framework& framework, std::string_view version, test::ScenarioSource& source,
                   int round)
{
    for (;;)
    {
        Scenario s = source.next();
        std::vector<const LaunchFlavor*> flavors;
        for (const LaunchFlavor& flavor : framework.flavors)
        {
            if (is_of_version(flavor.versions, version))
            {
                flavors.push_back(&flavor);
            }
        }
        if (!flavors.empty())
        {
            s.model = flavors[static_cast<std::size_t>(round) % flavors.size()]->shape;
            s.parallel.stage_layers.clear();
        }
        if (!has_errors(validate(s)))
        {
            return s;
        }
    }
}

LaunchRequest request_of(const Launch& launch)
{
    LaunchRequest request;
    for (const LaunchFile& file : launch.files)
    {
        if (file.name != "launch.sbatch")
        {
            request.files.push_back({file.name, text_of(launch, file)});
        }
    }
    return request;
}

// What is read as a number for all GPUs.
bool is_counted_on_gpus(std::string_view field)
{
    return field == "training.global_batch" || field == "training.tokens" || field == "parallel.zero";
}

bool is_missed(const Launch& launch, const std::string& field)
{
    return std::ranges::any_of(
        launch.not_expressed,
        [&](const NotExpressed& item)
        {
            // What is said of a shape, or of a schedule, is said of all its parts.
            return item.field == field ||
                   (item.field == "training.schedule" &&
                    (field == "parallel.chunks" || field == "parallel.stage_layers")) ||
                   (item.field == "model.attention" && field.starts_with("model.")) ||
                   (item.field == "cluster.gpus" && is_counted_on_gpus(field));
        });
}

void read_back(const Framework& framework, std::string_view version)
{
    test::ScenarioSource source(23);
    for (int round = 0; round < kDrawn; ++round)
    {
        const Scenario s = drawn_for(framework, version, source, round);
        if (!test::is_in_share(static_cast<std::size_t>(round)))
        {
            continue;
        }
        const Launch launch = write_launch(framework, s, version);
        const auto reading = read_launch_files(request_of(launch), test::presets());
        REQUIRE(reading);
        std::string wrong = reading->kind == framework.id ? "" : " read as " + reading->kind;
        const Scenario wanted = without_idle_fields(s);
        const Scenario got = without_idle_fields(reading->scenario);
        for (const std::string& path : launch_fields(framework))
        {
            // What means nothing in the one and something in the other, since that lost a field that it
            // stands on, is still said.
            const bool same = is_missed(launch, path) ||
                              field_of(got, path)->text == field_of(wanted, path)->text ||
                              field_of(reading->scenario, path)->text == field_of(s, path)->text;
            wrong += same ? "" : " " + path;
        }
        if (!wrong.empty())
        {
            UNSCOPED_INFO(framework.id << " " << version << ", round " << round << "\n"
                                       << text_of(launch, launch.files.front()));
        }
        CHECK(wrong == "");
    }
}

} // namespace

TEST_CASE("the export of 1,000 drawn scenarios reads back in every field that the framework can say")
{
    for (const Framework& framework : test::presets().frameworks)
    {
        for (const LaunchVersion& version : framework.versions)
        {
            read_back(framework, version.id);
        }
    }
}
