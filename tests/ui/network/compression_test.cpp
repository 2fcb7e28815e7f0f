// Gradient compression in a user's hands: choosing a compressor by key, row and list, its settings,
// feedback, moving through the steps, and scenarios with nobody to send to.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/network/compression/run.h"
#include "core/performance/compression/wire.h"
#include "core/scenario/choices.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::unique_ptr<Window> opened(const Scenario& s = default_scenario(test::presets()))
{
    auto w = std::make_unique<Window>();
    w->session().apply(ChangeScenario{s});
    w->open("compression");
    w->settle();
    return w;
}

CompressionOptions with(Compressor compressor, bool feedback = true)
{
    CompressionOptions o;
    o.compressor = compressor;
    o.feedback = feedback;
    return o;
}

std::string final_loss(const CompressionOptions& o)
{
    return three_digits(run_compression(o).final_loss());
}

std::string bytes_of(const CompressionOptions& o)
{
    return fmt::format("{:g} B", wire_size(o, {{SmallTask::kInputs, SmallTask::kHidden, 1}}).total().value);
}

// Colours at the corners of everything drawn: what a picture looks like, in one number.
std::size_t picture_of()
{
    std::size_t hash = 0;
    const ImDrawData* data = ImGui::GetDrawData();
    for (const ImDrawList* list : data->CmdLists)
    {
        for (const ImDrawVert& v : list->VtxBuffer)
        {
            hash = hash * 31 + v.col + static_cast<std::size_t>(v.pos.x * 8) * 7 +
                   static_cast<std::size_t>(v.pos.y * 8) * 13;
        }
    }
    return hash;
}

} // namespace

TEST_CASE("every compressor has its own picture, row and sentence, reached by its digit")
{
    const auto w = opened();
    std::set<std::size_t> pictures;
    for (std::size_t c = 0; c < kCompressors; ++c)
    {
        const auto compressor = static_cast<Compressor>(c);
        w->key(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(c)));
        w->settle();
        INFO(info_of(compressor).id);
        CHECK(w->drawn().fault == "");
        CHECK(w->drawn().missing_glyphs == 0);
        CHECK(says(*w, info_of(compressor).name));
        CHECK(says(*w, bytes_of(with(compressor))));
        CHECK(says(*w, final_loss(with(compressor))));
        pictures.insert(picture_of());
    }
    CHECK(pictures.size() == kCompressors);
}

TEST_CASE("rows of the table and the list choose too, and all rows are there")
{
    const auto w = opened();
    w->open("compression/compressors");
    w->settle();
    for (std::size_t c = 0; c < kCompressors; ++c)
    {
        const CompressorInfo& info = info_of(static_cast<Compressor>(c));
        INFO(info.id);
        w->click(fmt::format("compressor {}", info.id));
        w->settle();
        const auto words = test::words_of(*w);
        CHECK(test::seek_words(words, info.name) != nullptr);
    }
    CHECK(says(*w, "r (rows + columns)"));
    w->key(ImGuiKey_C);
    w->frames(2);
    w->click("Sign, scaled");
    w->settle();
    CHECK(says(*w, "n bits + scale"));
}

TEST_CASE("E takes error feedback away: what is left out is lost, and the loss shows it")
{
    const auto w = opened();
    CHECK(says(*w, "kept for the next step"));
    CHECK(says(*w, final_loss(with(Compressor::top_k))));
    w->key(ImGuiKey_E);
    w->settle();
    CHECK(says(*w, "feedback is off"));
    CHECK(!says(*w, "kept for the next step"));
    CHECK(says(*w, "are lost"));
    CHECK(says(*w, final_loss(with(Compressor::top_k, false))));
    w->click("Error feedback");
    w->settle();
    CHECK(says(*w, "kept for the next step"));
    w->key(ImGuiKey_8); // a vote has nothing to keep, and no switch for it
    w->settle();
    CHECK(says(*w, "no error feedback"));
    CHECK(w->seek("Error feedback") == nullptr);
}

TEST_CASE("the panel's settings change bytes: share kept, packed indices, rank")
{
    const auto w = opened();
    CompressionOptions o = with(Compressor::top_k);
    w->drag("Kept, k / n", 0.4F, 1);
    w->settle();
    o.keep = 0.5;
    CHECK(says(*w, bytes_of(o)));
    w->type_value("Kept, k / n", "3%");
    w->settle();
    o.keep = 0.03;
    CHECK(says(*w, bytes_of(o)));
    w->key(ImGuiKey_I);
    w->settle();
    o.packed_indices = true;
    CHECK(says(*w, bytes_of(o)));
    w->key(ImGuiKey_9);
    w->drag("Rank r", 0.2F, 1);
    w->settle();
    o = with(Compressor::power_sgd);
    o.rank = 32;
    CHECK(says(*w, bytes_of(o)));
    w->type_value("Rank r", "3");
    w->settle();
    o.rank = 3;
    CHECK(says(*w, bytes_of(o)));
}

TEST_CASE("stepping goes from step to step, a chart is dragged through, and every moment has its own picture")
{
    const auto w = opened();
    CHECK(w->motion().duration == static_cast<double>(kCompressionSteps - 1));
    const double rest = w->playback().t;
    w->key(ImGuiKey_Period);
    w->settle();
    CHECK(w->playback().t == rest + 1);
    CHECK(says(*w, fmt::format("step {}", rest + 2)));
    w->session().apply(Seek{0});
    w->settle();
    CHECK(says(*w, "step 1"));
    const std::size_t first = picture_of();
    w->drag("###loss over steps", 0.1F, 0.99F);
    w->settle();
    CHECK(w->playback().t > 0.9 * static_cast<double>(kCompressionSteps));
    CHECK(picture_of() != first);
}

TEST_CASE("the scenario's ranks decide: one has nothing to gain, many make gathering lose to a dense ring")
{
    Scenario s = default_scenario(test::presets());
    s.collective.ranks = 1;
    auto w = opened(s);
    CHECK(w->drawn().fault == "");
    CHECK(says(*w, "nothing is sent"));
    const auto report = evaluate(default_scenario(test::presets()));
    REQUIRE(report);
    GradientProjection p =
        gradient_projection(default_scenario(test::presets()), report->memory.fullest, *report->collective);
    const CompressionOptions top = with(Compressor::top_k);
    CHECK(p.sent(top) < p.sent(with(Compressor::bf16)));
    p.ranks = 1024;
    CHECK(p.sent(top) > p.sent(with(Compressor::bf16)));
}

TEST_CASE("a fault in the scenario leaves the last good picture")
{
    const auto w = opened();
    Scenario s = w->session().scenario();
    s.parallel.tensor = 3; // of 64 heads
    w->session().apply(ChangeScenario{s});
    w->frames(3);
    CHECK(!w->valid());
    CHECK(w->drawn().fault == "");
    CHECK(says(*w, "residual"));
}
