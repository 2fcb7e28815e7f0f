#include "core/lab/team/team_json.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/lab/config_json.h"
#include "core/lab/team/team_traffic.h"
#include "core/model/stages.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ringside
{

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TeamMark, step, says, trouble)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LayerRouting, wanted, taken, balance)

namespace
{

using nlohmann::json;

constexpr std::string_view kSchema = "ringside.live/1";
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

const json& entries_of(const json& j, const char* name)
{
    const json& list = j.at(name);
    require(list.is_array() && list.size() <= kMostOfAnything, name);
    return list;
}

MemoryUse use_of(const json& j)
{
    MemoryUse use;
    require(j.size() == use.parts.size(), "memory has other components");
    use.parts = j.get<decltype(use.parts)>();
    require(std::ranges::min(use.parts) >= 0, "memory is below 0");
    return use;
}

// The cells of a row that is written as a list.
template <class... Cell>
void read_row(const json& row, Cell&... cells)
{
    std::size_t at = 0;
    ((cells = row.at(at++).template get<Cell>()), ...);
}

void check_axis(const std::string& axis)
{
    require(std::ranges::find(kTrafficAxes, axis) != kTrafficAxes.end(), "there is no such axis");
}

void check_span(double from, double to)
{
    require(std::isfinite(from) && std::isfinite(to) && from <= to, "a time ends before it starts");
}

RankTrace rank_of(const json& j, const Coordinates& place, const ScheduleShape& shape, std::int64_t stages,
                  std::int64_t ranks)
{
    RankTrace r;
    r.place = place;
    r.memory = use_of(j.at("memory"));
    r.peak = use_of(j.at("peak"));
    for (const json& row : entries_of(j, "work"))
    {
        RankTrace::Work& w = r.work.emplace_back();
        int pass = 0;
        read_row(row, pass, w.operation.stage, w.operation.micro_batch, w.start, w.end);
        require(pass >= 0 && pass <= static_cast<int>(Pass::weight), "there is no such pass");
        w.operation.pass = static_cast<Pass>(pass);
        require(w.operation.stage >= 0 && w.operation.stage < stages, "there is no such stage");
        require(w.operation.micro_batch >= 0 && w.operation.micro_batch < shape.micro_batches,
                "there is no such micro-batch");
        check_span(w.start, w.end);
    }
    for (const json& row : entries_of(j, "messages"))
    {
        RankTrace::Message& m = r.messages.emplace_back();
        read_row(row, m.axis, m.kind, m.sent, m.start, m.end, m.waits_for);
        check_axis(m.axis);
        check_span(m.start, m.end);
        require(m.waits_for >= -1 && m.waits_for < ranks, "there is no such rank");
    }
    for (const json& row : entries_of(j, "sent"))
    {
        RankTrace::Sent& s = r.sent.emplace_back();
        read_row(row, s.axis, s.bytes, s.calls);
        check_axis(s.axis);
        require(s.bytes >= 0, "bytes are below 0");
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
    trace.experts = entries_of(j, "experts").get<std::vector<LayerRouting>>();
    const auto experts = static_cast<std::size_t>(config.trainer.model.experts);
    require(std::ranges::all_of(trace.experts, [&](const LayerRouting& layer)
                                { return layer.wanted.size() == experts && layer.taken.size() == experts; }),
            "there are other experts");
    const json& ranks = entries_of(j, "ranks");
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
    return {{"step", step.step},       {"loss", step.loss},       {"gradient_norm", step.gradient_norm},
            {"skipped", step.skipped}, {"seconds", step.seconds}, {"experts", step.experts},
            {"ranks", ranks}};
}

json head_json(const TeamSnapshot& s)
{
    return {{"schema", kSchema},
            {"state", name_of(s.state)},
            {"message", s.message},
            {"config", config_json(s.config)},
            {"step", s.step},
            {"losses", s.losses},
            {"sent_until", s.sent_until},
            {"loss_stride", s.loss_stride},
            {"sent_so_far", s.sent_so_far},
            {"marks", s.marks}};
}

Result<TeamSnapshot> snapshot_of(const json& j)
{
    TeamSnapshot s;
    const auto state = kNamesOf<TeamState>.find(j.at("state").get<std::string>());
    require(state.has_value(), "there is no such state");
    s.state = *state;
    s.message = j.at("message").get<std::string>();
    auto config = config_of(j.at("config"));
    if (!config)
    {
        return config.issues();
    }
    s.config = *config;
    s.step = j.at("step").get<std::int64_t>();
    s.losses = list_of<float>(entries_of(j, "losses"),
                              [](const json& loss) { return static_cast<float>(number_or_nan(loss)); });
    s.sent_until = entries_of(j, "sent_until").get<std::vector<double>>();
    s.loss_stride = j.at("loss_stride").get<std::int64_t>();
    s.sent_so_far = j.at("sent_so_far").get<double>();
    require(s.step >= 0 && s.loss_stride >= 1 && s.sent_until.size() == s.losses.size(),
            "losses and steps do not belong together");
    s.marks = entries_of(j, "marks").get<std::vector<TeamMark>>();
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
    // A clock tells no more than 0.1 us apart, and a text of shorter numbers is half as long.
    const auto time = [](double seconds) { return std::round(seconds * 1e7) / 1e7; };
    const auto rows = [](const auto& list, const auto& row)
    { return json(list_of<json>(list, [&](const auto& entry) -> json { return row(entry); })); };
    return {{"memory", r.memory.parts},
            {"peak", r.peak.parts},
            {"work", rows(r.work,
                          [&](const RankTrace::Work& w) -> json
                          {
                              return {static_cast<int>(w.operation.pass), w.operation.stage,
                                      w.operation.micro_batch, time(w.start), time(w.end)};
                          })},
            {"messages", rows(r.messages,
                              [&](const RankTrace::Message& m) -> json
                              { return {m.axis, m.kind, m.sent, time(m.start), time(m.end), m.waits_for}; })},
            {"sent", rows(r.sent,
                          [](const RankTrace::Sent& s) -> json {
                              return {s.axis, s.bytes, s.calls};
                          })}};
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
        return live_text(s, *s.trace,
                         list_of<json>(s.trace->ranks, [](const RankTrace& r) { return to_json(r); }));
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
    catch (const std::exception& fault) // JSON's own, and require()'s
    {
        return Issue{"live", fault.what(), "use the file as it was written"};
    }
}

} // namespace ringside
