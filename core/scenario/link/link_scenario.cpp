#include "core/scenario/link/link_scenario.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/json/serving_json.h"

#include <algorithm>
#include <map>

namespace ringside
{

using nlohmann::json;

namespace
{

// Every field by its path, the two names, and what the accelerator came from.
std::map<std::string, json> paths_of(const Scenario& s)
{
    std::map<std::string, json> all;
    const auto add = [&](std::string_view section, const auto& part)
    {
        const json fields = fields_json(part);
        for (const auto& [name, value] : fields.items())
        {
            all[fmt::format("{}.{}", section, name)] = value;
        }
    };
    each_section(s, add);
    add("cluster.gpu.calibration", s.cluster.gpu.calibration);
    if (!s.software.inferred)
    {
        add("software", s.software);
    }
    all["model.name"] = s.model.name;
    all["cluster.gpu.name"] = s.cluster.gpu.name;
    all["cluster.gpu.based_on"] = s.cluster.gpu.id;
    return all;
}

// A value as `--set` takes it: a text that would be read as JSON keeps its quotes.
std::string as_set(const json& value)
{
    if (value.is_number_float())
    {
        std::string number = fmt::format("{}", value.get<double>());
        std::erase(number, '+'); // of an exponent
        return number;
    }
    const bool plain = value.is_string() && !parse_json(value.get_ref<const std::string&>());
    return plain ? value.get<std::string>() : value.dump();
}

using Assignments = std::vector<std::string>;

// Models and accelerators are named where they have a name, so that only what differs from those is left.
Assignments named_parts(const Scenario& from, const Scenario& to, const Presets& presets)
{
    Assignments sets;
    if (to.model.preset != from.model.preset)
    {
        const bool named = presets.model(to.model.preset) != nullptr;
        sets.push_back(named ? "model=" + to.model.preset : "model={}");
    }
    if (to.cluster.gpu.id != from.cluster.gpu.id && presets.gpu(to.cluster.gpu.id) != nullptr)
    {
        sets.push_back("cluster.gpu=" + to.cluster.gpu.id);
    }
    if (to.software.inferred != from.software.inferred || to.software.id != from.software.id)
    {
        sets.push_back(to.software.inferred ? "software=null" : "software=" + to.software.id);
    }
    const auto served = [&](const Scenario& s)
    { return s.serving ? serving_json(*s.serving, presets) : json(); };
    if (const json wanted = served(to); wanted != served(from))
    {
        sets.push_back("serving=" + wanted.dump());
    }
    return sets;
}

// Adds what is still missing behind `sets`. Some fields follow from others, so what came of it is looked at
// again; nothing where another example has already done it in `most`.
std::optional<Assignments> completed(const Scenario& from, const Scenario& to, Assignments sets,
                                     const Presets& presets, std::size_t most)
{
    constexpr int kRounds = 4;
    const std::map<std::string, json> wanted = paths_of(to);
    std::map<std::string, bool> done;
    json document = to_json(from, presets);
    for (const std::string& assignment : sets)
    {
        set_path(document, assignment);
    }
    for (int round = 0; round < kRounds; ++round)
    {
        const auto now = scenario_from_json(document, presets);
        const std::size_t before = sets.size();
        for (const auto& [path, value] : now ? paths_of(*now) : std::map<std::string, json>())
        {
            // A changed accelerator is called after its preset, which comes of itself.
            const bool early = round == 0 && path == "cluster.gpu.name";
            if (!early && wanted.contains(path) && value != wanted.at(path) &&
                !std::exchange(done[path], true))
            {
                sets.push_back(fmt::format("{}={}", path, as_set(wanted.at(path))));
                set_path(document, sets.back());
            }
        }
        if (sets.size() > most)
        {
            return std::nullopt;
        }
        if (sets.size() == before && round > 0)
        {
            break;
        }
    }
    return sets;
}

std::string written(const std::string& example, const Assignments& sets)
{
    std::string text = link_escaped(example);
    for (const std::string& assignment : sets)
    {
        const std::size_t equals = assignment.find('=');
        text += fmt::format(";{}={}", link_escaped(std::string_view(assignment).substr(0, equals)),
                            link_escaped(std::string_view(assignment).substr(equals + 1)));
    }
    return text;
}

constexpr std::size_t kMostChanges = 256; // a scenario has half as many fields

Issue not_set(std::string_view text, const Issues& why)
{
    return {why.front().path.empty() ? shortened(text) : why.front().path, why.front().message,
            why.front().hint};
}

// One "PATH=VALUE" in the document; the scenario that it makes.
Result<Scenario> changed_by(std::string_view text, json& document, const Presets& presets)
{
    constexpr std::string_view kHint = "use PATH=VALUE, for example parallel.tensor=4";
    constexpr std::ptrdiff_t kDeepest = 4;
    const auto assignment = link_unescaped(text);
    const std::size_t equals = assignment ? assignment->find('=') : std::string::npos;
    if (equals == std::string::npos || equals == 0 ||
        std::count(assignment->begin(), assignment->begin() + static_cast<std::ptrdiff_t>(equals), '.') >
            kDeepest)
    {
        return Issue{"", "cannot be read", std::string(kHint)};
    }
    json next = document;
    Issues faults = set_path(next, *assignment);
    auto scenario = faults.empty() ? scenario_from_json(next, presets) : Result<Scenario>(std::move(faults));
    if (scenario)
    {
        document = std::move(next);
    }
    return scenario;
}

// Takes the text up to the next semicolon.
std::string_view next_piece(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
}

const ScenarioPreset* example_of(std::string_view text, const Presets& presets, Issues& issues)
{
    const std::string id = link_unescaped(text).value_or(std::string(text));
    const ScenarioPreset* preset = presets.scenario(id.empty() ? "default" : id);
    if (preset == nullptr)
    {
        const auto known = list_of<std::string>(presets.scenarios, &ScenarioPreset::id);
        issues.push_back({"", fmt::format("there is no example \u201c{}\u201d", shortened(id)),
                          did_you_mean(id, known, fmt::format("use one of {}", fmt::join(known, ", ")))});
    }
    return preset;
}

} // namespace

std::string link_escaped(std::string_view text)
{
    constexpr std::string_view kKept = "-._~/,:";
    std::string out;
    for (const char c : text)
    {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        out += plain || kKept.find(c) != std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

std::optional<std::string> link_unescaped(std::string_view text)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto digit = [&](std::size_t at)
    {
        const char c = at < text.size() ? text[at] : ' ';
        return kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] != '%')
        {
            out += text[i];
            continue;
        }
        const std::size_t high = digit(i + 1);
        const std::size_t low = digit(i + 2);
        if (high == std::string_view::npos || low == std::string_view::npos)
        {
            return std::nullopt;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return is_utf8(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::string scenario_for_link(const Scenario& scenario, const Presets& presets)
{
    std::string best;
    std::size_t fewest = kMostChanges;
    const auto consider = [&](const ScenarioPreset& example, Assignments sets)
    {
        const auto made = completed(example.scenario, scenario, std::move(sets), presets, fewest);
        std::string text = made ? written(example.id, *made) : std::string();
        if (made && (best.empty() || made->size() < fewest || text.size() < best.size()))
        {
            best = std::move(text);
            fewest = made->size();
        }
    };
    for (const ScenarioPreset& example : presets.scenarios)
    {
        const Assignments named = named_parts(example.scenario, scenario, presets);
        consider(example, named);
        for (const ClusterPreset& cluster : presets.clusters)
        {
            if (cluster.cluster.gpu.id == scenario.cluster.gpu.id)
            {
                Assignments whole_cluster = named;
                std::erase(whole_cluster, "cluster.gpu=" + scenario.cluster.gpu.id);
                whole_cluster.push_back("cluster=" + cluster.id);
                consider(example, std::move(whole_cluster));
            }
        }
    }
    return best;
}

std::optional<Scenario> scenario_of_link(std::string_view text, const Presets& presets, Issues& issues)
{
    const bool names = text.substr(0, text.find(';')).find('=') == std::string_view::npos;
    const ScenarioPreset* example = example_of(names ? next_piece(text) : "", presets, issues);
    if (example == nullptr)
    {
        return std::nullopt;
    }
    Scenario scenario = example->scenario;
    json document = to_json(scenario, presets);
    for (std::size_t count = 0; !text.empty(); ++count)
    {
        const std::string_view piece = next_piece(text);
        if (count == kMostChanges)
        {
            issues.push_back(
                {"", fmt::format("has more than {} changes", kMostChanges), "send the scenario as a file"});
            break;
        }
        auto next = piece.empty() ? Result<Scenario>(scenario) : changed_by(piece, document, presets);
        if (!next)
        {
            issues.push_back(not_set(piece, next.issues()));
            continue;
        }
        scenario = std::move(*next);
    }
    return scenario;
}

} // namespace ringside
