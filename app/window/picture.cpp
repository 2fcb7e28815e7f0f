#include "app/window/picture.h"

#include "app/commands/console/options.h"
#include "app/files/files.h"
#include "app/window/offscreen.h"
#include "app/window/stage.h"
#include "core/base/json/json.h"

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
    put("{}", as_json ? nlohmann::json{{"views", all}}.dump(2) + "\n" : text);
    return kDone;
}

// One more frame, written down as shapes.
void save_svg(Stage& stage, const std::filesystem::path& path)
{
    Sketch sketch;
    stage.drawing().set_sketch(&sketch);
    stage.drawing().build(stage.session(), 1, 1.0 / 60);
    const std::string svg = stage.drawing().svg(sketch, stage.session());
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
    draw.add_option("--progress", o.progress,
                    "study progress (JSON), shown half a day after its last review");
    draw.add_option("--question", o.question, "family or family/variant that the drill asks");
    add_seed(draw, o.seed);
    draw.add_option("--answer", o.answer, "answer to that question, as typed");
    whole(draw.add_option("--hints", o.hints, "hints of that question that were opened"), 0, 3);
    draw.add_option("--time", o.time, "moment of the playback, in the view's units");
    draw.add_option("--lesson", o.lesson, "lesson to show, at --step");
    draw.add_option("--script", o.script, "demonstration to show, a file or name, at scene --step");
    draw.add_option("--step", o.step, "step of the lesson, or scene of the demonstration, from 1")
        ->capture_default_str();
    draw.add_flag("--reveal", o.reveal, "show the answer, or the task's solution");
    draw.add_option("--demo", o.demo, "demonstration or switch of the live lab; with --reveal, its result");
    draw.add_option("--term", o.term, "glossary term to show, by id");
    draw.add_option("--find", o.find, "text typed into the search, Ctrl K");
    draw.add_option("--watch", o.watch, "live file of a training that runs elsewhere, for the ranks view")
        ->check(watched_file());
    draw.add_option("--measured", o.measured,
                    "measured steps for the calibration view: a table (CSV) or cases (JSON)");
    draw.add_option("--run", o.run,
                    "files or folders of a real run, for the view of it: logs, traces, snapshots, dumps");
    draw.add_flag("--guide", o.guide, "show the view's page of the user guide");
    draw.add_option("--tour", o.tour, "stop of the tour, from 1");
    draw.add_flag("--list", o.list, "list all views and pages");
    draw.add_flag("--json", o.json, "with --list: one JSON document")->needs(draw.get_option("--list"));
    draw.add_flag("--svg", o.svg, "SVG, also on standard output");
    draw.add_option("-o,--output", o.output, "file to write: .png or .svg; - for standard output");
}

} // namespace

const CliCommand picture_command = command<add_picture_options, run_picture>(
    "picture", "draw a view into a PNG or SVG file, without a display");

void add_what_is_drawn(CLI::App& draw, PictureOptions& p)
{
    draw.add_option("--view", p.view, "view or page to draw (ringside picture --list)");
    draw.add_option("--scenario", p.scenario,
                    "scenario (JSON), - for standard input; default: the default scenario");
    draw.add_option("--compare", p.compare, "scenario A of an A/B comparison");
    draw.add_option("--press", p.press, "keys (letters and digits) pressed before drawing");
    whole(
        draw.add_option("--steps", p.steps, "steps the live lab, or its ranks, train first; 0: not started"),
        0, 100'000)
        ->capture_default_str();
    draw.add_option("--size", p.size, "size in pixels")->type_name("WxH")->capture_default_str();
    draw.add_option("--text-scale", p.text_scale, "0.75 to 2.5")->capture_default_str();
    draw.add_flag("--light", p.light, "the light theme");
    draw.add_flag("--high-contrast", p.high_contrast, "black or white, and nothing pale");
    draw.add_flag("--presenter", p.presenter, "projector mode");
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
    const bool shapes = options.svg || path.extension() == ".svg";
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
        end_with(save_png(screen->read(), path, stage.session().link_text()));
    }
    return stage.caption();
}

} // namespace ringside
