#include "tests/fuzz/targets.h"

#include "tests/source_path.h"

#include "app/commands/check_file.h"
#include "app/commands/serve/mcp.h"
#include "app/files/lesson_files.h"
#include "app/files/settings.h"
#include "core/base/text/term.h"
#include "core/evaluate/cases.h"
#include "core/evaluate/measured_csv.h"
#include "core/lab/machine.h"
#include "core/lab/team/team.h"
#include "core/lab/team/team_json.h"
#include "core/lab/team/team_request.h"
#include "core/lab/trainer/checkpoint.h"
#include "core/launch_files/launch_files.h"
#include "core/launch_files/serving_command.h"
#include "core/pipeline/notation.h"
#include "core/runs/run.h"
#include "core/scenario/hugging_face/hugging_face.h"
#include "core/scenario/json/json.h"
#include "core/scenario/link/link.h"
#include "core/scenario/validate.h"
#include "core/study/answers/answer.h"
#include "core/study/grading/metric_answer.h"
#include "core/study/lessons/demo_script.h"
#include "core/study/lessons/drawn_hands.h"
#include "core/study/lessons/lesson.h"
#include "core/study/lessons/lesson_course.h"
#include "core/study/lessons/tracks.h"
#include "core/study/library/errata.h"
#include "core/study/library/glossary.h"
#include "core/study/library/guide.h"
#include "core/study/library/style.h"
#include "core/study/progress/exchange.h"
#include "core/study/progress/imports.h"
#include "core/study/progress/progress.h"
#include "core/study/questions/coverage.h"
#include "core/study/questions/family.h"
#include "core/study/questions/layout_answer.h"
#include "core/study/sessions/plan.h"
#include "core/study/sessions/session_json.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ringside::fuzz
{

namespace
{

// A refusal must say something. Aborts, so that both drivers keep the input.
void say(const Issues& issues)
{
    for (const Issue& issue : issues)
    {
        if (issue.message.empty())
        {
            std::abort();
        }
    }
}

template <class T>
void say(const Result<T>& result)
{
    if (!result && result.issues().empty())
    {
        std::abort();
    }
    say(result ? Issues{} : result.issues());
}

const Presets& presets()
{
    static const Presets loaded = []
    {
        Issues issues;
        return load_presets(test::source_path("assets"), issues);
    }();
    return loaded;
}

std::string text_of(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Files of a folder of the source tree; long ones would make every mutation slow.
std::vector<std::string> files_of(std::string_view folder, std::uintmax_t most = 20'000)
{
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path(folder)))
    {
        if (entry.is_regular_file() && entry.file_size() <= most)
        {
            paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    std::vector<std::string> texts;
    std::ranges::transform(paths, std::back_inserter(texts), text_of);
    return texts;
}

void feed_scenario(std::string_view bytes)
{
    const auto read = scenario_from_text(bytes, presets());
    say(read);
    if (read)
    {
        say(validate(*read));
    }
}

// What was read is written and read again to the same.
void feed_link(std::string_view bytes)
{
    const LinkRead read = read_link(bytes, presets());
    say(read.issues);
    if (is_link(bytes) && !(read_link(to_text(read.link, presets()), presets()).link == read.link))
    {
        std::abort();
    }
}

std::vector<std::string> links()
{
    return {"ringside:#v=optimizer/clip&s=default;parallel.tensor=4;training.recompute=full&l=zero/3",
            "https://any.host/path/#q=3d-degrees/gpus.1790000000000&a=week-2&embed",
            "#s=llama-70b-128;model={};model.layers=30;parallel.stage_layers=%5B8,7,7,8%5D",
            "#s=gpt-13b-8;cluster=dgx-h100;cluster.gpu.hbm_gb_per_s=4e3;model.name=M%C3%BCller"};
}

template <class Read>
void feed_json(std::string_view bytes, Read read)
{
    const auto json = parse_json(bytes);
    say(json);
    if (json)
    {
        say(read(*json));
    }
}

void feed_lesson(std::string_view bytes)
{
    feed_json(bytes, [](const nlohmann::json& json) { return lesson_from_json(json, "memory/memory.json"); });
}

void feed_demo(std::string_view bytes)
{
    constexpr std::array<std::string_view, 2> kViews{"memory", "zero"};
    constexpr std::array<std::string_view, 1> kAsked{"step.mfu"};
    feed_json(bytes, [&](const nlohmann::json& json)
              { return demo_script_from_json(json, presets(), kViews, kAsked); });
}

void feed_hands(std::string_view bytes)
{
    feed_json(bytes,
              [](const nlohmann::json& json)
              {
                  const auto hands = drawn_hands_from_json(json);
                  for (const DrawnHand& hand : hands ? hands->hands : std::vector<DrawnHand>())
                  {
                      score_curve(hand.points, hand.points, {1, 100, 0, 1, true});
                  }
                  return hands;
              });
}

std::vector<std::string> written_hands()
{
    return {
        R"({"schema": "ringside.curves/1", "place": "growth/mfu", "curve": 1, "hands": [{"name": "A", "x": [1, 10, 100], "y": [0.5, 0.25, 1e-3]}, {"x": [2], "y": [3]}]})"};
}

void feed_questions(std::string_view bytes)
{
    QuestionBank bank;
    const Issues issues = add_questions(bytes, "questions/stranger.json", bank);
    say(issues);
    if (issues.empty() && bank.families.empty())
    {
        std::abort();
    }
}

void feed_progress(std::string_view bytes)
{
    const ProgressRead read = read_progress(bytes);
    say(read.issues);
    // What was read is written and read again to the same.
    if (read_progress(to_text(read.progress)).progress.reviews.size() != read.progress.reviews.size())
    {
        std::abort();
    }
}

void feed_answer(std::string_view bytes)
{
    for (const StudyUnit& unit : study_units())
    {
        say(read_answer(bytes, asked_for(unit)));
    }
    say(read_metric_answers(bytes, {}));
}

std::vector<std::string> answers()
{
    return {"1.12 TB", "22%",      "3h 20min", "8/9",   "1e12 FLOP/s",
            "70B",     "-3.5 GiB", "2^10",     "1,024", "12 15 1e3"};
}

std::vector<std::string> orders()
{
    return {"0F0 0F1 0B0 0B1", "rank 0: F0 B0 # remark\nrank 1: F0 B0", "0F0&1B0 0I0 0W0\n1F0",
            R"({"ranks": [["0F0", "0B0"], ["1F0", "1B0"]]})"};
}

std::vector<std::string> progresses()
{
    return {to_text(Progress{}),
            R"({"schema": "ringside.progress/1", "reviews": [
{"card": "memory/bytes", "at": 1790000000000, "grade": 3, "seconds": 12.5},
{"card": "memory/bytes", "at": 1790086400000, "grade": 1}]})"};
}

std::vector<std::string> checkpoints()
{
    return {"ringside.checkpoint/1\n{}\n", "ringside.checkpoint/1\n{\"step\": 3, \"parts\": []}\nabcd"};
}

std::vector<std::string> glossaries()
{
    return {
        R"({"schema": "ringside.glossary/1", "terms": [{"id": "mfu", "term": "MFU", "also": ["utilization"],
"text": "Share of the peak.", "formula": "F / t P", "view": "waterfall", "related": ["mfu"]}]})"};
}

// Two copies of two stages, in the middle of a step.
std::vector<std::string> running_teams()
{
    const auto config = with_strategy(team_trainer_config(), "dp2-pp2", 4);
    TeamSnapshot run;
    run.config = *config;
    if (const auto ready = prepared(run.config.trainer))
    {
        run.config.trainer = *ready;
    }
    run.step = 2;
    run.losses = {2.7F, 2.6F};
    run.sent_until = {100, 200};
    run.marks = {{0, "dp2-pp2", false}};
    std::vector<std::string> texts{live_text(run)};
    RankTrace rank;
    rank.work = {{{Pass::forward, false, 0, 0}, 0.1, 0.2}};
    rank.messages = {{"pipeline", "send", 100, 0.2, 0.3, 1}};
    rank.sent = {{"pipeline", 100, 1}};
    run.trace =
        std::make_shared<TeamStepTrace>(TeamStepTrace{2, 2.6, 1, false, 0.5, {}, {rank, rank, rank, rank}});
    texts.push_back(live_text(run));
    return texts;
}

// Launch files, each format by its reader and whole.
template <auto read>
void feed_launch_source(std::string_view bytes)
{
    say(read(bytes, "stranger"));
}

void feed_launch(std::string_view bytes)
{
    const auto reading = read_launch_files({.files = {{"stranger", std::string(bytes)}}}, presets());
    say(reading);
    if (reading)
    {
        (void)to_json(*reading, presets()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
}

// Any file of a run, alone and beside itself, as a rank's trace or dump is beside others.
void feed_run(std::string_view bytes)
{
    const RunFile file{"rank_1", [bytes] { return std::make_unique<TextBytes>(bytes); }};
    const auto run = read_run({file, file});
    say(run);
    if (run)
    {
        (void)to_json(*run).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
}

Result<LaunchSource> read_shell_alone(std::string_view text, const std::string& file)
{
    return read_shell(text, file, {"A=1", "--tp", "2"});
}

std::vector<std::string> launch_files()
{
    return files_of("tests/data/launch_files");
}

std::vector<std::string> toml_files()
{
    return {"[training]\nsteps = 10\nlocal_batch_size = 2\n[model]\nname = \"llama3\"\nflavor = "
            "\"8B\"\n[a.b]\nc = [1, "
            "2.5, \"x\"]\n"};
}

template <auto read>
void feed_document(std::string_view bytes)
{
    feed_json(bytes, [](const nlohmann::json& json) { return read(json); });
}

std::filesystem::path new_folder()
{
    std::string name = (std::filesystem::temp_directory_path() / "ringside-fuzz-XXXXXX").string();
    return ::mkdtemp(name.data());
}

// A file of the program's own folder, as the next start finds it.
void keep(std::string_view name, std::string_view bytes)
{
    static const std::filesystem::path home = new_folder();
    ::setenv("XDG_CONFIG_HOME", home.c_str(), 1);
    std::filesystem::create_directories(home / "ringside");
    std::ofstream(home / "ringside" / name, std::ios::binary) << bytes;
}

// What the last session left is what the next one would leave.
void feed_last_scenario(std::string_view bytes)
{
    keep("last-scenario.json", bytes);
    Issues issues;
    const auto last = load_last_scenario(presets(), issues);
    say(issues);
    if (last &&
        (!save_last_scenario(*last, presets()).empty() || load_last_scenario(presets(), issues) != last))
    {
        std::abort();
    }
}

void feed_finished(std::string_view bytes)
{
    keep("lessons.json", bytes);
    Issues issues;
    const auto finished = load_finished(issues);
    say(issues);
    if (!save_finished(finished).empty() || load_finished(issues) != finished)
    {
        std::abort();
    }
}

// A file that somebody asks `check` about, whatever it is.
void feed_check(std::string_view bytes)
{
    say(faults_of_file(std::string(bytes), "stranger.json", {test::source_path("assets"), presets(), 1}));
}

// What is typed where a layout or a compression is asked for.
void feed_layout(std::string_view bytes)
{
    static const Scenario scenario = presets().scenario("default")->scenario;
    say(read_layout(bytes, scenario));
    say(read_compression(bytes));
}

constexpr std::array kServed{&evaluate_command, &explain_command, &schedule_command, &collective_command};
const Program& served_program()
{
    static const Program program{.commands = kServed, .version = "0"};
    return program;
}

// Every line is answered, by one line of JSON.
void feed_served(std::string_view bytes)
{
    std::string answer;
    serve_line(served_program(), std::string(bytes), answer);
    if (!nlohmann::json::accept(answer) || answer.find('\n') != std::string::npos)
    {
        std::abort();
    }
}

std::vector<std::string> served_lines()
{
    return {
        R"({"id": 1, "command": ["evaluate", "-"], "stdin": {"model": "llama-3.1-8b", "cluster": {"gpus": 8}}})",
        R"([{"id": 2, "command": ["schedule", "--kind", "gpipe"]}, {"command": ["collective", "--help"]}])"};
}

// An answer has a result, or an error with a message.
void feed_message(std::string_view bytes)
{
    const auto answer = mcp_answer_to_text(served_program(), bytes);
    const auto is_whole = [](const nlohmann::json& one)
    { return one.contains("result") || !one.at("error").at("message").get<std::string>().empty(); };
    if (answer && !(answer->is_array() ? std::ranges::all_of(*answer, is_whole) : is_whole(*answer)))
    {
        std::abort();
    }
}

std::vector<std::string> messages()
{
    std::vector<std::string> all;
    for (
        const std::string params :
        {R"("initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}})",
         R"("tools/list")",
         R"("tools/call", "params": {"name": "evaluate", "arguments": {"scenario": {"cluster": {"gpus": 8}}}})",
         R"("tools/call", "params": {"name": "schedule", "arguments": {"stages": 4, "stage_weights": [1, 2]}})",
         R"("resources/read", "params": {"uri": "ringside://clusters/dgx-h100"})",
         R"("prompts/get", "params": {"name": "plan-a-run", "arguments": {"goal": "x"}})",
         R"("server/discover", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})"})
    {
        all.push_back(R"({"jsonrpc": "2.0", "id": 1, "method": )" + params + "}");
    }
    return all;
}

// A preset of this folder, as the only one there is.
template <const char* const& folder>
void feed_pack(std::string_view bytes)
{
    static const std::filesystem::path assets = new_folder();
    std::filesystem::create_directories(assets / folder);
    std::ofstream(assets / folder / "stranger.json", std::ios::binary) << bytes;
    Issues issues;
    (void)load_presets(assets, issues);
    say(issues);
    std::filesystem::remove_all(assets / folder);
}
constexpr const char* kGpus = "gpus";
constexpr const char* kClusters = "clusters";
constexpr const char* kSoftware = "software";
constexpr const char* kFrameworks = "frameworks";

// What the user takes from a clipboard is taken and given back without a trace.
void feed_import(std::string_view bytes)
{
    const StudyImport found = read_import(bytes);
    say(found.issues);
    Progress progress;
    const TakenImport plan = planned(progress, found, 1);
    take(progress, found, plan);
    if (read_progress(to_text(progress)).progress.personal.size() != progress.personal.size())
    {
        std::abort();
    }
    take_back(progress, plan);
    if (!found.rest && !(progress == Progress{}))
    {
        std::abort();
    }
}

std::vector<std::string> imports()
{
    Progress progress;
    progress.flags = {"ring-time"};
    apply(progress, AddReview{Review{.card = "ring-time", .time_ms = 1000}});
    return {
        "#separator:tab\n#html:true\n#tags column:3\n#guid column:4\nfront &lt;1\tback<br>2\tzero tp\tg1\n",
        "#separator:Semicolon\n#guid column:1\nid1;\"a;b\";c\n", "question\tanswer\n", history_csv(progress),
        to_text(progress)};
}

// A round goes on wherever it stood.
void feed_session(std::string_view bytes)
{
    auto session = session_from_text(bytes, 2000);
    say(session);
    if (!session)
    {
        return;
    }
    for (const StudyInput& input :
         {StudyInput(DrillInput(DrillKey::hint)), StudyInput(DrillInput(DrillKey::skip)),
          StudyInput(MockInput(MockKey::next)), StudyInput(MockInput(MockKey::finish))})
    {
        (void)apply(*session, input, 3000);
        (void)card_on_show(*session);
    }
}

std::vector<std::string> sessions()
{
    DrillSession drill;
    drill.items = {
        DrillItem{.card = {.family = "a", .seed = 7, .set = {{"x", 2.0}, {"gpu", std::string("h100")}}}},
        DrillItem{.card = {.family = "b"}, .given = Grade::good}};
    MockSession mock;
    mock.items = {MockItem{.card = {.family = "a"}, .topic = "zero"},
                  MockItem{.card = {.family = "a"}, .topic = "zero", .follows = 0, .answer = "12 GB"}};
    return {to_text(StudySession(drill), 1000), to_text(StudySession(mock), 1000)};
}

std::vector<std::string> all_settings()
{
    return {
        R"({"light": true, "text_scale": 1.5, "gib": false, "view": "memory", "width": 1280, "height": 800,
                "searches": [{"words": "a", "link": "#v=planner", "objective": "cost", "free": {"gpus": {"least": 8, "most": 64}}}]})"};
}

void feed_cases(std::string_view bytes)
{
    feed_json(bytes, [](const nlohmann::json& json) { return run_cases(json, presets()); });
}

std::vector<std::string> cases()
{
    return {
        R"({"schema": "ringside.cases/1", "cases": [{"name": "n", "scenario": {"model": "gpt-2-124m", "cluster": {"gpus": 8}}, "expect": {"model.parameters": 124439808}, "tolerance": {"model.parameters": 0}}]})"};
}

// One of each kind that is small.
std::vector<std::string> check_corpus()
{
    std::vector<std::string> texts = cases();
    for (const char* file :
         {"assets/scenarios/llama-8b-8.json", "assets/gpus/gaudi-2.json", "assets/clusters/mi325x-8.json",
          "assets/frameworks/fsdp.json", "assets/models/llama-65b.json"})
    {
        texts.push_back(text_of(test::source_path(file)));
    }
    return texts;
}

const std::array kTargets{
    Target{"scenario", feed_scenario, [] { return files_of("assets/scenarios"); }, 3000},
    Target{"link", feed_link, links, 500},
    Target{"model",
           [](std::string_view bytes)
           { feed_json(bytes, [](const nlohmann::json& json) { return model_from_json(json, presets()); }); },
           [] { return files_of("assets/models"); }, 3000},
    Target{"gpu", feed_pack<kGpus>, [] { return files_of("assets/gpus"); }, 500},
    Target{"cluster", feed_pack<kClusters>, [] { return files_of("assets/clusters"); }, 500},
    Target{"software", feed_pack<kSoftware>, [] { return files_of("assets/software"); }, 500},
    Target{"framework", feed_pack<kFrameworks>, [] { return files_of("assets/frameworks"); }, 500},
    Target{"import", feed_import, imports, 3000},
    Target{"session", feed_session, sessions, 3000},
    Target{"settings", feed_document<settings_from_json>, all_settings, 3000},
    Target{"last_scenario", feed_last_scenario, [] { return files_of("assets/scenarios"); }, 300},
    Target{"finished", feed_finished,
           [] {
               return std::vector<std::string>{
                   R"({"schema": "ringside.lessons-finished/1", "finished": ["zero"]})"};
           },
           300},
    Target{"check", feed_check, check_corpus, 400},
    Target{"run_file", feed_run, [] { return files_of("tests/data/runs"); }, 3000},
    Target{"run_hang", feed_run, [] { return files_of("tests/data/runs/hang"); }, 3000},
    Target{"launch_file", feed_launch, launch_files, 300},
    Target{"launch_shell", feed_launch_source<read_shell_alone>, launch_files, 3000},
    Target{"launch_yaml", feed_launch_source<read_yaml>, launch_files, 1000},
    Target{
        "launch_serving",
        [](std::string_view bytes)
        {
            const LaunchText text{"serve.sh", std::string(bytes)};
            (void)read_serving_commands({{text, {"options.yaml", text.text}}}, {}, presets());
        },
        []
        {
            return std::vector<std::string>{
                "TP=8\nvllm serve $MODEL --tensor-parallel-size $TP --gpu-memory-utilization 0.9 "
                "--speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 2}'",
                "python3 -m sglang.launch_server --tp-size=8 --dp-size 8 --ep-size 8 --enable-dp-attention",
                "trtllm-serve m --tp_size 4",
                "enable_attention_dp: true\nkv_cache_config: {dtype: fp8, free_gpu_memory_fraction: 0.8}"};
        },
        3000},
    Target{"launch_toml", feed_launch_source<read_toml>, toml_files, 3000},
    Target{"launch_json", feed_launch_source<read_json_source>, launch_files, 3000},
    Target{"layout", feed_layout,
           [] {
               return std::vector<std::string>{"TP 8 PP 4 ZeRO-1", "tensor=8, pipeline 2; mbs 1", "top-k 1%",
                                               "1-bit"};
           },
           3000},
    Target{"guide", [](std::string_view bytes) { say(read_guide_page(bytes)); },
           [] { return files_of("assets/guide/memory"); }, 3000},
    Target{"course", feed_document<read_course_order>,
           [] { return std::vector<std::string>{text_of(test::source_path("lessons/course.json"))}; }, 1000},
    Target{"style", feed_document<read_style>, [] { return files_of("assets/study", 60'000); }, 1000},
    Target{"hugging_face", [](std::string_view bytes) { say(hugging_face_model_from_text(bytes)); },
           [] { return files_of("tests/data/hf"); }, 3000},
    Target{"cases", feed_cases, cases, 400},
    Target{"lesson", feed_lesson, [] { return files_of("lessons"); }, 3000},
    Target{"demo", feed_demo, [] { return files_of("assets/demos"); }, 1000},
    Target{"questions", feed_questions, [] { return files_of("tests/fuzz/corpus/questions"); }, 2000},
    Target{"progress", feed_progress, progresses, 3000},
    Target{"answer", feed_answer, answers, 3000},
    Target{"order", [](std::string_view bytes) { say(read_order(bytes)); }, orders, 3000},
    Target{"plan", feed_document<read_plan>, [] { return files_of("assets/study", 60'000); }, 1000},
    Target{"tracks", feed_document<read_tracks>, [] { return files_of("assets/study", 60'000); }, 1000},
    Target{"glossary", feed_document<read_glossary>, glossaries, 1000},
    Target{"inventory", [](std::string_view bytes) { say(read_inventory(bytes)); },
           [] { return files_of("assets/study", 60'000); }, 300},
    Target{"errata", [](std::string_view bytes) { say(read_errata(bytes).issues); },
           [] { return files_of("assets/study", 60'000); }, 300},
    Target{"measured", [](std::string_view bytes) { say(measured_from_csv(bytes, Scenario{}, presets())); },
           []
           {
               return std::vector<std::string>{
                   "name,tensor,pipeline,training.micro_batch,step_time_s\na,1,1,2,1.5\nb,2,1,4,\"0.9\"\n",
                   "tensor;gpus;tokens_per_s\n8;64;16k\n"};
           },
           3000},
    Target{
        "machines",
        [](std::string_view bytes)
        { feed_json(bytes, [](const nlohmann::json& json) { return machines_from_json(json); }); },
        []
        {
            return std::vector<std::string>{
                R"({"schema": "ringside.machines/1", "machines": [{"name": "a", "date": "2026-11-28", "memory_gb": 8, "points": [{"bytes": 1e6, "seconds": 1e-3}, {"flops": 2e6, "bytes": 1e5, "seconds": 1e-4}]}]})"};
        },
        1000},
    Target{"drawn_hands", feed_hands, written_hands, 1000},
    Target{"live", [](std::string_view bytes) { say(snapshot_from_live(bytes)); }, running_teams, 2000},
    Target{"serve", feed_served, served_lines, 1000},
    Target{"mcp", feed_message, messages, 1000},
    Target{"checkpoint", [](std::string_view bytes) { say(trainer::checkpoint_from_text(bytes)); },
           checkpoints, 3000},
};

} // namespace

std::span<const Target> targets()
{
    return kTargets;
}

const Target* find_target(std::string_view name)
{
    const auto found = std::ranges::find_if(kTargets, [&](const Target& t) { return t.name == name; });
    return found == kTargets.end() ? nullptr : &*found;
}

} // namespace ringside::fuzz
