// Which shapes a schedule takes, and what it says of those it does not.
#include "tests/core/pipeline/schedule_cases.h"

using namespace ringside;

namespace
{

// Every number in a hint.
std::vector<std::int64_t> numbers(const std::string& hint)
{
    std::vector<std::int64_t> found;
    for (std::size_t k = 0; k < hint.size();)
    {
        if (hint[k] < '0' || hint[k] > '9')
        {
            ++k;
            continue;
        }
        std::size_t length = 0;
        found.push_back(std::stoll(hint.substr(k), &length));
        k += length;
    }
    return found;
}

std::int64_t& field(ScheduleShape& shape, const std::string& path)
{
    REQUIRE((path == "stages" || path == "micro_batches" || path == "chunks"));
    return path == "stages" ? shape.stages : path == "chunks" ? shape.chunks : shape.micro_batches;
}

bool at_fault(ScheduleKind kind, const ScheduleShape& shape, const std::string& path)
{
    const Issues issues = check_shape(kind, shape);
    return std::any_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.path == path; });
}

// Every number a refusal offers cures what it is about, and curing one after the other ends at a legal shape.
void check_refusal(ScheduleKind kind, ScheduleShape shape)
{
    for (int cures = 0; !check_shape(kind, shape).empty(); ++cures)
    {
        REQUIRE(cures < 6);
        const Issues issues = check_shape(kind, shape);
        for (const Issue& issue : issues)
        {
            INFO(to_line(issue));
            REQUIRE_FALSE(issue.message.empty());
            auto offered = numbers(issue.hint);
            REQUIRE_FALSE(offered.empty());
            if (issue.hint.find("or more") != std::string::npos)
            {
                offered.push_back(offered.front() + 1);
            }
            for (const std::int64_t number : offered)
            {
                ScheduleShape cured = shape;
                field(cured, issue.path) = number;
                INFO("tried " << number);
                CHECK_FALSE(at_fault(kind, cured, issue.path));
            }
        }
        field(shape, issues.front().path) = numbers(issues.front().hint).front();
    }
    CHECK(make_order(kind, shape, equal_costs(kind, shape, {})));
}

} // namespace

TEST_CASE("an illegal shape is refused for every schedule, and every number in the hint works")
{
    for (const ScheduleKind kind : schedules())
    {
        for (std::int64_t p = 1; p <= 9; ++p)
        {
            for (std::int64_t m = 1; m <= 20; ++m)
            {
                for (std::int64_t v = 1; v <= 5; ++v)
                {
                    const ScheduleShape shape{p, m, v};
                    INFO(kind->id << " p " << p << " m " << m << " v " << v);
                    const Issues issues = check_shape(kind, shape);
                    const bool legal = issues.empty();
                    CHECK(static_cast<bool>(make_order(kind, shape, Costs{std::vector<StageCost>(45)})) ==
                          legal);
                    check_refusal(kind, shape);
                    const std::int64_t nearest = nearest_micro_batches(kind, shape);
                    if (nearest > 0)
                    {
                        CHECK(check_shape(kind, {p, nearest, v}).empty());
                        CHECK((legal ? nearest == m : nearest > m));
                    }
                    else if (!legal)
                    {
                        CHECK((at_fault(kind, shape, "stages") || at_fault(kind, shape, "chunks")));
                    }
                }
            }
        }
    }
}

TEST_CASE("a count below one is refused with one that the schedule takes")
{
    for (const ScheduleKind kind : schedules())
    {
        const std::int64_t chunks = kind->least_chunks;
        for (const ScheduleShape& shape :
             {ScheduleShape{0, 8, chunks}, ScheduleShape{-3, 8, chunks}, ScheduleShape{4, 0, chunks},
              ScheduleShape{4, 8, 0}, ScheduleShape{4, 8, -1}, ScheduleShape{0, 0, 0}})
        {
            INFO(kind->id << " p " << shape.stages << " m " << shape.micro_batches << " v " << shape.chunks);
            CHECK_FALSE(make_order(kind, shape, Costs{std::vector<StageCost>(8)}));
            check_refusal(kind, shape);
        }
    }
}

TEST_CASE("no more chunks are promised than a schedule takes")
{
    for (const ScheduleKind kind : schedules())
    {
        for (const std::int64_t chunks : {1023, 1024, 1025, 5000})
        {
            INFO(kind->id << " chunks " << chunks);
            const ScheduleShape shape{2, 8, chunks};
            for (const Issue& issue : check_shape(kind, shape))
            {
                INFO(to_line(issue));
                const std::int64_t most = numbers(issue.hint).front();
                CHECK(check_shape(kind, {2, 8, most}).empty());
                CHECK((issue.hint.find("or more") == std::string::npos ||
                       check_shape(kind, {2, 8, most + 1}).empty()));
            }
        }
    }
}

TEST_CASE("an illegal shape is refused with the nearest legal ones")
{
    const auto refused = make_order(schedule("interleaved"), {4, 7, 2}, Costs{std::vector<StageCost>(8)});
    CHECK(refused); // one round of seven
    const auto uneven = make_order(schedule("interleaved"), {4, 9, 2}, Costs{std::vector<StageCost>(8)});
    REQUIRE_FALSE(uneven);
    CHECK(to_line(uneven.issues()[0]) ==
          "micro_batches: 9 micro-batches do not make 2 equal rounds over 4 stages (use 8 or 10)");
    CHECK_FALSE(make_order(schedule("gpipe"), {4, 8, 2}, Costs{std::vector<StageCost>(8)}));
    CHECK(nearest_micro_batches(schedule("dualpipe"), {4, 3, 1}) == 8);
    CHECK(nearest_micro_batches(schedule("dualpipe"), {3, 3, 1}) == 0);
}
