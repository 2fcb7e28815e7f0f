#include "core/scenario/framework.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/stage_layers.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

const JsonTable<FrameworkSchedule> kFrameworkScheduleTable{
    {{"id", &FrameworkSchedule::id, kNeeded},
     {"least_chunks", &FrameworkSchedule::least_chunks, {.least = 1, .most = 64}},
     {"most_chunks", &FrameworkSchedule::most_chunks, {.least = 0, .most = 64}}},
    [](const JsonPlace& place, FrameworkSchedule& s)
    {
        if (find_schedule(s.id) == nullptr)
        {
            place.fault("id", fmt::format("there is no schedule \"{}\"", s.id), "use one of --kind");
        }
    }};

const JsonTable<LaunchWord> kLaunchWordTable{
    {{"is", &LaunchWord::is, {.needed = true, .may_be_empty = true}},
     {"says", &LaunchWord::says, {.needed = true, .may_be_empty = true}},
     {"why", &LaunchWord::why}}};

const JsonTable<LaunchRule> kLaunchRuleTable{{{"flag", &LaunchRule::flag},
                                              {"field", &LaunchRule::field},
                                              {"words", &LaunchRule::words, kLaunchWordTable},
                                              {"says", &LaunchRule::says},
                                              {"in_code", &LaunchRule::in_code},
                                              {"when", &LaunchRule::when},
                                              {"value", &LaunchRule::value},
                                              {"reads", &LaunchRule::reads},
                                              {"without", &LaunchRule::without},
                                              {"versions", &LaunchRule::versions},
                                              {"file", &LaunchRule::file}}};

const JsonTable<LaunchRefusal> kLaunchRefusalTable{{{"when", &LaunchRefusal::when, kNeeded},
                                                    {"field", &LaunchRefusal::field, kNeeded},
                                                    {"says", &LaunchRefusal::says, kNeeded},
                                                    {"versions", &LaunchRefusal::versions}}};

const JsonTable<LaunchVersion> kLaunchVersionTable{
    {{"id", &LaunchVersion::id, kNeeded}, {"says", &LaunchVersion::says, kNeeded}}};

const JsonTable<SettingRule> kSettingRuleTable{{{"names", &SettingRule::names, kNeeded},
                                                {"field", &SettingRule::field},
                                                {"words", &SettingRule::words, kLaunchWordTable},
                                                {"without", &SettingRule::without},
                                                {"changes", &SettingRule::changes},
                                                {"bytes", &SettingRule::bytes},
                                                {"in_code", &SettingRule::in_code}}};

void check_zero_stages(const JsonPlace& place, const char* name, const std::vector<std::int64_t>& stages)
{
    if (std::ranges::any_of(stages, [](std::int64_t stage) { return stage < 0 || stage > 3; }))
    {
        place.fault(name, "names a stage there is not", "use 0 to 3");
    }
}

// A file of the folder that an export writes, and of no other.
std::optional<Issue> check_file_name(std::string_view name)
{
    const bool good =
        !name.empty() && name.front() != '.' && name.find_first_of("/\\") == std::string_view::npos;
    return good ? std::nullopt
                : std::optional(Issue{"", fmt::format("\u201c{}\u201d is no name of a file", name),
                                      "use letters and digits, without a folder"});
}

const JsonTable<LaunchFileRule> kLaunchFileTable{
    {{"name", &LaunchFileRule::name, {.needed = true, .check = check_file_name}},
     {"format", &LaunchFileRule::format, kNeeded},
     {"head", &LaunchFileRule::head, {.may_be_empty = true}},
     {"tail", &LaunchFileRule::tail, {.may_be_empty = true}},
     {"versions", &LaunchFileRule::versions},
     {"when", &LaunchFileRule::when}}};

// Fields left out are those of a plain model.
const JsonTable<LaunchFlavor> kLaunchFlavorTable{
    {{"module", &LaunchFlavor::module, kNeeded},
     {"flavor", &LaunchFlavor::flavor, kNeeded},
     {"config", &LaunchFlavor::config},
     {"recompute", &LaunchFlavor::recompute},
     {"shape",
      [](const JsonPlace& place, LaunchFlavor& f)
      {
          if (place.is_object("give layers, hidden, heads ..."))
          {
              append(place.issues, read_fields(place.value, place.path, f.shape));
              f.shape = resolved(f.shape);
          }
      },
      {.needed = true, .hint = "give layers, hidden, heads ..."}},
     {"versions", &LaunchFlavor::versions}}};

const JsonTable<Framework> kFrameworkTable{
    {json_schema<Framework>("ringside.framework/1"),
     {"id", &Framework::id, kNeeded},
     {"name", &Framework::name, kNeeded},
     {"version", &Framework::version, kNeeded},
     {"sources", &Framework::sources, kNeeded},
     {"also", &Framework::also},
     {"note", &Framework::note},
     {"software", &Framework::software},
     {"tensor", &Framework::tensor},
     {"schedules", &Framework::schedules, kFrameworkScheduleTable},
     {"uneven_stages", &Framework::uneven_stages},
     {"rounds_of_stages", &Framework::rounds_of_stages},
     {"zero", &Framework::zero, kNeeded},
     {"zero_with_tensor", &Framework::zero_with_tensor},
     {"zero_with_stages", &Framework::zero_with_stages},
     {"recompute", &Framework::recompute, kNeeded},
     {"recompute_layers", &Framework::recompute_layers},
     {"shard_groups", &Framework::shard_groups},
     {"sequence_parallel", &Framework::sequence_parallel},
     {"sequence_multiple", &Framework::sequence_multiple},
     {"whole_kv_heads", &Framework::whole_kv_heads},
     {"context_methods", &Framework::context_methods},
     {"experts", &Framework::experts},
     {"expert_tensor", &Framework::expert_tensor},
     {"whole_expert_groups", &Framework::whole_expert_groups},
     {"experts_in_replicas", &Framework::experts_in_replicas},
     {"launch", &Framework::launch, kLaunchRuleTable},
     {"settings", &Framework::settings, kSettingRuleTable},
     {"no_bearing", &Framework::no_bearing},
     {"versions", &Framework::versions, kLaunchVersionTable},
     {"files", &Framework::files, kLaunchFileTable},
     {"refuses", &Framework::refuses, kLaunchRefusalTable},
     {"flavors", &Framework::flavors, kLaunchFlavorTable}},
    [](const JsonPlace& place, Framework& f)
    {
        check_zero_stages(place, "zero", f.zero);
        check_zero_stages(place, "zero_with_tensor", f.zero_with_tensor.value_or(f.zero));
        check_zero_stages(place, "zero_with_stages", f.zero_with_stages.value_or(f.zero));
    }};

template <class List, class T>
bool lists(const List& list, const T& value)
{
    return std::ranges::find(list, value) != list.end();
}

bool runs_sequence(const Framework& f, const Scenario& s)
{
    const Parallel& p = s.parallel;
    const std::int64_t length = s.training.sequence_length;
    if (p.context > 1 &&
        (!lists(f.context_methods, ContextMethod::ring) ||
         (f.sequence_multiple == SequenceMultiple::twice_context && length % (2 * p.context) != 0)))
    {
        return false;
    }
    if (f.sequence_multiple == SequenceMultiple::twice_tensor_and_context &&
        length % (2 * p.tensor * p.context) != 0)
    {
        return false;
    }
    const bool always = f.sequence_parallel == SequenceUse::always ||
                        (f.sequence_parallel == SequenceUse::with_experts && s.model.experts > 0);
    return p.tensor == 1 || (p.sequence_parallel ? f.sequence_parallel != SequenceUse::never : !always);
}

bool runs_heads(const Framework& f, const Scenario& s)
{
    const Model& m = s.model;
    const bool has_them = m.attention == Attention::mha || m.attention == Attention::gqa;
    return !f.whole_kv_heads || !has_them || m.kv_heads % s.parallel.tensor == 0;
}

bool runs_experts(const Framework& f, const Scenario& s)
{
    const Parallel& p = s.parallel;
    if (f.experts_in_replicas && data_parallel(s) % p.expert != 0)
    {
        return false;
    }
    return (p.expert == 1 || f.experts) && (p.expert_tensor == 1 || (f.expert_tensor && p.expert > 1));
}

// Whether the framework runs expert groups over the shards of the replicas.
bool runs_expert_groups(const Framework& f, const Scenario& s)
{
    const Parallel& p = s.parallel;
    if (!f.whole_expert_groups || p.expert == 1)
    {
        return true;
    }
    const std::int64_t inner = p.context * (p.expert_tensor == 1 ? p.tensor : 1);
    return p.zero > 0 && p.expert % inner == 0 && (data_parallel(s) * inner) % p.expert == 0;
}

} // namespace

bool runs_schedule(const Framework& f, const Scenario& s)
{
    const Parallel& p = s.parallel;
    if (p.pipeline == 1)
    {
        return true;
    }
    const ScheduleKind kind = s.training.schedule;
    const auto found = std::ranges::find(f.schedules, kind->id, &FrameworkSchedule::id);
    if (found == f.schedules.end() || p.chunks < found->least_chunks ||
        (found->most_chunks > 0 && p.chunks > found->most_chunks))
    {
        return false;
    }
    return (f.uneven_stages || even_stages(s.model, p, virtual_stages(kind, pipeline_shape(s)))) &&
           (!f.rounds_of_stages || micro_batches(s) % p.pipeline == 0);
}

bool runs_layers(const Framework& f, const Scenario& s)
{
    const bool some = s.training.recompute == Recompute::full && s.training.recompute_layers > 0;
    return (f.tensor || s.parallel.tensor == 1) && lists(f.recompute, s.training.recompute) &&
           (f.recompute_layers || !some) && runs_heads(f, s) && runs_sequence(f, s) && runs_experts(f, s);
}

bool runs_sharding(const Framework& f, const Scenario& s)
{
    const Parallel& p = s.parallel;
    const auto& stages = p.pipeline > 1 && f.zero_with_stages ? *f.zero_with_stages
                         : p.tensor > 1 && f.zero_with_tensor ? *f.zero_with_tensor
                                                              : f.zero;
    // Where there is nothing to share, stage 0 is all there is.
    const bool groups = p.zero > 0 && dense_shards(s) < dense_replicas(s);
    return (lists(stages, p.zero) || dense_replicas(s) == 1) && (f.shard_groups || !groups) &&
           runs_expert_groups(f, s);
}

Result<Framework> framework_from_json(const nlohmann::json& document)
{
    Framework framework;
    Issues issues;
    kFrameworkTable.read({document, "", issues}, framework);
    if (!issues.empty())
    {
        return issues;
    }
    return framework;
}

} // namespace ringside
