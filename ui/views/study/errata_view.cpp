// Where the sources disagree: every erratum with its claim, what is true, and the engine's numbers of both.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/view.h"
#include "ui/views/study/errata/parts.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/list_detail.h"

namespace ringside
{

namespace
{

class ErrataView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;

private:
    using Numbers = std::tuple<const ErrataFrame*, std::string, DrawnValues>; // of an erratum, by its id

    // The chosen one, with the list as it is narrowed now; null where there is none.
    const Erratum* chosen(const Frame& frame) const;
    Calculator& calculator(const Frame& frame) const;
    const DrawnValues& overrides(const Erratum& erratum) const;
    const Result<ErratumRun>& run(const Frame& frame, const Erratum& erratum) const;
    void change(const Erratum& erratum, DrawnValues values, Out& out);
    void show_in_view(const Frame& frame, const Erratum& erratum, Out& out) const;
    void draw_detail(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void draw_row(const Painter& painter, Rect row, const Erratum& erratum, bool chosen, bool hovered) const;
    void show_all(Out& out);

    mutable ListDetail list_{{"errata", "Find (F)"}};
    mutable std::vector<const Erratum*> rows_;
    ErrataFilter filter_;
    ErrataDetail detail_;
    ErrataNumbers numbers_;
    std::map<std::string, DrawnValues> moved_; // overrides by id of the erratum
    bool as_it_is_ = true;
    mutable std::optional<Calculator> calculator_;
    Derived<Numbers, Result<ErratumRun>> run_;
};

const Erratum* ErrataView::chosen(const Frame& frame) const
{
    rows_.clear();
    std::vector<ListRow> rows;
    if (frame.study->errata != nullptr)
    {
        for (const Erratum& e : frame.study->errata->errata)
        {
            if (filter_.lets_through(e, list_.query()))
            {
                rows_.push_back(&e);
                rows.push_back({e.id, fmt::format("{}###erratum {}", e.title, e.id)});
            }
        }
    }
    list_.list(std::move(rows));
    return rows_.empty() ? nullptr : rows_[list_.at()];
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
    return run_.of({frame.study->errata, erratum.id, values},
                   [&](const Numbers&) { return run_erratum(calculator(frame), erratum, values); });
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

std::vector<std::string> ErrataView::facts(const Frame& frame) const
{
    if (frame.study->errata == nullptr)
    {
        return {};
    }
    chosen(frame);
    const std::size_t all = frame.study->errata->errata.size();
    return {list_.count() == all ? fmt::format("{} misconceptions", all)
                                 : fmt::format("{} of {} misconceptions", list_.count(), all),
            list_.place()};
}

Caption ErrataView::caption(const Frame& frame) const
{
    const Erratum* e = chosen(frame);
    if (e == nullptr)
    {
        return {};
    }
    const ErratumNumber* n = ShownErratum{*e, run(frame, *e), as_it_is_}.number();
    if (n == nullptr)
    {
        return {fmt::format("**{}**: a matter of words, not of a number.", e->title), "", ""};
    }
    return {fmt::format("{}: **{}**. {}.", as_it_is_ ? "What is true" : "Often said", n->text, n->says),
            working_of(*n), ""};
}

void ErrataView::show_all(Out& out)
{
    filter_.clear();
    list_.clear();
    list_.follow();
    out.animating = true;
}

void ErrataView::draw_detail(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const Erratum* e = chosen(frame);
    if (e != nullptr && detail_.draw(frame, p, area, {*e, run(frame, *e), as_it_is_}, out))
    {
        as_it_is_ = !as_it_is_;
        out.animating = true;
    }
}

void ErrataView::draw_row(const Painter& p, Rect row, const Erratum& e, bool chosen, bool hovered) const
{
    list_row(p, row, chosen, hovered);
    draw_mark(p, {row.x + p.px(20), row.middle()}, e.kind, chosen || hovered ? p.theme.text : p.theme.muted);
    row.cut_left(p.px(38));
    p.text_within(row.x, row.middle(), row.w - p.px(6), chosen ? Type::small_strong : Type::small,
                  p.theme.text, e.title);
}

void ErrataView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const ErrataFrame* gallery = frame.study->errata;
    if (gallery == nullptr || gallery->errata.empty())
    {
        empty_state(p, area,
                    fmt::format("No misconceptions found in {}",
                                gallery == nullptr ? "study/errata.json of the assets" : gallery->file),
                    "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them; ringside "
                    "check names what is wrong in a file.");
        return;
    }
    chosen(frame);
    ListParts parts;
    parts.row = [&](const Painter& in, Rect row, std::size_t i, bool chosen, bool hovered)
    { draw_row(in, row, *rows_[i], chosen, hovered); };
    parts.detail = [&](Rect detail) { draw_detail(frame, p, detail, out); };
    parts.filters = [&](Rect& room)
    {
        if (filter_.draw(p, room, *gallery))
        {
            list_.follow();
        }
    };
    parts.none = [&](Rect room)
    {
        if (empty_state(p, room, "", "Nothing matches. Try fewer letters, or all kinds and topics.",
                        "Show all###all errata", "0"))
        {
            show_all(out);
        }
    };
    out.animating = list_.draw(p, area, frame.preferences.presenter, parts).changed || out.animating;
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

void ErrataView::on_keys(const Frame& frame, Out& out)
{
    if (frame.study->errata != nullptr)
    {
        View::on_keys(frame, out);
        chosen(frame);
        out.animating = list_.keys() || out.animating;
    }
}

ViewKeys ErrataView::keys()
{
    const auto narrow = [this](const KeyPress& k)
    {
        filter_.narrow_to(static_cast<ErratumKind>(k.which));
        list_.follow();
    };
    const auto reset = [this](const KeyPress& k)
    {
        const Erratum* e = chosen(k.frame);
        e == nullptr ? void() : change(*e, {}, k.out);
    };
    const auto show = [this](const KeyPress& k)
    {
        const Erratum* e = chosen(k.frame);
        e == nullptr ? void() : show_in_view(k.frame, *e, k.out);
    };
    return {{"\u2191 \u2193", "Choose a misconception; page keys move by ten"},
            {"C", "Often said, or what is true", flips(as_it_is_)},
            {"S", "Show me: the view and scenario where it is seen", show},
            {"R", "The claim\u2019s own numbers again", reset},
            {"F", "Find by words", [this] { list_.find(); }},
            {"1 to 5", "Only one kind: contradiction, wrong, imprecise, ambiguous, lost value", narrow},
            {"0", "All kinds and topics", [this](const KeyPress& k) { show_all(k.out); }},
            {"L", "The list, where there is room for one of the two", [this] { list_.turn(); }}};
}

} // namespace

extern const ViewInfo errata_view{60,
                                  "errata",
                                  ViewGroup::study,
                                  "Misconceptions",
                                  "Misconceptions",
                                  "What is often said, what is true, why, and how to find out",
                                  {},
                                  make_view<ErrataView>};

} // namespace ringside
