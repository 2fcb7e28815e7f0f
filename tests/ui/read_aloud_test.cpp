// What a screen reader is told: every control by its name, what it is set to, questions and verdicts; and
// nothing that is hidden from others.
#include "tests/ui/study/study_room.h"
#include <fmt/format.h>

#include "ui/shell/view.h"

#include <imgui_internal.h>

#include <algorithm>

using namespace ringside;

namespace
{

Transcript transcript_of(test::Window& w)
{
    Transcript transcript;
    w.drawing.set_transcript(&transcript);
    w.frames(1);
    w.drawing.set_transcript(nullptr);
    return transcript;
}

// Controls that are drawn and not read, or read without a name.
std::string unread(test::Window& w)
{
    const Transcript transcript = transcript_of(w);
    std::string missing;
    for (const test::Item& item : w.items())
    {
        const bool scroll_bar = item.label.starts_with("#") && !item.label.starts_with("##");
        const bool window = ImGui::FindWindowByName(item.label.c_str()) != nullptr;
        const bool seen = !item.label.empty() && item.visible.w > 0 && item.visible.h > 0;
        const auto part = std::ranges::find(transcript.parts(), item.id, &ReadPart::id);
        const bool named = part != transcript.parts().end() && !part->text.empty();
        missing += seen && !scroll_bar && !window && !named
                       ? fmt::format("{} at {:.0f},{:.0f}; ", item.label, item.rect.x, item.rect.y)
                       : "";
    }
    return missing;
}

bool heard(test::Window& w, std::string_view words)
{
    return test::heard_in(w).find(words) != std::string::npos;
}

} // namespace

TEST_CASE("every control of every view is read by a name, in wide and in narrow windows")
{
    test::Room room;
    for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{390, 844}})
    {
        room.w.resize(size);
        for (const ViewInfo* info : views())
        {
            room.w.open(info->id);
            room.w.settle(2000);
            INFO(info->id << ", " << size.x << " wide");
            CHECK(unread(room.w) == "");
        }
    }
}

TEST_CASE("title and caption are read, and the value of a slider after it moved")
{
    test::Window w;
    w.open("memory");
    w.settle();
    const auto caption = w.drawing.shell().caption(w.session().frame(0)).sentence;
    CHECK(heard(w, "Memory breakdown"));
    CHECK(heard(w, caption.substr(0, caption.find('*'))));
    const Transcript before = transcript_of(w);
    const auto slider = std::ranges::find(before.parts(), ReadRole::slider, &ReadPart::role);
    REQUIRE(slider != before.parts().end());
    const test::Item* item = w.seek(slider->text);
    REQUIRE(item != nullptr);
    w.drag(item->label, slider->position, slider->position < 0.5F ? 0.9F : 0.1F);
    const Transcript after = transcript_of(w);
    const auto moved = std::ranges::find(after.parts(), slider->id, &ReadPart::id);
    REQUIRE(moved != after.parts().end());
    CHECK(moved->value != slider->value);
    CHECK(moved->position != slider->position);
}

TEST_CASE("words that wrap are read as one sentence, in the order of title, picture, caption")
{
    test::Window w({700, 800});
    w.open("memory");
    w.settle();
    const Transcript transcript = transcript_of(w);
    CHECK(std::ranges::is_sorted(transcript.parts(), {}, &ReadPart::region));
    const auto caption = std::ranges::find_if(transcript.parts(), [](const ReadPart& part)
                                              { return part.region == ReadRegion::caption; });
    REQUIRE(caption != transcript.parts().end());
    CHECK(caption->rect.h > 1.5F * caption->size); // two lines
    CHECK(caption->text.find("  ") == std::string::npos);
    CHECK(caption->text.ends_with("."));
}

TEST_CASE("a question is read with its answer and, once given, its verdict")
{
    test::Room room;
    room.ask("model-state/easy");
    CHECK(heard(room.w, room.question().stem.substr(0, 20)));
    CHECK_FALSE(heard(room.w, "Not yet"));
    const std::string slip = room.question().mistakes.front().text;
    room.answer(slip);
    const Transcript transcript = transcript_of(room.w);
    REQUIRE(!transcript.said().empty());
    CHECK(transcript.said().front().starts_with("Not yet"));
    const auto field = std::ranges::find(transcript.parts(), ReadRole::field, &ReadPart::role);
    REQUIRE(field != transcript.parts().end());
    CHECK(field->value == slip);
    CHECK(!field->text.empty());
}

TEST_CASE("what is found and what is chosen from a list is read")
{
    test::Window w;
    w.open("memory");
    w.settle();
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.type("glossary");
    const Transcript transcript = transcript_of(w);
    const auto row =
        std::ranges::find_if(transcript.parts(), [](const ReadPart& part)
                             { return part.region == ReadRegion::over && part.on && part.id != 0; });
    REQUIRE(row != transcript.parts().end());
    CHECK(row->text == "Glossary");
    CHECK(unread(w) == "");
}
