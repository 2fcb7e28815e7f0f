// A user at the controller of the study mode: the real questions, a clock that the test moves, a window.
#pragma once

#include "tests/core/study/study_clock.h"
#include "tests/source_path.h"
#include "tests/ui/words.h"

#include "ui/shell/frame/study_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>

namespace ringside::test
{

// All the questions there are; read once.
inline const QuestionBank& all_questions()
{
    static const QuestionBank bank = []
    {
        Issues issues;
        return load_questions(test::source_path("assets"), issues);
    }();
    return bank;
}

class Room
{
public:
    explicit Room(ImVec2 size = {1280, 800}, Progress progress = {},
                  std::unique_ptr<StudyStore> store = nullptr)
        : w(size)
    {
        sit(std::move(progress), std::move(store));
    }

    Window w;
    std::int64_t now = kMorning;

    // A controller with all the questions.
    void sit(Progress progress = {}, std::unique_ptr<StudyStore> store = nullptr)
    {
        Issues issues;
        StudyController::Setup s;
        s.plan = load_plan(test::source_path("assets"), issues);
        s.families = families_in(all_questions());
        s.asking = std::make_shared<Asking>(all_questions(), presets());
        s.clock = [this] { return StudyTime{now, 0}; };
        s.progress = std::move(progress);
        s.store = std::move(store);
        w.session().set_study(std::make_unique<StudyController>(std::move(s)));
        w.open("drill");
    }
    static DeckCard card(const std::string& id, std::uint64_t seed = 1)
    {
        const auto found = find_variant(all_questions(), id);
        REQUIRE(found);
        return {found->family->id, seed, false, found->get().target_s, static_cast<int>(found->variant)};
    }
    void does(const StudyAction& action)
    {
        w.session().apply(action);
        w.frames(4);
    }
    // A drill of these.
    void ask(std::vector<DeckCard> cards)
    {
        now += 1000;
        StartDrill drill;
        drill.cards = std::move(cards);
        does(drill);
    }
    void ask(const std::string& id, std::uint64_t seed = 1) { ask({card(id, seed)}); }
    void wait(double seconds)
    {
        now += static_cast<std::int64_t>(seconds * 1000);
        w.frames(2);
    }
    void key(ImGuiKey k, ImGuiKeyChord modifiers = ImGuiMod_None)
    {
        w.key(k, modifiers);
        w.frames(3);
    }
    void digit(std::size_t n) { key(static_cast<ImGuiKey>(ImGuiKey_0 + static_cast<int>(n))); }
    // Over whatever stands in the field, and checked.
    void answer(const std::string& text)
    {
        key(ImGuiKey_A, ImGuiMod_Ctrl);
        w.type(text);
        key(ImGuiKey_Enter);
    }

    const StudyFrame& study() { return *w.session().frame(0).study; }
    const Question& question()
    {
        INFO(study().fault);
        REQUIRE(study().question != nullptr);
        return *study().question;
    }
    const DrillSession& drill() { return std::get<DrillSession>(*study().session); }
    const DrillItem& item() { return drill().items[drill().at]; }
    const MockSession& mock() { return std::get<MockSession>(*study().session); }
    const SpokenSession& spoken() { return std::get<SpokenSession>(*study().session); }
    const Progress& progress() { return *study().progress; }
    bool says(std::string_view words) { return test::says(w, words); }
};

// The first variant of this kind whose question, with this seed, is as wanted.
template <class F>
std::string variant_of_kind(QuestionKind kind, F&& wanted)
{
    Asking asking(all_questions(), presets());
    for (const QuestionFamily& family : all_questions().families)
    {
        for (const QuestionVariant& v : family.variants)
        {
            std::string id = family.id + "/" + v.id;
            if (v.kind != kind)
            {
                continue;
            }
            const auto q = asking.ask(Room::card(id));
            if (q && wanted(*q))
            {
                return id;
            }
        }
    }
    FAIL("no question is as wanted");
    return {};
}

} // namespace ringside::test
