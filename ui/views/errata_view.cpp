// Where the sources disagree: every erratum with its claim, what is true, and the engine's numbers of both.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ui/shell/view.h"
#include "ui/views/errata/detail.h"
#include "ui/views/errata/list.h"
#include "ui/views/errata/numbers.h"
#include "ui/widgets/controls.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr float kTwoPanes = 600; // [design px] below it there is room for one

class ErrataView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::string title(const Frame& frame) const override;
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    // What was computed last, for these numbers.
    struct Known
    {
        const ErrataFrame* gallery;
        std::string id;
        DrawnValues overrides;
        Result<ErratumRun> run;
    };

    // The chosen one, with the list as it is narrowed now; null where there is none.
    const Erratum* chosen(const Frame& frame) const;
    Calculator& calculator(const Frame& frame) const;
    const DrawnValues& overrides(const Erratum& erratum) const;
    const Result<ErratumRun>& run(const Frame& frame, const Erratum& erratum) const;
    void change(const Erratum& erratum, DrawnValues values, Out& out);
    void show_in_view(const Frame& frame, const Erratum& erratum, Out& out) const;
    void draw_one_pane(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_detail(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_empty(const Painter& painter, Rect area, const ErrataFrame* gallery);
    static void own_arrows();
    bool list_keys();

    mutable ErrataList list_;
    ErrataDetail detail_;
    ErrataNumbers numbers_;
    std::map<std::string, DrawnValues> moved_; // overrides by id of the erratum
    bool as_it_is_ = true;
    bool listing_ = false; // of the one pane there is room for
    mutable std::optional<Calculator> calculator_;
    mutable std::optional<Known> known_;
};

const Erratum* ErrataView::chosen(const Frame& frame) const
{
    if (frame.study->errata == nullptr || frame.study->errata->errata.empty())
    {
        return nullptr;
    }
    list_.update(*frame.study->errata);
    return list_.chosen();
}

Calculator& ErrataView::calculator(const Frame& frame) const
{
    if (!calculator_ || &calculator_->presets() != &frame.presets)
    {
        calculator_.emplace(frame.presets);
    }
    return *calculator_;
}

const DrawnValues& ErrataView::overrides(const Erratum& erratum) const
{
    static const DrawnValues kNone;
    const auto found = moved_.find(erratum.id);
    return found == moved_.end() ? kNone : found->second;
}

const Result<ErratumRun>& ErrataView::run(const Frame& frame, const Erratum& erratum) const
{
    const DrawnValues& values = overrides(erratum);
    if (!known_ || known_->gallery != frame.study->errata || known_->id != erratum.id ||
        known_->overrides != values)
    {
        known_ =
            Known{frame.study->errata, erratum.id, values, run_erratum(calculator(frame), erratum, values)};
    }
    return known_->run;
}

void ErrataView::change(const Erratum& erratum, DrawnValues values, Out& out)
{
    moved_[erratum.id] = std::move(values);
    out.animating = true;
}

// The notice belongs to the scenario's change, so that comes last.
void ErrataView::show_in_view(const Frame& frame, const Erratum& e, Out& out) const
{
    if (find_view(e.view) == nullptr)
    {
        return;
    }
    out.push(OpenView{e.view});
    if (!e.scenario)
    {
        return;
    }
    const auto scenario = calculator(frame).scenario(*e.scenario, values_of(e, overrides(e)));
    if (scenario)
    {
        out.push(ChangeScenario{(*scenario)->scenario, false, fmt::format("{}; Ctrl Z takes it back", e.id)});
    }
}

std::string ErrataView::title(const Frame& frame) const
{
    return chosen(frame) == nullptr ? "Where do the sources disagree?"
                                    : "The sources disagree. What is true?";
}

std::vector<std::string> ErrataView::facts(const Frame& frame) const
{
    if (frame.study->errata == nullptr)
    {
        return {};
    }
    const std::size_t all = frame.study->errata->errata.size();
    list_.update(*frame.study->errata);
    return {list_.count() == all ? fmt::format("{} errata", all)
                                 : fmt::format("{} of {} errata", list_.count(), all),
            list_.count() == 0 ? "" : fmt::format("{} of {}", list_.place() + 1, list_.count())};
}

Caption ErrataView::caption(const Frame& frame) const
{
    Caption caption;
    const Erratum* e = chosen(frame);
    if (e == nullptr)
    {
        return caption;
    }
    const Result<ErratumRun>& known = run(frame, *e);
    const ErratumNumber* n = ShownErratum{*e, known, as_it_is_}.number();
    caption.source = fmt::format("{}, said in {}", e->id, fmt::join(e->where, ", "));
    if (n == nullptr)
    {
        caption.sentence = fmt::format("**{}**: the sources differ in words, not in a number.", e->title);
        return caption;
    }
    caption.sentence =
        fmt::format("{}: **{}**. {}.", as_it_is_ ? "As it is" : "As claimed", n->text, n->says);
    caption.formula = n->working.empty() ? n->text : fmt::format("{} = {}", n->working, n->text);
    return caption;
}

void ErrataView::draw_empty(const Painter& p, Rect area, const ErrataFrame* gallery)
{
    area.cut_top(area.h * 0.2F);
    const std::string file = gallery == nullptr ? "study/errata.json of the assets" : gallery->file;
    const float used = p.paragraph({area.x, area.y, area.w, 0}, Type::title, p.theme.text,
                                   fmt::format("No errata found in {}", file));
    p.paragraph(
        {area.x, area.y + used + p.px(8), area.w, 0}, Type::small, p.theme.muted,
        "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them; ringside check names what "
        "is wrong in a file.");
}

// Up and down choose a row unless the keyboard is on something.
void ErrataView::own_arrows()
{
    if (GImGui->NavDisableHighlight || GImGui->NavId == 0)
    {
        const ImGuiID id = ImGui::GetID("###errata arrows");
        ImGui::SetKeyOwner(ImGuiKey_UpArrow, id);
        ImGui::SetKeyOwner(ImGuiKey_DownArrow, id);
    }
}

void ErrataView::draw_detail(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const Erratum* e = chosen(frame);
    area.cut_bottom(p.px(8));
    if (e != nullptr && detail_.draw(frame, p, area, {*e, run(frame, *e), as_it_is_}, out))
    {
        as_it_is_ = !as_it_is_;
        out.animating = true;
    }
}

// One row above it to go back and forth, and to the list.
void ErrataView::draw_one_pane(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    Rect row = area.cut_top(p.px(36));
    row.cut_bottom(p.px(4));
    if (button(p, row.cut_left(std::min(row.w, p.px(96))),
               listing_ ? "Back###list errata" : "List###list errata", "L"))
    {
        listing_ = !listing_;
        out.animating = true;
    }
    area.cut_top(p.px(8));
    if (listing_)
    {
        listing_ = !list_.draw(p, area, *frame.study->errata, out);
        return;
    }
    if (list_.chosen() != nullptr)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted,
               fmt::format("{} of {}", list_.place() + 1, list_.count()), Align::right);
    }
    draw_detail(frame, p, area, out);
}

void ErrataView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    if (frame.study->errata == nullptr || frame.study->errata->errata.empty())
    {
        draw_empty(p, area, frame.study->errata);
        return;
    }
    list_.update(*frame.study->errata);
    own_arrows();
    if (frame.preferences.presenter || area.w < p.px(kTwoPanes))
    {
        draw_one_pane(frame, p, area, out);
        return;
    }
    const Rect list = area.cut_left(std::clamp(area.w * 0.34F, p.px(232), p.px(320)));
    area.cut_left(p.px(12));
    p.line(area.x, area.y, area.x, area.bottom() - p.px(8), p.theme.grid);
    area.cut_left(p.px(20));
    if (list_.draw(p, list, *frame.study->errata, out))
    {
        out.animating = true;
    }
    draw_detail(frame, p, area, out);
}

bool ErrataView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const Erratum* e = chosen(frame);
    if (e == nullptr)
    {
        return true;
    }
    NumbersEvent event = numbers_.draw(frame, p, area, *e, overrides(*e), calculator(frame));
    if (event.values)
    {
        change(*e, std::move(*event.values), out);
    }
    if (event.show)
    {
        show_in_view(frame, *e, out);
    }
    return true;
}

// Those that choose and narrow.
bool ErrataView::list_keys()
{
    const bool free = GImGui->NavDisableHighlight || GImGui->NavId == 0;
    const auto arrow = [free](ImGuiKey key) { return free && ImGui::IsKeyPressed(key) ? 1 : 0; };
    constexpr int kPage = 10;
    const int by = arrow(ImGuiKey_DownArrow) - arrow(ImGuiKey_UpArrow) +
                   kPage * (arrow(ImGuiKey_PageDown) - arrow(ImGuiKey_PageUp));
    list_.move(by);
    bool acted = by != 0;
    for (std::size_t i = 0; i < kErratumKinds; ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false))
        {
            list_.narrow_to(static_cast<ErratumKind>(i));
            acted = true;
        }
    }
    if (ImGui::IsKeyPressed(ImGuiKey_0, false))
    {
        list_.clear();
        acted = true;
    }
    return acted;
}

void ErrataView::keys(const Frame& frame, Out& out)
{
    if (frame.study->errata == nullptr)
    {
        return;
    }
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(key, false); };
    const Erratum* e = chosen(frame);
    const bool find = pressed(ImGuiKey_F);
    const bool list = pressed(ImGuiKey_L);
    const bool other = pressed(ImGuiKey_C);
    if (find)
    {
        list_.find();
    }
    listing_ = find || listing_ != list;
    as_it_is_ = as_it_is_ != other;
    if (e != nullptr && pressed(ImGuiKey_R))
    {
        change(*e, {}, out);
    }
    if (e != nullptr && pressed(ImGuiKey_S))
    {
        show_in_view(frame, *e, out);
    }
    out.animating = list_keys() || find || list || other || out.animating;
}

constexpr std::array kKeys{
    KeyHelp{"\u2191 \u2193", "Choose an erratum; page keys go by ten"},
    KeyHelp{"C", "As claimed, or as it is"},
    KeyHelp{"S", "Show me: the view and scenario where it is seen"},
    KeyHelp{"R", "The sources\u2019 numbers again"},
    KeyHelp{"F", "Find by words"},
    KeyHelp{"1 to 5", "Only one kind: contradiction, wrong, imprecise, ambiguous, lost value"},
    KeyHelp{"0", "All kinds and topics"},
    KeyHelp{"L", "The list, where there is room for one of the two"}};

} // namespace

extern const ViewInfo errata_view;
const ViewInfo errata_view{
    95,
    "errata",
    "Study",
    "Errata",
    "Where do the sources disagree?",
    "Every claim that is wrong, unclear or contradicted, with what is true and both numbers",
    {},
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<ErrataView>()); }};

} // namespace ringside
