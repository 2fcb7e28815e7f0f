// The controls of a panel in order, one below the other. The column owns every size; a control edits its
// value in place, says whether it changed, and asks for the next frame where it did. What needs more room
// than the panel has is scrolled to.
#pragma once

#include "ui/widgets/controls.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

namespace ringside
{

struct Choosable;

// Words to choose from, as a list in place or an array.
struct Choices
{
    std::span<const std::string_view> words;

    explicit Choices(std::span<const std::string_view> list) : words(list) {}
    Choices(std::initializer_list<std::string_view> list) : words(list.begin(), list.size()) {}
    template <std::size_t N>
    Choices(const std::array<std::string_view, N>& list) : words(list)
    {
    }
};

// What came of an option.
enum class OptionMark
{
    none,
    good,
    half,
    bad
};

struct PanelButton
{
    const char* label;
    std::string_view key = {};
};

class PanelColumn : public Sheet
{
public:
    PanelColumn(const Painter& painter, Rect area, bool& animating)
        : Sheet(painter, area), bottom_(area.bottom()), animating_(animating)
    {
    }
    ~PanelColumn();
    PanelColumn(const PanelColumn&) = delete;
    PanelColumn& operator=(const PanelColumn&) = delete;

    // `value` is a double or a whole number; `tip` shows when it is pointed at.
    template <class T>
    bool slide(const char* label, const Track& track, T& value, std::string_view tip = {})
    {
        return slide(label, track.text(static_cast<double>(value)), track, value, tip);
    }
    template <class T>
    bool slide(const char* label, const std::string& shown, const Track& track, T& value,
               std::string_view tip = {})
    {
        const Track at = std::is_integral_v<T> ? track.rounded() : track;
        const auto to = static_cast<T>(moved(label, shown, at, static_cast<double>(value), tip));
        return store(value, to);
    }

    // The slider alone, for a caller that judges itself what was typed.
    SliderChange slider(const char* label, const std::string& shown, const Track& track, double value,
                        bool fault = false);

    // Shows `value` and sets `own` once it is moved.
    template <class T>
    bool slide(const char* label, const Track& track, T value, std::optional<T>& own,
               std::string_view tip = {})
    {
        const bool changed = slide(label, track, value, tip);
        own = changed ? value : own;
        return changed;
    }

    // `value` is an index, an enum or a bool.
    template <class T>
    bool choice(Choices choices, T& value)
    {
        const auto to = chosen({}, choices, static_cast<std::size_t>(value));
        return to && store(value, static_cast<T>(*to));
    }
    // The label beside the words, or above where it has no room there.
    template <class T>
    bool choice(const char* label, Choices choices, T& value)
    {
        const auto to = chosen(label, choices, static_cast<std::size_t>(value));
        return to && store(value, static_cast<T>(*to));
    }
    // Each word stands for a value.
    template <class T, std::size_t N>
    bool choice(Choices choices, const std::array<T, N>& values, T& value)
    {
        return choice(nullptr, choices, values, value);
    }
    template <class T, std::size_t N>
    bool choice(const char* label, Choices choices, const std::array<T, N>& values, T& value)
    {
        std::size_t at = 0;
        while (at < N && values[at] != value)
        {
            ++at;
        }
        const auto to = chosen(label, choices, at);
        return to && store(value, values.at(*to));
    }

    bool toggle(const char* label, bool& on, std::string_view tip = {});
    bool button(const char* label, std::string_view key = {}, ButtonStyle style = ButtonStyle::plain);
    // Side by side; the one that was pressed.
    std::optional<std::size_t> buttons(std::initializer_list<PanelButton> all);
    // True when it was pressed: the caller opens what there is to choose from.
    bool dropdown(const char* label, std::string_view shown, std::string_view tip = {});
    // With its popup, of the id `popup`: the one that was chosen.
    std::optional<std::size_t> dropdown(const char* label, std::string_view shown, const char* popup,
                                        std::span<const Choosable> items, std::string_view tip = {});
    // One of a list, with the key that chooses it. True when pressed.
    bool option(const std::string& label, std::string_view key, bool on, std::string_view tip = {},
                OptionMark mark = OptionMark::none);

    void label(std::string_view words);
    // The one figure that the panel is about.
    void figure(std::string_view value, std::string_view says);
    // With **strong** words; muted unless it is what the panel says.
    void note(std::string_view words, bool muted = true);
    void paragraph(Type type, Colour colour, std::string_view words);
    // With the warning sign.
    void fault(std::string_view words);

    // What is left, and a strip off its top, for what is no control.
    Rect rest() const { return {area_.x, y_, area_.w, std::max(0.0F, bottom_ - y_)}; }
    // Goes on there after what was drawn in the rest.
    void below(float y) { y_ = y; }
    float px(float design) const { return p.px(design); }

private:
    template <class T>
    bool store(T& value, T to)
    {
        const bool changed = !(value == to);
        value = to;
        animating_ = animating_ || changed;
        return changed;
    }
    bool pressed(bool now);
    double moved(const char* label, const std::string& shown, const Track& track, double value,
                 std::string_view tip);
    std::optional<std::size_t> chosen(const char* label, Choices choices, std::size_t at);

    float bottom_;
    bool& animating_;
};

} // namespace ringside
