#include "ui/views/drill/start.h"

#include <fmt/format.h>

#include "ui/shell/scopes.h"
#include "ui/views/study/words.h"
#include "ui/widgets/controls.h"

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

std::string counted(std::size_t n)
{
    return fmt::format("{} question{}", n, n == 1 ? "" : "s");
}

Deck of_kind(const StudyFrame& study, KindGroup kind, const char* key, ImGuiKey code, const char* name)
{
    Deck deck{key, code, name, "", {}, 0};
    deck.start.wish.filter.kind = kind;
    deck.questions = families_of(study.state(), deck.start.wish.filter).size();
    deck.says = fmt::format("{}, due ones first", counted(deck.questions));
    return deck;
}

Deck weakest_deck(const StudyFrame& study)
{
    Deck deck{"D", ImGuiKey_D, "The weakest topics", "nothing was asked yet", {}, study.weakest.size()};
    std::vector<std::string_view> names;
    for (const std::size_t i : study.weakest)
    {
        names.push_back(study.heat[i].topic->name);
        deck.start.wish.filter.topics.emplace_back(study.heat[i].topic->id);
    }
    deck.start.wish.kind = DeckKind::weak;
    deck.start.wish.most_new = 0;
    deck.says = names.empty() ? deck.says : fmt::format("{}", fmt::join(names, ", "));
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
    all.push_back({"8",
                   ImGuiKey_8,
                   "Quick eight",
                   "what interviewers ask most",
                   {quick_eight(*study.plan), ""},
                   study.plan->quick_eight.size()});
    all.push_back(of_kind(study, KindGroup::recall, "1", ImGuiKey_1, "By heart"));
    all.push_back(of_kind(study, KindGroup::numeric, "2", ImGuiKey_2, "Computed"));
    all.push_back(of_kind(study, KindGroup::design, "3", ImGuiKey_3, "Designed, diagnosed"));
    if (!study.progress->flags.empty())
    {
        Deck flagged{"F",       ImGuiKey_F,
                     "Flagged", counted(study.progress->flags.size()),
                     {},        study.progress->flags.size()};
        flagged.start.wish.kind = DeckKind::all;
        flagged.start.wish.filter.flagged = true;
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
    const float x = r.x + p.px(48);
    p.text_within(x, r.y + p.px(24), r.right() - x - p.px(10), Type::body_strong, some ? t.text : t.muted,
                  deck.name);
    p.text_within(r.x + p.px(14), r.y + p.px(54), r.w - p.px(24), Type::small, t.muted, deck.says);
    return pressed.clicked && some;
}

std::string topic_words(const HeatTopic& topic)
{
    if (topic.all.due > 0)
    {
        return fmt::format("{} due", topic.all.due);
    }
    return topic.all.today ? whole_percent(*topic.all.today) : topic.all.families > 0 ? "new" : "none";
}

void draw_topics(Sheet& sheet, const StudyFrame& study, Out& out)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const float gap = p.px(8);
    const int columns = std::max(1, static_cast<int>((sheet.width() + gap) / p.px(206)));
    const float w = (sheet.width() + gap) / static_cast<float>(columns) - gap;
    Rect row;
    for (std::size_t i = 0; i < study.heat.size(); ++i)
    {
        const HeatTopic& topic = study.heat[i];
        const auto column = static_cast<int>(i) % columns;
        if (column == 0)
        {
            row = sheet.row(36);
            sheet.gap(6);
        }
        const Rect r{row.x + (w + gap) * static_cast<float>(column), row.y, w, row.h};
        const std::string id(topic.topic->id);
        const bool some = topic.all.families > 0;
        const Press pressed = press(p, some ? r : Rect{}, ("###drill topic " + id).c_str(), 6);
        p.fill(r, pressed.hovered ? t.raised : t.panel, p.px(6));
        p.outline(r, t.line, 1, p.px(6));
        const std::string words = topic_words(topic);
        const float used = p.width(Type::mono_small, words) + p.px(20);
        p.text_within(r.x + p.px(12), r.middle(), r.w - used - p.px(12), Type::small, some ? t.text : t.muted,
                      topic.topic->name);
        p.text(r.right() - p.px(12), r.middle(), Type::mono_small, t.muted, words, Align::right);
        if (pressed.clicked)
        {
            StartDrill drill;
            drill.wish.kind = DeckKind::weak;
            drill.wish.filter.topics = {id};
            out.push(std::move(drill));
        }
    }
}

} // namespace

bool draw_no_questions(Sheet& sheet, const StudyFrame& study)
{
    if (!study.families.empty())
    {
        return false;
    }
    const Theme& t = sheet.p.theme;
    sheet.gap(80);
    sheet.words(
        Type::title, Type::title, t.text,
        fmt::format("No questions found in {}", study.questions.empty() ? "the assets" : study.questions));
    sheet.gap(8);
    sheet.words(Type::small, Type::small_strong, t.muted,
                "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them. What was studied "
                "before is kept.");
    return true;
}

void draw_start(Sheet& sheet, const StudyFrame& study, Out& out)
{
    const Painter& p = sheet.p;
    const float gap = p.px(12);
    const int columns = std::clamp(static_cast<int>((sheet.width() + gap) / p.px(262)), 1, 3);
    const float w = (sheet.width() + gap) / static_cast<float>(columns) - gap;
    const auto decks = decks_of(study);
    Rect row;
    for (std::size_t i = 0; i < decks.size(); ++i)
    {
        const auto column = static_cast<int>(i) % columns;
        if (column == 0)
        {
            row = sheet.row(78);
            sheet.gap(12);
        }
        if (draw_deck(p, {row.x + (w + gap) * static_cast<float>(column), row.y, w, row.h}, decks[i]))
        {
            out.push(decks[i].start);
        }
    }
    sheet.gap(8);
    sheet.heading("Or one topic", "recall today, least remembered first");
    draw_topics(sheet, study, out);
}

void start_keys(const StudyFrame& study, Out& out)
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
