// Ringside in a page of a browser: the session, files, views and engine of the desktop program, without its
// threads. One file, since what a browser calls reaches the one session that the loop draws.
#include <GLES3/gl3.h>
#include <emscripten.h>

#include "app/commands/console/input.h"
#include "app/files/lesson_files.h"
#include "app/files/settings.h"
#include "app/page/browser.h"
#include "app/page/canvas.h"
#include "app/page/mirror.h"
#include "app/page/training.h"
#include "app/session/drawing.h"
#include "app/session/dropped.h"
#include "app/session/set_up.h"
#include "app/sound/sound_player.h"
#include "core/evaluate/report_json.h"
#include "core/lab/config_json.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <imgui_impl_opengl3.h>

#include <cstdlib>

// clang-format off
EM_JS(int, wants, (const char* query), { return matchMedia(UTF8ToString(query)).matches ? 1 : 0; });
EM_JS(void, say_started, (), {
    document.body.dataset.ringside = 'started';
    requestAnimationFrame(() => requestAnimationFrame(tellDrawn));
});
EM_JS(void, say_view, (const char* title, const char* says), {
    const live = document.getElementById('says');
    const text = UTF8ToString(title) + '. ' + UTF8ToString(says);
    if (live.textContent !== text) live.textContent = text;
    document.title = UTF8ToString(title) + ' - Ringside';
});
EM_JS(void, say_work, (int under_way), { document.body.dataset.work = under_way ? 'under way' : 'done'; });
EM_JS(void, say_failed, (const char* why), {
    document.getElementById('state').textContent = UTF8ToString(why);
    document.body.dataset.ringside = 'failed';
});
// clang-format on

namespace ringside::page
{

namespace
{

constexpr double kProbeSeconds = 0.1; // [s] of measuring the processor, before the lab's first frame
constexpr double kNoticeStays = 6;    // [s]
constexpr double kSaveAfter = 2;      // [s] after a change
constexpr double kSaveEvery = 10;     // [s] while a question is open
constexpr const char* kHowToKeep =
    "before you leave, export your progress: Ctrl K, then type export progress";
constexpr double kCaret = 0.25; // [s] that it takes to blink

Preferences first_preferences()
{
    Preferences p;
    p.light = wants("(prefers-color-scheme: light)") != 0;
    return p;
}

// What the system asks for holds whatever was kept, and is not kept as the user's own choice.
Preferences as_the_system_asks(Preferences own)
{
    own.high_contrast = own.high_contrast || wants("(prefers-contrast: more), (forced-colors: active)") != 0;
    own.reduced_motion = own.reduced_motion || wants("(prefers-reduced-motion: reduce)") != 0;
    return own;
}

LabController::Setup lab_of_page(const Opened& opened)
{
    LabController::Setup lab = lab_setup(opened.assets, opened.presets, "cpu", false);
    lab.open = []
    {
        look_for_cards(); // the lab is on show
        return trainer::open_device("cpu", 1);
    };
    lab.cards = cards;
    lab.choose = choose_card;
    lab.far = open_worker;
    lab.threads = false;
    lab.probe_seconds = kProbeSeconds;
    return lab;
}

class Page
{
public:
    explicit Page(Opened all)
        : opened_(std::move(all)), session_(opened_.presets, default_scenario(opened_.presets)),
          drawing_(find_fonts(opened_.assets))
    {
        open();
        ImGui_ImplOpenGL3_Init("#version 300 es");
        drawing_.set_transcript(&transcript());
        connect();
    }

    double frame(double now, double seconds)
    {
        if (drawing_.prepare(session_.preferences(), pixel_ratio()))
        {
            ImGui_ImplOpenGL3_DestroyDeviceObjects();
            ImGui_ImplOpenGL3_CreateDeviceObjects();
            ImGui::GetIO().Fonts->ClearTexData();
        }
        ImGui_ImplOpenGL3_NewFrame();
        const bool more = drawing_.build(session_, now, seconds);
        sound_.follow(session_, sound_on_show(session_, drawing_.shell()));
        set_finger_draws(session_.draws());
        paint();
        const double to_tell = show_transcript(now, session_.playing());
        say_work(session_.works().busy() ? 1 : 0);
        if (const auto what = session_.take_save())
        {
            save(*what);
        }
        const bool turned = session_.view() != told_view_;
        if (turned)
        {
            tell_view();
        }
        if ((turned || !more) && !embedded_)
        {
            follow(turned);
        }
        end_notice(now);
        keep_when_settled(now);
        if (more)
        {
            return 0;
        }
        const bool waits = session_.ticking() || changed_at_ > 0 || passes(session_.notice());
        return ImGui::GetIO().WantTextInput || to_tell > 0 ? kCaret : waits ? 1 : -1;
    }

    // Opens the link of the address, which the user may have changed or gone back to.
    void open_link(const std::string& text)
    {
        embedded_ = read_link(text, opened_.presets).link.embed && is_framed();
        set_embedded(embedded_);
        if (embedded_)
        {
            Preferences alone = session_.preferences();
            alone.presenter = true;
            session_.set_preferences(alone);
        }
        session_.open_link(text);
        told_view_ = session_.view(); // no new step of the history
        tell_view();
        wake();
    }

    void keep()
    {
        if (embedded_)
        {
            return; // the user's own window is another
        }
        Issues issues = save_last_scenario(session_.kept_scenario(), opened_.presets);
        if (session_.lessons() != nullptr)
        {
            // Lessons that another tab has finished count here too.
            take_in_changes();
            std::set<std::string> done = session_.lessons()->done();
            done.merge(load_finished(issues));
            append(issues, save_finished(done));
        }
        Settings settings;
        settings.preferences = session_.preferences();
        settings.preferences.presenter = false;
        const Preferences asked = as_the_system_asks({});
        bool& contrast = settings.preferences.high_contrast;
        bool& still = settings.preferences.reduced_motion;
        contrast = asked.high_contrast ? own_.high_contrast : contrast;
        still = asked.reduced_motion ? own_.reduced_motion : still;
        settings.view = session_.own_view();
        settings.searches = session_.searches();
        append(issues, save_settings(settings));
        const std::string fault = keep_files();
        if (has_errors(issues))
        {
            session_.fail("Not saved", issues);
        }
        else if (!fault.empty() && !told_unkept_)
        {
            session_.fail("Not saved", {{"browser", fault, kHowToKeep}});
        }
        told_unkept_ = !fault.empty(); // once is enough, until it works and fails again
    }

    bool mock_runs() const { return session_.mock_runs(); }

    // The system's settings have changed while the page is open.
    void follow_system()
    {
        Preferences now = session_.preferences();
        const Preferences asked = as_the_system_asks(own_);
        now.light = first_preferences().light;
        now.high_contrast = asked.high_contrast;
        now.reduced_motion = asked.reduced_motion;
        session_.set_preferences(now);
        wake();
    }

    // Opens what was dropped, which the page has put into a folder of its own.
    void drop(const std::string& folder)
    {
        take_dropped(session_, {folder});
        std::error_code fault;
        std::filesystem::remove_all(folder, fault);
        wake();
    }

    // What the page loads after its first frame: lessons and questions.
    void set_up_rest()
    {
        Issues issues;
        set_up(session_, opened_.assets, opened_.presets, issues, store_of_page());
        tell_unread(issues);
        wake();
    }

    const Presets& presets() const { return opened_.presets; }
    LabController& lab() { return session_.lab(); }

private:
    // Every answer is merged with what other tabs have kept, and kept at once. An embedded page keeps
    // nothing.
    std::unique_ptr<StudyStore> store_of_page() const
    {
        auto store = std::make_unique<StudyStore>();
        store->before_stage = [this](std::string_view stage)
        {
            if (!embedded_ && stage == "backup")
            {
                take_in_changes();
            }
            else if (!embedded_ && stage == "done")
            {
                keep_files();
            }
        };
        return store;
    }

    void tell_unread(const Issues& issues)
    {
        if (!issues.empty())
        {
            session_.fail("Not everything could be read", issues);
        }
    }

    void open()
    {
        Issues issues;
        const bool first_start = !has_settings();
        Settings settings = load_settings(issues);
        settings.preferences = first_start ? first_preferences() : settings.preferences;
        if (auto last = load_last_scenario(opened_.presets, issues))
        {
            session_.start_with(std::move(*last));
        }
        session_.set_lab(std::make_unique<LabController>(lab_of_page(opened_)));
        if (std::filesystem::exists(opened_.assets / "questions"))
        {
            set_up(session_, opened_.assets, opened_.presets, issues, store_of_page());
        }
        TeamController::Setup team;
        team.recordings = opened_.assets / "recordings";
        session_.set_team(std::make_unique<TeamController>(std::move(team)));
        own_ = settings.preferences;
        session_.set_preferences(as_the_system_asks(own_));
        session_.set_searches(settings.searches);
        session_.apply(OpenView{settings.view});
        session_.link_page = page_address();
        session_.in_browser = true;
        const std::string link = page_fragment();
        if (link.size() > 1)
        {
            open_link(link);
        }
        tell_unread(issues);
        if (first_start && link.size() <= 1)
        {
            drawing_.shell().tour().start();
        }
    }

    void connect()
    {
        session_.to_clipboard = [](const std::string& text) { set_clipboard(text); };
        session_.from_clipboard = [] { return clipboard(); };
        session_.to_file = [](const SaveText& file)
        {
            download(file.name, file.text);
            return "Downloaded " + file.name;
        };
    }

    static void paint()
    {
        const ImVec4& ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        glViewport(0, 0, static_cast<int>(size.x), static_cast<int>(size.y));
        glClearColor(ground.x, ground.y, ground.z, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }

    void save(Command what)
    {
        const std::string name = "ringside-" + session_.view();
        switch (what)
        {
        case Command::save_svg:
        {
            Sketch sketch;
            drawing_.set_sketch(&sketch);
            drawing_.build(session_, 0, 1e-4);
            drawing_.set_sketch(nullptr);
            download(name + ".svg", drawing_.svg(sketch, session_));
            break;
        }
        case Command::save_animation:
            session_.fail("Not saved",
                          {{"animation", "a page cannot record one", "the desktop program does"}});
            return;
        default:
            download_picture(name + ".png");
        }
        session_.say("Downloaded");
    }

    void tell_view()
    {
        told_view_ = session_.view();
        const ViewInfo* info = find_view(told_view_);
        say_view(std::string(info->title).c_str(), std::string(info->description).c_str());
        changed_at_ = 0; // the view is kept too
        unsaved_ = true;
    }

    // Faults stay until they are closed.
    static bool passes(const Notice& notice) { return !notice.empty() && !notice.is_fault(); }

    // A finger may not touch the page again for a while.
    void end_notice(double now)
    {
        const Notice& notice = session_.notice();
        if (notice != told_notice_)
        {
            told_notice_ = notice;
            noticed_at_ = now;
        }
        if (passes(notice) && now - noticed_at_ > kNoticeStays)
        {
            session_.say("");
            wake();
        }
    }

    // The address says what is on show. To write a scenario into it takes longer than a frame, so only a new
    // one is.
    void follow(bool turned)
    {
        PlaceLink now = session_.link();
        if (!addressed_ || now != *addressed_)
        {
            show_address(session_.link_text(), turned && addressed_.has_value());
            addressed_ = std::move(now);
        }
    }

    void keep_when_settled(double now)
    {
        const bool scenario = session_.kept_scenario() != kept_scenario_;
        if (scenario)
        {
            kept_scenario_ = session_.kept_scenario();
        }
        const bool studied = session_.ticking() && now - kept_at_ > kSaveEvery;
        if (scenario || std::exchange(unsaved_, false) || (studied && changed_at_ == 0))
        {
            changed_at_ = now;
        }
        else if (changed_at_ > 0 && now - changed_at_ > kSaveAfter)
        {
            changed_at_ = 0;
            kept_at_ = now;
            keep();
        }
    }

    Opened opened_;
    Session session_;
    Drawing drawing_;
    SoundPlayer sound_{system_speaker()};
    Preferences own_; // as they were kept
    std::string told_view_;
    Notice told_notice_;
    double noticed_at_ = 0;
    Scenario kept_scenario_ = session_.kept_scenario();
    double changed_at_ = 0; // 0: nothing is to be kept
    double kept_at_ = 0;
    bool unsaved_ = false;
    bool told_unkept_ = false; // that the browser keeps nothing
    bool embedded_ = false;    // in another page: the picture alone, and nothing kept
    std::optional<PlaceLink> addressed_;
};

Page* shown = nullptr; // once it has opened

int run()
{
    restore_files();
    if (!start_canvas())
    {
        say_failed("Ringside draws with WebGL 2, which this browser does not have or has switched off.");
        return 1;
    }
    shown = new Page(open_presets({})); // stays until the page goes
    start_frames([](double now, double seconds) { return shown->frame(now, seconds); });
    say_started();
    return 0;
}

} // namespace

// The page goes to the background or away: what is not kept yet is kept now.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_keep()
{
    if (shown != nullptr)
    {
        shown->keep();
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_follow_system()
{
    if (shown != nullptr)
    {
        shown->follow_system();
    }
}

// Whether leaving now loses time that is being measured.
extern "C" EMSCRIPTEN_KEEPALIVE int ringside_mock_runs()
{
    return shown != nullptr && shown->mock_runs() ? 1 : 0;
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_rest()
{
    if (shown != nullptr)
    {
        shown->set_up_rest();
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_drop(const char* folder)
{
    if (shown != nullptr)
    {
        shown->drop(folder);
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_open(const char* link)
{
    if (shown != nullptr)
    {
        shown->open_link(link);
    }
}

// What `ringside evaluate --json` prints for the text of a scenario, or its faults.
extern "C" EMSCRIPTEN_KEEPALIVE const char* ringside_evaluate(const char* text)
{
    static std::string out;
    const auto scenario = scenario_from_text(text, shown->presets());
    const Issues issues = scenario ? validate(*scenario) : scenario.issues();
    const auto report = has_errors(issues) ? Result<Report>(issues) : evaluate(*scenario);
    out = (report ? report_json(*scenario, *report, issues) : issues_json(report.issues())).dump(2);
    return out.c_str();
}

// One field of what the lab trains: "training.micro_batch=1".
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_lab_set(const char* field)
{
    if (auto config = with_setting(shown->lab().frame().a.config, field))
    {
        shown->lab().apply(TurnKnobs{*std::move(config)});
        wake();
    }
}

// What the lab shows of its run, as JSON.
extern "C" EMSCRIPTEN_KEEPALIVE const char* ringside_lab()
{
    static std::string out;
    const LabFrame& lab = shown->lab().frame();
    nlohmann::json all{{"device", lab.device},
                       {"devices", lab.devices.size()},
                       {"measuring", lab.measuring},
                       {"predicted", lab.a.predicted.step_seconds}};

    if (lab.started())
    {
        const TrainingSnapshot& run = *lab.a.snapshot;
        all["run"] = {{"on", run.device},
                      {"state", static_cast<int>(run.state)},
                      {"step", run.step},
                      {"losses", run.losses},
                      {"sample", run.sample},
                      {"memory", run.peak.total()},
                      {"seconds", run.step_seconds},
                      {"skipped", run.skipped},
                      {"kernels", run.kernels.list.size()},
                      {"message", run.message}};
        for (const LabEvent& event : run.events)
        {
            all["run"]["events"].push_back(event.text);
        }
    }
    out = all.dump();
    return out.c_str();
}

} // namespace ringside::page

int main()
{
    try
    {
        return ringside::page::run();
    }
    catch (const ringside::BadInput& end)
    {
        say_failed(ringside::to_line(end.issues.front()).c_str());
    }
    catch (...)
    {
        say_failed(ringside::fault_line(std::current_exception()).c_str());
    }
    return 1;
}
