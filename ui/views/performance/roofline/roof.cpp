// Rate against arithmetic intensity, both logarithmic: the roofs, what kernels reach of them, and every
// kernel below. Dragging a kernel solves its intensity for the number of rows: the sequence length (powers of
// two that stay valid) in training, the batch in decoding. That of element-wise kernels does not depend on
// it.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/scenario/validate.h"
#include "ui/views/performance/roofline/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

constexpr float kSmallest = 5; // [design px] radius of a kernel that takes no time, and of one that takes all
constexpr float kLargest = 30;

std::string tera_words(double rate)
{
    return rate >= 1e12 ? plain_number(rate / 1e12) + " T" : plain_number(rate / 1e9) + " G";
}

std::string byte_rate_words(double rate)
{
    return rate >= 1e12 ? three_digits(rate / 1e12) + " TB/s" : three_digits(rate / 1e9) + " GB/s";
}

std::string_view pass_words(KernelPass pass)
{
    switch (pass)
    {
    case KernelPass::forward:
        return "forward";
    case KernelPass::input:
        return "backward";
    case KernelPass::weight:
        break;
    }
    return "backward, of the weights";
}

std::string kernel_words(const RooflineSheet& sheet, const RoofPoint& point, ByteUnit unit)
{
    const LayerKernel& k = point.what;
    const Term term = explain_intensity(point);
    const Term roof = explain_attainable(sheet.roofs(), point);
    std::string words =
        fmt::format("{}, {}\n\n{} FLOP, {}\nI = {}\n  = {}\nattainable {}\npredicted {}, {} per launch\n",
                    k.name, pass_words(k.pass), figure(k.flops, 3), format_bytes(Bytes(k.bytes), unit),
                    term.working, intensity_words(term.value), flop_rate_words(roof.value),
                    flop_rate_words(point.rate()), format_seconds(Seconds(k.seconds)));
    words += k.multiplies() ? "\nDrag: more or fewer rows. Click or Enter: its calculation below."
                            : "\nIt cannot be dragged: its intensity does not depend on the number of rows.";
    return words;
}

// The scenario with the sequence length, a power of two, at which a product has about so many rows; itself
// where there is no legal one.
Scenario with_rows(const Scenario& scenario, double rows)
{
    const double tokens = rows * static_cast<double>(scenario.parallel.context) /
                          static_cast<double>(std::max<std::int64_t>(1, scenario.training.micro_batch));
    Scenario best = scenario;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t length = 64; length <= (std::int64_t{1} << 20); length *= 2)
    {
        Scenario next = scenario;
        next.training.sequence_length = length;
        const double off = std::fabs(std::log(static_cast<double>(length) / std::max(tokens, 1.0)));
        if (off < nearest && !has_errors(validate(next)))
        {
            nearest = off;
            best = next;
        }
    }
    return best;
}

// Both axes reach a little beyond what is on them, and never less than two decades beside the ridge.
std::pair<PlotAxis, PlotAxis> axes_of(const RooflineSheet& sheet)
{
    const Roofs& roofs = sheet.roofs();
    double low = 0.5;
    double high = roofs.ridge() * 30;
    double slow = roofs.attainable(low, roofs.peak);
    for (const RoofPoint& point : sheet.points())
    {
        if (point.intensity() > 0)
        {
            low = std::min(low, point.intensity());
            high = std::max(high, point.intensity());
            slow = std::min(slow, std::max(point.rate(), roofs.peak * 1e-7));
        }
    }
    return {{std::max(low / 2, 1e-3), high * 2, PlotScale::log,
             "arithmetic intensity, FLOPs per byte of HBM traffic", plain_number},
            {slow / 3, roofs.peak * 2.5, PlotScale::log, "FLOP/s", tera_words}};
}

enum class RoofPart : std::uint8_t
{
    whole,
    beside_inset, // names of kernels at the ridge are there
    inset
};

bool is_near_ridge(const RoofPoint& point, const Roofs& roofs)
{
    return point.intensity() > roofs.ridge() / 3 && point.rate() > 0;
}

class Roof
{
public:
    Roof(const RooflineRoom& room, Plot& plot, const RooflineSheet& sheet, RoofPart part)
        : frame_(room.frame), p_(room.p), state_(room.state), sheet_(sheet), roofs_(sheet.roofs()),
          plot_(plot), part_(part)
    {
    }

    void draw(Out& out)
    {
        plot_.band_x(plot_.x.low, roofs_.ridge(), with_alpha(memory(), 0.07F));
        plot_.band_x(roofs_.ridge(), plot_.x.high, with_alpha(compute(), 0.07F));
        plot_.rule_x(roofs_.ridge(), {p_.theme.muted, 1, true});
        if (part_ != RoofPart::inset)
        {
            plot_.label({roofs_.ridge(), plot_.y.low},
                        fmt::format("ridge {}", intensity_words(roofs_.ridge())));
        }
        draw_roofs();
        const RoofPoint& chosen = sheet_.chosen(state_);
        if (part_ != RoofPart::inset || plot_.inside(place(chosen)))
        {
            draw_gap(chosen);
        }
        // The smallest are asked first, so that they can be pressed where they lie on others.
        std::vector<const RoofPoint*> order;
        for (const RoofPoint& point : sheet_.points())
        {
            // One of 0 has no place on a logarithmic axis.
            if (point.intensity() > 0 && (part_ != RoofPart::inset || plot_.inside(place(point))))
            {
                order.push_back(&point);
            }
        }
        std::ranges::sort(order, {}, &RoofPoint::seconds);
        for (const RoofPoint* point : order)
        {
            ask(*point, point == &chosen, out);
        }
        std::ranges::reverse(order);
        for (const RoofPoint* point : order)
        {
            plot_.speck(place(*point), look_of(*point, point == &chosen));
        }
    }

private:
    Colour memory() const { return line_colour(p_.theme.of(Component::activations)); }
    Colour compute() const { return line_colour(p_.theme.forward); }

    PlotPoint place(const RoofPoint& point) const { return {point.intensity(), point.rate()}; }

    // Up along the memory's rate, then level.
    void draw_roof(double rate, double peak, bool reached, const std::string& words)
    {
        const PlotPoint ridge{peak / rate, peak};
        const double from = std::min(plot_.x.low, ridge.x / 2);
        const float thickness = reached ? 1.5F : 3.0F;
        const float alpha = reached ? 0.8F : 1.0F;
        plot_.line({{from, from * rate}, ridge}, {with_alpha(memory(), alpha), thickness, reached});
        plot_.line({ridge, {plot_.x.high, peak}}, {with_alpha(compute(), alpha), thickness, reached},
                   part_ == RoofPart::inset ? "" : words);
        if (!reached && part_ != RoofPart::inset)
        {
            // Half-way up, where nothing else is.
            const double half = std::sqrt(plot_.x.low * ridge.x);
            plot_.label({half, half * rate}, byte_rate_words(rate) + " HBM");
        }
    }

    void draw_roofs()
    {
        const bool eight = roofs_.half_peak < roofs_.peak;
        draw_roof(roofs_.hbm * roofs_.hbm_share, roofs_.peak * roofs_.product_share, true,
                  format_percent(roofs_.product_share) + " in full waves");
        if (eight)
        {
            plot_.line({{roofs_.half_peak / roofs_.hbm, roofs_.half_peak}, {plot_.x.high, roofs_.half_peak}},
                       {compute(), 2.5F}, flop_rate_words(roofs_.half_peak) + ", 16-bit");
        }
        draw_roof(roofs_.hbm, roofs_.peak, false,
                  flop_rate_words(roofs_.peak) + (eight ? ", 8-bit" : " dense"));
    }

    // A product's rows follow its intensity: the sequence's length in training, the batch in decoding.
    void move(const RoofPoint& point, const Press& pressed, Out& out)
    {
        const Product& product = point.what.product;
        const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
        const bool dragged = pressed.held && ImGui::IsMouseDragging(0, 1);
        if (point.what.kind != KernelKind::product || (!dragged && steps == 0))
        {
            return;
        }
        double rows = tokens() * std::pow(2.0, steps);
        if (dragged)
        {
            // In the gradient of a weight the tokens are summed over.
            const bool inner = point.what.pass == KernelPass::weight;
            const double intensity = plot_.x_of(ImGui::GetIO().MousePos.x);
            const auto wanted =
                inner ? inner_at_intensity(intensity, product.rows, product.cols, point.what.operand)
                      : rows_at_intensity(intensity, product.cols, product.inner, point.what.operand);
            rows = wanted ? tokens() * *wanted / (inner ? product.inner : product.rows) : kRooflineRows.high;
        }
        set_tokens(rows, dragged, out);
    }

    double tokens() const
    {
        const Training& t = frame_.now.scenario.training;
        return state_.work == RooflineWork::decode
                   ? static_cast<double>(state_.batch)
                   : static_cast<double>(t.micro_batch) * static_cast<double>(t.sequence_length) /
                         static_cast<double>(frame_.now.scenario.parallel.context);
    }

    void set_tokens(double rows, bool dragging, Out& out)
    {
        out.animating = true;
        if (state_.work == RooflineWork::decode)
        {
            state_.batch = std::llround(kRooflineBatch.clamped(rows));
            return;
        }
        Scenario next = with_rows(frame_.now.scenario, rows);
        if (!(next == frame_.now.scenario))
        {
            out.push(ChangeScenario{std::move(next), dragging});
        }
    }

    // From the chosen kernel up to its roof: what it leaves.
    void draw_gap(const RoofPoint& point)
    {
        const PlotPoint here = place(point);
        const PlotPoint roof{here.x, roofs_.attainable(point.intensity(), point.what.peak)};
        plot_.line({here, roof}, {p_.theme.text, 1.5F, true});
        plot_.speck(roof, {p_.theme.text, 3});
        plot_.line({{here.x, plot_.y.low}, here}, {with_alpha(p_.theme.text, 0.35F), 1, true});
    }

    PlotDot look_of(const RoofPoint& point, bool chosen) const
    {
        const Theme& t = p_.theme;
        const Colour fill = point.what.pass == KernelPass::forward ? t.forward.fill
                            : point.what.pass == KernelPass::input ? t.backward_input.fill
                                                                   : t.backward_weight.fill;
        const double share = sheet_.seconds() > 0 ? point.seconds() / sheet_.seconds() : 0;
        const float radius = kSmallest + (kLargest - kSmallest) * static_cast<float>(std::sqrt(share));
        const PlotShape shape = point.what.kind == KernelKind::product     ? PlotShape::disc
                                : point.what.kind == KernelKind::attention ? PlotShape::diamond
                                                                           : PlotShape::ring;
        return {with_alpha(fill, chosen ? 1.0F : 0.8F), radius, shape, chosen};
    }

    void ask(const RoofPoint& point, bool chosen, Out& out)
    {
        const float radius = look_of(point, chosen).radius;
        const Press pressed =
            plot_.ask(place(point), radius,
                      fmt::format("###{}kernel {} {}", part_ == RoofPart::inset ? "near " : "",
                                  point.what.name, pass_words(point.what.pass)),
                      kernel_words(sheet_, point, p_.look.unit));
        if (part_ != RoofPart::beside_inset || !is_near_ridge(point, roofs_))
        {
            plot_.label(place(point), std::string(point.what.name), chosen, radius + 5);
        }
        if (pressed.clicked || (pressed.held && ImGui::IsMouseDragging(0, 1)))
        {
            state_.chosen = point.what.name;
            state_.pass = point.what.pass;
            out.animating = true;
        }
        move(point, pressed, out);
    }

    const Frame& frame_;
    const Painter& p_;
    RooflineState& state_;
    const RooflineSheet& sheet_;
    const Roofs& roofs_;
    Plot& plot_;
    RoofPart part_;
};

// The corner below the roof that stays empty; without a width where it is too small for a chart.
Rect inset_of(const Painter& p, const Plot& plot, const RooflineSheet& sheet)
{
    constexpr double kLeft = 1.0 / 16; // of the ridge
    const Roofs& roofs = sheet.roofs();
    const auto crowd = std::ranges::count_if(sheet.points(), [&](const RoofPoint& point)
                                             { return is_near_ridge(point, roofs); });
    const float x = plot.at_x(roofs.ridge() * kLeft);
    const float y = plot.at_y(roofs.peak * kLeft / 4);
    const Rect corner{x, y, plot.area.right() - p.px(8) - x, plot.area.bottom() - p.px(32) - y};
    return crowd >= 3 && corner.w >= p.px(280) && corner.h >= p.px(160) ? corner : Rect{};
}

// The kernels at the ridge on a larger scale.
void draw_inset(const RooflineRoom& r, Rect corner, const RooflineSheet& sheet)
{
    const Roofs& roofs = sheet.roofs();
    double high = roofs.ridge();
    double slow = roofs.peak;
    for (const RoofPoint& point : sheet.points())
    {
        if (is_near_ridge(point, roofs))
        {
            high = std::max(high, point.intensity());
            slow = std::min(slow, point.rate());
        }
    }
    r.p.fill(corner, r.p.theme.window);
    r.p.outline(corner, r.p.theme.line);
    Plot plot(r.p, corner.inset(r.p.px(8)),
              {roofs.ridge() / 3, high * 1.5, PlotScale::log, "FLOPs per byte, at the ridge", plain_number},
              {slow / 1.3, roofs.peak * 1.3, PlotScale::log, "FLOP/s", tera_words}, {.enlarges = true});
    if (plot)
    {
        Roof(r, plot, sheet, RoofPart::inset).draw(r.out);
    }
}

void draw_roof(const RooflineRoom& r)
{
    const RooflineSheet& sheet = r.state.kernels(r.frame);
    const auto [intensity, rate] = axes_of(sheet);
    Plot plot(r.p, r.area, intensity, rate, {.part = "roof", .names = 140});
    if (!plot)
    {
        return;
    }
    const Rect inset = inset_of(r.p, plot, sheet);
    Roof(r, plot, sheet, inset.w > 0 ? RoofPart::beside_inset : RoofPart::whole).draw(r.out);
    if (inset.w > 0)
    {
        draw_inset(r, inset, sheet);
    }
}

void draw_kernel(PanelColumn& column, const RoofPoint& point, const RooflineSheet& sheet, ByteUnit unit)
{
    const LayerKernel& k = point.what;
    const Roofs& roofs = sheet.roofs();
    column.heading(k.name);
    column.fact("FLOPs", figure(k.flops, 3), "Of one launch; the launches per step are in its share");
    column.fact("Bytes", format_bytes(Bytes(k.bytes), unit), "Operands and result, each moved once");
    column.fact("Arithmetic intensity", intensity_words(point.intensity()), explain_intensity(point).working);
    column.fact("Attainable", flop_rate_words(roofs.attainable(point.intensity(), k.peak)),
                explain_attainable(roofs, point).working);
    column.fact("Predicted", flop_rate_words(point.rate()),
                "By the step-time model: tiles, waves and what kernels reach on this GPU");
    column.fact("Share of layer time",
                format_percent(sheet.seconds() > 0 ? point.seconds() / sheet.seconds() : 0),
                "Of one layer's kernels in a step, with its share of logits and loss; launch overhead, "
                "communication and host left out");
    if (k.kind == KernelKind::product && k.pass != KernelPass::weight)
    {
        const auto rows =
            rows_at_intensity(roofs.ridge_of(k.peak), k.product.cols, k.product.inner, k.operand);
        column.fact("Compute-bound from",
                    rows ? fmt::format("{} rows", plain_number(std::ceil(*rows))) : "never",
                    "M = R e K N / (2 N K \u2212 R (e K + 2 N)) with R the ridge: with fewer rows the bytes "
                    "of the weight dominate");
    }
}

void panel_roof(PanelColumn& column, const RooflineRoom& r)
{
    column.choice(kRooflineWorks, r.state.work);
    if (r.state.work == RooflineWork::decode)
    {
        column.slide("Batch size (sequences)", kRooflineBatch, r.state.batch);
    }
    const RooflineSheet& sheet = r.state.kernels(r.frame);
    draw_kernel(column, sheet.chosen(r.state), sheet, r.p.look.unit);
}

Caption caption_roof(const Frame& frame, RooflineState& state)
{
    const RooflineSheet& sheet = state.kernels(frame);
    const RoofPoint& point = sheet.chosen(state);
    const Roofs& roofs = sheet.roofs();
    const Term term = explain_intensity(point);
    const Term roof = explain_attainable(roofs, point);
    const double ridge = roofs.ridge_of(point.what.peak);
    const bool memory = bound_of(roofs, point) == Bound::memory;
    Caption c;
    c.sentence =
        fmt::format("**{}**: {}, {} the ridge at {}, so **{}**, at {} of the roof.", point.what.name,
                    intensity_words(point.intensity()), memory ? "left of" : "right of", three_digits(ridge),
                    memory ? "memory-bound" : "compute-bound", format_percent(point.rate() / roof.value));
    c.formula = fmt::format("I = {} = {};  min({}, I \u00d7 {}) = {}", term.formula, three_digits(term.value),
                            flop_rate_words(point.what.peak), byte_rate_words(roofs.hbm),
                            flop_rate_words(roof.value));
    c.source = fmt::format("I = {} = {}\nroof = {} = {}\n{}", term.working, intensity_words(term.value),
                           roof.working, flop_rate_words(roof.value), term.source);
    return c;
}

} // namespace

const Page<RooflineState> roof_page{"Roofline", draw_roof, panel_roof, caption_roof};

} // namespace ringside
