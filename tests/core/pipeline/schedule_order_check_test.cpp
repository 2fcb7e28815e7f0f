#include "tests/core/pipeline/schedule_cases.h"

#include "core/pipeline/order_check.h"

using namespace ringside;
using test::run;

namespace
{

WrittenOrder written(const std::string& text)
{
    auto read = read_order(text);
    INFO(text);
    REQUIRE(read);
    return *read;
}

// Every fault of an order, a line each.
std::string faults(const std::string& text)
{
    std::string all;
    for (const Issue& issue : check_order(written(text)))
    {
        CHECK_FALSE(issue.path.empty());
        CHECK_FALSE(issue.hint.empty());
        all += to_line(issue) + "\n";
    }
    return all;
}

void check_says(const std::string& text, const std::string& says)
{
    const std::string all = faults(text);
    INFO(text << "\n" << all);
    CHECK(all.find(says) != std::string::npos);
}

} // namespace

TEST_CASE("the order of every schedule does all of its work once and where it can be done")
{
    test::CaseSource source(43);
    for (int round = 0; round < 260; ++round)
    {
        const test::Case c = source.next();
        INFO(c.text());
        const WrittenOrder order = written(write_order(run(c.kind, c.shape, c.costs).order));
        CHECK(check_order(order).empty());
        CHECK(weight_copies(order) == (c.shape.stages == 1 ? 1 : weight_copies(c.kind)));
    }
}

TEST_CASE("hand-worked: a backward that is missing is named, whole or by the half that is")
{
    const std::string none = faults("0F0 0F1\n1F0 1F1 1B0\n");
    INFO(none);
    CHECK(none.find("rank 0: 0B0 is missing, 0F0 is there (list 0B0, or 0I0 and 0W0)") != std::string::npos);
    CHECK(none.find("0B1 is missing") != std::string::npos);
    CHECK(none.find("1B1 is missing") != std::string::npos);
    CHECK(none.find("1B0 is missing") == std::string::npos);
    check_says("0F0", "0B0 is missing");
    check_says("0F0 0I0", "0W0 is missing, 0I0 is there");
    check_says("0F0 0W0", "0I0 is missing, 0W0 is there");
    check_says("0F0 0B0\n1B0", "rank 1: 1F0 is missing, 1B0 is there");
    check_says("0F0 0B0 0F1 0B1\n1F0 1B0", "order: 1F1 and 1B1 are missing");
}

TEST_CASE(
    "hand-worked: an operation that is doubled is named, as is a weight gradient beside a whole backward")
{
    check_says("0F0 0F0 0B0", "rank 0: 0F0 is there 2 times");
    check_says("0F0 0B0 0W0", "rank 0: 0W0 does again what 0B0 does");
    check_says("0F0 0B0 0I0", "rank 0: 0I0 does again what 0B0 does");
    check_says("0F0 0B0\n0F0 0B0", "rank 1: 0F0 is there 2 times");
}

TEST_CASE("hand-worked: stages and micro-batches are numbered from 0 without gaps")
{
    check_says("0F2 0B2", "order: micro-batch 0 has no operation, micro-batch 2 has");
    check_says("0F2 0B2", "order: micro-batch 1 has no operation");
    check_says("1F0 1B0", "order: stage 0 has no operation");
    CHECK(faults("0F2 0B2").find("missing") == std::string::npos); // one fault, not one an operation
    // Far too many to list.
    CHECK(check_order(written("0F0 0B0 1000F1000 1000B1000")).size() < 12);
}

TEST_CASE("hand-worked: a backward runs where its forward did, though a stage may have copies")
{
    check_says("0F0 1B0\n1F0 0B0", "rank 1: 0B0 runs here, but 0F0 on rank 0");
    check_says("0F0 1B0\n1F0 0B0", "rank 0: 1B0 runs here, but 1F0 on rank 1");
    check_says("0F0 0I0\n0W0", "rank 1: 0W0 runs here, but 0F0 on rank 0");
    // The second half of the micro-batches comes from the other end.
    const std::string two_ways = "0F0 1F1 0B0 1B1\n0F1 1F0 1B0 0B1\n";
    CHECK(faults(two_ways).empty());
    CHECK(weight_copies(written(two_ways)) == 2);
    CHECK(weight_copies(written("0F0 0B0\n1F0 1B0")) == 1);
}
