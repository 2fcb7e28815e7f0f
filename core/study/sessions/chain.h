// Chains of an interview (schema ringside.chains/1): one problem of 5 to 20 minutes and five to eight
// follow-ups on the same answer. The problem is a scenario; a follow-up asks for a metric of it, changes it
// for all that follow, or takes the candidate's own layout in its place. So every number is the engine's, for
// the candidate's answer and not for a model answer.
#pragma once

#include "core/base/json/json_value.h"
#include "core/base/names.h"
#include "core/study/lessons/lesson_plan.h"

#include <filesystem>

namespace ringside
{

enum class MockRole : std::uint8_t
{
    training_infrastructure,
    inference,
    research_engineer,
    rl_systems,
    gpu_kernels
};
template <>
inline constexpr auto kNamesOf<MockRole> = names<MockRole>("training-infrastructure", "inference",
                                                           "research-engineer", "rl-systems", "gpu-kernels");

enum class MockLevel : std::uint8_t
{
    junior,
    mid,
    senior
};
template <>
inline constexpr auto kNamesOf<MockLevel> = names<MockLevel>("junior", "mid", "senior");

struct ChainLink
{
    std::string ask; // its numbers are placeholders, as a lesson's
    double seconds = 60;
    JsonValue then;      // path -> value: what changes before this is asked, and stays
    bool layout = false; // asks for a layout that fits, which takes the scenario's place
    std::string truth;   // else an expression over metrics, in `unit`
    std::string unit;
    double tolerance = 0.1; // relative
    std::string because;    // said with the truth
};

struct Chain
{
    std::string id;
    std::string title;
    std::vector<MockRole> roles;
    MockLevel level = MockLevel::mid;
    std::string scenario = "default"; // of assets/scenarios
    JsonValue set;
    JsonValue draw; // path -> list of values, one of which a seed takes
    std::string stem;
    std::vector<ChainLink> links;

    double seconds() const;
};

inline constexpr std::size_t kLeastLinks = 5;
inline constexpr std::size_t kMostLinks = 8;

Result<std::vector<Chain>> chains_from_json(const nlohmann::json& document);
// assets/study/chains.json; faults begin with the file.
std::vector<Chain> load_chains(const std::filesystem::path& assets, Issues& issues);

// A chain under way: the scenario as the answers so far have made it.
struct ChainRun
{
    const Chain* chain = nullptr; // which must outlive this
    LessonScene scene;
    LessonScene before; // of the last change
};
Result<ChainRun> start_chain(const Chain& chain, std::uint64_t seed, const Presets& presets);
std::string chain_stem(const ChainRun& run);

// What a link asks in the run's scenario, after its change.
struct AskedLink
{
    std::string ask;
    std::optional<double> truth; // none: a layout
    std::string key;             // "26.0 GB", or a layout that fits
    std::string because;
};
Result<AskedLink> ask_link(ChainRun& run, std::size_t link, const Presets& presets);

struct LinkVerdict
{
    bool correct = false;
    std::string message;
};
// Faults: an answer that cannot be read. A layout that fits is the scenario from then on.
Result<LinkVerdict> answer_link(ChainRun& run, std::size_t link, const AskedLink& asked,
                                std::string_view text);

// Every link of every draw: scenarios that are not valid, truths that are not finite, a start that does not
// fit where a layout is asked for.
Issues check_chains(std::span<const Chain> chains, const Presets& presets);

} // namespace ringside
