// Sound in the window: one key, a line that says what is heard, and what happens where nothing can be heard.
#include "tests/ui/words.h"

#include "app/sound/sound_player.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// A device that keeps what it is given; what was to be heard by now has been.
class Ear final : public Speaker
{
public:
    explicit Ear(std::vector<float>& heard) : heard_(heard) {}
    Issues open() override { return {}; }
    double ahead() override { return 0; }
    void push(std::span<const float> samples) override
    {
        heard_.insert(heard_.end(), samples.begin(), samples.end());
    }

private:
    std::vector<float>& heard_;
};

class Deaf final : public Speaker
{
public:
    Issues open() override { return {{"", "this machine has no sound device", ""}}; }
    double ahead() override { return 0; }
    void push(std::span<const float>) override { FAIL("nothing can be heard here"); }
};

void sound_key(Window& w)
{
    w.key(ImGuiKey_M, ImGuiMod_Ctrl);
    w.frames(2);
}

void play_for(Window& w, SoundPlayer& player, int frames)
{
    for (int i = 0; i < frames; ++i)
    {
        w.frame();
        player.follow(w.session(), sound_on_show(w.session(), w.drawing.shell()));
    }
}

bool is_silent(std::span<const float> samples)
{
    return std::ranges::all_of(samples, [](float s) { return s == 0; });
}

} // namespace

TEST_CASE("Ctrl M turns sound on, with a line that says what is heard, and off again")
{
    Window w;
    w.open("pipelines");
    w.frames(3);
    CHECK_FALSE(w.session().sounds());
    CHECK_FALSE(says(w, "Sound:"));
    sound_key(w);
    CHECK(w.session().sounds());
    CHECK(says(w, "Sound: Space plays"));
    w.session().apply(Seek{0.01});
    w.frames(2);
    CHECK(says(w, "stage 0 forward")); // the others wait for it
    CHECK(says(w, "idle"));
    w.open("memory");
    w.frames(3);
    CHECK(says(w, "nothing to hear here"));
    sound_key(w);
    CHECK_FALSE(w.session().sounds());
    CHECK_FALSE(says(w, "Sound:"));
}

TEST_CASE("the volume has two buttons and two commands, and stays within its bounds")
{
    Window w;
    w.open("pipelines");
    sound_key(w);
    CHECK(says(w, "50%"));
    w.click("softer");
    w.frames(2);
    CHECK(says(w, "40%"));
    for (int i = 0; i < 8; ++i)
    {
        w.click("louder");
        w.frames(2);
    }
    CHECK(w.session().preferences().volume == 1.0F);
    CHECK(says(w, "100%"));
}

TEST_CASE("what plays is heard, a pause is silent, and so is the window without the key")
{
    Window w;
    w.open("pipelines");
    w.frames(3);
    std::vector<float> heard;
    SoundPlayer player(std::make_unique<Ear>(heard));
    w.session().apply(Seek{0});
    w.session().apply(Play{true});
    play_for(w, player, 10);
    CHECK(heard.empty());
    sound_key(w);
    play_for(w, player, 10);
    CHECK_FALSE(is_silent(heard));
    CHECK(*std::ranges::max_element(heard) <= kPeak * 0.5F); // at half of the volume
    w.session().apply(Play{false});
    play_for(w, player, 3);
    const std::size_t paused = heard.size();
    CHECK(is_silent(std::span<const float>(heard).last(960)));
    play_for(w, player, 5);
    CHECK(heard.size() == paused);
}

TEST_CASE("a machine without a device says so once, and writes what would be heard")
{
    Window w;
    w.open("ring");
    w.frames(3);
    SoundPlayer player(std::make_unique<Deaf>());
    play_for(w, player, 2);
    CHECK(w.session().notice().empty()); // nobody asked for sound
    sound_key(w);
    play_for(w, player, 3);
    CHECK(says(w, "this machine has no sound device"));
    CHECK(says(w, "No sound here, in words"));
    w.session().say("");
    w.session().apply(Play{true});
    play_for(w, player, 5);
    CHECK(w.playback().playing);
    CHECK(w.session().notice().empty());
    sound_key(w);
    sound_key(w);
    play_for(w, player, 3);
    CHECK(w.session().notice().empty()); // once
    CHECK(says(w, "adding a chunk"));
}
