// Searches layouts beside the window: threads look, the window asks each frame how far they are. With no
// threads it looks for a moment whenever it is asked, so that tests and pictures come out alike every time.
//
// A view asks only while the answer in the Frame is not for its scenario and limits; until a new search has
// found something the last answer stays on show, veiled, and cannot be pressed.
#pragma once

#include "ui/shell/frame/layouts_frame.h"

#include <memory>

namespace ringside
{

class LayoutSearcher
{
public:
    explicit LayoutSearcher(std::size_t threads = 0);
    LayoutSearcher(const LayoutSearcher&) = delete;
    LayoutSearcher& operator=(const LayoutSearcher&) = delete;
    ~LayoutSearcher(); // stops what is running

    // Starts over where the scenario differs by more than its layout, or the limits do; else goes on.
    void want(const Scenario& scenario, const SearchLimits& limits);
    // How far it is; null before anything was wanted. Valid until the next call. What a thread throws ends
    // the search with a fault in the answer.
    const LayoutAnswer* look();

private:
    struct Work;

    void start(const Scenario& plain, const SearchLimits& limits);
    void look_for_a_moment();

    std::size_t threads_;
    std::unique_ptr<Work> work_;
    LayoutAnswer answer_;
};

} // namespace ringside
