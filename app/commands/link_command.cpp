// `ringside link`: a view, a scenario, a lesson or a question as one text that opens it elsewhere.
#include "app/commands/console/options.h"
#include "app/files/lesson_files.h"
#include "core/base/text/xml.h"
#include "core/scenario/link/link.h"
#include "core/study/sessions/asking.h"
#include "ui/shell/view.h"

#include <charconv>

namespace ringside
{

namespace
{

struct LinkOptions : CommonOptions
{
    std::string scenario; // file
    std::vector<std::string> sets;
    std::string view;
    std::string lesson; // "zero" or "zero/2"
    std::string question;
    std::uint64_t seed = 1;
    std::string page{kLinkScheme};
    bool embed = false;
    std::string figure; // address of the folder that the figures' script is in
    bool oembed = false;
};

// "zero/2": the lesson and its step.
void add_lesson(PlaceLink& link, const LinkOptions& o, const std::filesystem::path& assets, Issues& issues)
{
    Issues faults;
    const Course course = open_course(assets, faults);
    const std::string id = o.lesson.substr(0, o.lesson.find('/'));
    const Lesson* lesson = course.lesson(id);
    if (lesson == nullptr)
    {
        issues.push_back(unknown_word("--lesson", "lesson ", id, texts_of(course.lessons, &Lesson::id)));
        return;
    }
    link.lesson = id;
    if (id.size() < o.lesson.size())
    {
        const char* end = o.lesson.data() + o.lesson.size();
        const auto read = std::from_chars(o.lesson.data() + id.size() + 1, end, link.step);
        const bool whole = read.ec == std::errc() && read.ptr == end;
        check_range(issues, "--lesson", whole ? static_cast<double>(link.step) : 0, 1,
                    static_cast<double>(lesson->steps.size()));
    }
}

void add_question(PlaceLink& link, const LinkOptions& o, const std::filesystem::path& assets, Issues& issues)
{
    Issues faults;
    const auto card = card_of(load_questions(assets, faults), o.question, o.seed);
    add_below(issues, card ? Issues() : card.issues(), "--question");
    link.question = o.question;
    link.seed = o.seed;
}

// What a course page takes for a figure of this view: docs/embed.md.
std::string figure_of(const PlaceLink& link, const Presets& presets, const std::string& folder)
{
    const auto attribute = [](std::string_view name, std::string_view value)
    { return value.empty() ? std::string() : fmt::format(" {}=\"{}\"", name, escaped_xml(value)); };
    PlaceLink place;
    place.scenario = link.scenario;
    const std::string scenario = link.scenario ? to_text(place, presets, "") : "";
    return fmt::format("<script type=\"module\"{}></script>\n<ringside-figure{}{}{}{}></ringside-figure>",
                       attribute("src", folder + (folder.ends_with('/') ? "" : "/") + "figure.mjs"),
                       attribute("view", link.view), attribute("scenario", scenario),
                       attribute("question", link.question),
                       attribute("seed", link.question.empty() ? "" : std::to_string(link.seed)));
}

// The answer of oembed.com, section 2.3.4.4: what stands in a page in the place of the link.
nlohmann::json oembed_of(const PlaceLink& link, const std::string& text)
{
    constexpr int kWidth = 960;
    constexpr int kHeight = 600;
    const ViewInfo* view = find_view(link.view);
    const std::string title = view == nullptr ? "Ringside" : std::string(view->title);
    return {{"version", "1.0"},
            {"type", "rich"},
            {"provider_name", "Ringside"},
            {"title", title},
            {"width", kWidth},
            {"height", kHeight},
            {"html", fmt::format(R"(<iframe src="{}" width="{}" height="{}" title="{}"></iframe>)",
                                 escaped_xml(text), kWidth, kHeight, escaped_xml(title))}};
}

int run_link(const LinkOptions& o)
{
    const Opened& opened = open_presets(o);
    PlaceLink link;
    Issues issues;
    if (!o.view.empty() && find_view(o.view) == nullptr)
    {
        issues.push_back(unknown_word("--view", "view ", o.view, texts_of(view_places(), std::identity())));
    }
    link.view = o.view;
    link.embed = o.embed;
    if (!o.scenario.empty() || !o.sets.empty())
    {
        // Without a file, --set changes the scenario that the program starts with.
        link.scenario = read_scenario(o.scenario.empty() ? "#s=default" : o.scenario, o.sets, opened.presets);
    }
    if (!o.lesson.empty())
    {
        add_lesson(link, o, opened.assets, issues);
    }
    if (!o.question.empty())
    {
        add_question(link, o, opened.assets, issues);
    }
    add_if(issues, o.view.empty() && !link.scenario && o.lesson.empty() && o.question.empty(),
           {"link", "says nothing to open", "give --view, --scenario, --lesson or --question"});
    end_with(issues);
    if (!o.figure.empty())
    {
        put("{}\n", figure_of(link, opened.presets, o.figure));
        return kDone;
    }
    link.embed = link.embed || o.oembed;
    const std::string text = to_text(link, opened.presets, o.page);
    if (o.oembed)
    {
        print_document(oembed_of(link, text));
        return kDone;
    }
    o.json ? print_document({{"link", text}}) : say("{}\n", text);
    return kDone;
}

void add_link_options(CLI::App& app, LinkOptions& o)
{
    app.add_option("--scenario,FILE", o.scenario, "scenario (JSON), or a link with one");
    add_scenario_sets(app, o.sets);
    app.add_option("--view", o.view, "view or page to open (ringside picture --list)");
    app.add_option("--lesson", o.lesson, "lesson to start, and at which step: ID or ID/STEP");
    CLI::Option* question = app.add_option("--question", o.question, "family or family/variant to ask");
    add_seed(app, o.seed);
    app.get_option("--seed")->needs(question);
    app.add_option("--page", o.page, "address of the page that the link opens; without it, the program");
    app.add_flag("--embed", o.embed, "only the picture, as part of another page");
    CLI::Option* figure = app.add_option(
        "--figure", o.figure, "print a figure for a page instead, whose script is in this folder or address");
    CLI::Option* oembed =
        app.add_flag("--oembed", o.oembed, "print what oEmbed answers for the link instead (JSON)");
    oembed->needs("--page");
    exclude_each_other({add_json(app, o), figure, oembed});
}

} // namespace

const CliCommand link_command = command<add_link_options, run_link>(
    "link", "print a link that opens a view, a scenario, a lesson or a question");

} // namespace ringside
