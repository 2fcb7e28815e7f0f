#include "core/study/questions/evidence/evidence.h"

#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/study/questions/evidence/evidence_scene.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

// {step} and {time} run from line to line; the rest is the question's.
Result<Evidence> written(const json& settings, SplitMix rng, const FillText& fill)
{
    Evidence out;
    out.kind = settings["kind"].get<std::string>();
    const bool log = out.kind == "log";
    const char* field = log ? "lines" : "text";
    if (!settings.contains(field) || (log ? !settings[field].is_array() : !settings[field].is_string()))
    {
        return Issue{field, "missing", log ? "give a list of lines" : "give a text"};
    }
    const json lines = log ? settings[field] : json::array({settings[field]});
    std::uint64_t step = 1000 * (2 + rng.below(60)) + rng.below(1000);
    std::uint64_t time = 36000 + rng.below(30000);
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        if (!lines[i].is_string())
        {
            return Issue{fmt::format("lines[{}]", i), "not text", "use \"...\""};
        }
        std::string line = lines[i].get<std::string>();
        replace_all(line, "{step}", std::to_string(step));
        replace_all(line, "{time}", fmt::format("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60));
        const auto filled = fill(line);
        if (!filled)
        {
            Issue issue = filled.issues().front();
            issue.path = fmt::format("lines[{}]", i);
            return issue;
        }
        out.lines.push_back(*filled);
        step += 1;
        time += 3 + rng.below(9);
    }
    return out;
}

} // namespace

const std::vector<EvidenceKind>& evidence_kinds()
{
    static const std::vector<EvidenceKind> all = []
    {
        auto kinds = list_of<EvidenceKind>(evidence_makers(),
                                           [&](const EvidenceMaker& m) {
                                               return EvidenceKind{m.id, m.faults};
                                           });
        kinds.push_back({"log", {}});
        kinds.push_back({"text", {}});
        return kinds;
    }();
    return all;
}

Result<Evidence> make_evidence(const json& settings, std::uint64_t seed, const FillText& fill)
{
    const std::string kind =
        settings.value("kind", json()).is_string() ? settings["kind"].get<std::string>() : "";
    constexpr std::array<std::string_view, 5> kKnown{"kind", "fault", "gradient_norm", "lines", "text"};
    for (const auto& [name, value] : settings.items())
    {
        if (std::ranges::find(kKnown, name) == kKnown.end())
        {
            return Issue{name, "unknown setting", fmt::format("known are {}", fmt::join(kKnown, ", "))};
        }
    }
    if (kind == "log" || kind == "text")
    {
        return written(settings, SplitMix(seed), fill);
    }
    const auto maker = std::find_if(evidence_makers().begin(), evidence_makers().end(),
                                    [&](const EvidenceMaker& m) { return m.id == kind; });
    if (maker == evidence_makers().end())
    {
        auto ids = list_of<std::string_view>(evidence_kinds(), &EvidenceKind::id);
        return Issue{"kind", fmt::format("there is no \"{}\"", kind),
                     fmt::format("use {}", fmt::join(ids, ", "))};
    }
    const std::string fault =
        settings.value("fault", json()).is_string() ? settings["fault"].get<std::string>() : "";
    if (std::ranges::find(maker->faults, fault) == maker->faults.end())
    {
        return Issue{"fault", fmt::format("{} has no \"{}\"", kind, fault),
                     fmt::format("use {}", fmt::join(maker->faults, ", "))};
    }
    if (settings.contains("gradient_norm") && !settings["gradient_norm"].is_boolean())
    {
        return Issue{"gradient_norm", "neither true nor false", "use true or false"};
    }
    Scene scene{fault, settings, SplitMix(seed), {}};
    scene.out.kind = kind;
    maker->make(scene);
    return std::move(scene.out);
}

} // namespace ringside
