// One continuous zoom over the scenario, from the whole cluster to one bit of one number. The clock is the
// height: playing goes down, and wheel, keys and the list of heights move the clock.
//
// What is drawn follows the clock so fast that nothing in sight jumps; with reduced motion it is there at
// once.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/overview/zoom/sight.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kHeights> kZoomPages{
    "zoom/cluster", "zoom/node", "zoom/gpu",  "zoom/lane",   "zoom/forward", "zoom/layer",
    "zoom/gemm",    "zoom/tile", "zoom/step", "zoom/number", "zoom/bit"};
constexpr std::array<std::string_view, kHeights> kZoomTitles{
    "",          "Inside one node", "One GPU",  "One lane of the pipeline", "One forward pass",
    "One layer", "One GEMM",        "One tile", "One tensor-core step",     "One number",
    "One bit"}; // the view's own comes first
constexpr double kDeepest = static_cast<double>(kHeights - 1);
constexpr double kHeightsPerSecond = 0.2;
constexpr double kTimesByClick = 1.5; // of what is in sight, by a click of the wheel
constexpr double kMostWay = 0.02;     // [windows] of anything in sight from one frame to the next
constexpr double kFrameSeconds = 1.0 / 60;

class ZoomView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    Motion motion(const Frame& frame) const override;
    ViewKeys keys() override;
    void show(std::string_view page) override;
    std::string_view page_on_show() const override { return kZoomPages.at(level_); }
    std::string title(const Frame&) const override { return std::string(kZoomTitles.at(level_)); }

private:
    const ZoomScenario& known(const Frame& frame) const;
    double follow(const Frame& frame, const Look& look, const ZoomPath& path, Out& out);
    void steer(const Frame& frame, const Painter& painter, Rect window, const ZoomPath& path, Out& out) const;
    void draw_head(const Frame& frame, const Painter& painter, Rect row, Out& out) const;
    void open(Out& out) const { out.push(OpenView{std::string(explained_by(static_cast<Height>(level_)))}); }

    Derived<Scenario, ZoomScenario> known_;
    std::size_t level_ = 0; // the nearest to the clock
    double rest_ = 0;
    std::optional<double> shown_; // height that was drawn last
    double clock_ = 0;
    double ratio_ = 0.6; // of the window that was drawn last
};

double clamped_height(double height)
{
    return std::clamp(height, 0.0, kDeepest);
}

std::size_t nearest_level(double height)
{
    return static_cast<std::size_t>(std::lround(clamped_height(height)));
}

const ZoomScenario& ZoomView::known(const Frame& frame) const
{
    return known_.of(frame.now.scenario,
                     [&](const Scenario& s) { return ZoomScenario(s, frame.now.report); });
}

// Towards the clock, at most so far that nothing in sight jumps.
double ZoomView::follow(const Frame& frame, const Look& look, const ZoomPath& path, Out& out)
{
    const double target = clamped_height(frame.playback.t);
    const double passed = std::clamp((frame.clock - clock_) / kFrameSeconds, 0.0, 1.0);
    clock_ = frame.clock;
    const double from = shown_.value_or(target);
    shown_ = look.reduced_motion ? target : path.towards(from, target, kMostWay * passed);
    out.animating = out.animating || *shown_ != target;
    return *shown_;
}

void ZoomView::steer(const Frame& frame, const Painter& painter, Rect window, const ZoomPath& path,
                     Out& out) const
{
    const ImGuiIO& io = ImGui::GetIO();
    if (!painter.points_in(window) || ImGui::IsAnyItemActive())
    {
        return;
    }
    const double target = clamped_height(frame.playback.t);
    if (io.MouseWheel != 0)
    {
        out.push(Seek{path.magnified(target, std::pow(kTimesByClick, static_cast<double>(io.MouseWheel)))});
    }
    else if (ImGui::IsMouseReleased(0) && window.contains(io.MouseClickedPos[0]) &&
             !ImGui::IsAnyItemHovered() && io.MouseDragMaxDistanceSqr[0] < painter.px(6) * painter.px(6))
    {
        out.push(Play{false});
        out.push(Seek{std::min(kDeepest, std::floor(target + 0.5) + 1)});
    }
}

void ZoomView::draw_head(const Frame& frame, const Painter& p, Rect row, Out& out) const
{
    const auto height = static_cast<Height>(level_);
    const ViewInfo* to = find_view(explained_by(height));
    const std::string label = fmt::format("Open {}###open height", to->title);
    const std::string_view words = std::string_view(label).substr(0, label.find("##"));
    const float w = std::min(row.w, p.width(Type::small_strong, words) + p.px(56));
    if (button(p, row.cut_right(w), label.c_str(), "O"))
    {
        open(out);
    }
    tooltip(p, to->description);
    row.cut_right(p.px(16));
    const std::string all = zoom_heading(known(frame), frame, height);
    const std::string name = all.substr(0, all.find(", "));
    const bool whole = p.width(Type::body_strong, all) <= row.w;
    if (row.w > p.width(Type::body_strong, name))
    {
        p.text(row.x, row.middle(), Type::body_strong, p.theme.text, whole ? all : name);
    }
}

void ZoomView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const ZoomScenario& scenario = known(frame);
    const std::size_t level = nearest_level(frame.playback.t);
    out.animating = out.animating || level != level_; // the title above is drawn before
    level_ = level;
    const bool roomy = area.h > painter.px(190);
    if (roomy)
    {
        draw_head(frame, painter, area.cut_top(painter.px(34)), out);
        area.cut_top(painter.px(8));
    }
    const bool laddered = area.w > painter.px(520) && area.h > painter.px(230);
    const Rect ladder = laddered ? area.cut_left(painter.px(158)) : Rect{};
    area.cut_left(laddered ? painter.px(8) : 0);
    const Rect scales = roomy && area.w > painter.px(300) ? area.cut_bottom(painter.px(40)) : Rect{};
    area.cut_bottom(scales.h > 0 ? painter.px(8) : 0);
    if (area.w < 8 || area.h < 8)
    {
        return;
    }
    ratio_ = static_cast<double>(area.h) / static_cast<double>(area.w);
    const ZoomLayout layout(scenario.heights, scenario.timeline(), ratio_);
    const ZoomPath path(layout.frames(), ratio_);
    steer(frame, painter, area, path, out);
    const double height = follow(frame, painter.look, path, out);
    ZoomSight sight{frame, painter, scenario, scenario.heights, layout, path, area, height};
    painter.list.PushClipRect(area.min(), area.max(), true);
    painter.fill(area, painter.theme.window);
    sight.draw();
    sight.write_notes();
    painter.list.PopClipRect();
    painter.outline(area, painter.theme.line);
    painter.part("zoom", area);
    if (laddered)
    {
        if (const auto pressed = draw_ladder(sight, ladder, nearest_level(height)))
        {
            out.push(Play{false});
            out.push(Seek{static_cast<double>(*pressed)});
        }
    }
    if (scales.h > 0)
    {
        draw_scales(sight, scales);
    }
}

Caption ZoomView::caption(const Frame& frame) const
{
    return zoom_caption(known(frame), frame, static_cast<Height>(nearest_level(frame.playback.t)));
}

Motion ZoomView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = kDeepest;
    motion.per_second = kHeightsPerSecond;
    motion.rest = rest_;
    // The name would move the track's end while it is dragged; it stands above the picture.
    motion.label = fmt::format("height {}/{}", nearest_level(frame.playback.t) + 1, kHeights);
    return motion;
}

ViewKeys ZoomView::keys()
{
    return {{"PgDn PgUp", "The next height down, or up",
             [](const KeyPress& k)
             {
                 const double t = clamped_height(k.frame.playback.t);
                 k.out.push(Play{false});
                 k.out.push(Seek{k.which == 0 ? std::min(kDeepest, std::floor(t + 0.01) + 1)
                                              : std::max(0.0, std::ceil(t - 0.01) - 1)});
             },
             true},
            {"wheel", "Zoom in or out"},
            {"click", "The next height down"},
            {"O", "The view that explains this height", [this](const KeyPress& k) { open(k.out); }}};
}

void ZoomView::show(std::string_view page)
{
    turn_to(level_, kZoomPages, page);
    const auto at = static_cast<double>(level_);
    rest_ = rest_ == at ? at + 1e-9 : at; // the clock goes where it rests when that changes
    shown_.reset();
}

} // namespace

extern const ViewInfo zoom_view{20,
                                "zoom",
                                ViewGroup::overview,
                                "Zoom",
                                "From the cluster to one bit",
                                "One continuous zoom: cluster, node, GPU, pipeline lane, layer, GEMM, tile, "
                                "tensor-core step, number, bit",
                                {"model", "gpus", "tensor", "pipeline", "micro_batches"},
                                make_view<ZoomView>,
                                kZoomPages};

} // namespace ringside
