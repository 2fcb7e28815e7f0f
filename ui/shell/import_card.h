// What a launch file came to, over the picture: why it cannot run as written, the guesses to confirm or to
// change, what is not modeled with its price, and where the rest comes from. Closed, a chip in the status
// strip brings it back while a guess is left.
#pragma once

#include "ui/shell/panel/panel.h"

#include <set>

namespace ringside
{

enum class Basis;
class Sheet;
struct ReadField;

// A guess that the user is asked about. A whole model that no file names is one.
struct ImportGuess
{
    std::string path; // "cluster.gpus", "model"
    std::string why;
};

class ImportCard
{
public:
    bool on(const Frame& frame) const;
    void close() { open_ = false; }
    // `area` is that of the picture.
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // At the right end of the strip, which it makes shorter.
    void draw_chip(const Frame& frame, const Painter& painter, Rect& strip);

private:
    // Another file than the last: opens with nothing confirmed.
    void follow(const Frame& frame);
    bool is_settled(const Frame& frame, const ImportGuess& guess) const;
    std::int64_t left(const Frame& frame) const;
    void draw_head(const Frame& frame, const Painter& painter, Rect head, Out& out);
    static void draw_messages(const Frame& frame, Sheet& sheet);
    void draw_guesses(const Frame& frame, Sheet& sheet, Out& out);
    void draw_guess(const Frame& frame, Sheet& sheet, const ImportGuess& guess, Out& out);
    static void draw_settled(const Frame& frame, Sheet& sheet, const ImportGuess& guess);
    static void draw_not_modeled(const Frame& frame, Sheet& sheet);
    void draw_fields(const Frame& frame, Sheet& sheet, Basis from);

    Panel panel_; // its controls
    std::int64_t number_ = 0;
    bool open_ = false;
    std::set<std::string> confirmed_; // paths
    std::set<Basis> unfolded_;
    float height_ = 320; // of what it shows [px], once it has been drawn
};

} // namespace ringside
