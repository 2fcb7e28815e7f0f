#include "core/study/sessions/asking.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

VariantInfo info_of(const QuestionFamily& family, const QuestionVariant& v)
{
    return {std::string(name_of(v.kind)),
            fmt::format("{}/{}", family.id, v.id),
            v.view,
            v.target_s,
            static_cast<int>(v.follow_ups.size()),
            !v.parameters.empty()};
}

FamilyInfo info_of(const QuestionFamily& family)
{
    const QuestionVariant& first = family.variants.front();
    FamilyInfo info{family.id,
                    family.topic,
                    family.concept_id,
                    std::string(name_of(first.kind)),
                    std::string(name_of(first.difficulty)),
                    {},
                    first.target_s,
                    family.title};
    info.interview = family.interview;
    for (const QuestionVariant& v : family.variants)
    {
        info.variants.push_back(info_of(family, v));
        info.questions.push_back(info.variants.back().name);
    }
    return info;
}

// The parent's values for those parameters of a part that mean the same.
DrawnValues shared_values(const Question& parent, const QuestionVariant& of, const QuestionVariant& part)
{
    DrawnValues shared;
    for (const ParameterSpec& p : part.parameters)
    {
        const auto same = std::ranges::find_if(of.parameters, [&](const ParameterSpec& o)
                                               { return o.name == p.name && o.unit == p.unit; });
        const auto value = parent.values.find(p.name);
        if (same != of.parameters.end() && value != parent.values.end())
        {
            shared[p.name] = value->second;
        }
    }
    return shared;
}

} // namespace

std::vector<FamilyInfo> families_in(const QuestionBank& bank)
{
    return list_where<FamilyInfo>(
        bank.families, [&](const QuestionFamily& family) { return !family.variants.empty(); },
        [&](const QuestionFamily& family) { return info_of(family); });
}

Result<DeckCard> card_of(const QuestionBank& bank, std::string_view id, std::uint64_t seed)
{
    const auto found = find_variant(bank, id);
    if (!found)
    {
        return Issue{"", fmt::format("there is no question \u201c{}\u201d", shortened(id)),
                     "ringside question list names them"};
    }
    return DeckCard{found->family->id, seed, false, found->get().target_s, static_cast<int>(found->variant)};
}

Question question_of(const PersonalCard& card)
{
    const FamilyInfo info = family_of(card);
    Question q;
    q.id = card.id;
    q.family = card.id;
    q.topic = info.topic;
    q.title = "Your own card";
    q.kind = QuestionKind::recall;
    q.difficulty = Difficulty::medium;
    q.target_s = 0;
    q.stem = card.front;
    q.answer = card.back;
    return q;
}

Result<Question> Asking::ask(const DeckCard& card)
{
    const QuestionFamily* family = bank_.family(card.family);
    if (family == nullptr || family->variants.empty())
    {
        return Issue{"", fmt::format("{} is no longer among the questions", card.family), "Tab goes on"};
    }
    const auto variant =
        std::min(static_cast<std::size_t>(std::max(0, card.variant)), family->variants.size() - 1);
    auto question = draw(calculator_, *family, variant, card.seed, card.set);
    if (!question && !card.set.empty())
    {
        question = draw(calculator_, *family, variant, card.seed);
    }
    if (!question)
    {
        const Issue& why = question.issues().front();
        return Issue{fmt::format("{}/{}.{}", family->id, family->variants[variant].id, why.path), why.message,
                     why.hint};
    }
    return question;
}

std::vector<DeckCard> Asking::parts_of(const DeckCard& parent)
{
    const QuestionFamily* family = bank_.family(parent.family);
    const auto at = static_cast<std::size_t>(std::max(0, parent.variant));
    if (family == nullptr || at >= family->variants.size() || family->variants[at].parts.empty())
    {
        return {};
    }
    const QuestionVariant& variant = family->variants[at];
    const auto whole = ask(parent);
    std::vector<DeckCard> parts;
    for (const std::string& id : variant.parts)
    {
        const auto found = find_variant(bank_, id);
        if (!whole || !found)
        {
            continue;
        }
        DeckCard part{found->family->id, parent.seed, false, found->get().target_s,
                      static_cast<int>(found->variant)};
        part.set = shared_values(*whole, variant, found->get());
        part.lead = fmt::format("{}, part {} of {}", whole->title, parts.size() + 1, variant.parts.size());
        parts.push_back(std::move(part));
    }
    return parts;
}

void Asking::add_parts(std::vector<DeckCard>& deck)
{
    std::vector<DeckCard> all;
    for (DeckCard& card : deck)
    {
        const auto parts = parts_of(card);
        all.push_back(std::move(card));
        all.insert(all.end(), parts.begin(), parts.end());
    }
    deck = std::move(all);
}

// What is written first, from the one the seed gives; else the same with other numbers. Never a repeat.
bool Asking::follow_up(const DeckCard& first, DeckCard& next)
{
    const auto asked = ask(first);
    if (!asked)
    {
        return false;
    }
    const auto differs = [&](const DeckCard& card)
    {
        const auto again = ask(card);
        return again && (again->stem != asked->stem || again->key != asked->key);
    };
    const std::uint64_t seed = next.seed;
    for (std::size_t i = 0; i < asked->follow_ups.size(); ++i)
    {
        const FollowUp& written = asked->follow_ups[(seed + i) % asked->follow_ups.size()];
        next.seed = first.seed;
        next.set = written.set;
        next.lead = written.says;
        if (differs(next))
        {
            return true;
        }
    }
    next.seed = seed;
    next.set.clear();
    next.lead = "The same with other numbers.";
    return differs(next);
}

void Asking::add_follow_ups(MockSession& mock)
{
    std::vector<MockItem> items;
    for (MockItem& item : mock.items)
    {
        if (item.follows)
        {
            item.follows = items.size() - 1;
            if (!follow_up(items.back().card, item.card))
            {
                continue;
            }
        }
        items.push_back(std::move(item));
    }
    mock.items = std::move(items);
}

namespace
{

std::string without_emphasis(std::string text)
{
    replace_all(text, "**", "");
    return text;
}

std::string listed(const std::vector<std::string>& lines)
{
    std::string out;
    for (const std::string& line : lines)
    {
        out += "\n- " + line;
    }
    return out;
}

} // namespace

std::string front_text(const Question& q)
{
    std::vector<std::string> lines = q.evidence.lines;
    for (const ShownChoice& c : q.choices)
    {
        lines.push_back(c.says);
    }
    for (const OrderedItem& item : q.ordering.items)
    {
        lines.push_back(item.says);
    }
    return without_emphasis(q.stem + (q.note.empty() ? "" : "\n" + q.note) + listed(lines));
}

std::string back_text(const Question& q)
{
    std::vector<std::string> lines;
    std::string answer = q.kind == QuestionKind::numeric ? q.key_text : q.answer;
    for (const ShownChoice& c : q.choices)
    {
        if (c.right)
        {
            answer = fmt::format("{}{}{}{}{}{}{}", c.says, c.because.empty() ? "" : "\n", c.because,
                                 c.fix.empty() ? "" : "\n", c.fix, q.answer.empty() ? "" : "\n", q.answer);
        }
    }
    for (const std::size_t i : q.ordering.legal)
    {
        lines.push_back(q.ordering.items[i].says);
    }
    for (const SolutionStep& step : q.solution)
    {
        lines.push_back(step.line());
    }
    lines.insert(lines.end(), q.rubric.begin(), q.rubric.end());
    return without_emphasis(answer + listed(lines));
}

std::vector<FrozenCard> Asking::frozen()
{
    constexpr int kEach = 4;
    std::vector<FrozenCard> cards;
    for (const QuestionFamily& family : bank_.families)
    {
        for (int i = 0; i < kEach && !family.variants.empty(); ++i)
        {
            const auto at = static_cast<std::size_t>(i) % family.variants.size();
            const auto q = draw(calculator_, family, at, static_cast<std::uint64_t>(i) + 1);
            // What is not a number is the same again with other seeds.
            const bool again = static_cast<std::size_t>(i) >= family.variants.size();
            if (q && !(again && q->kind == QuestionKind::recall) && q->evidence.series.empty())
            {
                cards.push_back(
                    {stable_guid(family.id, i), front_text(*q), back_text(*q), {q->topic, q->concept_id}});
            }
        }
    }
    return cards;
}

std::vector<SheetWords> Asking::words()
{
    std::vector<SheetWords> words;
    for (const QuestionFamily& family : bank_.families)
    {
        const auto q = family.variants.empty() ? Result<Question>(Issue{}) : draw(calculator_, family, 0, 1);
        if (q)
        {
            words.push_back({family.id, front_text(*q), back_text(*q)});
        }
    }
    return words;
}

} // namespace ringside
