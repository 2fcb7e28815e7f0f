// The canvas of a page as ImGui's window: its size in real pixels, mouse, fingers, wheel, keys, cursor,
// clipboard. Draws when it is woken: by an event, by wake(), or after the rest that the last frame asked for.
#pragma once

#include <functional>
#include <string>

namespace ringside::page
{

// Draws one frame; returns the seconds until the next is due: 0 at once, below 0 only when something happens.
using DrawFrame = std::function<double(double now, double seconds)>;

// Starts the element #canvas with WebGL 2; false: the browser has none.
bool start_canvas();
// From here on frames are drawn. Call once ImGui's context is there.
void start_frames(DrawFrame draw);
void wake();
// In another page: wheel, fingers that go up or down, and Tab are that page's until this one is pressed; Esc
// gives them back.
void set_embedded(bool embedded);

// Whether a finger draws, whichever way it goes, and does not scroll.
void set_finger_draws(bool draws);

float pixel_ratio();
std::string clipboard();
void set_clipboard(const std::string& text);

} // namespace ringside::page
