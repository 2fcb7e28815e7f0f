#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/study/drill/session.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Deck
{
    const char* key;
    ImGuiKey code;
    std::string name;
    std::string says;
    StartDrill start;
    std::size_t questions; // that it could ask
};

std::string questions_of(std::size_t n)
{
    return counted(static_cast<std::int64_t>(n), "question");
}

Deck of_kind(const StudyFrame& study, KindGroup kind, const char* key, ImGuiKey code, const char* name)
{
    Deck deck{key, code, name, "", {}, 0};
    deck.start.request.filter.kind = kind;
    deck.questions = families_of(study.state(), deck.start.request.filter).size();
    deck.says = fmt::format("{}, due ones first", questions_of(deck.questions));
    return deck;
}

Deck weakest_deck(const StudyFrame& study)
{
    std::vector<std::string_view> names;
    for (const std::size_t i : study.weakest)
    {
        names.push_back(study.heat[i].topic->name);
    }
    const std::string says =
        names.empty() ? "nothing was asked yet" : fmt::format("{}", fmt::join(names, ", "));
    return {"D", ImGuiKey_D, "The weakest topics", says, weakest_drill(study), study.weakest.size()};
}

// Where a trace's time goes: the questions whose answers lie on the lanes of a run.
Deck trace_deck(const StudyFrame& study)
{
    Deck deck{"T", ImGuiKey_T, "Traces, names hidden", "", {}, 0};
    DeckRequest& request = deck.start.request;
    request.kind = DeckKind::all;
    for (const FamilyInfo& family : study.state().families)
    {
        for (const VariantInfo& variant : family.variants)
        {
            if (variant.view == "run/step")
            {
                request.filter.questions.push_back(variant.name);
            }
        }
    }
    deck.questions = request.filter.questions.size();
    request.most = static_cast<int>(deck.questions);
    deck.says = questions_of(deck.questions) + ": where does the time go?";
    return deck;
}

std::vector<Deck> decks_of(const StudyFrame& study)
{
    std::vector<Deck> all;
    const auto due = static_cast<std::size_t>(study.due);
    const auto fresh = static_cast<std::size_t>(study.fresh);
    all.push_back(
        {"R", ImGuiKey_R, "Review", fmt::format("{} due, then new ones; 20 min", due), {}, due + fresh});
    all.push_back(weakest_deck(study));
    const auto wrong = static_cast<std::size_t>(wrong_now(study));
    all.push_back({"W", ImGuiKey_W, "What went wrong", questions_of(wrong) + " wrong when last asked",
                   wrong_drill(), wrong});
    all.push_back({"8",
                   ImGuiKey_8,
                   "Quick eight",
                   "what interviewers ask most",
                   {quick_eight(*study.plan), ""},
                   study.plan->quick_eight.size()});
    all.push_back(of_kind(study, KindGroup::recall, "1", ImGuiKey_1, "Recall"));
    all.push_back(of_kind(study, KindGroup::numeric, "2", ImGuiKey_2, "Calculation"));
    all.push_back(of_kind(study, KindGroup::design, "3", ImGuiKey_3, "Design and debugging"));
    all.push_back(trace_deck(study));
    if (!study.progress->flags.empty())
    {
        Deck flagged{"F",       ImGuiKey_F,
                     "Flagged", questions_of(study.progress->flags.size()),
                     {},        study.progress->flags.size()};
        flagged.start.request.kind = DeckKind::all;
        flagged.start.request.filter.flagged = true;
        all.push_back(std::move(flagged));
    }
    return all;
}

bool draw_deck(const Painter& p, Rect r, const Deck& deck)
{
    const Theme& t = p.theme;
    const bool some = deck.questions > 0;
    const Press pressed =
        press(p, some ? r : Rect{}, fmt::format("{}###deck {}", deck.name, deck.key).c_str(), 8);
    p.card(r, false, pressed.hovered);
    p.keycap(r.x + p.px(12), r.y + p.px(24), deck.key);
    p.text_within(r.x + p.px(48), r.y + p.px(24), r.w - p.px(58), Type::body_strong, some ? t.text : t.muted,
                  deck.name);
    p.text_within(r.x + p.px(14), r.y + p.px(54), r.w - p.px(24), Type::small, t.muted, deck.says);
    return pressed.clicked;
}

std::string topic_words(const HeatTopic& topic)
{
    if (topic.all.due > 0)
    {
        return fmt::format("{} due", topic.all.due);
    }
    return topic.all.seen > 0    ? fmt::format("{} of {} right", topic.all.right, topic.all.seen)
           : topic.all.cards > 0 ? "new"
                                 : "none";
}

bool draw_topic(const Painter& p, Rect r, const HeatTopic& topic)
{
    const Theme& t = p.theme;
    const bool some = topic.all.cards > 0;
    const Press pressed =
        press(p, some ? r : Rect{}, fmt::format("###drill topic {}", topic.topic->id).c_str(), 6);
    p.card(r, false, pressed.hovered);
    const std::string words = topic_words(topic);
    const float used = p.width(Type::mono_small, words) + p.px(20);
    p.text_within(r.x + p.px(12), r.middle(), r.w - used - p.px(12), Type::small, some ? t.text : t.muted,
                  topic.topic->name);
    p.text(r.right() - p.px(12), r.middle(), Type::mono_small, t.muted, words, Align::right);
    return pressed.clicked;
}

} // namespace

StartDrill topic_drill(std::string_view topic)
{
    StartDrill drill;
    drill.request.kind = DeckKind::weak;
    drill.request.filter.topics = {std::string(topic)};
    return drill;
}

StartDrill weakest_drill(const StudyFrame& study)
{
    StartDrill drill;
    if (!study.weakest.empty())
    {
        drill.request.kind = DeckKind::weak;
        drill.request.most_new = 0;
    }
    for (const std::size_t i : study.weakest)
    {
        drill.request.filter.topics.emplace_back(study.heat[i].topic->id);
    }
    return drill;
}

StartDrill wrong_drill()
{
    StartDrill drill;
    drill.request.kind = DeckKind::wrong;
    drill.request.most_new = 0;
    return drill;
}

StartDrill drill_on(const StudyFrame& study, std::span<const std::string> families)
{
    StartDrill drill;
    auto seed = static_cast<std::uint64_t>(study.now.ms);
    for (const FamilyInfo& family : study.families)
    {
        if (std::ranges::find(families, family.id) != families.end())
        {
            const int variant = next_variant(study.state(), family);
            drill.cards.push_back({family.id, seed++, false, target_of(family, variant), variant});
        }
    }
    return drill;
}

int wrong_now(const StudyFrame& study)
{
    int wrong = 0;
    for (const HeatTopic& topic : study.heat)
    {
        wrong += topic.all.seen - topic.all.right;
    }
    return wrong;
}

void draw_decks(Sheet& sheet, const StudyFrame& study, Out& out)
{
    const auto decks = decks_of(study);
    const auto deck = [&](std::size_t i, Rect r)
    {
        if (draw_deck(sheet.p, r, decks[i]))
        {
            out.push(decks[i].start);
        }
    };
    sheet.grid(decks.size(), 250, 78, 12, deck, 3);
    sheet.heading("Or one topic", "least remembered first");
    const auto topic = [&](std::size_t i, Rect r)
    {
        if (draw_topic(sheet.p, r, study.heat[i]))
        {
            out.push(topic_drill(study.heat[i].topic->id));
        }
    };
    sheet.grid(study.heat.size(), 198, 36, 8, topic);
}

void deck_keys(const StudyFrame& study, Out& out)
{
    for (const Deck& deck : decks_of(study))
    {
        if (deck.questions > 0 && ImGui::IsKeyPressed(deck.code, false))
        {
            out.push(deck.start);
        }
    }
}

} // namespace ringside
