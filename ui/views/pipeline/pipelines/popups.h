// The pipelines view's popups: which schedule to add, and a box to paste an order of one's own into.
#pragma once

#include "core/base/result.h"
#include "core/pipeline/notation.h"
#include "ui/widgets/sheet.h"

#include <optional>
#include <string>

namespace ringside
{

inline constexpr const char* kAddPopup = "add";
inline constexpr const char* kPastePopup = "paste a schedule";

// While the popup is open: every schedule with its one line; returns the one chosen.
std::optional<ScheduleKind> add_schedule_popup(const Painter& painter);

// The text of an order, checked as it is typed and simulated when asked for.
class PasteOrder
{
public:
    // While the popup is open; returns the order once it is accepted.
    std::optional<WrittenOrder> draw(const Painter& painter);

private:
    void check();
    void draw_verdict(Sheet& sheet) const;

    std::string text_;
    Issues faults_;
    bool read_ = false;    // faults_ are those of text_
    bool in_vain_ = false; // Ctrl Enter was pressed on a faulty text
    std::optional<WrittenOrder> order_;
};

} // namespace ringside
