// A user who knows nothing and presses everything: random clicks, keys, drags and typed extremes over all
// views. Nothing may crash, assert, draw what no renderer should get, or show a number that is none.
#include "tests/share.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "ui/shell/view.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

using namespace ringside;
using test::Window;

namespace
{

constexpr int kActions = 6000; // of a test run; RINGSIDE_MONKEY=100000 for a long one,
                               // RINGSIDE_MONKEY_FROM=6000 to go on where another ended

constexpr std::array kExtremes{"0",         "-1",    "1",  "1e308", "-1e308", "7",     "999999999999",
                               "0.0000001", "1e-30", "",   "abc",   "1e15",   "16384", "\u221e",
                               "%",         "12e",   "--", "3,3"};
constexpr std::array kTexts{1.0F, 0.75F, 2.5F, 1.75F};
constexpr std::array kSizes{ImVec2{1280, 800}, ImVec2{640, 480}, ImVec2{1920, 1080}, ImVec2{400, 300},
                            ImVec2{1280, 720}};

class Monkey
{
public:
    Monkey(Window& window, std::uint64_t seed) : w_(window), random_(seed) {}

    std::string act()
    {
        switch (below(12))
        {
        case 0:
            return open_view();
        case 1:
        case 2:
            return press_key();
        case 3:
            return drag();
        case 4:
            return type_value();
        case 5:
            return wheel();
        case 6:
            return below(20) == 0 ? dress() : press_at();
        case 7:
            return load();
        default:
            return click();
        }
    }

private:
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

    ImVec2 anywhere()
    {
        const ImVec2 size = ImGui::GetIO().DisplaySize;
        return {size.x * static_cast<float>(below(1000)) / 1000,
                size.y * static_cast<float>(below(1000)) / 1000};
    }

    std::string open_view()
    {
        const auto all = views();
        const std::string id(all[below(all.size())]->id);
        w_.session().apply(OpenView{id});
        return "view " + id;
    }

    std::string press_key()
    {
        const auto key =
            static_cast<ImGuiKey>(ImGuiKey_NamedKey_BEGIN +
                                  static_cast<int>(below(ImGuiKey_KeypadEqual - ImGuiKey_NamedKey_BEGIN)));
        if (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper)
        {
            return "no key";
        }
        const ImGuiKeyChord with = below(8) == 0    ? ImGuiMod_Ctrl
                                   : below(12) == 0 ? ImGuiMod_Shift
                                                    : ImGuiMod_None;
        w_.key(key, with);
        return fmt::format("key {} {}", ImGui::GetKeyName(key), static_cast<int>(with));
    }

    std::string click()
    {
        const auto& items = w_.items();
        if (items.empty())
        {
            return "nothing to click";
        }
        const test::Item item = items[below(items.size())];
        if (item.visible.w > 1 && item.visible.h > 1)
        {
            w_.press_at({item.visible.centre(), item.visible.middle()});
        }
        return "click " + item.label;
    }

    std::string press_at()
    {
        const ImVec2 at = anywhere();
        w_.press_at(at);
        return fmt::format("press at {} {}", at.x, at.y);
    }

    std::string drag()
    {
        const auto& items = w_.items();
        if (items.empty())
        {
            return "nothing to drag";
        }
        const test::Item item = items[below(items.size())];
        const ImVec2 to = anywhere();
        ImGuiIO& io = ImGui::GetIO();
        w_.move_to({item.visible.centre(), item.visible.middle()});
        io.AddMouseButtonEvent(0, true);
        w_.frames(2);
        w_.move_to(to);
        w_.frames(1);
        io.AddMouseButtonEvent(0, false);
        w_.frames(1);
        return "drag " + item.label;
    }

    std::string type_value()
    {
        const auto& items = w_.items();
        if (items.empty())
        {
            return "nothing to type into";
        }
        const test::Item item = items[below(items.size())];
        const char* text = kExtremes.at(below(kExtremes.size()));
        w_.double_click({item.visible.centre(), item.visible.middle()});
        w_.type(text);
        w_.key(below(4) == 0 ? ImGuiKey_Escape : ImGuiKey_Enter);
        return fmt::format("type {} into {}", text, item.label);
    }

    std::string wheel()
    {
        w_.wheel(anywhere(), static_cast<float>(below(21)) - 10);
        return "wheel";
    }

    std::string dress()
    {
        Preferences p = w_.session().preferences();
        p.light = below(2) == 0;
        p.text_scale = kTexts.at(below(kTexts.size()));
        p.presenter = below(4) == 0;
        p.reduced_motion = below(2) == 0;
        p.unit = below(2) == 0 ? ByteUnit::binary : ByteUnit::decimal;
        w_.session().set_preferences(p);
        w_.resize(kSizes.at(below(kSizes.size())));
        return "dress";
    }

    std::string load()
    {
        const Presets& presets = test::presets();
        Scenario s = w_.session().scenario();
        s.model = presets.models[below(presets.models.size())].model;
        s.cluster.gpu = presets.gpus[below(presets.gpus.size())].gpu;
        s.software = presets.usual_software(s.cluster.gpu);
        s.cluster.gpus = std::int64_t{1} << below(15);
        s.parallel.zero = static_cast<std::int64_t>(below(4));
        s.training.sequence_length = std::int64_t{64} << below(12);
        w_.session().apply(ChangeScenario{s});
        return "load " + s.model.name;
    }

    Window& w_;
    std::mt19937_64 random_;
};

// A word that stands where a number should: after formatting nan or inf.
std::string no_number(const std::string& text)
{
    for (const char* word : {"nan", "inf", "-nan", "-inf"})
    {
        const std::string alone = word;
        for (std::size_t at = text.find(alone); at != std::string::npos; at = text.find(alone, at + 1))
        {
            // A word cut short is no number either: "trained models, inf…".
            const auto letter = [&](std::size_t i)
            {
                return (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0) ||
                       text.compare(i, std::strlen("…"), "…") == 0;
            };
            if (!(at > 0 && letter(at - 1)) && !letter(at + alone.size()))
            {
                return text.substr(at > 30 ? at - 30 : 0, 70);
            }
        }
    }
    return "";
}

} // namespace

TEST_CASE("whatever is pressed, typed and dragged, nothing breaks and every number is one")
{
    const auto asked = [](const char* name, int usual)
    {
        const char* value = std::getenv(name);
        return value == nullptr ? usual : std::max(0, std::atoi(value));
    };
    const int actions = asked("RINGSIDE_MONKEY", kActions);
    constexpr int kEach = 1500; // then a new window, so that what is found is found again from its seed
    for (int begun = asked("RINGSIDE_MONKEY_FROM", 0) / kEach * kEach; begun < actions; begun += kEach)
    {
        if (!test::is_in_share(static_cast<std::size_t>(begun / kEach)))
        {
            continue;
        }
        Window w;
        Monkey monkey(w, static_cast<std::uint64_t>(begun) + 7);
        std::string last;
        for (int i = 0; i < std::min(kEach, actions - begun); ++i)
        {
            const std::string act = monkey.act();
            INFO("window " << begun << ", action " << i << ": " << act << ", before it: " << last << ", view "
                           << w.session().view());
            INFO(fmt::format("{} x {}, text {}: {}", ImGui::GetIO().DisplaySize.x,
                             ImGui::GetIO().DisplaySize.y, w.session().preferences().text_scale,
                             to_json(w.session().now().scenario, test::presets()).dump()));
            w.frames(1);
            const test::Drawn drawn = w.drawn();
            REQUIRE(drawn.fault == "");
            if (i % 5 == 0)
            {
                // Where formats are the matter, too large for one is infinite.
                REQUIRE((w.session().view() == "formats" ? "" : no_number(test::text_of(w))) == "");
            }
            last = act;
        }
    }
}
