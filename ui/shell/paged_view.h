// A view of several pages over one state. A page is a row of functions in its own file; the view lists its
// pages, the first word of its panel turns them, and so does Y.
#pragma once

#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

template <class State>
struct PageRoom
{
    const Frame& frame;
    const Painter& p;
    Rect area;
    State& state;
    Out& out;
};

template <class State>
struct Page
{
    std::string_view tab; // "Rate"
    void (*draw)(const PageRoom<State>& room);
    void (*panel)(PanelColumn& column, const PageRoom<State>& room);
    Caption (*caption)(const Frame& frame, State& state);
    Motion (*motion)(const Frame& frame, State& state) = nullptr; // nothing moves without
    std::string_view title = {};                                  // empty: the view's
};

template <class State>
class PagedView : public View
{
public:
    using Pages = std::initializer_list<const Page<State>*>;

    // `ids` name the pages in the same order, as in ViewInfo::pages.
    PagedView(std::span<const std::string_view> ids, Pages pages) : ids_(ids), pages_(pages)
    {
        for (const Page<State>* each : pages)
        {
            tabs_.push_back(each->tab);
        }
    }

    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        page().draw({frame, painter, area, state_, out});
    }
    Caption caption(const Frame& frame) const override { return page().caption(frame, state_); }
    Motion motion(const Frame& frame) const override
    {
        return page().motion != nullptr ? page().motion(frame, state_) : Motion();
    }
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override
    {
        PanelColumn column(painter, area, out.animating);
        column.choice(Choices(tabs_), at_);
        page().panel(column, {frame, painter, column.rest(), state_, out});
        return true;
    }
    void show(std::string_view page) override { turn_to(at_, ids_, page); }
    std::string_view page_on_show() const override { return ids_[at_]; }
    std::string title(const Frame&) const override { return std::string(page().title); }

protected:
    ViewKey turn_key(std::string_view says) { return {"Y", says, turns(at_, pages_.size())}; }
    const Page<State>& page() const { return *pages_[at_]; }
    // To this page, and from there back to the first.
    void go(const Page<State>& to)
    {
        const auto found = std::ranges::find(pages_, &to);
        at_ = shows(to) || found == pages_.end() ? 0 : static_cast<std::size_t>(found - pages_.begin());
    }
    bool shows(const Page<State>& page) const { return pages_[at_] == &page; }

    // Asks for nothing but what a user did; what follows from it is kept in there, too.
    mutable State state_;

private:
    std::span<const std::string_view> ids_;
    std::vector<const Page<State>*> pages_;
    std::vector<std::string_view> tabs_;
    std::size_t at_ = 0;
};

} // namespace ringside
