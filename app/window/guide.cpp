// `ringside guide`: the user guide as Markdown, a page a view with its picture, formula, keys and lessons.
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/files/files.h"
#include "app/files/lesson_files.h"
#include "app/window/picture.h"
#include "core/base/place.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <optional>
#include <string>

namespace ringside
{

namespace
{

// "optimizer/clip" -> "pictures/optimizer-clip.png"
std::string picture_name(std::string_view place)
{
    std::string name = fmt::format("pictures/{}.png", place);
    std::replace(name.begin() + 9, name.end(), '/', '-');
    return name;
}

// What may stand in a cell of a table.
std::string cell(std::string_view text)
{
    std::string safe(text);
    replace_all(safe, "|", "\\|");
    return safe;
}

// The first page's picture and caption are the view's own.
std::vector<std::string_view> places_of(const ViewInfo& info)
{
    return info.pages.empty() ? std::vector<std::string_view>{info.id}
                              : std::vector<std::string_view>(info.pages.begin(), info.pages.end());
}

void add_caption(std::string& page, const Caption& caption)
{
    std::string sentence = caption.sentence;
    replace_all(sentence, "!!", "**");
    page += fmt::format("\n{}\n", sentence);
    if (!caption.formula.empty())
    {
        page += fmt::format("\n```\n{}\n```\n", caption.formula);
    }
    if (!caption.source.empty())
    {
        page += fmt::format("\n{}\n", caption.source);
    }
}

void add_keys(std::string& page, const ViewInfo& info)
{
    const std::unique_ptr<View> view = info.make();
    const ViewKeys keys = view->keys();
    if (keys.empty())
    {
        return;
    }
    page += "\n## Keys\n\n| key | what it does |\n|---|---|\n";
    for (const ViewKey& key : keys)
    {
        page += fmt::format("| {} | {} |\n", cell(key.key), cell(key.does));
    }
}

void add_lessons(std::string& page, const ViewInfo& info, const Course& course)
{
    std::string list;
    for (const Lesson& lesson : course.lessons)
    {
        if (std::ranges::any_of(lesson.steps,
                                [&](const LessonStep& s) { return view_of(s.view) == info.id; }))
        {
            list +=
                fmt::format("- **{}.** {} `ringside --lesson {}`\n", lesson.title, lesson.about, lesson.id);
        }
    }
    page += list.empty() ? "" : "\n## Lessons\n\n" + list;
}

struct GuideOptions : CommonOptions
{
    std::string folder; // to write into; made where it is missing
    bool light = false; // the pictures' theme
};

class Writer
{
public:
    Writer(const GuideOptions& options, const Course& course)
        : options_(options), course_(course), folder_(options.folder)
    {
    }

    void write()
    {
        ProgressBar bar;
        std::size_t done = 0;
        for (const ViewInfo* info : views())
        {
            write_page(*info);
            bar.show(static_cast<double>(++done) / static_cast<double>(views().size()));
        }
        end_with(save_text(folder_ / "README.md", index()));
    }

private:
    void write_page(const ViewInfo& info)
    {
        std::string page =
            fmt::format("# {}\n\n{}, {}: {}.\n", info.title, name_of(info.group), info.tab, info.description);
        std::string pictures;
        for (const std::string_view place : places_of(info))
        {
            PictureOptions picture;
            picture.assets = options_.assets;
            picture.view = place;
            picture.light = options_.light;
            picture.output = (folder_ / picture_name(place)).string();
            const Caption caption = draw_picture(picture);
            pictures += fmt::format("\n![{}]({})\n", cell(info.title), picture_name(place));
            add_caption(pictures, caption);
        }
        const auto text = course_.guide.find(info.id);
        page += pictures;
        page +=
            text == course_.guide.end() ? "" : fmt::format("\n## How to use it\n\n{}\n", text->second.text);
        add_keys(page, info);
        add_lessons(page, info, course_);
        page += "\n[All views](README.md)\n";
        end_with(save_text(folder_ / fmt::format("{}.md", info.id), page));
    }

    static std::string index()
    {
        std::string page = "# Ringside, view by view\n\nWritten by `ringside guide`; pictures show the "
                           "scenario it starts with.\n";
        std::optional<ViewGroup> group;
        for (const ViewInfo* info : views())
        {
            if (info->group != group)
            {
                group = info->group;
                page += fmt::format("\n## {}\n\n", name_of(info->group));
            }
            page += fmt::format("- [{}]({}.md): {}\n", info->title, info->id, info->description);
        }
        return page;
    }

    const GuideOptions& options_;
    const Course& course_;
    std::filesystem::path folder_;
};

int run_guide(const GuideOptions& o)
{
    Issues issues;
    const Course course = open_course(open_presets(o).assets, issues);
    end_with(issues);
    Writer(o, course).write();
    return kDone;
}

void add_guide_options(CLI::App& app, GuideOptions& o)
{
    app.add_option("DIR", o.folder, "folder to write Markdown and pictures into")->required();
    app.add_flag("--light", o.light, "pictures in the light theme");
}

} // namespace

const CliCommand guide_command =
    command<add_guide_options, run_guide>("guide", "write the user guide: one page per view, with pictures");

} // namespace ringside
