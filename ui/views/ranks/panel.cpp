#include "ui/views/ranks/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/ranks/words.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 8> kRanks{1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::array<double, 6> kBatches{1, 2, 4, 8, 16, 32};
constexpr std::array<double, 7> kSpeeds{0.25, 0.5, 1, 2, 4, 8, 0}; // 0: as fast as it goes
constexpr std::array kMishapChoices{Mishap::slow, Mishap::dead, Mishap::left_out, Mishap::not_a_number};
constexpr std::array<double, 6> kSaveEvery{1, 2, 5, 10, 20, 50};           // [steps]
constexpr std::array<double, 8> kStorage{2, 5, 10, 20, 50, 100, 200, 500}; // [MB/s]
constexpr double kSlowness = 0.02;                                         // [s] before each operation

std::size_t place_of(std::span<const double> values, double value)
{
    if (value == 0 && values.back() == 0)
    {
        return values.size() - 1;
    }
    const auto off = [value](double v) { return std::abs(v - value); };
    return static_cast<std::size_t>(std::ranges::min_element(values, {}, off) - values.begin());
}

// The value after what was done to its slider this frame; a typed one goes to the nearest there is.
double turn(const Painter& p, Rect row, const SliderText& words, std::span<const double> values, double value,
            TypedEntry& entry)
{
    const auto last = static_cast<double>(values.size() - 1);
    const std::size_t at = place_of(values, value);
    const auto position = static_cast<float>(last > 0 ? static_cast<double>(at) / last : 0);
    const SliderChange change = slider(p, row, words, position, entry);
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return values[static_cast<std::size_t>(std::lround(static_cast<double>(change.position) * last))];
    case SliderChange::Kind::stepped:
        return values[static_cast<std::size_t>(
            std::clamp(static_cast<int>(at) + change.steps, 0, static_cast<int>(values.size()) - 1))];
    case SliderChange::Kind::typed:
        if (const auto typed = parse_number(change.text))
        {
            return values[place_of(values, *typed)];
        }
        return value;
    case SliderChange::Kind::none:
        break;
    }
    return value;
}

void choose_strategy(const Painter& p, Rect row, TeamWish& wish)
{
    if (dropdown(p, row, "###strategy", team_strategies()[wish.strategy].name))
    {
        ImGui::OpenPopup("strategies");
    }
    tooltip(p, "The weights go on in the new layout");
    std::vector<Choosable> items;
    for (const TeamStrategy& s : team_strategies())
    {
        items.push_back({s.id, s.name, s.says});
    }
    if (const auto chosen = choice_popup(p, "strategies", items))
    {
        wish.strategy = *chosen;
    }
}

void choose_compression(const Painter& p, Rect row, TeamWish& wish)
{
    const auto all = team_compressions();
    if (dropdown(p, row, "###compression", all[std::min(wish.compression, all.size() - 1)].name))
    {
        ImGui::OpenPopup("compressions");
    }
    tooltip(p, "What is sent of a gradient; the rest is added to the next one");
    std::vector<Choosable> items;
    for (const TeamCompression& c : all)
    {
        const CompressorInfo& info = info_of(c.options.compressor);
        items.push_back({c.name, c.name, info.says});
    }
    if (const auto chosen = choice_popup(p, "compressions", items))
    {
        wish.compression = *chosen;
    }
}

void choose_schedule(const Painter& p, Rect row, TeamWish& wish)
{
    if (dropdown(p, row, "###team schedule", wish.schedule->name))
    {
        ImGui::OpenPopup("team schedules");
    }
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
    if (const auto chosen = choice_popup(p, "team schedules", items))
    {
        wish.schedule = kinds[*chosen];
    }
}

void choose_optimizer(const Painter& p, Rect& area, const TeamFrame& team, Out& out)
{
    if (area.h < p.px(80))
    {
        return;
    }
    constexpr std::array<std::string_view, 2> kOptimizers{"AdamW", "plain SGD"};
    const Rect row = area.cut_top(p.px(30));
    if (const auto clicked = segments(p, row, kOptimizers, team.wish.plain_sgd ? 1 : 0))
    {
        TeamWish next = team.wish;
        next.plain_sgd = *clicked == 1;
        out.push(TeamAction(WishTeam{next}));
    }
}

void draw_buttons(const Painter& p, Rect area, const TeamFrame& team, Out& out)
{
    const bool running = team.is(TeamState::running);
    const bool broken = team.is(TeamState::broken);
    const std::string label = running          ? "Pause###run ranks"
                              : broken         ? fmt::format("Go on from {}###run ranks", team.snapshot->kept)
                              : team.started() ? "Go on###run ranks"
                                               : "Start###run ranks";
    if (button(p, area.cut_top(p.px(40)), label.c_str(), "Space", ButtonStyle::primary))
    {
        out.push(TeamAction(running ? TeamCommand::pause : TeamCommand::run));
    }
    const float gap = p.px(8);
    area.cut_top(gap);
    Rect row = area.cut_top(p.px(40));
    if (broken && team.can_go_without)
    {
        const std::string without = fmt::format("Without rank {}###without", team.snapshot->suffered.rank);
        if (button(p, row, without.c_str(), "D"))
        {
            out.push(TeamAction(TeamCommand::without));
        }
        return;
    }
    const Rect half = row.cut_left((row.w - gap) / 2);
    row.cut_left(gap);
    if (button(p, half, "Step###step ranks", "."))
    {
        out.push(TeamAction(TeamCommand::step));
    }
    if (button(p, row, "Clear###clear ranks", {}))
    {
        out.push(TeamAction(TeamCommand::clear));
    }
}

} // namespace

TeamWish with_other_strategy(TeamWish wish, int by)
{
    const auto count = static_cast<int>(team_strategies().size());
    wish.strategy = static_cast<std::size_t>((static_cast<int>(wish.strategy) + by + count) % count);
    return wish;
}

GoWrong RanksPanel::trouble(const TeamFrame& team) const
{
    const auto rank = static_cast<int>(std::clamp<std::int64_t>(rank_, 0, team.wish.ranks - 1));
    return {{kMishapChoices.at(mishap_), rank, kSlowness}};
}

void RanksPanel::draw_wish(const Painter& p, Rect& area, const TeamFrame& team, Out& out)
{
    TeamWish next = team.wish;
    const float row = p.px(46);
    choose_strategy(p, area.cut_top(p.px(36)), next);
    area.cut_top(p.px(12));
    next.ranks = std::llround(turn(p, area.cut_top(row), {"Number of ranks", fmt::format("{}", next.ranks)},
                                   kRanks, static_cast<double>(next.ranks), entry_));
    next.micro_batches =
        std::llround(turn(p, area.cut_top(row), {"Micro-batches", fmt::format("{}", next.micro_batches)},
                          kBatches, static_cast<double>(next.micro_batches), entry_));
    const std::string speed = next.steps_per_second > 0
                                  ? fmt::format("{} steps/s", plain_number(next.steps_per_second))
                                  : std::string("fastest");
    next.steps_per_second =
        turn(p, area.cut_top(row), {"Speed", speed}, kSpeeds, next.steps_per_second, entry_);
    const bool pipeline = team.predicted.of && team.predicted.of->parallel.pipeline > 1;
    if (team.predicted.of && can_compress(*team.predicted.of) && area.h > p.px(36))
    {
        choose_compression(p, area.cut_top(p.px(36)), next);
        area.cut_top(p.px(8));
    }
    if (pipeline && area.h > p.px(36))
    {
        choose_schedule(p, area.cut_top(p.px(36)), next);
        area.cut_top(p.px(8));
    }
    if (!(next == team.wish))
    {
        out.push(TeamAction(WishTeam{next}));
    }
}

void RanksPanel::draw_saving(const Painter& p, Rect& area, const TeamFrame& team, Out& out)
{
    if (area.h < p.px(150))
    {
        return;
    }
    TeamWish next = team.wish;
    area.cut_top(p.px(8));
    p.line(area.x, area.y, area.right(), area.y, p.theme.grid);
    area.cut_top(p.px(8));
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, "Checkpoints");
    constexpr std::array<std::string_view, kSaveModes> kModes{"none", "sync", "async"};
    if (const auto clicked =
            segments(p, area.cut_top(p.px(30)), kModes, static_cast<std::size_t>(next.saving.mode)))
    {
        next.saving.mode = static_cast<SaveMode>(*clicked);
    }
    area.cut_top(p.px(6));
    const float row = p.px(46);
    next.saving.every =
        std::llround(turn(p, area.cut_top(row), {"Every", fmt::format("{} steps", next.saving.every)},
                          kSaveEvery, static_cast<double>(next.saving.every), entry_));
    const double rate = next.saving.bytes_per_second / 1e6;
    next.saving.bytes_per_second =
        1e6 * turn(p, area.cut_top(row), {"Storage", fmt::format("{} MB/s", plain_number(rate))}, kStorage,
                   rate, entry_);
    if (!(next == team.wish))
    {
        out.push(TeamAction(WishTeam{next}));
    }
}

void RanksPanel::draw_trouble(const Painter& p, Rect& area, const TeamFrame& team, Out& out)
{
    if (area.h < p.px(160))
    {
        return;
    }
    area.cut_top(p.px(8));
    p.line(area.x, area.y, area.right(), area.y, p.theme.grid);
    area.cut_top(p.px(8));
    const Rect head = area.cut_top(p.px(28));
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, "Trouble on purpose");
    constexpr std::array<std::string_view, 4> kWords{"slow", "dead", "skip", "NaN"};
    if (const auto clicked = segments(p, area.cut_top(p.px(30)), kWords, mishap_))
    {
        mishap_ = *clicked;
    }
    area.cut_top(p.px(6));
    const auto ranks = static_cast<std::size_t>(std::clamp<std::int64_t>(team.wish.ranks, 1, 8));
    std::array<double, 8> hit{};
    for (std::size_t i = 0; i < hit.size(); ++i)
    {
        hit.at(i) = static_cast<double>(i);
    }
    const int rank = trouble(team).mishap.rank;
    rank_ = std::llround(turn(p, area.cut_top(p.px(46)), {"Rank", fmt::format("{}", rank)},
                              std::span(hit).first(ranks), rank, entry_));
    if (button(p, area.cut_top(p.px(36)), "Let it happen###trouble", "X"))
    {
        out.push(TeamAction(trouble(team)));
    }
}

// Of a training that runs elsewhere: what is known of it, and nothing to press.
void RanksPanel::draw_watch(const Painter& p, Rect area, const TeamFrame& team)
{
    const auto say = [&](Type type, Colour colour, std::string_view words)
    {
        if (area.h >= p.height(type) * 1.4F)
        {
            area.cut_top(p.paragraph(area, type, colour, words) + p.px(8));
        }
    };
    say(Type::body_strong, p.theme.text, "A training elsewhere");
    say(Type::mono, p.theme.text, team.watched);
    if (!team.started())
    {
        return;
    }
    const TeamSnapshot& s = *team.snapshot;
    // While it runs, a file is written several times a second and as often as steps take.
    const double step = s.trace ? s.trace->seconds : 0;
    const bool silent = team.is(TeamState::running) && team.silent_s > 5 + 3 * step;
    say(Type::body, p.theme.text,
        silent                        ? fmt::format("No news for {}: it may have ended without a word.",
                                                    format_seconds(Seconds(std::floor(team.silent_s))))
        : team.is(TeamState::running) ? "It is running."
        : team.is(TeamState::stopped) ? "It has come to its end."
                                      : "It broke off.");
    say(Type::small, p.theme.muted, team_model_words(s.config));
    if (!team.fault.empty())
    {
        say(Type::small, p.theme.text, team.fault);
    }
}

void RanksPanel::draw(const Frame& frame, const Painter& p, Rect area, RanksPage& page, Out& out)
{
    const TeamFrame& team = *frame.team;
    constexpr std::array<std::string_view, 3> kPages{"Step", "Bytes", "Saves"};
    if (const auto clicked = segments(p, area.cut_top(p.px(30)), kPages, static_cast<std::size_t>(page)))
    {
        page = static_cast<RanksPage>(*clicked);
    }
    area.cut_top(p.px(10));
    if (!team.watched.empty())
    {
        draw_watch(p, area, team);
        return;
    }
    draw_buttons(p, area.cut_bottom(p.px(88)), team, out);
    area.cut_bottom(p.px(8));
    draw_wish(p, area, team, out);
    if (page == RanksPage::step)
    {
        draw_trouble(p, area, team, out);
        return;
    }
    if (page == RanksPage::saves)
    {
        draw_saving(p, area, team, out);
        return;
    }
    choose_optimizer(p, area, team, out);
    area.cut_top(p.px(8));
    const char* label = team.comparing ? "End the comparison###compare" : "Compare compressors###compare";
    if (area.h >= p.px(36) && button(p, area.cut_top(p.px(36)), label, "C"))
    {
        out.push(TeamAction(TeamCommand::compare));
    }
}

} // namespace ringside
