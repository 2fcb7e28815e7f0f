// Sheets in a window of their own: one that scrolls, and one in a popup.
#pragma once

#include "ui/draw/scopes.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

// A sheet in a child that scrolls, with room round it for outlines; its bar stands at the right of `area`.
class ScrolledSheet
{
public:
    // Another `about`: other content, which begins at its top.
    ScrolledSheet(const Painter& window, Rect area, const char* id, std::string_view about = {});
    ~ScrolledSheet();
    ScrolledSheet(const ScrolledSheet&) = delete;
    ScrolledSheet& operator=(const ScrolledSheet&) = delete;

    Sheet* operator->() { return &sheet_; }
    Sheet& operator*() { return sheet_; }
    void page_keys(); // scroll it

private:
    ChildScope child_;
    Painter painter_;
    Rect area_;
    Sheet sheet_;
};

// A sheet in a popup in the middle of the window, as wide as this where there is room. False: it is closed.
class PopupSheet
{
public:
    PopupSheet(const Painter& window, const char* id, float width);
    ~PopupSheet();
    PopupSheet(const PopupSheet&) = delete;
    PopupSheet& operator=(const PopupSheet&) = delete;

    explicit operator bool() const { return static_cast<bool>(popup_); }
    Sheet* operator->() { return &*sheet_; }
    Sheet& operator*() { return *sheet_; }

private:
    StyleScope padding_;
    PopupScope popup_;
    std::optional<Painter> painter_;
    std::optional<Sheet> sheet_;
    float top_ = 0;
};

} // namespace ringside
