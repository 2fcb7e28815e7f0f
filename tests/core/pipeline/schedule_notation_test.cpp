#include "tests/core/pipeline/schedule_cases.h"

#include "core/base/json/json.h"
#include "core/pipeline/notation.h"

using namespace ringside;
using test::run;

namespace
{

Issue fault(const std::string& text)
{
    const auto read = read_order(text);
    INFO(text);
    REQUIRE_FALSE(read);
    REQUIRE_FALSE(read.issues().empty());
    return read.issues().front();
}

std::string read_back(const std::string& text)
{
    const auto read = read_order(text);
    INFO(text << (read ? "" : to_line(read.issues().front())));
    REQUIRE(read);
    return write_order(read->order);
}

// Why an order that can be read cannot be run.
std::string refusal(const std::string& text)
{
    const auto read = read_order(text);
    REQUIRE(read);
    const auto t =
        simulate(read->order, Costs{std::vector<StageCost>(static_cast<std::size_t>(read->virtual_stages))});
    INFO(text);
    REQUIRE_FALSE(t);
    CHECK_FALSE(t.issues().front().hint.empty());
    return to_line(t.issues().front());
}

bool runs(const std::string& text)
{
    const auto read = read_order(text);
    REQUIRE(read);
    return static_cast<bool>(
        simulate(read->order, Costs{std::vector<StageCost>(static_cast<std::size_t>(read->virtual_stages))}));
}

// What `ringside schedule --json` prints of an order.
std::string as_json(const Order& order)
{
    nlohmann::json ranks = nlohmann::json::array();
    nlohmann::json pairs = nlohmann::json::array();
    for (const auto& ops : order)
    {
        nlohmann::json words = nlohmann::json::array();
        for (const Operation& o : ops)
        {
            if (o.with_next)
            {
                pairs.push_back({ranks.size(), words.size()});
            }
            words.push_back(to_text(o));
        }
        ranks.push_back(words);
    }
    return nlohmann::json{{"kind", "own"}, {"ranks", ranks}, {"pairs", pairs}}.dump();
}

} // namespace

TEST_CASE("hand-worked: an order is a line a rank, and its counts follow from it")
{
    const auto read = read_order("0F0 0F1 0B0 0B1\n1F0 1B0 1F1 1B1\n");
    REQUIRE(read);
    CHECK(read->virtual_stages == 2);
    CHECK(read->micro_batches == 2);
    REQUIRE(read->order.size() == 2);
    CHECK(read->order[0][1] == Operation{Pass::forward, false, 0, 1});
    CHECK(read->order[1][1] == Operation{Pass::backward, false, 1, 0});
}

TEST_CASE("an order may be written the ways people write it")
{
    const std::string plain = "0F0 0I0 0W0\n1F0 1B0\n";
    CHECK(read_back("rank 0: 0F0 0I0 0W0\nrank 1: 1F0 1B0") == plain);
    CHECK(read_back("# by hand\n0F0, 0I0, 0W0 # W last\n\n1F0\t1B0\r\n") == plain);
    CHECK(read_back("F0 I0 W0\nF0 B0") == plain); // of its line's stage
    CHECK(read_back("[\"0F0\", \"0I0\", \"0W0\"],\n[\"1F0\", \"1B0\"]") == plain);
    CHECK(read_back("0F0 0F1&0B0") == "0F0 0F1&0B0\n");
    CHECK(read_back(R"({"ranks": [["0F0", "0I0", "0W0"], ["1F0", "1B0"]]})") == plain);
    CHECK(read_back(R"({"ranks": [["0F0", "0F1", "0B0"]], "pairs": [[0, 1]]})") == "0F0 0F1&0B0\n");
}

TEST_CASE("the order of every schedule is read back as it was written, as text and as JSON")
{
    test::CaseSource source(41);
    for (int round = 0; round < 260; ++round)
    {
        const test::Case c = source.next();
        const Order order = run(c.kind, c.shape, c.costs).order;
        INFO(c.text());
        for (const std::string& text : {write_order(order), as_json(order)})
        {
            const auto read = read_order(text);
            REQUIRE(read);
            CHECK(read->order == order);
            CHECK(read->virtual_stages == virtual_stages(c.kind, c.shape));
            CHECK(read->micro_batches == c.shape.micro_batches);
        }
    }
}

TEST_CASE("a word that is no operation is named with its line")
{
    for (const char* word : {"0X0", "0F", "F", "0", "0F0B0", "0F-1", "-1F0", "0f0", "0F0&", "&0F0",
                             "0F0&&0B0", "0F99999999999", "99999999999F0", "0F1.5", "?"})
    {
        const Issue issue = fault("0F0 0B0\n\n# a remark\n1F0 " + std::string(word) + " 1B0");
        INFO(to_line(issue));
        CHECK(issue.path == "line 4");
        CHECK(issue.message.find(word) != std::string::npos);
        CHECK_FALSE(issue.hint.empty());
    }
}

TEST_CASE("an order without operations, or with far too many, is refused")
{
    for (const char* text :
         {"", "\n\n", "# nothing", "rank 0:", R"({"ranks": []})", R"({"ranks": [[], []]})"})
    {
        CHECK(fault(text).message == "there is no operation in it");
    }
    CHECK(fault("0F0 1000000F1000000").message.find("too large") != std::string::npos);
}

TEST_CASE("JSON that holds no order is refused, whatever it holds")
{
    for (const char* text :
         {"{", "{}", R"({"ranks": 1})", R"({"ranks": [[1]]})", R"({"ranks": [["0X0"]]})",
          R"({"ranks": [["0F0"]], "pairs": [1]})", R"({"ranks": [["0F0"]], "pairs": [[]]})",
          R"({"ranks": [["0F0"]], "pairs": [["a", 0]]})", R"({"ranks": [[["0F0"]]]})",
          R"({"ranks": [["0F0"]], "pairs": {"a": 1}})", "{\"ranks\": [[\"\xff\"]]}"})
    {
        const Issue issue = fault(text);
        INFO(to_line(issue));
        CHECK(issue.message.find("json.exception") == std::string::npos);
        CHECK_FALSE(issue.path.empty());
        CHECK_FALSE(issue.hint.empty());
    }
}

TEST_CASE("operations that wait for each other in a circle are refused by name")
{
    // Each rank wants the other's result first.
    const std::string circle = refusal("0F0 0B0 0F1 0B1\n1F1 1B1 1F0 1B0");
    INFO(circle);
    CHECK(circle.find("rank 0") != std::string::npos);
    CHECK((circle.find("0B0 waits for 1B0") != std::string::npos ||
           circle.find("1F1 waits for 0F1") != std::string::npos));
    const std::string own = refusal("0B0 0F0");
    INFO(own);
    CHECK(own.find("0B0 waits for 0F0") != std::string::npos);
    // It is the second of the pair that cannot start.
    const std::string pair = refusal("0F0&0B0");
    INFO(pair);
    CHECK(pair.find("0B0") != std::string::npos);
}

TEST_CASE("an operation whose input never comes is refused by name")
{
    CHECK(refusal("0B0").find("0B0") != std::string::npos);
    CHECK(refusal("0F0\n1B0").find("1B0") != std::string::npos);
    CHECK(refusal("0F0 0W0").find("0W0") != std::string::npos);
    CHECK(refusal("0F0 0B0\n1F0").find("0B0") != std::string::npos);
    CHECK(refusal("2F0").find("2F0") != std::string::npos);
}

TEST_CASE("an operation listed twice is refused by name")
{
    CHECK(refusal("0F0 0F0").find("0F0") != std::string::npos);
    CHECK(refusal("0F0 0B0 0I0").find("0I0") != std::string::npos);
    CHECK(refusal("0F0\n0F0").find("rank 1") != std::string::npos);
}

TEST_CASE("whether an order can run does not depend on which rank is listed first")
{
    // Forward and backward of a stage on two ranks: unusual, but nothing waits in a circle.
    CHECK(runs("0F0\n0B0") == runs("0B0\n0F0"));
    CHECK(runs("0F0 0I0\n0W0") == runs("0W0\n0F0 0I0"));
    CHECK(runs("0F0 1F0 1B0 0B0\n2F0") == runs("2F0\n0F0 1F0 1B0 0B0"));
}

TEST_CASE("a stage that has no costs is refused, and none at all does not count below zero")
{
    const auto beyond = simulate({{Operation{Pass::forward, false, 2, 0}}}, Costs{std::vector<StageCost>(2)});
    REQUIRE_FALSE(beyond);
    CHECK(to_line(beyond.issues().front()) ==
          "rank 0: 2F0 names a stage that does not exist (stages are 0 to 1)");
    const auto none = simulate({{Operation{Pass::forward, false, 0, 0}}}, Costs{});
    REQUIRE_FALSE(none);
    CHECK(none.issues().front().hint.find("18446744073709551615") == std::string::npos);
}

TEST_CASE("no text crashes: it is refused, or read and run or refused")
{
    test::CaseSource source(42);
    const std::string letters = "0011223FBIWFB&  \n\n,:;#[]\"{}rank";
    const std::string good = as_json(
        run(schedule("dualpipev"), {2, 4, 2}, equal_costs(schedule("dualpipev"), {2, 4, 2}, {})).order);
    int understood = 0;
    for (int round = 0; round < 6000; ++round)
    {
        std::string text;
        if (round % 3 == 2)
        {
            text = good;
            for (std::int64_t changes = source.pick(1, 3); changes > 0; --changes)
            {
                const auto at =
                    static_cast<std::size_t>(source.pick(0, static_cast<std::int64_t>(text.size()) - 1));
                text[at] = letters[static_cast<std::size_t>(
                    source.pick(0, static_cast<std::int64_t>(letters.size()) - 1))];
            }
        }
        for (std::int64_t length = round % 3 == 2 ? 0 : source.pick(1, 24); length > 0; --length)
        {
            text += round % 3 == 0 ? static_cast<char>(source.pick(-128, 127))
                                   : letters[static_cast<std::size_t>(
                                         source.pick(0, static_cast<std::int64_t>(letters.size()) - 1))];
        }
        const auto read = read_order(text);
        if (!read)
        {
            REQUIRE_FALSE(read.issues().empty());
            continue;
        }
        const Costs costs{std::vector<StageCost>(static_cast<std::size_t>(read->virtual_stages))};
        const auto t = simulate(read->order, costs);
        REQUIRE((t || !t.issues().empty()));
        understood += 1;
    }
    CHECK(understood > 30);
}
