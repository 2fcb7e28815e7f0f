#include "ui/draw/transcript.h"

#include "core/base/text/hide_numbers.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kLine = 1.17F; // what a line of wrapped words takes, of its font
constexpr float kSlack = 1.5F; // [px] by which rounding moves words

bool is_control(const ReadPart& part)
{
    return part.id != 0;
}

// What is shown of "Title###id".
std::string_view shown_of(std::string_view label)
{
    return label.substr(0, label.find("##"));
}

void append_words(std::string& text, std::string_view more)
{
    text += text.empty() || more.empty() ? "" : " ";
    text += more;
}

Rect around(const Rect& a, const Rect& b)
{
    const float x = std::min(a.x, b.x);
    const float y = std::min(a.y, b.y);
    return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

} // namespace

void Transcript::begin()
{
    before_.swap(parts_);
    parts_.clear();
    said_.clear();
    region_ = ReadRegion::over;
}

bool Transcript::goes_on(const ReadPart& last, float size, Rect rect, const ImDrawList& list) const
{
    if (is_control(last) || last.list != &list || last.region != region_ ||
        std::abs(last.size - size) > 0.15F * size)
    {
        return false;
    }
    const float gap = rect.x - last.last_line.right();
    const float down = rect.middle() - last.last_line.middle();
    const bool same_line = std::abs(down) < kSlack && gap > -kSlack && gap < 0.6F * size;
    const bool next_line =
        std::abs(down - std::round(size * kLine)) < kSlack && std::abs(rect.x - last.rect.x) < kSlack;
    return same_line || next_line;
}

void Transcript::write(Type type, float size, Rect rect, std::string_view words, const ImDrawList& list)
{
    // Beside what is in sight only what can be scrolled into it.
    const ImVec2 low = list.GetClipRectMin();
    const ImVec2 high = list.GetClipRectMax();
    const bool beside = rect.right() <= low.x || rect.x >= high.x;
    const bool above_or_below = rect.bottom() <= low.y || rect.y >= high.y;
    const ImGuiWindow* window = GImGui->CurrentWindow;
    const bool scrolls = window != nullptr && window->DrawList == &list && window->ScrollMax.y > 0;
    if (beside || (above_or_below && !scrolls))
    {
        return;
    }
    if (!parts_.empty() && goes_on(parts_.back(), size, rect, list))
    {
        ReadPart& last = parts_.back();
        const bool joined = std::abs(rect.middle() - last.last_line.middle()) < kSlack &&
                            rect.x - last.last_line.right() < 0.1F * size;
        last.text += joined ? "" : " ";
        last.text += words;
        last.last_line = rect;
        last.rect = around(last.rect, rect);
        return;
    }
    ReadPart part;
    const bool strong = type == Type::body_strong || type == Type::small_strong;
    const bool heads = type == Type::title || (strong && region_ == ReadRegion::title);
    part.role = heads ? ReadRole::heading : ReadRole::words;
    part.region = region_;
    part.text = words;
    part.rect = part.last_line = rect;
    part.size = size;
    part.list = &list;
    parts_.push_back(std::move(part));
}

void Transcript::add(Rect rect, std::string_view label, const ReadAs& as)
{
    ReadPart part;
    part.role = as.role;
    part.region = region_;
    part.text = as.name.empty() ? shown_of(label) : as.name;
    part.id_words = label.substr(std::min(label.size(), label.rfind('#') + 1)); // all of it without one
    part.value = as.value;
    part.position = std::clamp(as.position, 0.0F, 1.0F);
    part.on = as.on;
    part.id = GImGui->LastItemData.ID;
    part.window = GImGui->CurrentWindow->ID;
    part.rect = rect;
    parts_.push_back(std::move(part));
}

void Transcript::describe(std::string_view tip)
{
    const ImGuiID id = GImGui->LastItemData.ID;
    const auto part = std::find_if(parts_.rbegin(), parts_.rend(),
                                   [id](const ReadPart& each) { return is_control(each) && each.id == id; });
    if (part != parts_.rend())
    {
        part->tip = tip;
    }
}

void Transcript::say(std::string_view words)
{
    if (!words.empty())
    {
        said_.emplace_back(words);
    }
}

void Transcript::repeat(ReadRegion region)
{
    std::ranges::copy_if(before_, std::back_inserter(parts_),
                         [region](const ReadPart& part) { return part.region == region; });
}

void Transcript::erase_inside(Rect r)
{
    const Rect inside = r.inset(1);
    std::erase_if(parts_,
                  [&](const ReadPart& part)
                  {
                      return part.rect.x < inside.right() && part.rect.right() > inside.x &&
                             part.rect.y < inside.bottom() && part.rect.bottom() > inside.y;
                  });
}

// Words belong to the smallest control that they lie on.
void Transcript::name_controls()
{
    std::vector<std::string> inner(parts_.size());
    for (ReadPart& words : parts_)
    {
        std::size_t on = parts_.size();
        for (std::size_t i = 0; i < parts_.size() && !is_control(words); ++i)
        {
            const ReadPart& part = parts_[i];
            const bool smaller =
                on == parts_.size() || part.rect.w * part.rect.h <= parts_[on].rect.w * parts_[on].rect.h;
            if (is_control(part) && part.region == words.region && smaller &&
                part.rect.contains({words.rect.centre(), words.rect.middle()}))
            {
                on = i;
            }
        }
        constexpr float kRows = 5; // a higher one is an area of the picture
        if (on < parts_.size() && parts_[on].rect.h < kRows * words.size)
        {
            words.on = true;
            append_words(inner[on], words.text);
        }
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
    {
        ReadPart& part = parts_[i];
        if (is_control(part) && part.text.empty())
        {
            part.text = !inner[i].empty() ? inner[i] : !part.tip.empty() ? part.tip : part.id_words;
        }
    }
}

void Transcript::finish()
{
    name_controls();
    std::ranges::stable_sort(parts_, {}, &ReadPart::region);
}

void read_region(const Look& look, ReadRegion region)
{
    if (look.transcript != nullptr)
    {
        look.transcript->enter(region);
    }
}

void read_item(const Painter& painter, Rect rect, std::string_view label, const ReadAs& as)
{
    const Look& look = painter.look;
    if (look.transcript == nullptr)
    {
        return;
    }
    const auto open = [&](std::string_view text)
    { return look.hide_numbers ? hide_numbers(text, look.known_numbers) : std::string(text); };
    const std::string name = open(as.name.empty() ? label : as.name);
    const std::string value = open(as.value);
    ReadAs seen = as;
    seen.name = {};
    seen.value = value;
    look.transcript->add(rect, name, seen);
}

void read_aloud(const Look& look, std::string_view words)
{
    if (look.transcript != nullptr)
    {
        look.transcript->say(look.hide_numbers ? hide_numbers(words, look.known_numbers)
                                               : std::string(words));
    }
}

void read_field(const Painter& painter, std::string_view name, std::string_view text)
{
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 size = ImGui::GetItemRectSize();
    read_item(painter, {low.x, low.y, size.x, size.y}, name, {.role = ReadRole::field, .value = text});
}

} // namespace ringside
