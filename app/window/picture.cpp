#include "app/window/picture.h"

#include "app/commands/options.h"
#include "app/files/files.h"
#include "app/window/offscreen.h"
#include "app/window/stage.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ringside
{

namespace
{

int list_views(bool as_json)
{
    constexpr std::size_t kColumn = 15;
    nlohmann::json all = nlohmann::json::array();
    std::string text;
    for (const ViewInfo* info : views())
    {
        all.push_back({{"id", info->id},
                       {"title", info->title},
                       {"description", info->description},
                       {"pages", std::vector<std::string_view>(info->pages.begin(), info->pages.end())}});
        text += fmt::format("{:<{}} {}\n{:<{}} {}\n", info->id, kColumn, info->title, "", kColumn,
                            info->description);
        text +=
            info->pages.empty() ? "" : fmt::format("{:<{}} {}\n", "", kColumn, fmt::join(info->pages, ", "));
    }
    fmt::print("{}", as_json ? nlohmann::json{{"views", all}}.dump(2) + "\n" : text);
    return kDone;
}

// One more frame, written down as shapes.
void save_svg(Stage& stage, const std::filesystem::path& path)
{
    Sketch sketch;
    stage.drawing().set_sketch(&sketch);
    stage.drawing().build(stage.session(), 1, 1.0 / 60);
    const std::string svg = stage.drawing().svg(sketch, stage.session().preferences());
    stage.drawing().set_sketch(nullptr);
    end_with(save_text(path, svg));
}

int run_picture(const PictureOptions& o)
{
    if (o.list)
    {
        return list_views(o.json);
    }
    draw_picture(o);
    return kDone;
}

void add_picture_options(CLI::App& draw, PictureOptions& o)
{
    add_what_is_drawn(draw, o);
    draw.add_option("--progress", o.progress, "study progress (JSON), on the morning after its last review");
    draw.add_option("--question", o.question, "family, or family/variant, that the drill asks");
    add_seed(draw, o.seed);
    draw.add_option("--answer", o.answer, "given to it, as people type it");
    draw.add_option("--hints", o.hints, "of it that were opened")->check(CLI::Range(0, 3));
    draw.add_option("--time", o.time, "moment of its playback, in the view's units");
    draw.add_option("--lesson", o.lesson, "the view of a lesson's step, with the lesson round it");
    draw.add_option("--script", o.script, "a scene of a demonstration, by file or name");
    draw.add_option("--step", o.step, "of the lesson, or scene of the demonstration, from 1")
        ->capture_default_str();
    draw.add_flag("--reveal", o.reveal, "with the truth, or the task's solution, on show");
    draw.add_option("--demo", o.demo, "of the live lab; with --reveal, what came of it");
    draw.add_option("--term", o.term, "of the glossary, by id");
    draw.add_option("--find", o.find, "typed into the window's search, Ctrl K");
    draw.add_option("--watch", o.watch, "a training that runs elsewhere, for the view of the ranks");
    draw.add_option("--measured", o.measured, "steps for the view of that name: a table (CSV) or cases");
    draw.add_flag("--guide", o.guide, "with the view's page of the user guide");
    draw.add_option("--tour", o.tour, "a stop of the tour, from 1; over the overview");
    draw.add_flag("--list", o.list, "the views there are");
    draw.add_flag("--json", o.json, "with --list: one JSON document");
    draw.add_option("-o,--output", o.output, "file to write: .png or .svg; - for standard output");
}

} // namespace

const CliCommand picture_command = command<add_picture_options, run_picture>(
    "picture", "draws a view into a PNG or SVG file, with no display");

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

Caption draw_picture(const PictureOptions& options)
{
    Issues issues;
    if (options.output.empty())
    {
        issues.push_back({"-o", "no file to write", "give -o FILE.png or FILE.svg"});
    }
    else if (const auto ending = std::filesystem::path(options.output).extension();
             ending != ".png" && ending != ".svg" && !is_standard_output(options.output))
    {
        issues.push_back({"-o", fmt::format("\u201c{}\u201d is neither PNG nor SVG", options.output),
                          "give -o FILE.png or FILE.svg"});
    }
    const auto opened = Stage::open(options, std::move(issues));
    Stage& stage = *opened;
    if (options.time)
    {
        stage.session().apply(Seek{std::min(*options.time, stage.motion().duration)});
    }
    const std::filesystem::path path = options.output;
    const bool shapes = path.extension() == ".svg";
    const auto screen = shapes ? nullptr : or_end(Offscreen::create(stage.width(), stage.height()));
    if (screen)
    {
        screen->upload_fonts(); // what is built from now on refers to them
    }
    stage.settle();
    stage.press(options.press);
    stage.lay_over(options);
    if (shapes)
    {
        save_svg(stage, path);
    }
    else
    {
        screen->draw();
        end_with(save_png(screen->read(), path));
    }
    return stage.caption();
}

} // namespace ringside
