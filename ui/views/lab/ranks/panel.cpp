#include "ui/views/lab/ranks/panel.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/ranks/words.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 6> kBatches{1, 2, 4, 8, 16, 32};
constexpr std::array<double, 7> kSpeeds{0.25, 0.5, 1, 2, 4, 8, 0}; // 0: as fast as it goes
constexpr std::array kFaultChoices{RankFault::slow, RankFault::dead, RankFault::left_out,
                                   RankFault::not_a_number};
constexpr std::array<double, 6> kSaveEvery{1, 2, 5, 10, 20, 50};                  // [steps]
constexpr std::array<double, 8> kStorage{2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8}; // [B/s]
constexpr double kSlowness = 0.02;                                                // [s] before each operation

std::string say_speed(double steps_per_second)
{
    return steps_per_second > 0 ? fmt::format("{} steps/s", plain_number(steps_per_second)) : "fastest";
}

std::string say_every(double steps)
{
    return fmt::format("{:.0f} steps", steps);
}

std::string say_rate(double bytes_per_s)
{
    return fmt::format("{} MB/s", plain_number(bytes_per_s / 1e6));
}

void choose_strategy(PanelColumn& column, TeamRequest& request)
{
    const auto items = list_of<Choosable>(team_strategies(),
                                          [](const TeamStrategy& s) {
                                              return Choosable{s.id, s.name, s.says};
                                          });
    request.strategy = column
                           .dropdown("###strategy", team_strategies()[request.strategy].name, "strategies",
                                     items, "The weights are kept in the new layout")
                           .value_or(request.strategy);
}

void choose_compression(PanelColumn& column, TeamRequest& request)
{
    const auto all = team_compressions();
    const auto items =
        list_of<Choosable>(all,
                           [](const TeamCompression& c) {
                               return Choosable{c.name, c.name, info_of(c.options.compressor).says};
                           });
    const std::string_view shown = all[std::min(request.compression, all.size() - 1)].name;
    request.compression = column
                              .dropdown("###compression", shown, "compressions", items,
                                        "What is sent of a gradient; the rest is added to the next one")
                              .value_or(request.compression);
}

void choose_schedule(PanelColumn& column, TeamRequest& request)
{
    std::vector<Choosable> items;
    std::vector<ScheduleKind> kinds;
    for (const ScheduleKind kind : schedules())
    {
        if (kind->placement != Placement::two_way)
        {
            items.push_back({kind->id, kind->name, kind->says});
            kinds.push_back(kind);
        }
    }
    if (const auto chosen =
            column.dropdown("###team schedule", request.schedule->name, "team schedules", items))
    {
        request.schedule = kinds[*chosen];
    }
}

void draw_buttons(PanelColumn& column, const TeamFrame& team, Out& out)
{
    const bool running = team.is(TeamState::running);
    const bool broken = team.is(TeamState::broken);
    const std::string label = running  ? "Pause###run ranks"
                              : broken ? fmt::format("Resume from {}###run ranks", team.snapshot->kept)
                              : team.started() ? "Resume###run ranks"
                                               : "Start###run ranks";
    if (column.button(label.c_str(), "Space", ButtonStyle::primary))
    {
        out.push(TeamAction(running ? TeamCommand::pause : TeamCommand::run));
    }
    if (broken && team.can_go_without)
    {
        const std::string without = fmt::format("Without rank {}###without", team.snapshot->happened.rank);
        if (column.button(without.c_str(), "D"))
        {
            out.push(TeamAction(TeamCommand::without));
        }
    }
    else if (const auto pressed = column.buttons({{"Step###step ranks", "."}, {"Clear###clear ranks"}}))
    {
        out.push(TeamAction(*pressed == 0 ? TeamCommand::step : TeamCommand::clear));
    }
}

} // namespace

TeamRequest with_other_strategy(TeamRequest request, int by)
{
    const auto count = static_cast<int>(team_strategies().size());
    request.strategy = static_cast<std::size_t>((static_cast<int>(request.strategy) + by + count) % count);
    return request;
}

GoWrong RanksPanel::trouble(const TeamFrame& team) const
{
    const auto rank = static_cast<int>(std::clamp<std::int64_t>(rank_, 0, team.request.ranks - 1));
    return {{kFaultChoices.at(fault_), rank, kSlowness}};
}

void RanksPanel::draw_request(PanelColumn& column, const TeamFrame& team, TeamRequest& request)
{
    choose_strategy(column, request);
    column.slide("Number of ranks", Track::even(1, 8, say_whole), request.ranks);
    column.slide("Micro-batches", Track::only_at(kBatches, say_whole), request.micro_batches);
    column.slide("Speed", Track::only_at(kSpeeds, say_speed), request.steps_per_second);
    const auto& of = team.predicted.of;
    if (of && can_compress(*of))
    {
        choose_compression(column, request);
    }
    if (of && of->parallel.pipeline > 1)
    {
        choose_schedule(column, request);
    }
}

void RanksPanel::draw_saving(PanelColumn& column, TeamRequest& request)
{
    column.rule();
    column.heading("Checkpoints");
    column.choice({"none", "sync", "async"}, request.saving.mode);
    column.slide("Every", Track::only_at(kSaveEvery, say_every), request.saving.every);
    column.slide("Storage", Track::only_at(kStorage, say_rate, 1e6), request.saving.bytes_per_second);
}

void RanksPanel::draw_trouble(PanelColumn& column, const TeamFrame& team, Out& out)
{
    column.rule();
    column.heading("Fault injection");
    column.choice({"slow", "dead", "skip", "NaN"}, fault_);
    rank_ = trouble(team).fault.rank;
    column.slide("Rank", Track::even(0, static_cast<double>(team.request.ranks - 1), say_whole), rank_);
    if (column.button("Inject###trouble", "X"))
    {
        out.push(TeamAction(trouble(team)));
    }
}

// The panel of a training that runs elsewhere: what is known of it, and nothing to press.
void RanksPanel::draw_watch(const Painter& p, PanelColumn& column, const TeamFrame& team)
{
    const Theme& t = p.theme;
    column.paragraph(Type::body_strong, t.text, "A training elsewhere");
    column.paragraph(Type::mono, t.text, team.watched);
    if (!team.started())
    {
        return;
    }
    const TeamSnapshot& s = *team.snapshot;
    // While it runs, a file is written several times a second and as often as steps take.
    const double step = s.trace ? s.trace->seconds : 0;
    const bool silent = team.is(TeamState::running) && team.silent_s > 5 + 3 * step;
    column.paragraph(Type::body, t.text,
                     silent                        ? fmt::format("No update for {}: it may have been killed.",
                                                                 format_seconds(Seconds(std::floor(team.silent_s))))
                     : team.is(TeamState::running) ? "It is running."
                     : team.is(TeamState::stopped) ? "It has finished."
                                                   : "It stopped early.");
    column.paragraph(Type::small, t.muted, team_model_words(s.config));
    if (!team.fault.empty())
    {
        column.paragraph(Type::small, t.text, team.fault);
    }
}

// What a recording can be asked, and why it is one.
void RanksPanel::draw_recorded(const Painter& p, PanelColumn& column, TeamRequest& request)
{
    choose_strategy(column, request);
    column.slide("Speed", Track::only_at(kSpeeds, say_speed), request.steps_per_second);
    column.rule();
    column.paragraph(Type::small, p.theme.muted,
                     "A recording of threads on one processor, since a page has no threads. The desktop "
                     "program trains live, with other ranks, batches, faults and compressors.");
}

// What only one of the pages asks.
void RanksPanel::draw_page(PanelColumn& column, const TeamFrame& team, RanksPage page, TeamRequest& request,
                           Out& out)
{
    switch (page)
    {
    case RanksPage::step:
        draw_trouble(column, team, out);
        break;
    case RanksPage::saves:
        draw_saving(column, request);
        break;
    case RanksPage::bytes:
    {
        column.choice({"AdamW", "plain SGD"}, request.plain_sgd);
        const char* label = team.comparing ? "End the comparison###compare" : "Compare compressors###compare";
        if (column.button(label, "C"))
        {
            out.push(TeamAction(TeamCommand::compare));
        }
        break;
    }
    }
}

void RanksPanel::draw(PanelColumn& column, const Frame& frame, const Painter& p, RanksPage page, Out& out)
{
    const TeamFrame& team = *frame.team;
    if (!team.watched.empty())
    {
        draw_watch(p, column, team);
        return;
    }
    draw_buttons(column, team, out);
    TeamRequest request = team.request;
    if (team.recorded)
    {
        draw_recorded(p, column, request);
    }
    else
    {
        draw_request(column, team, request);
        draw_page(column, team, page, request, out);
    }
    if (!(request == team.request))
    {
        out.push(TeamAction(RequestTeam{request}));
    }
}

} // namespace ringside
