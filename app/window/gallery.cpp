// `ringside gallery`: a static page of links, each with a picture of what it opens.
#include "app/commands/console/input.h"
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/files/files.h"
#include "app/window/picture.h"
#include "core/base/text/find.h"
#include "core/base/text/text.h"
#include "core/base/text/xml.h"
#include "core/scenario/link/link.h"

#include <string>
#include <vector>

namespace ringside
{

namespace
{

constexpr std::size_t kMostRows = 200;
constexpr FileKind kListFile{.limit = 1 << 20, .hint = "give a list of links, one a line"};

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.45 Inter, system-ui, sans-serif; }}
body {{ max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 2rem; }}
a {{ color: inherit; text-decoration: none; }}
a:hover h2, a:focus-visible h2 {{ text-decoration: underline; }}
img {{ width: 100%; height: auto; border-radius: 6px; }}
h2 {{ font-size: 1.1rem; margin: .5rem 0 .25rem; }}
p {{ margin: 0; opacity: .8; }}
</style>
<h1>{0}</h1>
<main>
)";

struct GalleryOptions : CommonOptions
{
    std::string folder; // to write into; made where it is missing
    std::string list;   // file of links; empty: the shipped twelve
    std::string title{"Ringside"};
    std::string page{kLinkScheme};
    bool light = false;
};

struct GalleryRow
{
    std::string place; // the path of a fault: "line 3"
    PlaceLink link;
    std::string title;
};

// A line is a link and, behind a blank, a title.
GalleryRow row_of(std::string_view line, std::size_t number, const Presets& presets, Issues& issues)
{
    const std::size_t blank = std::min(line.find(' '), line.size());
    LinkRead read = read_link(line.substr(0, blank), presets);
    GalleryRow row{fmt::format("line {}", number), std::move(read.link), {}};
    add_below(issues, read.issues, row.place);
    add_if(issues, read.issues.empty() && row.link.view.empty(),
           {row.place, "opens no view", "write a link with #v=VIEW, as ringside link --view prints it"});
    if (!row.link.view.empty() && find_view(row.link.view) == nullptr)
    {
        issues.push_back(
            unknown_word(row.place, "view ", row.link.view, texts_of(view_places(), std::identity())));
    }
    const auto words = trimmed_parts(line.substr(blank), "\n");
    row.title = words.empty() ? std::string(line.substr(0, blank)) : std::string(words.front());
    return row;
}

std::vector<GalleryRow> rows_of(std::string_view text, const Presets& presets, Issues& issues)
{
    std::vector<GalleryRow> rows;
    std::size_t number = 0;
    for (std::size_t from = 0; from < text.size();)
    {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const auto line = trimmed_parts(text.substr(from, end - from), "\r\n");
        ++number;
        if (!line.empty())
        {
            rows.push_back(row_of(line.front(), number, presets, issues));
        }
        from = end + 1;
    }
    add_if(issues, rows.empty() || rows.size() > kMostRows,
           {"", fmt::format("has {} links", rows.size()), fmt::format("write 1 to {}", kMostRows)});
    return rows;
}

std::string plain(std::string sentence)
{
    replace_all(sentence, "**", "");
    replace_all(sentence, "!!", "");
    return sentence;
}

std::string figure(const GalleryRow& row, const GalleryOptions& o, const Presets& presets, std::size_t number)
{
    const std::string name = fmt::format("picture-{}.svg", number);
    PictureOptions picture;
    picture.assets = o.assets;
    picture.view = row.link.view;
    picture.light = o.light;
    picture.presenter = true; // large type, only the picture
    PlaceLink scenario;
    scenario.scenario = row.link.scenario;
    picture.scenario = row.link.scenario ? to_text(scenario, presets) : "";
    picture.output = (std::filesystem::path(o.folder) / name).string();
    const Caption caption = draw_picture(picture);
    return fmt::format("<a href=\"{0}\"><img src=\"{1}\" alt=\"{2}\" width=\"1280\" height=\"800\" "
                       "loading=\"lazy\"><h2>{2}</h2><p>{3}</p></a>\n",
                       escaped_xml(to_text(row.link, presets, o.page)), name, escaped_xml(row.title),
                       escaped_xml(plain(caption.sentence)));
}

int run_gallery(const GalleryOptions& o)
{
    const Opened& opened = open_presets(o);
    const std::string list = o.list.empty() ? (opened.assets / "gallery/start.txt").string() : o.list;
    Issues issues;
    const auto rows = rows_of(or_end(read_text(list, kListFile), list), opened.presets, issues);
    end_with(of_file(issues, list));
    std::string page = fmt::format(kHead, escaped_xml(o.title));
    ProgressBar bar;
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        page += figure(rows[i], o, opened.presets, i + 1);
        bar.show(static_cast<double>(i + 1) / static_cast<double>(rows.size()));
    }
    end_with(save_text(std::filesystem::path(o.folder) / "index.html", page + "</main>\n</html>\n"));
    return kDone;
}

void add_gallery_options(CLI::App& app, GalleryOptions& o)
{
    app.add_option("DIR", o.folder, "folder to write index.html and its pictures into")->required();
    app.add_option("--links", o.list,
                   "file with a link a line, and behind it a title; without it, twelve places to start from");
    app.add_option("--title", o.title, "the page's title")->capture_default_str();
    app.add_option("--page", o.page, "address of the page that the links open; without it, the program");
    app.add_flag("--light", o.light, "pictures in the light theme");
}

} // namespace

const CliCommand gallery_command = command<add_gallery_options, run_gallery>(
    "gallery", "write a static page of links, each with a picture of what it opens");

} // namespace ringside
