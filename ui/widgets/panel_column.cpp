#include "ui/widgets/panel_column.h"

#include "core/base/text/text.h"
#include "ui/draw/scopes.h"

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

// Among the stops, in steps from the first; between two of them where the value is.
double place_of(std::span<const double> stops, double value)
{
    const auto exact = std::ranges::find(stops, value);
    if (exact != stops.end())
    {
        return static_cast<double>(exact - stops.begin());
    }
    const auto above = std::ranges::lower_bound(stops, value);
    if (above == stops.begin() || above == stops.end())
    {
        return above == stops.begin() ? 0 : static_cast<double>(stops.size() - 1);
    }
    const double low = *(above - 1);
    return static_cast<double>(above - stops.begin() - 1) + (value - low) / (*above - low);
}

double stopat(std::span<const double> stops, double place)
{
    return stops[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(stops.size() - 1)))];
}

double share_of(const Track& t, double value)
{
    if (!t.stops.empty())
    {
        return place_of(t.stops, value) / static_cast<double>(std::max<std::size_t>(1, t.stops.size() - 1));
    }
    const double held = std::clamp(value, t.low, t.high);
    const double all = t.logarithmic ? std::log(t.high / t.low) : t.high - t.low;
    return all > 0 ? (t.logarithmic ? std::log(held / t.low) : held - t.low) / all : 0;
}

double dragged_to(const Track& t, double share)
{
    if (!t.stops.empty())
    {
        return stopat(t.stops, std::round(share * static_cast<double>(t.stops.size() - 1)));
    }
    return t.logarithmic ? t.low * std::pow(t.high / t.low, share) : t.low + (t.high - t.low) * share;
}

double stepped_to(const Track& t, double value, int steps)
{
    if (!t.stops.empty())
    {
        const double at = place_of(t.stops, value);
        return stopat(t.stops, steps > 0 ? std::floor(at) + 1 : std::ceil(at) - 1);
    }
    const double far = t.logarithmic ? value * (steps > 0 ? 0.25 : 0.2) : (t.high - t.low) / 20;
    const double by = t.whole ? std::max(1.0, std::round(far)) : far;
    return std::clamp(value + (steps > 0 ? by : -by), t.low, t.high);
}

double typed_as(const Track& t, std::string text, double value)
{
    std::erase(text, '%');
    const auto typed = parse_number(text);
    if (!typed)
    {
        return value;
    }
    const double wanted = *typed * t.unit;
    return t.only_stops
               ? *std::ranges::min_element(t.stops, {}, [&](double s) { return std::abs(s - wanted); })
               : std::clamp(wanted, t.low, t.high);
}

} // namespace

std::string say_whole(double value)
{
    return grouped(std::llround(value));
}

PanelColumn::~PanelColumn()
{
    // So that the window knows how far it scrolls.
    ImGui::SetCursorScreenPos({area_.x, y_ - 1});
    ImGui::Dummy({1, 1});
}

double PanelColumn::moved(const char* label, const std::string& shown, const Track& track, double value,
                          std::string_view tip)
{
    std::array<float, 64> ticks{};
    const std::size_t count = std::min(track.stops.size(), ticks.size());
    for (std::size_t i = 1; i < count; ++i)
    {
        ticks.at(i) = static_cast<float>(i) / static_cast<float>(count - 1);
    }
    const SliderText words{label, shown, {ticks.data(), count}};
    const SliderChange change = slider(p, row(kSlideTall), words, static_cast<float>(share_of(track, value)));
    tooltip(p, tip);
    const auto whole = [&](double to) { return track.whole ? std::round(to) : to; };
    switch (change.kind)
    {
    case SliderChange::Kind::dragged:
        return whole(dragged_to(track, static_cast<double>(change.position)));
    case SliderChange::Kind::stepped:
        return whole(stepped_to(track, value, change.steps));
    case SliderChange::Kind::typed:
        return whole(typed_as(track, change.text, value));
    case SliderChange::Kind::none:
        break;
    }
    return value;
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
    return take(on, on != flipped);
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
