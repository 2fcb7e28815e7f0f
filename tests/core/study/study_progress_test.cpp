// The progress value and its file: replay, undo, merge, and a reader that loses nothing that can be read.
#include "tests/core/study/study_clock.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

using namespace ringside;
using test::kMorning;

namespace
{

Progress full()
{
    Progress p;
    apply(p, AddReview{test::review("ring-time", kMorning, Grade::good)});
    Review r = test::review("zero-state", kMorning + 60'000, Grade::hard);
    r.seed = 18446744073709551615ULL;
    r.variant = 3;
    r.hints = 2;
    r.mistake = "forgot-gradients";
    r.answer = "1.1 TB {\"x\"} \u00d7 \n2";
    r.automatic = Grade::good;
    apply(p, AddReview{r});
    apply(p, AddReview{test::review("ring-time", kMorning + 600'000, Grade::good)});
    apply(p, SetFlag{"ring-time", true});
    apply(p, SetSuspended{"old", true});
    apply(p, SetNote{"zero-state", "12 P / N, not 16 P / N"});
    apply(p, SkillScore{"model-memory", 4, kMorning});
    apply(p, SetTask{{"day0-ring", kMorning}, true});
    apply(p, LessonGuess{"bubble", "s3", 0.25, 0.158, "of total", kMorning});
    apply(p, SetPlace{"bubble", "s4"});
    apply(p, PersonalCard{"personal:1", "front", "back", {"zero", "mine"}});
    apply(p, SetInterview{parse_date("2026-12-05")});
    apply(p, StartPlan{test::kMonday});
    p.retention = 0.92;
    p.weights[0] = 0.3;
    return p;
}

std::string line_with(const std::string& text, std::string_view word)
{
    const std::size_t at = text.find(word);
    const std::size_t start = text.rfind('\n', at) + 1;
    return text.substr(start, text.find('\n', at) - start);
}

} // namespace

TEST_CASE("a file of an earlier version keeps its scores: skills have names now")
{
    std::string text = to_text(full());
    text.replace(text.find("model-memory"), 12, "004-SA1");
    const ProgressRead read = read_progress(text);
    REQUIRE(read.progress.skills.size() == 1);
    CHECK(read.progress.skills[0] == SkillScore{"model-memory", 4, kMorning});
}

TEST_CASE("a review's state is that of the card before it, from the log")
{
    const Progress p = full();
    CHECK(p.reviews[0].state == CardPhase::fresh);
    CHECK(p.reviews[1].state == CardPhase::fresh);
    CHECK(p.reviews[2].state == CardPhase::learning);
    const Cards cards = replay(p.reviews, schedule_of(p));
    CHECK(cards.at("ring-time").phase == CardPhase::review);
    CHECK(cards.at("ring-time").reviews == 2);
    CHECK(card_of(cards, "nobody").phase == CardPhase::fresh);
    CHECK(card_in(p.reviews, "ring-time", schedule_of(p)) == cards.at("ring-time"));
}

TEST_CASE("progress survives its file unchanged, and an empty one too")
{
    for (const Progress& p : {full(), Progress{}})
    {
        const ProgressRead read = read_progress(to_text(p));
        CHECK(read.whole);
        CHECK_FALSE(read.foreign);
        CHECK(read.issues.empty());
        CHECK(read.progress == p);
        CHECK(to_text(read.progress) == to_text(p));
    }
}

TEST_CASE("the file has one review a line, in words")
{
    const std::string text = to_text(full());
    CHECK(line_with(text, "forgot-gradients").starts_with(R"({"card":"zero-state","time_ms":)"));
    CHECK(line_with(text, "interview") == R"("interview": "2026-12-05",)");
    CHECK(text.starts_with("{\n\"checksum\": \""));
    CHECK(text.find('\n', 2) + 1 == text.find("\"schema\": \"ringside.progress/1\",\n"));
}

TEST_CASE("undo takes back the last review and nothing else")
{
    Progress p = full();
    const Progress before = p;
    apply(p, AddReview{test::review("zero-state", kMorning + 900'000, Grade::again)});
    const auto last = undo_last(p);
    REQUIRE(last);
    CHECK(last->card == "zero-state");
    CHECK(p == before);
    Progress empty;
    CHECK_FALSE(undo_last(empty));
}

TEST_CASE("merging adds what is not there, in order of time")
{
    Progress p = full();
    const Progress before = p;
    CHECK(merge(p, before.reviews) == 0);
    CHECK(p == before);
    CHECK(merge(p, {test::review("early", kMorning - 5, Grade::easy), before.reviews[0]}) == 1);
    CHECK(p.reviews.size() == 4);
    CHECK(p.reviews.front().card == "early");
}

TEST_CASE("a file cut at any byte gives back every review that is whole in it")
{
    const Progress p = full();
    const std::string text = to_text(p);
    std::vector<std::size_t> ends;
    for (const char* mark : {"\"answer\":", "\"mistake\":"})
    {
        REQUIRE(text.find(mark) != std::string::npos);
    }
    const std::size_t list = text.find("\"reviews\"");
    for (std::size_t at = text.find("}\n", list) == std::string::npos ? 0 : list; at < text.size(); ++at)
    {
        // A review ends where its line does: with a comma, or before the closing bracket.
        if (text[at] == '}' &&
            (text.substr(at + 1).starts_with(",\n{") || text.substr(at + 1).starts_with("\n]")))
        {
            ends.push_back(at + 1);
        }
    }
    REQUIRE(ends.size() == 3);
    for (std::size_t cut = 0; cut + 2 < text.size(); ++cut)
    {
        const ProgressRead read = read_progress(text.substr(0, cut));
        const auto whole = static_cast<std::size_t>(
            std::count_if(ends.begin(), ends.end(), [cut](std::size_t end) { return end <= cut; }));
        INFO("cut at " << cut);
        CHECK_FALSE(read.whole);
        CHECK_FALSE(read.issues.empty());
        REQUIRE(read.progress.reviews.size() == whole);
        CHECK(std::equal(read.progress.reviews.begin(), read.progress.reviews.end(), p.reviews.begin()));
    }
}

TEST_CASE("settings and other lists of a cut file are kept as well")
{
    const Progress p = full();
    const std::string text = to_text(p);
    const ProgressRead read = read_progress(text.substr(0, text.size() - 10));
    CHECK(read.progress.interview == p.interview);
    CHECK(read.progress.retention == p.retention);
    CHECK(read.progress.weights == p.weights);
    CHECK(read.progress.notes == p.notes);
    CHECK(read.progress.skills == p.skills);
    CHECK(read.progress.personal == p.personal);
    CHECK(read.progress.flags == p.flags);
    CHECK(read.progress.lesson_places == p.lesson_places);
}

TEST_CASE("a line broken by hand costs that line only, and is named")
{
    std::string text = to_text(full());
    const std::string broken = line_with(text, "forgot-gradients");
    text.replace(text.find(broken), 20, "{card: zero-state, ,,");
    const ProgressRead read = read_progress(text);
    REQUIRE(read.progress.reviews.size() == 2);
    CHECK(read.progress.reviews[1].time_ms == kMorning + 600'000);
    CHECK_FALSE(read.whole);
    const bool named = std::any_of(read.issues.begin(), read.issues.end(),
                                   [](const Issue& i) { return i.message == "an entry is broken"; });
    CHECK(named);
}

TEST_CASE("every fault of a file that is JSON is named by its entry")
{
    const ProgressRead read =
        read_progress(R"({"schema": "ringside.progress/1", "interview": "soon", "retention": 2,
        "weights": [1, 2], "extra": 1, "reviews": [
        {"card": "a", "time_ms": 1, "rating": 3},
        {"card": "a", "time_ms": -1, "rating": 9},
        {"card": "", "time_ms": 1.5, "rating": "good", "ratng": 1},
        7,
        {"time_ms": 99999999999999999999, "rating": 3}], "flags": {}})");
    CHECK(read.progress.reviews.size() == 1);
    CHECK_FALSE(read.whole);
    std::vector<std::string> paths;
    for (const Issue& issue : read.issues)
    {
        paths.push_back(issue.path);
        CHECK_FALSE(issue.message.empty());
    }
    for (const char* path :
         {"interview", "retention", "weights", "extra", "reviews[1].time_ms", "reviews[1].rating",
          "reviews[2].card", "reviews[2].time_ms", "reviews[2].rating", "reviews[2].ratng", "reviews[3]",
          "reviews[4].card", "reviews[4].time_ms", "flags"})
    {
        INFO(path);
        CHECK(std::count(paths.begin(), paths.end(), path) == 1);
    }
    CHECK(paths.size() == 14);
}

TEST_CASE("reviews of families that nobody knows any more are kept")
{
    Progress p = full();
    p.reviews[0].card = "a family of a later version";
    CHECK(read_progress(to_text(p)).progress.reviews == p.reviews);
}

TEST_CASE("what is no progress file is said to be none, and a later version is left alone")
{
    for (const char* text :
         {"", "hello", "[]", "{}", "{\"schema\": \"ringside.scenario/1\"}", "null", "{{{{{"})
    {
        INFO(text);
        const ProgressRead read = read_progress(text);
        CHECK(read.foreign);
        CHECK_FALSE(read.whole);
        CHECK_FALSE(read.issues.empty());
        CHECK(read.progress == Progress{});
    }
    std::string later = to_text(full());
    later.replace(later.find("progress/1"), 10, "progress/2");
    CHECK(read_progress(later).foreign);
    CHECK(read_progress(later.substr(0, later.size() - 20)).foreign);
}

TEST_CASE("the head of the file may be gone: reviews are known by what they hold")
{
    const std::string text = to_text(full());
    const ProgressRead read = read_progress(text.substr(text.find("\"personal\"")));
    CHECK(read.progress.reviews.size() == 3);
    CHECK_FALSE(read.foreign);
}

TEST_CASE("random damage neither crashes the reader nor invents reviews")
{
    const std::string good = to_text(full());
    std::mt19937 random(1);
    for (int round = 0; round < 400; ++round)
    {
        std::string text = good;
        for (int hit = 0; hit < 1 + round % 7; ++hit)
        {
            text[random() % text.size()] = static_cast<char>(random() % 256);
        }
        const ProgressRead read = read_progress(text);
        CHECK(read.progress.reviews.size() <= 3);
    }
}
