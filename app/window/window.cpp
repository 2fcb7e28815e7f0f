// One file, since the window, its loop and what starts both share one screen.
#include "app/window/window.h"

#include <glad/gl.h>

#include "app/commands/console/options.h"
#include "app/files/demo_script_file.h"
#include "app/files/files.h"
#include "app/files/lesson_files.h"
#include "app/files/settings.h"
#include "app/process/page_server.h"
#include "app/session/dropped.h"
#include "app/session/set_up.h"
#include "app/sound/sound_player.h"
#include "app/window/film.h"
#include "app/window/offscreen.h"

#include <GLFW/glfw3.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <thread>

namespace ringside
{

namespace
{

constexpr int kFramesPerEvent = 3;   // ImGui needs a frame to react and one to settle
constexpr double kLongestSleep = 1;  // [s] at idle
constexpr double kBetweenNews = 0.2; // [s] of a training elsewhere
constexpr double kShortestFrame = 1.0 / 60;
constexpr double kBetweenProgress = 0.1; // [s] between two frames that only say how far a film is
constexpr double kSaveAfter = 2;         // [s] after a change

// Why GLFW could not do what it was asked, in its own words.
std::string glfw_fault()
{
    const char* words = nullptr;
    return glfwGetError(&words) != GLFW_NO_ERROR && words != nullptr ? words : "";
}

// GLFW's window and the ImGui backends on it.
class Screen
{
public:
    Screen(int width, int height, bool visible = true)
    {
        if (glfwInit() != GLFW_TRUE)
        {
            fault_ = glfw_fault();
            return;
        }
        has_display_ = true;
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
        glfwWindowHintString(GLFW_X11_CLASS_NAME, "ringside");
        glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
        if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); monitor != nullptr)
        {
            int most_wide = 0;
            int most_high = 0;
            glfwGetMonitorWorkarea(monitor, nullptr, nullptr, &most_wide, &most_high);
            width =
                most_wide > 0 ? std::min(width, most_wide) : width; // the settings may be another screen's
            height = most_high > 0 ? std::min(height, most_high) : height;
        }
        window_ = glfwCreateWindow(width, height, "Ringside", nullptr, nullptr);
        if (window_ == nullptr)
        {
            fault_ = glfw_fault();
            return;
        }
        glfwMakeContextCurrent(window_);
        glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
        glfwSwapInterval(1);
        good_ = gladLoadGL(glfwGetProcAddress) != 0;
    }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen()
    {
        if (backends_)
        {
            ImGui_ImplOpenGL3_Shutdown();
            ImGui_ImplGlfw_Shutdown();
        }
        glfwTerminate();
    }

    bool good() const { return good_; }
    const std::string& fault() const { return fault_; } // why it is not good
    bool has_display() const { return has_display_; }
    GLFWwindow* window() const { return window_; }
    bool full_screen() const { return glfwGetWindowMonitor(window_) != nullptr; }
    // On the monitor that has the window's middle, and back to where the window was.
    void set_full_screen(bool on)
    {
        if (!on)
        {
            glfwSetWindowMonitor(window_, nullptr, windowed_.x, windowed_.y, windowed_.w, windowed_.h,
                                 GLFW_DONT_CARE);
            return;
        }
        windowed_ = place();
        GLFWmonitor* monitor = monitor_of(windowed_);
        if (const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor))
        {
            glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
        }
    }
    // The size of the window while it does not fill the screen.
    void windowed_size(int& width, int& height) const
    {
        const Place at = full_screen() ? windowed_ : place();
        width = at.w;
        height = at.h;
    }
    void start_backends()
    {
        backends_ = true;
        ImGui_ImplGlfw_InitForOpenGL(window_, true);
        ImGui_ImplOpenGL3_Init("#version 330");
    }
    float scale() const
    {
        float x = 1;
        float y = 1;
        glfwGetWindowContentScale(window_, &x, &y);
        return std::clamp(x, 0.75F, 4.0F);
    }

private:
    struct Place
    {
        int x = 0, y = 0, w = 0, h = 0;
    };
    Place place() const
    {
        Place at;
        glfwGetWindowPos(window_, &at.x, &at.y);
        glfwGetWindowSize(window_, &at.w, &at.h);
        return at;
    }
    static GLFWmonitor* monitor_of(const Place& window)
    {
        int count = 0;
        GLFWmonitor** all = glfwGetMonitors(&count);
        for (int i = 0; i < count; ++i)
        {
            Place area;
            glfwGetMonitorWorkarea(all[i], &area.x, &area.y, &area.w, &area.h);
            const int x = window.x + window.w / 2 - area.x;
            const int y = window.y + window.h / 2 - area.y;
            if (x >= 0 && x < area.w && y >= 0 && y < area.h)
            {
                return all[i];
            }
        }
        return glfwGetPrimaryMonitor();
    }

    GLFWwindow* window_ = nullptr;
    Place windowed_;
    std::string fault_;
    bool has_display_ = false;
    bool good_ = false;
    bool backends_ = false;
};

int no_display(const Screen& screen)
{
    const std::string& why = screen.fault();
    return print_faults(
        {{"display", "no window could be opened" + (why.empty() ? "" : ": " + why),
          !screen.has_display() ? "there is no display; draw a picture instead: ringside picture --view "
                                  "overview -o overview.png"
                                : "OpenGL 3.3 is needed; on Debian: apt-get install libgl1-mesa-dri"}});
}

void take_files(GLFWwindow* window, int count, const char** paths)
{
    take_dropped(*static_cast<Session*>(glfwGetWindowUserPointer(window)), {paths, paths + count});
}

class Loop
{
public:
    Loop(Screen& screen, Drawing& drawing, Session& session, Settings settings, const Opened& opened,
         bool first_start = false)
        : screen_(screen), drawing_(drawing), session_(session), settings_(std::move(settings)),
          presets_(opened.presets), fonts_(find_fonts(opened.assets)), first_start_(first_start),
          saved_scenario_(session.kept_scenario())
    {
        if (session.lessons() != nullptr)
        {
            saved_finished_ = session.lessons()->done();
        }
        glfwSetWindowUserPointer(screen_.window(), &session_);
        glfwSetDropCallback(screen_.window(), take_files);
    }

    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop()
    {
        film_.reset();
        drawing_.enter();
    }

    // Until the window is closed, or `until` on glfw's clock.
    void run(double until = 1e300)
    {
        double last = glfwGetTime();
        int& frames = frames_;
        while (glfwWindowShouldClose(screen_.window()) == GLFW_FALSE && !session_.quit() &&
               glfwGetTime() < until)
        {
            wait(frames);
            const double now = glfwGetTime();
            const bool woken = ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
            frames = woken ? kFramesPerEvent : frames - 1;
            save_when_settled(now);
            if (film_)
            {
                draw_film();
                frames = kFramesPerEvent;
                if (!woken && film_ && !session_.playing() && now - last < kBetweenProgress)
                {
                    pace(now);
                    continue; // the film goes first where nobody waits for the window
                }
            }
            if (frames < 0 && !resized() && !ImGui::GetIO().WantTextInput && !session_.ticking())
            {
                continue; // nothing happened: draw nothing
            }
            const double seconds = std::min(now - last, 0.1);
            last = now;
            if (draw(now, seconds))
            {
                frames = kFramesPerEvent;
            }
            pace(now);
        }
    }

    void save_all() { save(true); }

private:
    void wait(int frames) const
    {
        if (frames > 0)
        {
            glfwPollEvents();
        }
        else if (ImGui::GetIO().WantTextInput)
        {
            glfwWaitEventsTimeout(0.25); // the caret blinks
        }
        else
        {
            glfwWaitEventsTimeout(session_.watching() ? kBetweenNews : kLongestSleep);
        }
    }

    bool resized()
    {
        int width = 0;
        int height = 0;
        glfwGetFramebufferSize(screen_.window(), &width, &height);
        return width != drawn_width_ || height != drawn_height_;
    }

    bool draw(double now, double seconds)
    {
        if (drawing_.prepare(session_.preferences(), screen_.scale()))
        {
            upload_fonts();
        }
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplGlfw_NewFrame();
        const bool more = drawing_.build(session_, now, seconds);
        sound_.follow(session_, sound_on_show(session_, drawing_.shell()));
        glfwGetFramebufferSize(screen_.window(), &drawn_width_, &drawn_height_);
        paint_frame(drawn_width_, drawn_height_);
        if (session_.full_screen() != full_screen_)
        {
            full_screen_ = session_.full_screen();
            screen_.set_full_screen(full_screen_);
        }
        if (const auto save = session_.take_save())
        {
            this->save(*save);
        }
        glfwSwapBuffers(screen_.window());
        return more;
    }

    void save(Command what)
    {
        switch (what)
        {
        case Command::save_svg:
            save_svg();
            break;
        case Command::save_animation:
            film_ ? stop_film("Stopped; no animation was saved") : start_film();
            break;
        default:
            save_picture();
        }
    }

    // Draws the frame once more, written down as shapes.
    void save_svg()
    {
        Sketch sketch;
        session_.say("");
        drawing_.set_sketch(&sketch);
        drawing_.build(session_, glfwGetTime(), 1e-4);
        drawing_.set_sketch(nullptr);
        const auto saved = save_new("ringside-" + session_.view() + ".svg", drawing_.svg(sketch, session_));
        saved ? session_.say("Saved " + saved->string()) : session_.fail("Not saved", saved.issues());
    }

    void start_film()
    {
        auto started =
            WindowFilm::start(session_, presets_, fonts_, screen_.scale(), drawn_width_, drawn_height_);
        drawing_.enter();
        if (!started)
        {
            session_.fail("Not saved", started.issues());
            return;
        }
        film_ = std::move(*started);
        session_.set_saving(film_->saving());
    }

    void stop_film(Notice notice)
    {
        film_.reset();
        drawing_.enter();
        session_.set_saving({});
        session_.say(std::move(notice));
        frames_ = kFramesPerEvent;
    }

    // A frame of the film for each of the window.
    void draw_film()
    {
        const bool more = film_->step();
        drawing_.enter();
        session_.set_saving(film_->saving());
        if (!more)
        {
            stop_film(film_->finish());
        }
    }

    // What has just been drawn and not yet been shown.
    void save_picture()
    {
        const auto path = free_name("ringside-" + session_.view() + ".png");
        const Issues issues = save_png(read_frame(drawn_width_, drawn_height_), path, session_.link_text());
        has_errors(issues) ? session_.fail("Not saved", issues) : session_.say("Saved " + path.string());
    }

    // Not every display waits for its refresh.
    static void pace(double started)
    {
        const double rest = kShortestFrame - (glfwGetTime() - started);
        if (rest > 0)
        {
            std::this_thread::sleep_for(std::chrono::duration<double>(rest));
        }
    }

    void save_when_settled(double now)
    {
        if (first_start_ && !drawing_.shell().tour().on())
        {
            save(true); // so that the tour does not come again, whatever happens to this window
        }
        if (session_.kept_scenario() == saved_scenario_ && !finished_another())
        {
            changed_at_ = now;
        }
        else if (now - changed_at_ > kSaveAfter)
        {
            save(false);
        }
    }

    bool finished_another() const
    {
        return session_.lessons() != nullptr && session_.lessons()->done() != saved_finished_;
    }

    void save(bool everything)
    {
        Issues issues;
        if (session_.kept_scenario() != saved_scenario_)
        {
            issues = save_last_scenario(session_.kept_scenario(), presets_);
        }
        saved_scenario_ = session_.kept_scenario();
        if (finished_another())
        {
            saved_finished_ = session_.lessons()->done();
            append(issues, save_finished(saved_finished_));
        }
        if (everything)
        {
            Settings next = settings_;
            next.preferences = session_.preferences();
            next.preferences.presenter = false;
            next.view = session_.own_view();
            next.searches = session_.searches();
            screen_.windowed_size(next.width, next.height);
            append(issues, next == settings_ && !first_start_ ? Issues{} : save_settings(next));
            first_start_ = false;
            settings_ = next;
        }
        print_faults(issues);
        if (has_errors(issues))
        {
            session_.fail("Not saved", issues);
        }
    }

    Screen& screen_;
    Drawing& drawing_;
    Session& session_;
    Settings settings_;
    const Presets& presets_;
    FontFiles fonts_;
    bool first_start_;                 // no settings are kept yet
    std::unique_ptr<WindowFilm> film_; // that is being saved
    SoundPlayer sound_{system_speaker()};
    Scenario saved_scenario_;
    std::set<std::string> saved_finished_;
    double changed_at_ = 0;
    int frames_ = kFramesPerEvent; // still to draw without being asked
    int drawn_width_ = 0;
    int drawn_height_ = 0;
    bool full_screen_ = false; // as the session last asked for it
};

// A launch file opens with its card; false where it is none, or cannot be read.
bool opens_launch(Session& session, const std::string& file)
{
    if (file == "-" || is_link(file))
    {
        return false;
    }
    const auto text = read_text(file, {kMaxLaunchBytes});
    if (text && is_launch_text(*text))
    {
        session.take_text(*text, std::filesystem::path(file).filename().string());
    }
    return session.frame(0).imported != nullptr;
}

// The scenario that was asked for, or the last one; what is wrong with the last one goes to `issues`.
void start_scenario(Session& session, const WindowOptions& options, const Presets& presets, Issues& issues)
{
    if (!options.scenario.empty() && !opens_launch(session, options.scenario))
    {
        session.start_with(or_end(read_scenario(options.scenario, presets)));
    }
    else if (options.scenario.empty())
    {
        if (auto last = load_last_scenario(presets, issues))
        {
            session.start_with(std::move(*last));
        }
    }
}

void start_what_is_asked(Session& session, const WindowOptions& options, const Opened& opened)
{
    if (!options.lesson.empty())
    {
        session.apply(StartLesson{options.lesson});
        if (session.frame(0).lesson == nullptr)
        {
            end_with({{"--lesson", to_text(session.frame(0).notice), ""}});
        }
    }
    if (!options.script.empty())
    {
        session.set_script(or_end(read_demo_script(options.script, opened.assets, opened.presets)));
    }
    if (!options.link.empty())
    {
        session.open_link(options.link);
    }
}

// Clipboard and files.
void connect(Session& session, const Screen& screen)
{
    session.to_clipboard = [&](const std::string& text)
    { glfwSetClipboardString(screen.window(), text.c_str()); };
    session.to_file = [](const SaveText& file)
    {
        const auto saved = save_new(file.name, file.text);
        return saved ? Notice("Saved " + saved->string())
                     : Notice("Not saved", {to_line(saved.issues().front())});
    };
    session.from_clipboard = [&]
    {
        const char* text = glfwGetClipboardString(screen.window());
        return std::string(text == nullptr ? "" : text);
    };
}

} // namespace

void add_window_options(CLI::App& app, WindowOptions& o)
{
    app.add_option("--view", o.view, "view or page to open (ringside picture --list)");
    app.add_option("--scenario", o.scenario, "scenario (JSON) to open instead of the last one");
    app.add_option("--link", o.link, "link to open; --link itself may be left out: ringside '#v=memory'");
    app.add_option("--watch", o.watch,
                   "show a training that runs elsewhere: the file that ringside-rank --live writes")
        ->check(watched_file());
    app.add_option("--lesson", o.lesson, "lesson to start (ringside lesson list)");
    app.add_option("--script", o.script,
                   "demonstration to step through with the page keys: a file, or a name in assets/demos");
    app.add_flag("--presenter", o.presenter, "projector mode: large type, only the picture");
    app.add_flag("--no-tour", o.no_tour, "skip the tour of the very first start");
}

namespace
{

// The session as the options and the last settings want it.
void set_up_session(Session& session, const WindowOptions& options, const Opened& opened,
                    const Settings& settings, Issues& issues)
{
    start_scenario(session, options, opened.presets, issues);
    LabController::Setup lab = lab_setup(opened.assets, opened.presets, "auto", true);
    PlaceLink place;
    place.view = id_of(ViewRole::lab);
    lab.open_page = page_opener(std::filesystem::path(RINGSIDE_SOURCE_ASSETS).parent_path(),
                                to_text(place, opened.presets, ""));
    session.set_lab(std::make_unique<LabController>(std::move(lab)));
    set_up(session, opened.assets, opened.presets, issues);
    print_faults(issues);
    Preferences preferences = settings.preferences;
    preferences.presenter = options.presenter;
    session.set_preferences(preferences);
    session.set_searches(settings.searches);
    if (!options.watch.empty())
    {
        TeamController::Setup setup;
        setup.watch = options.watch;
        session.set_team(std::make_unique<TeamController>(std::move(setup)));
    }
    const std::string view = !options.view.empty()   ? options.view
                             : options.watch.empty() ? settings.view
                                                     : id_of(ViewRole::ranks);
    session.apply(OpenView{view});
    start_what_is_asked(session, options, opened);
}

// Whether the options say what to show.
bool asks_for_something(const WindowOptions& o)
{
    return !o.view.empty() || !o.scenario.empty() || !o.lesson.empty() || !o.script.empty() ||
           !o.watch.empty() || !o.link.empty();
}

} // namespace

int run_window(const WindowOptions& options)
{
    const Opened& opened = open_presets(options);
    if (!options.view.empty() && find_view(options.view) == nullptr)
    {
        return print_faults({{"--view", fmt::format("there is no view \u201c{}\u201d", options.view),
                              "ringside picture --list names them"}});
    }
    Issues issues;
    const bool first_start = !has_settings();
    const Settings settings = load_settings(issues);
    Session session(opened.presets, default_scenario(opened.presets));
    set_up_session(session, options, opened, settings, issues);

    Drawing drawing(find_fonts(opened.assets));
    Screen screen(settings.width, settings.height);
    if (!issues.empty())
    {
        session.fail("Not everything could be read", issues);
    }
    if (!screen.good())
    {
        return no_display(screen);
    }
    screen.start_backends();
    connect(session, screen);
    session.set_works(threaded_works());
    if (session.view() == views().front()->id && !settings.preferences.reduced_motion)
    {
        session.apply(Play{true}); // the first picture moves by itself
    }
    if (first_start && !options.no_tour && !asks_for_something(options) && !options.presenter)
    {
        drawing.shell().tour().start();
    }
    Loop loop(screen, drawing, session, settings, opened, first_start);
    loop.run();
    loop.save_all();
    return kDone;
}

std::optional<double> idle_cpu_share(const Opened& opened, double seconds)
{
    Session session(opened.presets, default_scenario(opened.presets));
    Drawing drawing(find_fonts(opened.assets));
    Screen screen(1280, 800, false);
    if (!screen.good())
    {
        return std::nullopt;
    }
    screen.start_backends();
    Loop loop(screen, drawing, session, {}, opened);
    loop.run(glfwGetTime() + 1); // the first frames are not idle
    const std::clock_t before = std::clock();
    const double from = glfwGetTime();
    loop.run(from + seconds);
    return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / (glfwGetTime() - from);
}

} // namespace ringside
