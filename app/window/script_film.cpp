#include "app/window/script_film.h"

#include <fmt/format.h>

#include "app/sound/sound_player.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace ringside
{

namespace
{

constexpr int kMostPresses = 100; // of one word

ImGuiKey film_key_named(std::string_view name)
{
    for (int k = ImGuiKey_NamedKey_BEGIN; k < ImGuiKey_GamepadStart; ++k)
    {
        if (name == ImGui::GetKeyName(static_cast<ImGuiKey>(k)))
        {
            return static_cast<ImGuiKey>(k);
        }
    }
    return ImGuiKey_None;
}

} // namespace

Result<std::vector<FilmKey>> read_film_keys(std::string_view words)
{
    constexpr std::string_view kCtrl = "Ctrl+";
    std::vector<FilmKey> keys;
    std::istringstream list{std::string(words)};
    for (std::string word; list >> word;)
    {
        std::string_view name = word;
        int times = 1;
        if (const std::size_t star = name.find('*'); star != std::string_view::npos)
        {
            times = 0;
            std::from_chars(name.data() + star + 1, name.data() + name.size(), times);
            name = name.substr(0, star);
        }
        FilmKey key;
        key.ctrl = name.starts_with(kCtrl);
        key.key = film_key_named(name.substr(key.ctrl ? kCtrl.size() : 0));
        if (key.key == ImGuiKey_None || times < 1 || times > kMostPresses)
        {
            return Issue{"press", fmt::format("\u201c{}\u201d is no key", word),
                         "use ImGui\u2019s names: UpArrow*3 Enter Space N Ctrl+B"};
        }
        keys.insert(keys.end(), static_cast<std::size_t>(times), key);
    }
    return keys;
}

ScriptFilm::ScriptFilm(Session& session, Drawing& drawing, Offscreen& screen, Recorder& recorder, double fps,
                       Issues& issues)
    : session_(session), drawing_(drawing), screen_(screen), recorder_(recorder), fps_(fps)
{
    for (const DemoScene& scene : session.frame(0).stage->script->scenes)
    {
        for (const ScenePress& press : scene.press)
        {
            const auto keys = read_film_keys(press.keys);
            append(issues, keys ? Issues() : keys.issues());
            const std::size_t count = keys ? keys->size() : 0;
            const double apart =
                count > 1 ? std::max(0.0, press.to - press.from) / static_cast<double>(count - 1) : 0;
            for (std::size_t i = 0; i < count; ++i)
            {
                presses_.push_back({seconds_ + press.from + apart * static_cast<double>(i), (*keys)[i]});
            }
        }
        seconds_ += scene.seconds;
        ends_.push_back(seconds_);
        sounds_ = sounds_ || scene.sound;
    }
    std::ranges::stable_sort(presses_, {}, &Press::at);
}

void ScriptFilm::press(FilmKey key)
{
    for (const bool down : {true, false})
    {
        if (key.ctrl)
        {
            ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
            ImGui::GetIO().AddKeyEvent(ImGuiKey_LeftCtrl, down);
        }
        ImGui::GetIO().AddKeyEvent(key.key, down);
        drawing_.build(session_, at_, 1e-4);
    }
}

bool ScriptFilm::step()
{
    at_ = static_cast<double>(frame_) / fps_;
    if (at_ >= seconds_)
    {
        return false;
    }
    while (at_ >= ends_[scene_])
    {
        session_.apply(StageStep{1});
        session_.say("");
        ++scene_;
    }
    for (; pressed_ < presses_.size() && presses_[pressed_].at <= at_; ++pressed_)
    {
        press(presses_[pressed_].key);
    }
    constexpr int kSettling = 60;
    bool more = true;
    for (int i = 0; i < (frame_ == 0 ? kSettling : 1) && more; ++i)
    {
        more = drawing_.build(session_, at_, frame_ == 0 ? 1e-4 : 1 / fps_);
    }
    screen_.draw();
    recorder_.add(screen_.read());
    if (sounds_)
    {
        SoundMoment moment = sound_on_show(session_, drawing_.shell());
        moment.volume = 1;
        track_.add_frame(moment, fps_);
    }
    ++frame_;
    return true;
}

} // namespace ringside
