// One file, since a correction is searched for by one set of tables: fields, their counts, and what is tried.
#include "core/scenario/fit.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/choices.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <tuple>

namespace ringside
{

namespace
{

constexpr std::size_t kMostNamed = 5; // values in one piece of advice

std::string text_of(std::int64_t value)
{
    return std::to_string(value);
}
std::string text_of(bool value)
{
    return value ? "true" : "false";
}
std::string text_of(const std::vector<std::int64_t>& value)
{
    return fmt::format("[{}]", fmt::join(value, ","));
}
template <class E>
std::string text_of(E value)
{
    return std::string(name_of(value));
}

// A field that may have to change.
struct Setting
{
    std::string_view path;
    std::string_view name;
    std::string (*text)(const Scenario&);
    void (*take)(Scenario&, const Scenario& from);
    void (*set)(Scenario&, std::int64_t); // null: no count
};

template <auto part, auto member>
constexpr Setting setting(std::string_view path, std::string_view name)
{
    using T = std::decay_t<decltype((std::declval<Scenario>().*part).*member)>;
    Setting made{path, name, [](const Scenario& s) { return text_of((s.*part).*member); },
                 [](Scenario& to, const Scenario& from) { (to.*part).*member = (from.*part).*member; },
                 nullptr};
    if constexpr (std::is_same_v<T, std::int64_t>)
    {
        made.set = [](Scenario& s, std::int64_t value) { (s.*part).*member = value; };
    }
    return made;
}

constexpr auto kParallel = &Scenario::parallel;
constexpr auto kTraining = &Scenario::training;
constexpr auto kModel = &Scenario::model;
// In the order in which they are tried when the faulty field itself cannot help: what is cheapest to give up
// comes first.
constexpr std::array kSettings{
    setting<kParallel, &Parallel::stage_layers>("parallel.stage_layers", "layers per stage"),
    setting<kParallel, &Parallel::expert>("parallel.expert", "expert parallelism"),
    setting<kParallel, &Parallel::expert_tensor>("parallel.expert_tensor", "expert tensor parallelism"),
    setting<kParallel, &Parallel::chunks>("parallel.chunks", "chunks per stage"),
    setting<kTraining, &Training::schedule>("training.schedule", "schedule"),
    setting<kParallel, &Parallel::sequence_parallel>("parallel.sequence_parallel", "sequence parallelism"),
    setting<kParallel, &Parallel::context>("parallel.context", "context parallelism"),
    setting<kParallel, &Parallel::tensor>("parallel.tensor", "tensor parallelism"),
    setting<kParallel, &Parallel::pipeline>("parallel.pipeline", "pipeline stages"),
    setting<kTraining, &Training::micro_batch>("training.micro_batch", "micro-batch"),
    setting<kTraining, &Training::global_batch>("training.global_batch", "global batch"),
    setting<kTraining, &Training::gradient_dtype>("training.gradient_dtype", "gradients"),
    setting<kTraining, &Training::offload>("training.offload", "offload"),
    setting<kTraining, &Training::sequence_length>("training.sequence_length", "sequence length"),
    setting<&Scenario::cluster, &Cluster::gpus>("cluster.gpus", "GPUs"),
    setting<kModel, &Model::kv_heads>("model.kv_heads", "key/value heads"),
    setting<kModel, &Model::head_dim>("model.head_dim", "head dimension"),
    setting<kModel, &Model::attention>("model.attention", "attention"),
    setting<kModel, &Model::experts_per_token>("model.experts_per_token", "experts per token"),
    setting<kModel, &Model::dense_layers>("model.dense_layers", "dense layers"),
    setting<kModel, &Model::layers>("model.layers", "layers"),
    setting<kModel, &Model::hidden>("model.hidden", "hidden size"),
};

const Setting& setting_of(std::string_view path)
{
    return *std::find_if(kSettings.begin(), kSettings.end(),
                         [&](const Setting& s) { return s.path == path; });
}

// Whether the schedule takes a number of micro-batches.
bool takes(ScheduleKind kind, const ScheduleShape& shape)
{
    const bool any_order = shape.stages == 1 && shape.chunks == 1 && kind->placement == Placement::loop;
    return any_order || check_shape(kind, shape).empty();
}

// The legal global batches around the one wanted, nearest first, at most two.
std::vector<std::int64_t> batches_near(const Scenario& s, std::int64_t wanted)
{
    const ScheduleKind kind = s.training.schedule;
    ScheduleShape shape = pipeline_shape(s);
    const std::int64_t step = data_parallel(s) * s.training.micro_batch;
    shape.micro_batches = 1;
    const auto most =
        static_cast<std::int64_t>(static_cast<double>(kMostOperations) / operations_of(kind, shape));
    const std::int64_t about = std::clamp<std::int64_t>(wanted / step, 1, std::max<std::int64_t>(1, most));
    std::vector<std::int64_t> found;
    const auto look = [&](std::int64_t from, std::int64_t by)
    {
        // Every schedule takes 2 p, and what lies beyond is as good as what lies there.
        for (std::int64_t m = from; m >= 1 && m <= most && std::abs(m - from) <= 2 * shape.stages + 2;
             m += by)
        {
            shape.micro_batches = m;
            if (takes(kind, shape))
            {
                found.push_back(m * step);
                return;
            }
        }
    };
    look(about, -1);
    look(about + 1, 1);
    std::stable_sort(found.begin(), found.end(),
                     [&](std::int64_t a, std::int64_t b)
                     { return std::abs(a - wanted) < std::abs(b - wanted); });
    return found;
}

std::vector<std::int64_t> up_to(std::int64_t most)
{
    std::vector<std::int64_t> all;
    for (std::int64_t n = 1; n <= std::min<std::int64_t>(64, most); ++n)
    {
        all.push_back(n);
    }
    return all;
}

std::vector<std::int64_t> multiples_near(std::int64_t value, std::int64_t step)
{
    return {value / step * step, (value / step + 1) * step};
}

std::vector<std::int64_t> halves_of(std::int64_t value)
{
    std::vector<std::int64_t> all;
    for (std::int64_t n = value; n > 0; n /= 2)
    {
        all.push_back(n);
    }
    return all;
}

std::vector<std::int64_t> up_to_and_all(std::int64_t most)
{
    auto all = up_to(most);
    all.push_back(most);
    return all;
}

std::vector<std::int64_t> gpu_counts(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const std::int64_t replica = p.tensor * p.context * p.pipeline;
    auto found = multiples_near(s.cluster.gpus, replica);
    for (const std::int64_t data :
         divisors(std::max<std::int64_t>(1, s.training.global_batch / s.training.micro_batch)))
    {
        found.push_back(data * replica);
    }
    return found;
}

// Divisors of GPUs, heads, experts and the experts' width.
std::vector<std::int64_t> all_divisors(const Scenario& s)
{
    auto found = divisors(s.cluster.gpus);
    for (const std::int64_t whole : {s.model.heads, std::max<std::int64_t>(1, s.model.experts),
                                     std::max<std::int64_t>(1, s.model.expert_ffn)})
    {
        const auto more = divisors(whole);
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

struct FieldCounts
{
    std::string_view path; // of the field, or what its path begins with
    std::vector<std::int64_t> (*of)(const Scenario&);
};
constexpr std::array kFieldCounts{
    FieldCounts{"cluster.gpus", gpu_counts},
    FieldCounts{"training.global_batch",
                [](const Scenario& s) { return batches_near(s, s.training.global_batch); }},
    FieldCounts{"training.sequence_length",
                [](const Scenario& s) {
                    return multiples_near(s.training.sequence_length, s.parallel.context * s.parallel.tensor);
                }},
    FieldCounts{"training.micro_batch", [](const Scenario& s)
                { return divisors(std::max<std::int64_t>(1, s.training.global_batch / data_parallel(s))); }},
    FieldCounts{"parallel.chunks",
                [](const Scenario& s) { return up_to(s.model.layers / s.parallel.pipeline); }},
    FieldCounts{"model.kv_heads", [](const Scenario& s) { return divisors(s.model.heads); }},
    FieldCounts{"model.head_dim", [](const Scenario& s) { return divisors(s.model.heads); }},
    FieldCounts{"model.layers", [](const Scenario& s) { return halves_of(s.model.layers); }},
    FieldCounts{"model.hidden", [](const Scenario& s) { return halves_of(s.model.hidden); }},
    FieldCounts{"model.dense_layers", [](const Scenario& s) { return up_to_and_all(s.model.layers); }},
    FieldCounts{"model.", [](const Scenario& s) { return up_to_and_all(s.model.experts); }},
    FieldCounts{"", all_divisors}};

// Counts that may do for a field.
std::vector<std::int64_t> numbers(const Scenario& s, std::string_view path)
{
    const auto* counts = std::ranges::find_if(kFieldCounts, [&](const FieldCounts& each)
                                              { return path.starts_with(each.path); });
    assert(counts != kFieldCounts.end()); // the last one takes any path
    return counts->of(s);
}

Correction remedy(const Setting& setting, Scenario after)
{
    const std::string value = setting.text(after);
    const bool gpus = setting.path == "cluster.gpus";
    return {fmt::format("{}={}", setting.path, value),
            gpus ? fmt::format("Use {} GPUs", value) : fmt::format("Use {} {}", setting.name, value),
            std::move(after)};
}

// The scenario with another value of one field.
std::vector<Scenario> others(const Scenario& s, const Setting& setting)
{
    std::vector<Scenario> found;
    const auto add = [&](auto change)
    {
        found.push_back(s);
        change(found.back());
    };
    if (setting.set != nullptr)
    {
        for (const std::int64_t value : numbers(s, setting.path))
        {
            if (value >= 1 || setting.path == "model.dense_layers")
            {
                add([&](Scenario& t) { setting.set(t, value); });
            }
        }
    }
    else if (setting.path == "parallel.stage_layers")
    {
        add([](Scenario& t) { t.parallel.stage_layers.clear(); });
    }
    else if (setting.path == "parallel.sequence_parallel")
    {
        add([](Scenario& t) { t.parallel.sequence_parallel = false; });
    }
    else if (setting.path == "training.schedule")
    {
        for (const std::string_view id : {"1f1b", "interleaved"})
        {
            add([&](Scenario& t) { t.training.schedule = schedule(id); });
        }
    }
    else if (setting.path == "training.gradient_dtype")
    {
        add([](Scenario& t) { t.training.gradient_dtype = GradientDtype::fp32; });
    }
    else if (setting.path == "training.offload")
    {
        add([](Scenario& t) { t.training.offload = Offload::none; });
    }
    else
    {
        add([](Scenario& t) { t.model.attention = Attention::gqa; });
    }
    return found;
}

// Those values of one field that leave fewer faults than `before`, nearest first.
std::vector<Correction> helpful(const Scenario& s, const Setting& setting, std::size_t before)
{
    std::vector<std::pair<double, Scenario>> found;
    std::size_t least = before;
    for (Scenario& after : others(s, setting))
    {
        const std::size_t left = faults(after).size();
        if (left < least)
        {
            found.clear();
            least = left;
        }
        if (left == least && left < before)
        {
            const double now = setting.set != nullptr ? std::stod(setting.text(s)) : 1;
            const double then = setting.set != nullptr ? std::stod(setting.text(after)) : 1;
            found.emplace_back(std::abs(std::log((then + 0.1) / (now + 0.1))), std::move(after));
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Correction> remedies;
    for (auto& [distance, after] : found)
    {
        const bool known = std::any_of(remedies.begin(), remedies.end(),
                                       [&after = after](const Correction& r) { return r.after == after; });
        if (!known && remedies.size() < kMostNamed)
        {
            remedies.push_back(remedy(setting, std::move(after)));
        }
    }
    return remedies;
}

// Makes a layout from the one that suits any model on any number of GPUs: every size of the old layout is
// put back as far as the scenario stays valid.
class Fitter
{
public:
    explicit Fitter(const Scenario& scenario) : old_(scenario), now_(scenario) {}

    Scenario run()
    {
        const Parallel& p = old_.parallel;
        now_.parallel = {};
        now_.parallel.zero = p.zero;
        now_.parallel.whole_shards = p.whole_shards;
        now_.parallel.overlap_tensor = p.overlap_tensor;
        now_.parallel.overlap_expert = p.overlap_expert;
        now_.parallel.overlap_pipeline = p.overlap_pipeline;
        now_.training.schedule = schedule("1f1b");
        now_.training.micro_batch = 1;
        if (!settle(now_) && !recipe())
        {
            return old_;
        }
        const std::int64_t gpus = old_.cluster.gpus;
        put("parallel.tensor", gpus, p.tensor);
        put("parallel.pipeline", gpus, p.pipeline);
        put("parallel.context", gpus, p.context);
        take({"parallel.sequence_parallel"});
        put_schedule();
        take({"parallel.stage_layers"});
        const std::int64_t ranks = gpus / now_.parallel.pipeline;
        put("parallel.expert", ranks, p.expert);
        put("parallel.expert_tensor", ranks, p.expert_tensor);
        put("training.micro_batch",
            std::max<std::int64_t>(1, old_.training.global_batch / data_parallel(now_)),
            old_.training.micro_batch);
        return now_;
    }

private:
    // Gives a layout the global batch nearest to the old one; whether it is valid then.
    bool settle(Scenario& s) const
    {
        const auto batches = batches_near(s, old_.training.global_batch);
        s.training.global_batch = batches.empty() ? s.training.global_batch : batches.front();
        return faults(s).empty();
    }

    // Formats that do not go together, and an offload that has nowhere to go.
    bool recipe()
    {
        now_.training.gradient_dtype = GradientDtype::fp32;
        if (faults(now_).empty())
        {
            return true;
        }
        now_.training.offload = Offload::none;
        if (!faults(now_).empty())
        {
            return false;
        }
        take({"training.gradient_dtype"});
        return true;
    }

    bool keep(Scenario tried)
    {
        const bool valid = settle(tried);
        now_ = valid ? std::move(tried) : now_;
        return valid;
    }

    // The largest divisor of `whole` up to the old value.
    void put(std::string_view path, std::int64_t whole, std::int64_t wanted)
    {
        auto values = divisors(whole);
        std::reverse(values.begin(), values.end());
        for (const std::int64_t value : values)
        {
            Scenario tried = now_;
            setting_of(path).set(tried, value);
            if (value <= wanted && keep(std::move(tried)))
            {
                return;
            }
        }
    }

    void take(std::initializer_list<std::string_view> paths)
    {
        Scenario tried = now_;
        for (const std::string_view path : paths)
        {
            setting_of(path).take(tried, old_);
        }
        keep(std::move(tried));
    }

    // The schedule with its chunks, or with the nearest number of them; else 1F1B stays.
    void put_schedule()
    {
        const ScheduleKind kind = old_.training.schedule;
        std::vector<std::int64_t> chunks = up_to(old_.model.layers / now_.parallel.pipeline);
        std::stable_sort(chunks.begin(), chunks.end(),
                         [&](std::int64_t a, std::int64_t b)
                         { return std::abs(a - wanted_chunks()) < std::abs(b - wanted_chunks()); });
        for (const std::int64_t count : chunks)
        {
            Scenario tried = now_;
            tried.training.schedule = kind;
            tried.parallel.chunks = count;
            if (count <= kind->most_chunks && keep(std::move(tried)))
            {
                return;
            }
        }
    }
    std::int64_t wanted_chunks() const { return now_.parallel.pipeline == 1 ? 1 : old_.parallel.chunks; }

    const Scenario& old_;
    Scenario now_;
};

// Tensor, pipeline and context groups.
using Groups = std::array<std::int64_t, 3>;

Groups groups_of(const Scenario& s)
{
    return {s.parallel.tensor, s.parallel.pipeline, s.parallel.context};
}

Scenario with_groups(Scenario s, const Groups& groups)
{
    std::tie(s.parallel.tensor, s.parallel.pipeline, s.parallel.context) = std::tuple_cat(groups);
    return s;
}

double distance(const Groups& a, const Groups& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        sum += std::abs(std::log(static_cast<double>(a[i]) / static_cast<double>(b[i])));
    }
    return sum;
}

// All that the GPUs divide into, nearest first; tensor groups no wider than a node, or than they were.
std::vector<Groups> groups_near(const Scenario& s)
{
    const std::int64_t gpus = s.cluster.gpus;
    const Groups old = groups_of(s);
    std::vector<Groups> found;
    for (const std::int64_t tensor : divisors(gpus))
    {
        for (const std::int64_t pipeline : divisors(gpus / tensor))
        {
            for (const std::int64_t context : divisors(gpus / tensor / pipeline))
            {
                if (tensor <= std::max(old[0], s.cluster.gpus_per_node) && pipeline <= s.model.layers &&
                    s.model.heads % tensor == 0)
                {
                    found.push_back({tensor, pipeline, context});
                }
            }
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](const Groups& a, const Groups& b) { return distance(a, old) < distance(b, old); });
    return found;
}

// The nearest layout that fits in memory; `nearest` where none of the first few does.
Scenario fitting(const Scenario& scenario, Scenario nearest, const FitsMemory& fits_memory)
{
    constexpr std::size_t kMostTried = 40; // a few milliseconds
    if (!faults(nearest).empty() || fits_memory(nearest))
    {
        return nearest;
    }
    std::vector<Groups> groups = groups_near(scenario);
    groups.resize(std::min(groups.size(), kMostTried));
    for (const Groups& each : groups)
    {
        const Scenario wanted = with_groups(scenario, each);
        Scenario made = Fitter(wanted).run();
        if (groups_of(made) == each && faults(made).empty() && fits_memory(made))
        {
            return made;
        }
    }
    return nearest;
}

// Why the old value could not stay: what is wrong with it in the new scenario.
std::string reason(const Setting& setting, const Scenario& before, const Scenario& after)
{
    Scenario back = after;
    setting.take(back, before);
    const Issues issues = faults(back);
    return issues.empty() ? "" : issues.front().message;
}

} // namespace

std::string changes_between(const Scenario& before, const Scenario& after)
{
    std::vector<std::string> says;
    for (const Setting& s : kSettings)
    {
        const std::string from = s.text(before);
        const std::string to = s.text(after);
        if (from != to)
        {
            says.push_back(s.path == "parallel.stage_layers"
                               ? "layers split evenly over the stages"
                               : fmt::format("{} {} \u2192 {}", s.name, from, to));
        }
    }
    return capitalized(fmt::format("{}", fmt::join(says, ", ")));
}

Fit fit(const Scenario& scenario, const FitsMemory& fits_memory)
{
    Fit out{scenario, {}, {}};
    if (faults(scenario).empty())
    {
        return out;
    }
    out.scenario = Fitter(scenario).run();
    if (fits_memory)
    {
        out.scenario = fitting(scenario, std::move(out.scenario), fits_memory);
    }
    out.says = changes_between(scenario, out.scenario);
    std::vector<std::string> assignments;
    std::string why;
    for (const Setting& s : kSettings)
    {
        if (s.text(scenario) != s.text(out.scenario))
        {
            assignments.push_back(fmt::format("{}={}", s.path, s.text(out.scenario)));
            why = why.empty() ? reason(s, scenario, out.scenario) : why;
        }
    }
    out.assignments = fmt::format("{}", fmt::join(assignments, " "));
    out.says += out.says.empty() || why.empty() ? "" : ": " + why;
    return out;
}

std::vector<Correction> remedies(const Scenario& scenario, const Issue& issue)
{
    const std::size_t before = faults(scenario).size();
    const auto own = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const Setting& s) { return s.path == issue.path; });
    if (own != kSettings.end())
    {
        if (auto found = helpful(scenario, *own, before); !found.empty())
        {
            return found;
        }
    }
    for (const Setting& other : kSettings)
    {
        auto found = helpful(scenario, other, before);
        if (!found.empty())
        {
            found.resize(1);
            return found;
        }
    }
    Fit all = fit(scenario);
    if (faults(all.scenario).size() >= before)
    {
        return {};
    }
    return {{all.assignments, "Fit the layout", std::move(all.scenario)}};
}

std::string advice(const Scenario& scenario, const Issue& issue)
{
    const auto found = remedies(scenario, issue);
    if (found.empty())
    {
        return {};
    }
    if (!found.front().assignments.starts_with(issue.path + "=") ||
        found.front().assignments.find(' ') != std::string::npos)
    {
        return "use " + found.front().assignments;
    }
    std::vector<std::string> values;
    for (const Correction& r : found)
    {
        values.push_back(r.assignments.substr(issue.path.size() + 1));
    }
    std::stable_sort(values.begin(), values.end(),
                     [](const std::string& a, const std::string& b)
                     { return a.size() != b.size() ? a.size() < b.size() : a < b; });
    return values.size() == 1 ? "use " + values.front()
                              : fmt::format("use one of {}", fmt::join(values, ", "));
}

} // namespace ringside
