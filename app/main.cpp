// Ringside: one executable, the window and the commands.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/calibrate_command.h"
#include "app/collective_command.h"
#include "app/commands.h"
#include "app/evaluate_command.h"
#include "app/export_command.h"
#include "app/import_command.h"
#include "app/input.h"
#include "app/lesson_command.h"
#include "app/misuse.h"
#include "app/option_check.h"
#include "app/question_command.h"
#include "app/scaling_command.h"
#include "app/schedule_command.h"
#include "app/search_command.h"
#include "app/train_command.h"
#include "app/window/animate.h"
#include "app/window/bench.h"
#include "app/window/guide.h"
#include "app/window/picture.h"
#include "app/window/window.h"
#include "core/base/printable.h"
#include "core/collective/fabric.h"
#include "core/lab/corpus.h"
#include "core/lab/team.h"
#include "core/launch/launch.h"

#include <exception>
#include <set>

namespace
{

using namespace ringside;

// What every command may be given, and the status of the one that ran.
struct Options
{
    CommonOptions common;
    EvaluateOptions evaluate;
    std::vector<std::string> files;
    ScalingOptions scaling;
    ScheduleOptions plan;
    CollectiveOptions collective;
    SearchOptions search;
    ImportOptions import_from;
    ExportOptions export_to;
    TrainOptions train;
    PictureOptions picture;
    bool concepts = false;
    GuideOptions guide;
    FilmOptions film;
    CalibrateOptions calibrate;
    QuestionOptions question;
    std::uint64_t seeds = 25;
    std::string benchmark;
    std::string lesson;
    std::string track;
    WindowOptions window;
    int status = kDone;
};

// Refused as typed, with what would work.
CLI::Option* whole(CLI::Option* option, std::int64_t least, std::int64_t most)
{
    return option->transform(
        CLI::Validator([least, most](std::string& text) { return fault_of_whole(text, least, most); }, ""));
}
CLI::Option* real(CLI::Option* option, double least, double most)
{
    return option->transform(
        CLI::Validator([least, most](std::string& text) { return fault_of_real(text, least, most); }, ""));
}
CLI::Option* seed(CLI::Option* option)
{
    return whole(option, 0, kMostSeed);
}
// As the lab has the field of this path; for reals the field of a recipe.
CLI::Option* whole_of(std::string_view path, CLI::Option* option)
{
    const LabRange range = lab_range(path).value();
    return whole(option, range.least, range.most);
}
CLI::Option* real_of(std::string_view name, CLI::Option* option)
{
    for (const Field<Recipe>& field : fields_of(Recipe{}))
    {
        option = field.name == name ? real(option, field.least, field.most) : option;
    }
    return option;
}

void add_evaluate_and_validate(CLI::App& app, Options& o)
{
    auto* evaluate = app.add_subcommand(
        "evaluate", "what a scenario needs: memory by stage, FLOPs, bubble; exit 1 when it does not fit");
    evaluate->add_option("FILE", o.evaluate.file, "scenario (JSON), - for standard input")->required();
    evaluate->add_option("--set", o.evaluate.sets, "change one field first, for example parallel.tensor=4")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    evaluate->add_option("--convention", o.evaluate.convention, "count as another tool does")
        ->check(CLI::IsMember({"ringside", "megatron", "deepspeed-zero2", "deepspeed-zero3", "zero-paper"}));
    auto* document = evaluate->add_flag("--json", o.common.json, "one JSON document");
    auto* markdown = evaluate->add_flag("--markdown", o.evaluate.markdown,
                                        "tables to read: memory by stage, "
                                        "the step, every metric with its unit");
    auto* csv =
        evaluate->add_flag("--csv", o.evaluate.csv, "a table to compute with: metric,stage,value,unit");
    markdown->excludes(document)->excludes(csv);
    csv->excludes(document);
    evaluate->callback([&o] { o.status = run_evaluate(o.common, o.evaluate); });

    auto* validate =
        app.add_subcommand("validate", "runs cases with published figures and prints how far off each is");
    validate->add_option("CASES", o.files, "cases (JSON), - for standard input")->required();
    auto* json = validate->add_flag("--json", o.common.json, "one JSON document");
    validate->add_flag("--markdown", o.calibrate.markdown, "a table for each file, as in docs/accuracy.md")
        ->excludes(json);
    validate->callback(
        [&o]
        {
            o.status = o.calibrate.markdown ? run_validate_markdown(o.common, o.files)
                                            : run_validate(o.common, o.files);
        });
}

void add_calibrate(CLI::App& app, Options& o)
{
    auto* calibrate =
        app.add_subcommand("calibrate", "fits constants of an accelerator to cases that expect step.time_s");
    calibrate
        ->add_option("CASES", o.calibrate.files, "cases (JSON) or tables of steps (CSV), each file one set")
        ->required();
    calibrate->add_option("--scenario", o.calibrate.scenario,
                          "that the rows of a table start from; the default one");
    calibrate->add_option("--constants", o.calibrate.constants, "which, by name, with commas between")
        ->delimiter(',')
        ->type_name("NAME,...")
        ->allow_extra_args(false);
    calibrate->add_flag("--leave-out", o.calibrate.leave_out,
                        "fits again without each eighth of the groups and tests there");
    auto* json = calibrate->add_flag("--json", o.calibrate.common.json, "one JSON document");
    calibrate->add_flag("--markdown", o.calibrate.markdown, "tables, as in docs/accuracy.md")->excludes(json);
    calibrate->callback(
        [&o]
        {
            o.calibrate.common.assets = o.common.assets;
            o.status = run_calibrate(o.calibrate);
        });
}

void add_check(CLI::App& app, Options& o)
{
    auto* check = app.add_subcommand(
        "check",
        "every fault of all that ships, and of the files named: scenarios, presets, lessons, questions ...");
    check->add_option("PATH", o.files, "files, told apart by their schema");
    check->add_flag("--json", o.common.json, "one JSON document");
    whole(check->add_option("--seeds", o.seeds, "questions drawn of every family"), 1, kMostSeeds)
        ->capture_default_str();
    check->add_flag("--concepts", o.concepts, "each concept with its views, metrics, families and lessons");
    check->callback([&o] { o.status = run_check(o.common, o.files, o.seeds, o.concepts); });
}

void add_question(CLI::App& app, Options& o)
{
    auto* question = app.add_subcommand("question", "families of questions, drawn from a seed and graded");
    question->require_subcommand(1);
    QuestionOptions& q = o.question;
    auto* list = question->add_subcommand("list", "every family and variant");
    list->add_option("--topic", q.topic, "only these");
    list->add_flag("--json", o.common.json, "one JSON document");
    list->callback([&o] { o.status = run_question_list(o.common, o.question); });
    const auto with_id = [&](const char* name, const char* says)
    {
        auto* command = question->add_subcommand(name, says);
        command->add_option("ID", q.id, "family, or family/variant")->required();
        seed(command->add_option("--seed", q.seed, "that its numbers come from"))->capture_default_str();
        command->add_flag("--json", o.common.json, "one JSON document");
        return command;
    };
    auto* answer = with_id("answer", "grades an answer; exit 1 when it is not right");
    answer
        ->add_option("TEXT", q.text,
                     "as people type it: 1.12TB, 22%, 3h 20min; an id, an order, ticked points")
        ->required();
    answer->add_option("--hints", q.hints, "opened before answering")->check(CLI::Range(0, 3));
    answer->add_option("--seconds", q.seconds, "it took");
    answer->callback([&o] { o.status = run_question_answer(o.common, o.question); });
    with_id("show", "a question with its hints, answer, solution and known slips")
        ->callback([&o] { o.status = run_question_show(o.common, o.question); });
}

// The options somebody gave, whatever their values: "--stages".
std::set<std::string, std::less<>> typed_options(const CLI::App& command)
{
    std::set<std::string, std::less<>> typed;
    for (const CLI::Option* option : command.get_options())
    {
        if (option->count() > 0)
        {
            typed.insert(option->get_name());
        }
    }
    return typed;
}

void add_schedule(CLI::App& app, Options& o)
{
    auto* schedule = app.add_subcommand(
        "schedule", "a pipeline schedule: its order, times, bubble and stash; --kind all compares them");
    std::vector<std::string_view> ids;
    for (const ScheduleKind kind : schedules())
    {
        ids.push_back(kind->id);
    }
    ScheduleOptions& plan = o.plan;
    schedule->add_option("--kind", plan.kind, fmt::format("{}, or all", fmt::join(ids, ", ")))
        ->capture_default_str();
    schedule->add_option("--stages", plan.shape.stages, "ranks of the pipeline")->capture_default_str();
    schedule->add_option("--micro-batches", plan.shape.micro_batches, "that flow through in a step")
        ->capture_default_str();
    schedule->add_option("--chunks", plan.shape.chunks, "model chunks a stage; as few as the schedule takes");
    schedule->add_option("--forward", plan.times.forward, "time of a stage's forward, in any unit")
        ->capture_default_str();
    schedule->add_option("--backward-input", plan.times.backward_input, "time of the input gradients")
        ->capture_default_str();
    schedule->add_option("--backward-weight", plan.times.backward_weight, "time of the weight gradients")
        ->capture_default_str();
    schedule->add_option("--transfer", plan.times.transfer, "from a stage to the next")
        ->capture_default_str();
    schedule->add_flag("--blocking", plan.times.blocking, "a stage computes nothing while it sends");
    schedule->add_option("--recompute", plan.times.recompute, "time of what a backward computes again")
        ->capture_default_str();
    schedule
        ->add_option("--pair", plan.times.pair, "F and B run together, over one after the other (DualPipe)")
        ->capture_default_str();
    schedule
        ->add_option("--stage-weights", plan.stage_weights, "relative time of each virtual stage: 1,1,1,1.3")
        ->delimiter(',');
    schedule->add_option("--order", plan.order,
                         "a file with an order of your own, a line a rank: 0F0 0B0; - reads it");
    schedule->add_option("--svg", plan.svg, "draw it into this file; - for standard output");
    schedule->add_option("--chrome-trace", plan.chrome_trace, "write a trace that opens in Perfetto");
    schedule->add_flag("--json", o.common.json, "one JSON document");
    schedule->callback(
        [&o, schedule]
        {
            o.plan.typed = typed_options(*schedule);
            o.status = run_schedule(o.common, o.plan);
        });
}

void add_collective(CLI::App& app, Options& o)
{
    auto* command =
        app.add_subcommand("collective", "every step of a collective and its cost; --algorithm all compares");
    CollectiveOptions& c = o.collective;
    std::vector<std::string_view> kinds;
    for (std::size_t k = 0; k < kCollectiveKinds; ++k)
    {
        kinds.push_back(name_of(static_cast<CollectiveKind>(k)));
    }
    std::vector<std::string_view> algorithms;
    for (const CollectiveAlgorithm* a : collective_algorithms())
    {
        algorithms.push_back(a->id);
    }
    std::vector<std::string_view> links;
    for (const Fabric& f : fabrics())
    {
        links.push_back(f.id);
    }
    command->add_option("--kind", c.kind, fmt::format("{}", fmt::join(kinds, ", ")))->capture_default_str();
    command->add_option("--algorithm", c.algorithm, fmt::format("{}, or all", fmt::join(algorithms, ", ")))
        ->capture_default_str();
    command->add_option("--ranks", c.ranks, "that take part; steps are shown up to 64")
        ->capture_default_str();
    command->add_option("--bytes", c.bytes, "of the message, counted as nccl-tests does")
        ->capture_default_str();
    command->add_option("--latency-us", c.latency_us, "of a step inside a node")->capture_default_str();
    command->add_option("--bandwidth-gb-per-s", c.gb_per_s, "one-way per rank inside a node")
        ->capture_default_str();
    command->add_option("--per-node", c.per_node, "ranks of a node")->capture_default_str();
    command->add_option("--network-latency-us", c.network_latency_us, "of a step between nodes")
        ->capture_default_str();
    command->add_option("--network-gb-per-s", c.network_gb_per_s, "one-way per rank between nodes")
        ->capture_default_str();
    command->add_option("--fabric", c.fabric, fmt::format("time as measured on: {}", fmt::join(links, ", ")));
    command->add_flag("--json", o.common.json, "one JSON document");
    command->callback(
        [&o, command]
        {
            o.collective.typed = typed_options(*command);
            o.status = run_collective(o.common, o.collective);
        });
}

void add_scaling(CLI::App& app, Options& o)
{
    auto* command = app.add_subcommand(
        "scaling", "what a compute budget buys by every published law: loss, optimum, days and dollars");
    ScalingOptions& s = o.scaling;
    command->add_option("--compute", s.compute, "floating-point operations, 6 N D: 5.76e23")->type_name("C");
    command->add_option("--parameters", s.parameters, "that a token passes through: 70B")->type_name("N");
    command->add_option("--tokens", s.tokens, "trained on: 1.4T")->type_name("D");
    command->add_option("--unique", s.unique, "tokens there are; what is trained on beyond them are repeats");
    command->add_option("--serve", s.served, "tokens read and written over the model's life");
    command->add_option("--gpus", s.gpus, "that train it, for the days it takes");
    command->add_option("--gpu", s.gpu, "which, by preset; the default scenario's without it")
        ->type_name("ID");
    command->add_option("--mfu", s.mfu, "share of the peak: 0.4 or 40%; 0.4 without it");
    command->add_option("--price", s.price, "USD for an hour of one GPU, for the cost");
    command->add_flag("--json", o.common.json, "one JSON document");
    command->callback([&o] { o.status = run_scaling(o.common, o.scaling); });
}

void add_search(CLI::App& app, Options& o)
{
    auto* search = app.add_subcommand(
        "search", "every legal layout of a scenario's model on its GPUs, ranked; exit 1 when none fits");
    search->add_option("FILE", o.search.file, "scenario (JSON), - for standard input")->required();
    search->add_option("--top", o.search.top, "layouts to print")->capture_default_str();
    search->add_option("--objective", o.search.objective, "step_time, memory or cost")->capture_default_str();
    const auto words = [&](const char* name, std::vector<std::string>& list, const char* help)
    { search->add_option(name, list, help)->delimiter(','); };
    words("--forbid", o.search.forbid, "full-recompute, zero3, deep-pipelines (more than 8 stages)");
    words("--allow", o.search.allow, "tensor-across-nodes, zero-with-stages (2 and 3)");
    auto* json = search->add_flag("--json", o.common.json, "one JSON document");
    search->add_flag("--csv", o.search.csv, "the layouts as a table to compute with")->excludes(json);
    search->callback([&o] { o.status = run_search(o.common, o.search); });
}

void add_import(CLI::App& app, Options& o)
{
    auto* import = app.add_subcommand("import", "models that others describe, as shapes of ours");
    import->require_subcommand(1);
    auto* hf = import->add_subcommand("hf", "a config.json of the Hugging Face hub");
    hf->add_option("CONFIG", o.import_from.file, "config.json, - for standard input")->required();
    hf->add_option("-o,--output", o.import_from.output,
                   "model file to write, for assets/models; - for standard output");
    hf->add_option("--name", o.import_from.name, "of the model; what the config calls itself without it");
    hf->add_flag("--json", o.common.json, "one JSON document");
    hf->callback([&o] { o.status = run_import_hf(o.common, o.import_from); });
}

void add_export(CLI::App& app, Options& o)
{
    auto* command =
        app.add_subcommand("export", "how a scenario is started: options and files of a framework");
    std::vector<std::string> tools;
    for (const LaunchTool& tool : launch_tools())
    {
        tools.emplace_back(tool.id);
    }
    command->add_option("FILE", o.export_to.file, "scenario (JSON), - for standard input")->required();
    command->add_option("--to", o.export_to.tool, fmt::format("{}", fmt::join(tools, ", ")))
        ->check(CLI::IsMember(tools))
        ->required();
    command->add_option("--set", o.export_to.sets, "change one field first, for example parallel.tensor=4")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_option("-o,--output", o.export_to.folder, "folder to write the files into");
    command->add_flag("--json", o.common.json, "one JSON document");
    command->callback([&o] { o.status = run_export(o.common, o.export_to); });
}

void add_lesson(CLI::App& app, Options& o)
{
    auto* lesson = app.add_subcommand("lesson", "the guided lessons");
    lesson->require_subcommand(1);
    auto* list = lesson->add_subcommand("list", "every lesson in the order of the course");
    list->add_option("--track", o.track, "those of one track of assets/study/tracks.json, in its order");
    list->add_flag("--json", o.common.json, "one JSON document");
    list->callback([&o] { o.status = run_lesson_list(o.common, o.track); });
    auto* show = lesson->add_subcommand("show", "a lesson's texts, with the engine's numbers in");
    show->add_option("ID", o.lesson, "which lesson")->required();
    show->add_flag("--json", o.common.json, "one JSON document");
    show->callback([&o] { o.status = run_lesson_show(o.common, o.lesson); });
}

void add_what_is_trained(CLI::App& train, TrainOptions& t)
{
    const auto count = [&train](std::string_view path, const char* name, auto& value, const char* says)
    { whole_of(path, train.add_option(name, value, says)); };
    count("model.layers", "--layers", t.layers, "transformer blocks");
    count("model.hidden", "--width", t.width, "of the residual stream");
    count("model.heads", "--heads", t.heads, "of attention; 1 for every 32 of the width");
    count("model.experts", "--experts", t.experts, "of each layer, in place of its MLP; 0: none");
    count("model.experts_per_token", "--experts-per-token", t.experts_per_token,
          "1 or 2; 2 where nobody says");
    count("model.expert_ffn", "--expert-width", t.expert_width,
          "inside an expert; 4 times --width where nobody says");
    count("training.sequence_length", "--context", t.context, "tokens of a sequence");
    count("training.micro_batch", "--batch", t.batch, "sequences of a micro-batch");
    real_of("capacity_factor", train.add_option("--capacity", t.capacity,
                                                "an expert's room over the tokens of balanced routing"));
    real_of("balance_loss", train.add_option("--balance", t.balance,
                                             "what uneven routing counts beside the loss; 0: nothing"));
    whole(train.add_option("--accumulation", t.accumulation, "micro-batches of a step"), 1,
          kMostAccumulation);
    train.add_option("--data", t.data, "text (the one that ships), copy, sort, addition, or a text file");
    whole(train.add_option("--symbols", t.symbols, "of copy and sort; the modulus of addition"), 2,
          kMostLabSymbols);
    train.add_option("--precision", t.precision, "fp32, bf16, fp16 or fp8");
    train.add_option("--optimizer", t.optimizer, "adamw or sgd-momentum");
    real_of("learning_rate",
            train.add_option("--learning-rate", t.learning_rate, "at the end of the warm-up"));
    train.add_option("--recompute", t.recompute, "none, selective or full");
    train.add_option("--set", t.sets, "any other field, for example recipe.clip=0.5 or model.gated_mlp=true")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
}

void add_sample(CLI::App& train, TrainOptions& t)
{
    whole(train.add_option("--sample", t.sample, "characters to draw from the model at the end"), 0,
          kMostDrawn)
        ->capture_default_str();
    real(train.add_option("--temperature", t.temperature, "of the sample; 0: always the likeliest"), 0,
         kMostTemperature)
        ->capture_default_str();
    whole(train.add_option("--top-k", t.top_k, "of the sample: only the k likeliest; 0: all"), 0,
          kMostSymbols)
        ->capture_default_str();
}

void add_train(CLI::App& app, Options& o)
{
    auto* train = app.add_subcommand("train", "trains a small GPT for real, on this machine");
    TrainOptions& t = o.train;
    train->add_option("--device", t.device, "auto, cpu or cuda")->capture_default_str();
    whole(train->add_option("--threads", t.threads,
                            "of the CPU; 0: all processors, less one where there are more than 2"),
          0, kMostThreads)
        ->capture_default_str();
    whole(train->add_option("--ranks", t.ranks, "that train together, as threads of this process; 1 to 64"),
          1, kMostTeamRanks)
        ->capture_default_str();
    train
        ->add_option(
            "--strategy", t.strategy,
            "ddp, zero1, zero2, zero3, tp, sp, cp, ep, pp, or a product such as dp2-tp2-pp2; see --ranks")
        ->capture_default_str();
    auto* compress =
        train
            ->add_option("--compress", t.compress,
                         "gradients between ranks: none, bf16, fp16, top-k=0.01, random-k=0.01, sign or "
                         "powersgd=2; see --ranks")
            ->capture_default_str();
    train->add_flag("--no-feedback", t.no_feedback, "what is not sent is lost instead of kept for later")
        ->needs(compress);
    whole(train->add_option("--steps", t.steps, "optimizer steps from here on"), 0, kMostSteps)
        ->capture_default_str();
    seed(train->add_option("--seed", t.seed, "of weights, batches and samples"));
    train->add_option("--resume", t.resume, "go on from a file that --save has written, bit for bit");
    train->add_option("--save", t.save, "write everything to go on from into this file at the end");
    train->add_flag("--json-lines", t.json_lines, "one JSON object for each step");
    train->add_flag("--probe", t.probe, "measures the device for 2 seconds, to predict the time of a step");
    whole(train->add_option("--every", t.every, "steps between two lines; 0: about twenty lines"), 0,
          kMostSteps)
        ->capture_default_str();
    add_sample(*train, t);
    add_what_is_trained(*train, t);
    train->callback([&o] { o.status = run_train(o.common, o.train); });
}

// What both pictures and films are told: which view, of what, and how it looks.
void add_what_is_drawn(CLI::App& draw, PictureOptions& p)
{
    draw.add_option("--view", p.view, "which view, or page of one; ringside picture --list names them");
    draw.add_option("--scenario", p.scenario, "scenario (JSON); the default one without it");
    draw.add_option("--compare", p.compare, "scenario A, to compare with");
    draw.add_option("--press", p.press, "letters and digits, pressed in the view before it is drawn");
    draw.add_option("--steps", p.steps, "that the live lab, or its ranks, make first; 0: before their start")
        ->capture_default_str()
        ->check(CLI::Range(0, 100000));
    draw.add_option("--size", p.size, "in pixels")->type_name("WxH")->capture_default_str();
    draw.add_option("--text-scale", p.text_scale, "0.75 to 2.5")->capture_default_str();
    draw.add_flag("--light", p.light, "the light theme");
    draw.add_flag("--presenter", p.presenter, "as on a projector");
}

void add_picture(CLI::App& app, Options& o)
{
    auto* draw = app.add_subcommand("picture", "draws a view into a PNG or SVG file, with no display");
    add_what_is_drawn(*draw, o.picture);
    draw->add_option("--progress", o.picture.progress,
                     "study progress (JSON), on the morning after its last review");
    draw->add_option("--question", o.picture.question, "family, or family/variant, that the drill asks");
    seed(draw->add_option("--seed", o.picture.seed, "that its numbers come from"))->capture_default_str();
    draw->add_option("--answer", o.picture.answer, "given to it, as people type it");
    draw->add_option("--hints", o.picture.hints, "of it that were opened")->check(CLI::Range(0, 3));
    draw->add_option("--time", o.picture.time, "moment of its playback, in the view's units");
    draw->add_option("--lesson", o.picture.lesson, "the view of a lesson's step, with the lesson round it");
    draw->add_option("--script", o.picture.script, "a scene of a demonstration, by file or name");
    draw->add_option("--step", o.picture.step, "of the lesson, or scene of the demonstration, from 1")
        ->capture_default_str();
    draw->add_flag("--reveal", o.picture.reveal, "with the truth, or the task's solution, on show");
    draw->add_option("--demo", o.picture.demo, "of the live lab; with --reveal, what came of it");
    draw->add_option("--term", o.picture.term, "of the glossary, by id");
    draw->add_option("--find", o.picture.find, "typed into the window's search, Ctrl K");
    draw->add_option("--watch", o.picture.watch, "a training that runs elsewhere, for the view of the ranks");
    draw->add_option("--measured", o.picture.measured,
                     "steps for the view of that name: a table (CSV) or cases");
    draw->add_flag("--guide", o.picture.guide, "with the view's page of the user guide");
    draw->add_option("--tour", o.picture.tour, "a stop of the tour, from 1; over the overview");
    draw->add_flag("--list", o.picture.list, "the views there are");
    draw->add_flag("--json", o.common.json, "with --list: one JSON document");
    draw->add_option("-o,--output", o.picture.output, "file to write: .png or .svg; - for standard output");
    draw->callback([&o] { o.status = run_picture(o.common, o.picture); });
}

void add_guide(CLI::App& app, Options& o)
{
    auto* guide = app.add_subcommand("guide", "writes the user guide: a page a view, with pictures");
    guide->add_option("DIR", o.guide.folder, "folder to write Markdown and pictures into")->required();
    guide->add_flag("--light", o.guide.light, "pictures in the light theme");
    guide->callback([&o] { o.status = run_guide(o.common, o.guide); });
}

void add_animate(CLI::App& app, Options& o)
{
    auto* animate = app.add_subcommand("animate", "draws a view's motion into a GIF or MP4 file, by ffmpeg");
    add_what_is_drawn(*animate, o.picture);
    animate->add_option("--fps", o.film.fps, "frames a second, 1 to 60; 30, or 25 of a GIF, without it");
    animate->add_option("--seconds", o.film.seconds,
                        "of the film; without it at the view's own speed, at most a minute");
    animate->add_option("--from", o.film.from, "moment of the playback, in the view's units; its start");
    animate->add_option("--to", o.film.to, "moment of the playback; its end");
    animate->add_option("-o,--output", o.picture.output, "file to write: .gif or .mp4");
    animate->callback([&o] { o.status = run_animate(o.common, o.picture, o.film); });
}

void add_bench(CLI::App& app, Options& o)
{
    auto* bench = app.add_subcommand("bench", "measures this program on this machine");
    bench
        ->add_option("WHAT", o.benchmark,
                     "frame: drawing; schedule: pipeline orders and their simulation; collective: costing "
                     "one; search: layouts; train: the trainer")
        ->check(CLI::IsMember({"frame", "schedule", "collective", "search", "train"}))
        ->required();
    bench->add_flag("--json", o.common.json, "one JSON document");
    bench->callback(
        [&o]
        {
            o.status = o.benchmark == "schedule"     ? run_bench_schedule(o.common)
                       : o.benchmark == "collective" ? run_bench_collective(o.common)
                       : o.benchmark == "search"     ? run_bench_search(o.common)
                       : o.benchmark == "train"      ? run_bench_train(o.common)
                                                     : run_bench_frame(o.common);
        });
}

int run(int argc, char** argv)
{
    CLI::App app{"A ringside seat at large-scale LLM training"};
    app.set_version_flag("--version", "ringside " RINGSIDE_VERSION);
    Options o;
    app.add_option("--assets", o.common.assets, "folder that holds models, gpus, clusters and scenarios");
    add_evaluate_and_validate(app, o);
    add_calibrate(app, o);
    add_check(app, o);
    add_question(app, o);
    add_schedule(app, o);
    add_collective(app, o);
    add_scaling(app, o);
    add_search(app, o);
    add_import(app, o);
    add_export(app, o);
    add_lesson(app, o);
    add_train(app, o);
    add_picture(app, o);
    add_animate(app, o);
    add_guide(app, o);
    add_bench(app, o);
    app.add_option("--view", o.window.view,
                   "view to open, or page of one; ringside picture --list names them");
    app.add_option("--scenario", o.window.scenario, "scenario (JSON) to open instead of the last one");
    app.add_option("--watch", o.window.watch,
                   "a training that runs elsewhere: the file that ringside-rank --live keeps up to date");
    app.add_option("--lesson", o.window.lesson, "lesson to begin; ringside lesson list names them");
    app.add_option("--script", o.window.script,
                   "demonstration to walk through with the page keys: a file, or a name in assets/demos");
    app.add_flag("--presenter", o.window.presenter, "large type and only the picture");
    app.add_flag("--no-tour", o.window.no_tour, "at the very first start, too");
    app.require_subcommand(0, 1);
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& fault)
    {
        if (const Issues issues = misuse_of(app, fault); !issues.empty())
        {
            return print_faults(issues);
        }
        // CLI11 has its own exit codes; ours are 0 for help and 2 for anything misused.
        return app.exit(fault) == 0 ? kDone : kBadInput;
    }
    return app.get_subcommands().empty() ? run_window(o.common, o.window) : o.status;
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        return run(argc, argv);
    }
    catch (const std::exception& fault)
    {
        fmt::print(stderr, "ringside: {}\n", printable(fault.what()));
        return ringside::kBadInput;
    }
}
