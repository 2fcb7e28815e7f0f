// A column of things one below the other, in a scrolled area: hands out rows and remembers how far it came.
#pragma once

#include "ui/widgets/painter.h"

#include <functional>
#include <string>
#include <string_view>

namespace ringside
{

class Sheet
{
public:
    Sheet(const Painter& painter, Rect area) : p(painter), area_(area), y_(area.y) {}

    const Painter& p;

    float x() const { return area_.x; }
    float y() const { return y_; }
    float width() const { return area_.w; }
    void gap(float design) { y_ += p.px(design); }
    Rect row(float design) { return take(p.px(design)); }
    Rect take(float height);
    // Wrapped words with **strong** ones; returns where they stand.
    Rect words(Type plain, Type strong, Colour colour, std::string_view text, float indent = 0);
    // A line with a bullet in front.
    void point(std::string_view text, Colour colour);
    void heading(std::string_view text, std::string_view right = {});

private:
    Rect area_;
    float y_;
};

// A sheet in a child that scrolls: by wheel and Page keys, back to the top for new content.
class ScrolledSheet
{
public:
    // `about` names the content.
    void draw(const Painter& window, Rect area, const std::string& about,
              const std::function<void(Sheet&)>& content);

private:
    std::string about_;
};

// Light *emphasis* and `code` marks taken off; **strong** stays.
std::string without_light_marks(std::string_view text);
// Height of wrapped words.
float words_height(const Painter& painter, float width, Type type, std::string_view text);

} // namespace ringside
