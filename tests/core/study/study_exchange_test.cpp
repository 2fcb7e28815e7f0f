// Logs, Anki files and study sheets: what others read, and what they give.
#include "tests/core/study/study_clock.h"

#include "core/base/text/csv.h"
#include "core/study/progress/exchange.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::kMorning;

namespace
{

Progress some()
{
    Progress p;
    apply(p, AddReview{test::review("ring-time", 1'000, Grade::good)});
    Review r = test::review("a, \"b\"", 601'000, Grade::again);
    r.seed = 18446744073709551615ULL;
    r.variant = 2;
    r.hints = 3;
    r.mistake = "forgot-gradients";
    r.answer = "1,1 TB\nor \"1100\" GB";
    r.automatic = Grade::again;
    apply(p, AddReview{r});
    apply(p, AddReview{test::review("ring-time", 601'001, Grade::easy)});
    return p;
}

} // namespace

TEST_CASE("the history begins with the columns of a review log and comes back as it went out")
{
    const Progress p = some();
    const std::string text = history_csv(p);
    CHECK(text.starts_with("card_id,review_time,review_rating,review_state,review_duration,"));
    const auto history = reviews_from_csv(text);
    CHECK(history.issues.empty());
    CHECK(history.entries == p.reviews);
}

TEST_CASE("the history names each variant's card by itself, and reads back")
{
    Progress progress;
    for (const auto& [card, variant] :
         {std::pair("state", 0), std::pair("state", 2), std::pair("personal:a/7", 0)})
    {
        Review review;
        review.card = card;
        review.time_ms = 1000 + variant;
        review.variant = variant;
        progress.reviews.push_back(review);
    }
    const std::string text = history_csv(progress);
    CHECK(text.find("\nstate/2,1002,") != std::string::npos);
    CHECK(reviews_from_csv(text).entries == progress.reviews);
}

TEST_CASE("a review log of another tool is read")
{
    const auto log = reviews_from_csv("card_id,review_time,review_rating,review_state,review_duration\n"
                                      "ring-time,1000,3,0,20000\n"
                                      "\"a, \"\"b\"\"\",601000,1,1,20000\n");
    CHECK(log.issues.empty());
    REQUIRE(log.entries.size() == 2);
    CHECK(log.entries[1].card == "a, \"b\"");
    CHECK(log.entries[1].rating == Grade::again);
    CHECK(log.entries[1].answer.empty());
    Progress other;
    CHECK(merge(other, log.entries) == 2);
    CHECK(merge(other, log.entries) == 0);
}

TEST_CASE("columns are found by name, with Windows line ends and a byte order mark")
{
    const auto read =
        reviews_from_csv("\xEF\xBB\xBFreview_rating,other,card_id,review_time\r\n3,x,a,5\r\n\r\n4,,b,6\r\n");
    CHECK(read.issues.empty());
    REQUIRE(read.entries.size() == 2);
    CHECK(read.entries[1].card == "b");
    CHECK(read.entries[1].rating == Grade::easy);
}

TEST_CASE("every fault of a log is named by its line, and the rest is read")
{
    const auto read = reviews_from_csv("card_id,review_time,review_rating,review_state\n"
                                       "a,1,3,0\n"
                                       "a,x,5,9\n"
                                       ",2,3,0\n"
                                       "a\n"
                                       "b,3,2,1\n"
                                       "\"open,4,3,0\n");
    REQUIRE(read.entries.size() == 2);
    CHECK(read.entries[1].card == "b");
    std::vector<std::string> paths;
    for (const Issue& issue : read.issues)
    {
        paths.push_back(issue.path);
    }
    CHECK(paths == std::vector<std::string>{"line 3: review_time", "line 3: review_rating",
                                            "line 3: review_state", "line 4: card_id", "line 5: review_time",
                                            "line 5: review_rating", "line 7"});
    CHECK(reviews_from_csv("").issues.size() == 1);
    CHECK(reviews_from_csv("a,b\n1,2\n").issues.front().hint.starts_with("begin with card_id"));
}

TEST_CASE("CSV cells with separators, quotes and line ends")
{
    const auto rows = csv_rows("a;\"b;\"\"c\"\"\nd\";e\n\n;\nlast", ';');
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].cells == std::vector<std::string>{"a", "b;\"c\"\nd", "e"});
    CHECK(rows[1].cells == std::vector<std::string>{"", ""});
    CHECK(rows[1].line == 4);
    CHECK(rows[2].cells == std::vector<std::string>{"last"});
    for (const char* text : {"plain", "a,b", "q\"q", "two\nlines", ""})
    {
        const auto back = csv_rows(csv_cell(text, ',') + ",x", ',');
        REQUIRE(back.size() == 1);
        CHECK(back[0].cells[0] == text);
    }
}

TEST_CASE("an Anki file has the header lines that make importing it again an update")
{
    const std::string text = anki_text(
        {{stable_guid("ring-time", 0), "70B < 80 GB?\nwhy", "\"16\tP\" & more", {"ep/moe", "two words"}}});
    CHECK(text ==
          "#separator:tab\n#html:true\n#notetype:Basic\n#deck:Ringside\n#tags column:3\n#guid column:4\n"
          "70B &lt; 80 GB?<br>why\t&quot;16 P&quot; &amp; more\tep/moe two-words\t" +
              stable_guid("ring-time", 0) + "\n");
}

TEST_CASE("a guid depends on family and variant and on nothing else")
{
    CHECK(stable_guid("ring-time", 0) == "rs" + stable_guid("ring-time", 0).substr(2));
    CHECK(stable_guid("ring-time", 0).size() == 18);
    CHECK(stable_guid("ring-time", 0) != stable_guid("ring-time", 1));
    CHECK(stable_guid("ring-time", 0) != stable_guid("ring-timf", 0));
    CHECK(stable_guid("", 0) == "rs" + stable_guid("", 0).substr(2));
}

TEST_CASE("our own Anki file comes back as personal cards")
{
    const std::vector<FrozenCard> cards{{"g1", "front <1>\nline", "back & \"more\"", {"zero", "x"}},
                                        {"g2", "front 2", "", {}}};
    const auto read = cards_from_anki(anki_text(cards));
    CHECK(read.issues.empty());
    REQUIRE(read.entries.size() == 2);
    CHECK(read.entries[0] ==
          PersonalCard{"personal:g1", "front <1>\nline", "back & \"more\"", {"zero", "x"}});
    CHECK(read.entries[1] == PersonalCard{"personal:g2", "front 2", "", {}});
}

TEST_CASE("Anki files of others: separators, plain text, quotes, columns anywhere, no header at all")
{
    const auto semicolons = cards_from_anki(
        "#separator:Semicolon\n#html:false\n#guid column:1\n#deck column:2\nid1;My deck;\"a;b\";<b>\n");
    REQUIRE(semicolons.entries.size() == 1);
    CHECK(semicolons.entries[0] == PersonalCard{"personal:id1", "a;b", "<b>", {}});
    const auto bare = cards_from_anki("question\tanswer\nquestion 2\tanswer 2\n");
    REQUIRE(bare.entries.size() == 2);
    CHECK(bare.entries[0].front == "question");
    CHECK(bare.entries[0].id.starts_with("personal:"));
    CHECK(bare.entries[0].id != bare.entries[1].id);
    CHECK(bare.entries[0].id == cards_from_anki("question\tother\n").entries[0].id);
    const auto html = cards_from_anki("#html:true\n<div>one</div><b>two</b>&nbsp;&lt;3<br>\tx\n");
    REQUIRE(html.entries.size() == 1);
    CHECK(html.entries[0].front == "one\ntwo <3");
}

TEST_CASE("a text with neither a header nor a tab is no Anki file, nor is one that is not UTF-8")
{
    for (const std::string& text :
         {std::string("a shopping list\nmilk\n"), std::string(1000, '"'), std::string("\xFF\xFE\ta")})
    {
        const auto read = cards_from_anki(text);
        CHECK(read.entries.empty());
        REQUIRE(read.issues.size() == 1);
        CHECK(read.issues.front().hint.find("#separator:tab") != std::string::npos);
    }
}

TEST_CASE("faults of an Anki file are named by line")
{
    const auto read = cards_from_anki(
        "#separator:banana\n#tags column:x\n#columns:a b\nfront\tback\n\tno front\n\"open\tx\n");
    CHECK(read.entries.size() == 1);
    REQUIRE(read.issues.size() == 4);
    CHECK(read.issues[0].path == "line 1: separator");
    CHECK(read.issues[1].path == "line 2: tags column");
    CHECK(read.issues[2].path == "line 5");
    CHECK(read.issues[3].path == "line 6");
    CHECK(cards_from_anki("").entries.empty());
}

TEST_CASE("the study sheet has the weakest topics, what was missed most, and one's own notes")
{
    test::Controller controller;
    controller.families = {test::family("ring-time", "collectives"), test::family("state", "memory")};
    controller.add("ring-time", kMorning - 4 * kDayMs, Grade::again);
    controller.add("ring-time", kMorning - 3 * kDayMs, Grade::again);
    Review slip = test::review("state", kMorning - kDayMs, Grade::hard);
    slip.mistake = "forgot-gradients";
    apply(controller.progress, AddReview{slip});
    apply(controller.progress, SetNote{"state", "16, not\n14"});
    controller.progress.interview = test::kMonday + 5;
    const std::vector<SheetWords> words{
        {"ring-time", "How long is a ring all-reduce?", "2 (N - 1) / N S / B"}};
    const std::string sheet = study_sheet(controller.view(), words);
    CHECK(sheet.starts_with(
        "# Study sheet, 2026-11-02\n\n3 reviews of 2 questions. Interview on 2026-11-07.\n"));
    CHECK(sheet.find("| Collectives |") < sheet.find("| Memory |"));
    CHECK(sheet.find("### How long is a ring all-reduce?\n\n2 (N - 1) / N S / B\n\nForgotten 2 times.") !=
          std::string::npos);
    CHECK(
        sheet.find("### state\n\nForgotten 0 times; known mistake: `forgot-gradients`.\n\n> 16, not 14\n") !=
        std::string::npos);
    test::Controller empty;
    CHECK(study_sheet(empty.view(), {}).find("Nothing was asked yet") != std::string::npos);
}
