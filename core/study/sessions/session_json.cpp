#include "core/study/sessions/session_json.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/text/read_text.h"

namespace ringside
{

namespace
{

using nlohmann::ordered_json;

constexpr const char* kSessionSchema = "ringside.study-session/1";
constexpr std::size_t kMostItems = 2000;
constexpr std::size_t kMostLetters = 100'000;
constexpr double kLastMoment = 32'503'680'000'000; // [ms] the year 3000
constexpr double kLongestTime = 1e9;               // [s], [ms] of one question
constexpr JsonRule kMoment{.least = 0, .most = kLastMoment};
constexpr JsonRule kLength{.least = 0, .most = kLongestTime};
constexpr JsonRule kGradeRule{.least = 1, .most = 4, .by_number = true};
constexpr JsonRule kStageRule{.least = 0, .most = 2};
constexpr JsonRule kCountRule{.least = 0, .most = 1'000'000};

// A place in a list.
template <class S, class Index>
JsonField<S> index_field(const char* name, Index S::*member)
{
    JsonField<S> field{name, [member](const JsonPlace& place, S& s)
                       {
                           std::int64_t value = 0;
                           read_value(place, {.least = 0, .most = static_cast<double>(kMostItems)}, value);
                           s.*member = static_cast<std::size_t>(value);
                       }};
    field.write = [member](const S& s) -> ordered_json
    {
        if constexpr (std::is_same_v<Index, std::size_t>)
        {
            return s.*member;
        }
        else
        {
            return s.*member ? ordered_json(*(s.*member)) : ordered_json();
        }
    };
    return field;
}

JsonField<DeckCard> given_field()
{
    JsonField<DeckCard> field{"set", [](const JsonPlace& place, DeckCard& card)
                              {
                                  for (const auto& [name, value] : place.value.items())
                                  {
                                      place.fault_if(!value.is_number() && !value.is_string(), name,
                                                     "is neither a number nor a word", "use one of them");
                                      card.set[name] =
                                          value.is_string()
                                              ? DrawnValue(value.get<std::string>())
                                              : DrawnValue(value.is_number() ? value.get<double>() : 0);
                                  }
                              }};
    field.write = [](const DeckCard& card)
    {
        ordered_json out;
        for (const auto& [name, value] : card.set)
        {
            std::visit([&, key = name](const auto& v) { out[key] = v; }, value);
        }
        return out;
    };
    return field;
}

const JsonTable<DeckCard> kCardTable{{
    {"family", &DeckCard::family, kNeeded},
    {"seed", &DeckCard::seed},
    {"fresh", &DeckCard::fresh},
    {"target_s", &DeckCard::target_s, kLength},
    {"variant", &DeckCard::variant, kCountRule},
    given_field(),
    {"lead", &DeckCard::lead, {.unless_empty = true}},
}};

const JsonTable<Attempt> kAttemptTable{{
    {"correct", &Attempt::correct},
    {"shown", &Attempt::shown},
    {"looked", &Attempt::looked},
    {"wrong", &Attempt::wrong, kCountRule},
    {"hints", &Attempt::hints, {.least = 0, .most = kMostHints}},
    {"seconds", &Attempt::seconds, kLength},
    {"target_s", &Attempt::target_s, kLength},
}};

const JsonTable<DrillItem> kDrillItemTable{{
    {"card", &DrillItem::card, kCardTable, kNeeded},
    {"attempt", &DrillItem::attempt, kAttemptTable, kNeeded},
    {"answer", &DrillItem::answer, {.unless_empty = true}},
    {"mistake", &DrillItem::mistake, {.unless_empty = true}},
    {"automatic", &DrillItem::automatic, kGradeRule},
    {"given", &DrillItem::given, kGradeRule},
    {"skipped", &DrillItem::skipped},
    {"revealed", &DrillItem::revealed},
    {"repeat", &DrillItem::repeat},
}};

const JsonTable<DrillSession> kKeptDrillTable{{
    {"items", &DrillSession::items, kDrillItemTable, kNeeded},
    index_field("at", &DrillSession::at),
    {"stage", &DrillSession::stage, kStageRule},
    {"seed", &DrillSession::seed},
    {"started_ms", &DrillSession::started_ms, kMoment},
    {"limit_ms", &DrillSession::limit_ms, kMoment},
    {"shown_ms", &DrillSession::shown_ms, kMoment},
    {"paused_ms", &DrillSession::paused_ms, kMoment},
    {"streak", &DrillSession::streak, kCountRule},
    {"best_streak", &DrillSession::best_streak, kCountRule},
    {"task", &DrillSession::task, {.unless_empty = true}},
}};

const JsonTable<MockItem> kMockItemTable{{
    {"card", &MockItem::card, kCardTable, kNeeded},
    {"topic", &MockItem::topic},
    {"group", &MockItem::group},
    index_field("follows", &MockItem::follows),
    {"spent_ms", &MockItem::spent_ms, kLength},
    {"visited", &MockItem::visited},
    {"skipped", &MockItem::skipped},
    {"answer", &MockItem::answer, {.unless_empty = true}},
    {"correct", &MockItem::correct},
    {"mistake", &MockItem::mistake, {.unless_empty = true}},
    {"grade", &MockItem::grade, kGradeRule},
}};

const JsonTable<MockSession> kKeptMockTable{{
    {"items", &MockSession::items, kMockItemTable, kNeeded},
    index_field("at", &MockSession::at),
    {"stage", &MockSession::stage, kStageRule},
    {"minutes", &MockSession::minutes, {.least = 1, .most = 600}},
    {"seed", &MockSession::seed},
    {"started_ms", &MockSession::started_ms, kMoment},
    {"ended_ms", &MockSession::ended_ms, kMoment},
    {"elapsed_ms", &MockSession::elapsed_ms, kLength},
    {"paused", &MockSession::paused},
    {"task", &MockSession::task, {.unless_empty = true}},
}};

struct KeptSession
{
    std::int64_t time_ms = 0; // when it was kept
    std::optional<DrillSession> drill;
    std::optional<MockSession> mock;
};
const JsonTable<KeptSession> kKeptTable{{
    json_schema<KeptSession>(kSessionSchema),
    {"time_ms", &KeptSession::time_ms, {.needed = true, .least = 0, .most = kLastMoment}},
    {"drill", &KeptSession::drill, kKeptDrillTable},
    {"mock", &KeptSession::mock, kKeptMockTable},
}};

template <class Session, class Item>
ordered_json json_of(const JsonTable<Session>& table, const JsonTable<Item>& items, const Session& session)
{
    ordered_json out = table.write(session);
    for (const Item& item : session.items)
    {
        out["items"].push_back(items.write(item));
    }
    return out;
}

// What the tables cannot say: places that are there.
template <class Session>
Issues faults_of(const Session& session)
{
    Issues issues;
    add_if(issues, session.items.empty() || session.items.size() > kMostItems,
           {"items", fmt::format("has {} entries", session.items.size()), "start another"});
    add_if(issues, session.at >= session.items.size(), {"at", "is no entry of items", "start another"});
    if constexpr (std::is_same_v<Session, MockSession>)
    {
        for (const MockItem& item : session.items)
        {
            add_if(issues, item.follows.value_or(0) >= session.items.size(),
                   {"follows", "is no entry of items", "start another"});
        }
    }
    return issues;
}

} // namespace

std::string to_text(const StudySession& session, std::int64_t now_ms)
{
    if (!is_running(session) || std::holds_alternative<SpokenSession>(session))
    {
        return {};
    }
    ordered_json out{{"schema", kSessionSchema}, {"time_ms", now_ms}};
    if (const auto* drill = std::get_if<DrillSession>(&session))
    {
        out["drill"] = json_of(kKeptDrillTable, kDrillItemTable, *drill);
    }
    if (const auto* mock = std::get_if<MockSession>(&session))
    {
        out["mock"] = json_of(kKeptMockTable, kMockItemTable, *mock);
    }
    return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<StudySession> session_from_text(std::string_view text, std::int64_t now_ms)
{
    const auto document = parse_json(text);
    if (!document)
    {
        return document.issues();
    }
    Issues issues;
    KeptSession kept;
    kKeptTable.read({*document, "", issues, {kMostLetters, kMostItems}}, kept);
    add_if(issues, kept.drill.has_value() == kept.mock.has_value(),
           {"", "has neither a drill nor a mock interview", "start another"});
    if (issues.empty())
    {
        issues = kept.drill ? faults_of(*kept.drill) : faults_of(*kept.mock);
    }
    if (!issues.empty())
    {
        return issues;
    }
    if (kept.drill)
    {
        kept.drill->paused_ms = kept.drill->paused_ms.value_or(kept.time_ms);
        return StudySession(*std::move(kept.drill));
    }
    kept.mock->paused = kept.mock->stage == MockStage::running;
    kept.mock->seen_ms = now_ms;
    return StudySession(*std::move(kept.mock));
}

} // namespace ringside
