// How things look this frame: theme, fonts, scale, motion. Passed to everything that draws.
#pragma once

#include "core/base/text/text.h"
#include "ui/draw/theme.h"

#include <imgui.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

// What a text is for. Nothing is smaller than `small`; aligned figures are mono.
enum class Type
{
    small,
    small_strong,
    body,
    body_strong,
    title,
    display,
    mono_small,
    mono,
    mono_title
};
inline constexpr std::size_t kTypes = 9;

// The face of a type: its family and weight, and how tall ImGui's size of it is for an em of 1.
struct FaceStyle
{
    bool strong = false;
    bool mono = false;
    float line_over_em = 1;
};
FaceStyle style_of(Type type);

struct FontFiles
{
    std::string words;        // Inter Regular
    std::string strong;       // Inter SemiBold
    std::string figures;      // JetBrains Mono
    std::string more_words;   // DejaVu Sans, for glyphs Inter has not
    std::string more_figures; // DejaVu Sans Mono
};

struct Fonts
{
    std::array<ImFont*, kTypes> faces{};

    ImFont* of(Type type) const { return faces[static_cast<std::size_t>(type)]; }
};

// What everything but type grows by for a projector.
inline constexpr float kPresenterScale = 1.6F;
// The mouse rests so long before a control says what it does. [s]
inline constexpr float kTipDelay = 0.15F;
// Fills the atlas with every face: em sizes of 14, 17, 22 and 32 pixels, or 22, 28, 40 and 56 for a
// presenter, times `scale`. Missing files leave ImGui's own font.
Fonts load_fonts(ImFontAtlas& atlas, const FontFiles& files, float scale, bool presenter);
// The characters every face can draw, as ImGui's pairs of first and last, ended by 0.
const ImWchar* glyph_ranges();

// What a user chose for the whole window; saved with the settings.
struct Preferences
{
    bool light = false;
    bool high_contrast = false;
    float text_scale = 1; // 0.75 to 2.5
    bool reduced_motion = false;
    bool presenter = false; // large type, no rail, no panel
    ByteUnit unit = ByteUnit::decimal;
    float volume = 0.5F; // of the sound, 0 to 1

    bool operator==(const Preferences&) const = default;
};

class Sketch;
struct ChartRecord;
struct Marks;
class Transcript;

struct Look
{
    const Theme& theme;
    const Fonts& fonts;
    float scale = 1; // of text and of every pixel constant
    bool reduced_motion = false;
    ByteUnit unit = ByteUnit::decimal;
    bool hide_numbers = false;                       // what Painter writes has none
    Sketch* sketch = nullptr;                        // what is drawn is written down there too
    bool no_tips = false;                            // what is pointed at has no read-out
    ChartRecord* record = nullptr;                   // of this frame's charts
    Marks* marks = nullptr;                          // of the picture that is drawn
    Transcript* transcript = nullptr;                // what this frame says
    std::span<const std::string> known_numbers = {}; // these stay while the others are hidden

    float px(float design) const { return std::round(design * scale); }
    std::string_view gigabyte() const { return unit == ByteUnit::decimal ? "GB" : "GiB"; }
};

// The whole style of ImGui's own widgets (text fields, popups, scroll bars) in our colours and sizes.
void apply_style(ImGuiStyle& style, const Look& look);

} // namespace ringside
