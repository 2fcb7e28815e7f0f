// "Draw the curve first": on the empty axes of the view on show a class draws what it expects, one hand after
// another, with mouse, finger or arrow keys; then the engine's curve lies over the hands and each has a score
// in words. Until then the window's figures are hidden. Every chart takes part by itself (CurveBoard); hands
// belong to a curve of a page and stay until the window closes. They go from page to page as text.
#pragma once

#include "core/study/lessons/drawn_hands.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/tween.h"
#include "ui/widgets/charts/curve_board.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace ringside
{

class ClassCurve
{
public:
    // While StageTool::curve is on.
    static bool asks(const Frame& frame);
    // [design px] of the window's height; 0 while nobody draws.
    static float height(const Frame& frame, float wide);
    // Whether the curve has still to come.
    bool hides(const Frame& frame) const;

    // Before anything of a frame is drawn: what the charts of the last one were told becomes points. For the
    // charts of this one; null while nobody draws. `place` is the view or its page.
    CurveBoard* begin(const Frame& frame, std::string_view place, const Look& look, Out& out);
    // At the foot of the picture.
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // True where one was taken.
    bool keys(const Frame& frame, Out& out);
    // The hand that is being drawn; false: there is none, or it is revealed.
    bool take_away(const Frame& frame);

private:
    static constexpr float kNarrow = 620; // [design px] below it there is no ranking
    using Hands = std::vector<DrawnHand>;

    void forget();
    void take_pasted(const Frame& frame);
    void take_stroke();
    void choose(std::size_t chart, std::size_t curve);
    void turn(int by);
    void find_chart();
    void score();
    void lay_out_hands(const Theme& theme);
    const BoardChart* chart() const; // with the hands; null: there is no curve
    std::size_t curves() const;      // of all charts
    Hands& hands();
    std::string name_of(std::size_t hand);
    void put(int column, double height);
    bool move(int along, int up);
    bool keep(); // the hand that is being drawn; false: there is none
    void take_back();
    void reveal(Out& out);
    void draw_head(const Painter& painter, Rect row);
    void draw_buttons(const Painter& painter, Rect row, Out& out);
    void draw_ranking(const Painter& painter, Rect area);
    std::string foot_words(bool narrow);

    CurveBoard board_;
    std::size_t curve_ = 0; // of the board's chosen chart
    bool found_ = false;    // a chart was chosen on this page
    std::string place_;
    std::map<std::string, Hands, std::less<>> boards_; // by page, chart and curve
    std::vector<CurvePoint> drawn_;                    // the hand that is being drawn
    std::array<char, kMostHandName + 1> name_{};       // its name
    CurvePoint last_;                                  // of its stroke
    std::optional<int> column_;                        // the keyboard's
    bool revealed_ = false;
    Tween wipe_;
    std::vector<std::optional<CurveScore>> scores_; // of the hands
    std::vector<std::size_t> order_;                // the nearest first
    std::vector<CurvePoint> scored_with_;
    std::size_t on_show_ = 0; // of the order
    std::int64_t pasted_ = 0;
    bool on_ = false; // in the last frame
    int seen_ = 0;    // frames of this page
};

} // namespace ringside
