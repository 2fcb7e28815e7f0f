// What a row of a layout search and of what there is to rent says, told once: keys of files stay.
#include "tests/core/support.h"

#include "core/planner/rent_columns.h"
#include "core/planner/search/candidate_columns.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;

namespace
{

Candidate worked_candidate()
{
    Candidate c;
    c.layout.gpus = 1024;
    c.layout.tensor = 8;
    c.layout.pipeline = 4;
    c.layout.chunks = 2;
    c.layout.schedule = schedule("interleaved");
    c.layout.micro_batch = 1;
    c.layout.global_batch = 2048;
    c.layout.sequence_length = 8192;
    c.seconds = 16.384;
    c.bytes = 73401401344;
    c.mfu = 0.4125;
    c.bubble = 0.0625;
    c.units = 2048.0 * 8192 / 1e6;
    return c;
}

std::string text_of(CandidateColumn column)
{
    return info_of(column).text_of(worked_candidate());
}

} // namespace

TEST_CASE("the CSV of a search keeps its keys and their order, which scripts read by place")
{
    std::vector<std::string> keys;
    for (const auto* column : csv_columns(candidate_columns()))
    {
        keys.emplace_back(column->key);
    }
    CHECK(keys == std::vector<std::string>{"gpus",
                                           "tensor",
                                           "sequence_parallel",
                                           "context",
                                           "pipeline",
                                           "chunks",
                                           "expert",
                                           "expert_tensor",
                                           "data",
                                           "zero",
                                           "micro_batch",
                                           "recompute",
                                           "schedule",
                                           "memory_bytes",
                                           "bubble_of_step",
                                           "mfu",
                                           "step_time_s",
                                           "verdict",
                                           "recompute_layers",
                                           "global_batch",
                                           "sequence_length",
                                           "step_time_low_s",
                                           "step_time_high_s"});
}

TEST_CASE("the JSON of a search and of rent has the keys of the report's metrics")
{
    std::set<std::string_view> keys;
    for (const auto& column : candidate_columns())
    {
        keys.insert(column.json);
    }
    CHECK(keys == std::set<std::string_view>{"", "memory.total_bytes", "step.mfu", "step.time_s",
                                             "step.time_low_s", "step.time_high_s",
                                             "seconds_per_million_tokens", "gpu_seconds_per_million_tokens"});
    keys.clear();
    for (const auto& column : rent_columns())
    {
        keys.insert(column.json);
    }
    CHECK(keys == std::set<std::string_view>{"", "cluster", "gpus", "spare_gpus", "step.time_s", "step.mfu",
                                             "run.goodput", "run.wall_days", "run.wall_days_low",
                                             "run.wall_days_high", "usd", "usd_low", "usd_high", "frontier"});
}

TEST_CASE("hand-worked: a row as it is read, and in full")
{
    CHECK(text_of(CandidateColumn::gpus) == "1,024");
    CHECK(text_of(CandidateColumn::tensor) == "8 no SP");
    CHECK(text_of(CandidateColumn::data) == "32"); // 1024 / (8 x 4)
    CHECK(text_of(CandidateColumn::schedule) == "Interleaved, VPP 2");
    CHECK(text_of(CandidateColumn::memory) == "73.4");
    CHECK(text_of(CandidateColumn::bubble) == "6.2%");
    CHECK(text_of(CandidateColumn::step) == "16.4");
    Candidate banded = worked_candidate(); // 16.384 s x 0.75 = 12.288 s, x 1.25 = 20.48 s
    banded.low = 0.75;
    banded.high = 1.25;
    CHECK(info_of(CandidateColumn::step_low).text_of(banded) == "12.3 to 20.5");
    // 2048 x 8192 tokens are 16.777216 million: 16.384 s / 16.777216 = 0.976562 s, times 1024 GPUs = 1000
    // GPU-s.
    CHECK(text_of(CandidateColumn::pace) == "0.977");
    CHECK(text_of(CandidateColumn::cost) == "1,000");
    CHECK(full_text(info_of(CandidateColumn::memory).value(worked_candidate())) == "73401401344");
    CHECK(full_text(info_of(CandidateColumn::sequence_parallel).value(worked_candidate())) == "false");
    CHECK(full_text(info_of(CandidateColumn::schedule).value(worked_candidate())) == "interleaved");
    CHECK(full_text(info_of(CandidateColumn::verdict).value(worked_candidate())) == "fits");
    CHECK(info_of(CandidateColumn::memory).heading_with_unit() == "memory, GB");
    CHECK(info_of(CandidateColumn::memory).heading_with_unit(ByteUnit::binary) == "memory, GiB");
}

TEST_CASE("only columns in which rows may differ are shown, and those that CSV alone has never")
{
    const std::vector<Candidate> rows{worked_candidate()};
    const auto shows = [&](CandidateColumn column, const SearchLimits& limits)
    {
        const auto shown = shown_columns(rows, limits);
        return std::find(shown.begin(), shown.end(), column) != shown.end();
    };
    SearchLimits limits;
    CHECK(shows(CandidateColumn::tensor, limits));
    for (const CandidateColumn column :
         {CandidateColumn::context, CandidateColumn::expert, CandidateColumn::batch, CandidateColumn::pace,
          CandidateColumn::gpus, CandidateColumn::cost, CandidateColumn::chunks, CandidateColumn::verdict})
    {
        INFO(name_of(column));
        CHECK_FALSE(shows(column, limits));
    }
    limits.freed.gpus = {8, 64};
    CHECK(shows(CandidateColumn::gpus, limits));
    CHECK(shows(CandidateColumn::pace, limits));
    CHECK(ranked_by(limits) == CandidateColumn::pace);
}

TEST_CASE("every column that is shown says what it is, and every other one is in a file")
{
    const auto check = [](const auto& columns)
    {
        for (const auto& column : columns)
        {
            INFO(column.key << column.json << column.heading);
            CHECK((!column.heading.empty() || !column.key.empty() || !column.json.empty()));
            CHECK(column.value != nullptr);
        }
    };
    check(candidate_columns());
    check(rent_columns());
    CHECK(candidate_columns().size() == every<CandidateColumn>().size());
}
