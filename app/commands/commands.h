// The commands of the program. Each owns its options; it prints its answer on stdout, problems on stderr, and
// returns the exit status: 0 done, 1 the answer is no, 2 bad input.
#pragma once

#include <span>
#include <string>

namespace CLI
{
class App;
}

namespace ringside
{

inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kBadInput = 2;

// What every command may be given; the options of one command begin with them.
struct CommonOptions
{
    std::string assets; // --assets DIR
    bool json = false;
};

struct CliCommand;

// What the program was given before a command, the commands it has, and the status of the one that ran.
struct Program
{
    std::string assets;
    std::span<const CliCommand* const> commands;
    const char* version = "";
    int status = kDone;
};

// A command, or a group of them. To add one, define it with command() of options.h and list it in main.cpp.
struct CliCommand
{
    const char* name;
    const char* help; // one line
    void (*add)(const CliCommand& command, CLI::App& parent, Program& program);
};

extern const CliCommand evaluate_command, validate_command, calibrate_command, check_command,
    question_command, schedule_command, collective_command, scaling_command, search_command, rent_command,
    import_command, export_command, lesson_command, train_command, picture_command, animate_command,
    guide_command, gallery_command, link_command, bench_command, measure_command, progress_command,
    check_launch_command, replay_command, assignment_command, mock_command, serve_command, explain_command,
    mcp_command, describe_command;

// What `bench` measures.
struct BenchOptions : CommonOptions
{
    std::string what;
    std::string bands; // file that the bands of accuracy are written to; empty: none
};
int run_bench_accuracy(const BenchOptions& options);
int run_bench_serving(const BenchOptions& options);
int run_bench_schedule(const CommonOptions& options);
int run_bench_collective(const CommonOptions& options);
int run_bench_search(const CommonOptions& options);
int run_bench_train(const CommonOptions& options);
int run_bench_frame(const CommonOptions& options);

} // namespace ringside
