#include "ui/widgets/panel_column.h"

#include "core/base/text/text.h"
#include "ui/draw/scopes.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

constexpr float kSlideTall = 46;
constexpr float kSegmentsTall = 32;
constexpr float kToggleTall = 30;
constexpr float kButtonTall = 32;
constexpr float kBetween = 6; // below what has an edge

} // namespace

PanelColumn::~PanelColumn()
{
    // So that the window knows how far it scrolls.
    ImGui::SetCursorScreenPos({area_.x, y_ - 1});
    ImGui::Dummy({1, 1});
}

SliderChange PanelColumn::slider(const char* label, const std::string& shown, const Track& track,
                                 double value, bool fault)
{
    std::array<float, 64> ticks{};
    const std::size_t count = std::min(track.stops.size(), ticks.size());
    for (std::size_t i = 0; i < count; ++i)
    {
        ticks.at(i) = share_of(track, track.stops[i]);
    }
    const SliderText words{label, shown, {ticks.data(), count}, fault};
    return ringside::slider(p, row(kSlideTall), words, share_of(track, value));
}

double PanelColumn::moved(const char* label, const std::string& shown, const Track& track, double value,
                          std::string_view tip)
{
    const SliderChange change = slider(label, shown, track, value);
    tooltip(p, tip);
    return change.kind == SliderChange::Kind::typed ? typed_on(track, change.text).value_or(value)
                                                    : moved_to(track, value, change);
}

std::optional<std::size_t> PanelColumn::chosen(const char* label, Choices choices, std::size_t at)
{
    Rect words = row(kSegmentsTall);
    if (label != nullptr)
    {
        const auto wider = [&](float sum, std::string_view word)
        { return sum + p.width(Type::small_strong, word) + px(16); };
        const float least = std::accumulate(choices.words.begin(), choices.words.end(), 0.0F, wider);
        const float name = p.width(Type::small, label) + px(12);
        const bool beside = name + least <= words.w;
        const Rect left =
            beside ? words.cut_left(std::max(name, words.w - std::max(least, words.w / 2))) : words;
        p.text_within(left.x, left.middle(), left.w, Type::small, p.theme.muted, label);
        words = beside ? words : row(kSegmentsTall);
    }
    const IdScope scope(label == nullptr ? "choice" : label);
    // Five and more have two rows, and four that one has no room for.
    const auto with_word = [&](float sum, std::string_view word)
    { return sum + p.width(Type::small_strong, word) + px(8); };
    const bool crowded =
        choices.words.size() == 4 &&
        std::accumulate(choices.words.begin(), choices.words.end(), 0.0F, with_word) > words.w;
    const std::size_t first =
        choices.words.size() > 4 || crowded ? (choices.words.size() + 1) / 2 : choices.words.size();
    auto to = segments(p, words, choices.words.first(first), at);
    if (first < choices.words.size())
    {
        gap(kBetween);
        const auto below = segments(p, row(kSegmentsTall), choices.words.subspan(first), at - first);
        to = below ? *below + first : to;
    }
    gap(kBetween);
    return to;
}

bool PanelColumn::pressed(bool now)
{
    animating_ = animating_ || now;
    return now;
}

bool PanelColumn::toggle(const char* label, bool& on, std::string_view tip)
{
    const bool flipped = ringside::toggle(p, row(kToggleTall), label, on);
    tooltip(p, tip);
    return store(on, on != flipped);
}

bool PanelColumn::button(const char* label, std::string_view key, ButtonStyle style)
{
    const Rect r = row(kButtonTall);
    gap(kBetween);
    return pressed(ringside::button(p, r, label, key, style));
}

std::optional<std::size_t> PanelColumn::buttons(std::initializer_list<PanelButton> all)
{
    Rect left = row(kButtonTall);
    gap(kBetween);
    const float between = px(8);
    const float each = (left.w + between) / static_cast<float>(all.size()) - between;
    std::optional<std::size_t> which;
    std::size_t i = 0;
    for (const PanelButton& one : all)
    {
        which = pressed(ringside::button(p, left.cut_left(each), one.label, one.key)) ? i : which;
        left.cut_left(between);
        ++i;
    }
    return which;
}

bool PanelColumn::dropdown(const char* label, std::string_view shown, std::string_view tip)
{
    const bool now = pressed(ringside::dropdown(p, row(34), label, shown));
    tooltip(p, tip);
    gap(kBetween);
    return now;
}

std::optional<std::size_t> PanelColumn::dropdown(const char* label, std::string_view shown, const char* popup,
                                                 std::span<const Choosable> items, std::string_view tip)
{
    if (dropdown(label, shown, tip))
    {
        ImGui::OpenPopup(popup);
    }
    const auto chosen = choice_popup(p, popup, items);
    animating_ = animating_ || chosen;
    return chosen;
}

bool PanelColumn::option(const std::string& label, std::string_view key, bool on, std::string_view tip,
                         OptionMark mark)
{
    const Rect r = row(kToggleTall);
    const Theme& t = p.theme;
    const Press now = press(p, r, label.c_str());
    tooltip(p, tip);
    if (on || now.hovered)
    {
        p.fill(r, on ? t.raised : t.control, px(6));
    }
    const float cap = key.empty() ? r.x : p.keycap(r.x + px(4), r.middle(), key).right();
    const float x = std::max(cap + px(8), r.x + px(36));
    const float right = r.right() - px(mark == OptionMark::none ? 4 : 28);
    p.text_within(x, r.middle(), right - x, on ? Type::small_strong : Type::small, t.text,
                  std::string_view(label).substr(0, label.find("###")));
    if (mark == OptionMark::good)
    {
        p.tick(r.right() - px(20), r.middle(), t.ok);
    }
    else if (mark != OptionMark::none)
    {
        const bool bad = mark == OptionMark::bad;
        p.text(r.right() - px(8), r.middle(), Type::small_strong, bad ? t.warning : t.text,
               bad ? "\u2715" : "\u2248", Align::right);
    }
    return pressed(now.clicked);
}

void PanelColumn::label(std::string_view words)
{
    const Rect r = row(22);
    p.text_within(r.x, r.middle(), r.w, Type::small, p.theme.muted, words);
}

void PanelColumn::figure(std::string_view value, std::string_view says)
{
    const Rect r = row(44);
    p.text_within(r.x, r.middle(), r.w, Type::display, p.theme.text, value);
    label(says);
}

void PanelColumn::note(std::string_view text, bool muted)
{
    words(Type::small, muted ? p.theme.muted : p.theme.text, text);
    gap(8);
}

void PanelColumn::paragraph(Type type, Colour colour, std::string_view text)
{
    words(type, colour, text);
    gap(8);
}

void PanelColumn::fault(std::string_view text)
{
    gap(4);
    p.triangle(area_.x, y_ + p.height(Type::small) / 2, p.theme.warning);
    words(Type::small, p.theme.warning, text, px(20));
    gap(kBetween);
}

} // namespace ringside
