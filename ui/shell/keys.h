// The keys of a view: one table says them in the help and does what they do.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside
{

struct Frame;
struct Out;
struct Training;
class TimeZoom;

struct KeyPress
{
    const Frame& frame;
    Out& out;
    std::size_t which; // of the row's keys, from 0
};

// A row names keys ("Y", "W S", "1 \u2026 4", "Enter") or what is done with the mouse ("drag"), which only
// helps. Enter and arrows belong to a widget that has the keyboard; Space is never a widget's where a row or
// the transport has it.
struct ViewKey
{
    std::string_view key;
    std::string_view does;
    std::function<void(const KeyPress&)> act = {};
    bool repeats = false; // while it is held

    ViewKey(std::string_view a_key, std::string_view what) : key(a_key), does(what) {}
    template <class Act>
    ViewKey(std::string_view a_key, std::string_view what, Act action, bool again = false)
        : key(a_key), does(what), repeats(again)
    {
        if constexpr (std::is_invocable_v<Act&, const KeyPress&>)
        {
            act = std::move(action);
        }
        else
        {
            act = [action = std::move(action)](const KeyPress&) mutable { action(); };
        }
    }
};
using ViewKeys = std::vector<ViewKey>;

// Whether one of the rows names Space.
bool have_space(std::span<const ViewKey> keys);
// Does what the keys pressed in this frame do.
void do_keys(std::span<const ViewKey> keys, const Frame& frame, Out& out);

// The next of `count`, and the first after the last.
template <class E>
void turn(E& value, std::size_t count)
{
    value = static_cast<E>((static_cast<std::size_t>(value) + 1) % count);
}

template <class E>
auto turns(E& value, std::size_t count)
{
    return [&value, count] { turn(value, count); };
}
inline auto flips(bool& on)
{
    return [&on] { on = !on; };
}
// Asks for the scenario with its training changed.
void change_training(const KeyPress& press, const std::function<void(Training&)>& change);
// W S A D F of a timeline that is `length` long.
void add_zoom(ViewKeys& keys, TimeZoom& zoom, std::function<double(const Frame&)> length);

} // namespace ringside
