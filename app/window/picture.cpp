#include "app/window/picture.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/window/offscreen.h"
#include "app/window/stage.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ringside
{

namespace
{

int list_views(const CommonOptions& common)
{
    nlohmann::json all = nlohmann::json::array();
    for (const ViewInfo* info : views())
    {
        all.push_back({{"id", info->id},
                       {"title", info->title},
                       {"description", info->description},
                       {"pages", std::vector<std::string_view>(info->pages.begin(), info->pages.end())}});
        if (!common.json)
        {
            constexpr std::size_t kColumn = 15;
            fmt::print("{:<{}} {}\n{:<{}} {}\n", info->id, kColumn, info->title, "", kColumn,
                       info->description);
            if (!info->pages.empty())
            {
                fmt::print("{:<{}} {}\n", "", kColumn, fmt::join(info->pages, ", "));
            }
        }
    }
    if (common.json)
    {
        fmt::print("{}\n", nlohmann::json{{"views", all}}.dump(2));
    }
    return kDone;
}

// One more frame, written down as shapes.
Issues save_svg(Stage& stage, const std::filesystem::path& path)
{
    Sketch sketch;
    stage.drawing().set_sketch(&sketch);
    stage.drawing().build(stage.session(), 1, 1.0 / 60);
    const std::string svg = stage.drawing().svg(sketch, stage.session().preferences());
    stage.drawing().set_sketch(nullptr);
    return save_text(path, svg);
}

// What has been built last, in pixels.
Issues save_pixels(Offscreen& screen, const std::filesystem::path& path)
{
    screen.draw();
    return save_png(screen.read(), path);
}

} // namespace

Result<Caption> draw_picture(const CommonOptions& common, const PictureOptions& options)
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
    auto opened = Stage::open(common, options, std::move(issues));
    if (!opened)
    {
        return opened.issues();
    }
    Stage& stage = **opened;
    if (options.time)
    {
        stage.session().apply(Seek{std::min(*options.time, stage.motion().duration)});
    }
    const std::filesystem::path path = options.output;
    const bool shapes = path.extension() == ".svg";
    auto screen = shapes ? Result<std::unique_ptr<Offscreen>>(nullptr)
                         : Offscreen::create(stage.width(), stage.height());
    if (!screen)
    {
        return screen.issues();
    }
    if (*screen)
    {
        (*screen)->upload_fonts(); // what is built from now on refers to them
    }
    stage.settle();
    stage.press(options.press);
    stage.lay_over(options);
    Issues saved = shapes ? save_svg(stage, path) : save_pixels(**screen, path);
    return has_errors(saved) ? Result<Caption>(std::move(saved)) : Result<Caption>(stage.caption());
}

int run_picture(const CommonOptions& common, const PictureOptions& options)
{
    if (options.list)
    {
        return list_views(common);
    }
    const auto drawn = draw_picture(common, options);
    return drawn ? kDone : print_faults(drawn.issues());
}

} // namespace ringside
