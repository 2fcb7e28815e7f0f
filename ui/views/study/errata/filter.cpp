#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/study/sessions/deck.h"
#include "ui/views/study/errata/parts.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr const char* kTopics = "topics of errata";

} // namespace

bool ErrataFilter::lets_through(const Erratum& e, std::string_view query) const
{
    return (topic_.empty() || e.topic == topic_) && (!kind_ || e.kind == *kind_) && matches(e, query);
}

void ErrataFilter::narrow_to(ErratumKind kind)
{
    kind_ = kind_ == kind ? std::nullopt : std::optional(kind);
}

bool ErrataFilter::draw_kind(const Painter& p, Rect cell, const ErrataFrame& gallery, ErratumKind kind)
{
    const bool on = kind_ == kind;
    const Colour ink = on ? p.theme.text : p.theme.muted;
    const Press pressed = press(p, cell, fmt::format("###kind {}", name_of(kind)).c_str());
    p.card(cell, on, pressed.hovered);
    const std::string number = std::to_string(std::ranges::count(gallery.errata, kind, &Erratum::kind));
    const bool room = cell.w >= p.width(Type::mono_small, number) + p.px(30);
    draw_mark(p, {room ? cell.x + p.px(15) : cell.centre(), cell.middle()}, kind, ink);
    p.text(cell.right() - p.px(8), cell.middle(), Type::mono_small, ink, room ? number : "", Align::right);
    tooltip(p, fmt::format("{}: {} ({})", name_of(kind), words_of(kind), static_cast<int>(kind) + 1));
    if (pressed.clicked)
    {
        narrow_to(kind);
    }
    return pressed.clicked;
}

bool ErrataFilter::draw_topics(const Painter& p, Rect row, const ErrataFrame& gallery)
{
    const StudyTopic* shown = find_topic(topic_);
    if (dropdown(p, row, "###topic of errata", shown == nullptr ? "All topics" : shown->name))
    {
        ImGui::OpenPopup(kTopics);
    }
    if (!ImGui::IsPopupOpen(kTopics))
    {
        return false;
    }
    std::vector<std::pair<const StudyTopic*, std::string>> rows{
        {nullptr, counted(std::ssize(gallery.errata), "misconception")}};
    for (const StudyTopic& topic : study_topics())
    {
        const auto count = std::ranges::count(gallery.errata, topic.id, &Erratum::topic);
        if (count > 0)
        {
            rows.emplace_back(&topic, counted(count, "misconception"));
        }
    }
    std::vector<Choosable> items;
    for (const auto& [topic, says] : rows)
    {
        items.push_back(topic == nullptr ? Choosable{"all", "All topics", says}
                                         : Choosable{topic->id, topic->name, says});
    }
    const auto at = choice_popup(p, kTopics, items);
    if (at)
    {
        topic_ = *at == 0 ? std::string() : std::string(items[*at].id);
    }
    return at.has_value();
}

bool ErrataFilter::draw(const Painter& p, Rect& area, const ErrataFrame& gallery)
{
    bool changed = false;
    if (area.h >= p.px(220))
    {
        changed = draw_topics(p, area.cut_top(p.px(32)), gallery);
        area.cut_top(p.px(8));
    }
    if (area.h >= p.px(160))
    {
        Rect row = area.cut_top(p.px(30));
        const float w = row.w / static_cast<float>(kErratumKinds);
        for (std::size_t i = 0; i < kErratumKinds; ++i)
        {
            Rect cell = row.cut_left(w);
            cell.cut_right(p.px(4));
            changed = draw_kind(p, cell, gallery, static_cast<ErratumKind>(i)) || changed;
        }
        area.cut_top(p.px(8));
    }
    return changed;
}

namespace
{

struct ErratumSign
{
    std::string_view sign;
    std::string_view words;
};
constexpr std::array<ErratumSign, kErratumKinds> kErratumSigns{{{"\u2260", "said both ways"},
                                                                {"\u00d7", "wrong"},
                                                                {"\u2248", "true under conditions"},
                                                                {"?", "ambiguous"},
                                                                {"\u2205", "a value is lost"}}};

const ErratumSign& sign_of(ErratumKind kind)
{
    return kErratumSigns.at(static_cast<std::size_t>(kind));
}

} // namespace

void draw_mark(const Painter& p, ImVec2 c, ErratumKind kind, Colour ink)
{
    p.text(c.x, c.y, Type::mono, kind == ErratumKind::wrong ? p.theme.warning : ink, sign_of(kind).sign,
           Align::centre);
}

std::string_view words_of(ErratumKind kind)
{
    return sign_of(kind).words;
}

} // namespace ringside
