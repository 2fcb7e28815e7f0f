#include "core/lab/team_json.h"

#include <fmt/format.h>

#include "core/lab/config_json.h"
#include "core/lab/team_traffic.h"
#include "core/model/stages.h"
#include "core/scenario/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::string_view kSchema = "ringside.live/1";
constexpr std::array<std::string_view, 5> kStates{"running", "paused", "broken", "failed", "stopped"};
constexpr std::size_t kMostOfAnything = 100000; // losses, messages, operations

// What is not JSON's own fault; caught with those.
void require(bool holds, const char* what)
{
    if (!holds)
    {
        throw std::invalid_argument(what);
    }
}

// JSON has no NaN: it is written as null.
double number_or_nan(const json& j)
{
    return j.is_null() ? std::numeric_limits<double>::quiet_NaN() : j.get<double>();
}

const json& list_of(const json& j, const char* name)
{
    const json& list = j.at(name);
    require(list.is_array() && list.size() <= kMostOfAnything, name);
    return list;
}

json use_json(const MemoryUse& use)
{
    return use.parts;
}

MemoryUse use_of(const json& j)
{
    MemoryUse use;
    require(j.size() == use.parts.size(), "memory has other components");
    for (std::size_t i = 0; i < use.parts.size(); ++i)
    {
        use.parts.at(i) = j.at(i).get<std::int64_t>();
        require(use.parts.at(i) >= 0, "memory is below 0");
    }
    return use;
}

std::string axis_of(const json& j)
{
    auto axis = j.get<std::string>();
    require(std::ranges::find(kTrafficAxes, axis) != kTrafficAxes.end(), "there is no such axis");
    return axis;
}

void read_span(const json& start, const json& end, double& from, double& to)
{
    from = start.get<double>();
    to = end.get<double>();
    require(std::isfinite(from) && std::isfinite(to) && from <= to, "a time ends before it starts");
}

RankTrace rank_of(const json& j, const Coordinates& place, const ScheduleShape& shape, std::int64_t stages,
                  std::int64_t ranks)
{
    RankTrace r;
    r.place = place;
    r.memory = use_of(j.at("memory"));
    r.peak = use_of(j.at("peak"));
    for (const json& w : list_of(j, "work"))
    {
        RankTrace::Work& work = r.work.emplace_back();
        const auto pass = w.at(0).get<int>();
        require(pass >= 0 && pass <= static_cast<int>(Pass::weight), "there is no such pass");
        work.operation.pass = static_cast<Pass>(pass);
        work.operation.stage = w.at(1).get<std::int32_t>();
        work.operation.micro_batch = w.at(2).get<std::int32_t>();
        require(work.operation.stage >= 0 && work.operation.stage < stages, "there is no such stage");
        require(work.operation.micro_batch >= 0 && work.operation.micro_batch < shape.micro_batches,
                "there is no such micro-batch");
        read_span(w.at(3), w.at(4), work.start, work.end);
    }
    for (const json& m : list_of(j, "messages"))
    {
        RankTrace::Message& message = r.messages.emplace_back();
        message.axis = axis_of(m.at(0));
        message.kind = m.at(1).get<std::string>();
        message.sent = m.at(2).get<std::int64_t>();
        read_span(m.at(3), m.at(4), message.start, message.end);
        message.waits_for = m.at(5).get<int>();
        require(message.waits_for >= -1 && message.waits_for < ranks, "there is no such rank");
    }
    for (const json& s : list_of(j, "sent"))
    {
        r.sent.push_back({axis_of(s.at(0)), s.at(1).get<std::int64_t>(), s.at(2).get<std::int64_t>()});
        require(r.sent.back().bytes >= 0, "bytes are below 0");
    }
    return r;
}

json config_json(const TeamConfig& config)
{
    json j = to_json(config.trainer);
    j["scenario"] = to_json(scenario_of(config), Presets{});
    j["compression"] = {{"compressor", info_of(config.compression.compressor).id},
                        {"keep", config.compression.keep},
                        {"rank", config.compression.rank},
                        {"feedback", config.compression.feedback}};
    return j;
}

Result<TeamConfig> config_of(const json& j)
{
    auto trainer = trainer_config_from_json(j);
    if (!trainer)
    {
        return trainer.issues();
    }
    const auto scenario = scenario_from_json(j.at("scenario"), Presets{});
    TeamConfig config{*trainer, scenario->parallel, scenario->cluster.gpus};
    const json& c = j.at("compression");
    const auto compressor = find_compressor(c.at("compressor").get<std::string>());
    require(compressor.has_value(), "there is no such compressor");
    config.compression = {.compressor = *compressor,
                          .keep = c.at("keep").get<double>(),
                          .rank = c.at("rank").get<std::int64_t>(),
                          .feedback = c.at("feedback").get<bool>()};
    require(config.ranks >= 1 && config.ranks <= kMostTeamRanks, "there are too many ranks");
    Issues issues = faults_of_cut(config);
    if (!issues.empty())
    {
        return issues;
    }
    return config;
}

TeamStepTrace trace_of(const json& j, const TeamConfig& config)
{
    TeamStepTrace trace;
    trace.step = j.at("step").get<std::int64_t>();
    trace.loss = number_or_nan(j.at("loss"));
    trace.gradient_norm = number_or_nan(j.at("gradient_norm"));
    trace.skipped = j.at("skipped").get<bool>();
    trace.seconds = j.at("seconds").get<double>();
    require(std::isfinite(trace.seconds) && trace.seconds >= 0, "a step takes no such time");
    for (const json& layer : list_of(j, "experts"))
    {
        trace.experts.push_back({layer.at("wanted").get<std::vector<float>>(),
                                 layer.at("taken").get<std::vector<float>>(),
                                 layer.at("balance").get<double>()});
        const auto experts = static_cast<std::size_t>(config.trainer.model.experts);
        require(trace.experts.back().wanted.size() == experts && trace.experts.back().taken.size() == experts,
                "there are other experts");
    }
    const json& ranks = list_of(j, "ranks");
    require(static_cast<std::int64_t>(ranks.size()) == config.ranks, "there are other ranks");
    const Scenario scenario = scenario_of(config);
    const RankGrid grid(scenario, kMegatronOrder);
    const ScheduleShape shape = pipeline_shape(scenario);
    const std::int64_t stages = virtual_stages(config.trainer.training.schedule, shape);
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        trace.ranks.push_back(
            rank_of(ranks[i], grid.coordinates(static_cast<std::int64_t>(i)), shape, stages, config.ranks));
    }
    return trace;
}

json trace_json(const TeamStepTrace& step, const std::vector<json>& ranks)
{
    json experts = json::array();
    for (const LayerRouting& layer : step.experts)
    {
        experts.push_back({{"wanted", layer.wanted}, {"taken", layer.taken}, {"balance", layer.balance}});
    }
    return {{"step", step.step},       {"loss", step.loss},       {"gradient_norm", step.gradient_norm},
            {"skipped", step.skipped}, {"seconds", step.seconds}, {"experts", std::move(experts)},
            {"ranks", ranks}};
}

json head_json(const TeamSnapshot& s)
{
    json marks = json::array();
    for (const TeamMark& mark : s.marks)
    {
        marks.push_back({{"step", mark.step}, {"says", mark.says}, {"trouble", mark.trouble}});
    }
    return {{"schema", kSchema},
            {"state", kStates.at(static_cast<std::size_t>(s.state))},
            {"message", s.message},
            {"config", config_json(s.config)},
            {"step", s.step},
            {"losses", s.losses},
            {"sent_until", s.sent_until},
            {"loss_stride", s.loss_stride},
            {"sent_so_far", s.sent_so_far},
            {"marks", std::move(marks)}};
}

Result<TeamSnapshot> snapshot_of(const json& j)
{
    TeamSnapshot s;
    const auto state = std::ranges::find(kStates, j.at("state").get<std::string>());
    require(state != kStates.end(), "there is no such state");
    s.state = static_cast<TeamState>(state - kStates.begin());
    s.message = j.at("message").get<std::string>();
    auto config = config_of(j.at("config"));
    if (!config)
    {
        return config.issues();
    }
    s.config = *config;
    s.step = j.at("step").get<std::int64_t>();
    for (const json& loss : list_of(j, "losses"))
    {
        s.losses.push_back(static_cast<float>(number_or_nan(loss)));
    }
    s.sent_until = list_of(j, "sent_until").get<std::vector<double>>();
    s.loss_stride = j.at("loss_stride").get<std::int64_t>();
    s.sent_so_far = j.at("sent_so_far").get<double>();
    require(s.step >= 0 && s.loss_stride >= 1 && s.sent_until.size() == s.losses.size(),
            "losses and steps do not belong together");
    for (const json& mark : list_of(j, "marks"))
    {
        s.marks.push_back({mark.at("step").get<std::int64_t>(), mark.at("says").get<std::string>(),
                           mark.at("trouble").get<bool>()});
    }
    if (!j.at("trace").is_null())
    {
        s.trace = std::make_shared<const TeamStepTrace>(trace_of(j.at("trace"), s.config));
    }
    return s;
}

std::string text_of(const json& j)
{
    return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace

json to_json(const RankTrace& r)
{
    json work = json::array();
    for (const RankTrace::Work& w : r.work)
    {
        work.push_back(
            {static_cast<int>(w.operation.pass), w.operation.stage, w.operation.micro_batch, w.start, w.end});
    }
    json messages = json::array();
    for (const RankTrace::Message& m : r.messages)
    {
        messages.push_back({m.axis, m.kind, m.sent, m.start, m.end, m.waits_for});
    }
    json sent = json::array();
    for (const RankTrace::Sent& s : r.sent)
    {
        sent.push_back({s.axis, s.bytes, s.calls});
    }
    return {{"memory", use_json(r.memory)},
            {"peak", use_json(r.peak)},
            {"work", std::move(work)},
            {"messages", std::move(messages)},
            {"sent", std::move(sent)}};
}

std::string live_text(const TeamSnapshot& s, const TeamStepTrace& step, const std::vector<json>& ranks)
{
    json j = head_json(s);
    j["trace"] = trace_json(step, ranks);
    return text_of(j);
}

std::string live_text(const TeamSnapshot& s)
{
    if (s.trace)
    {
        std::vector<json> ranks;
        for (const RankTrace& rank : s.trace->ranks)
        {
            ranks.push_back(to_json(rank));
        }
        return live_text(s, *s.trace, ranks);
    }
    json j = head_json(s);
    j["trace"] = nullptr;
    return text_of(j);
}

Result<TeamSnapshot> snapshot_from_live(std::string_view text)
{
    const json j = json::parse(text, nullptr, false);
    if (!j.is_object() || !j.contains("schema") || j["schema"] != kSchema)
    {
        return Issue{"schema", "this is no running training",
                     fmt::format("use the file that ringside-rank --live writes ({})", kSchema)};
    }
    try
    {
        return snapshot_of(j);
    }
    catch (const json::exception& fault)
    {
        return Issue{"live", fault.what(), "use the file as it was written"};
    }
    catch (const std::invalid_argument& fault)
    {
        return Issue{"live", fault.what(), "use the file as it was written"};
    }
}

} // namespace ringside
