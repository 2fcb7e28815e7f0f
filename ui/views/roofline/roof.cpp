#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/roofline/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

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

// Both axes reach a little beyond what is on them, and never less than two decades beside the ridge.
Chart chart_of(const Painter& p, Rect area, const RooflineSheet& sheet)
{
    const Roofs& roofs = sheet.roofs();
    Chart c = chart_in(p, area, std::max(p.px(60), p.width(Type::mono_small, "0 000 T") + p.px(12)));
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
    c.x = {std::max(low / 2, 1e-3), high * 2, true};
    c.y = {slow / 3, roofs.peak * 2.5, true};
    return c;
}

class Roof
{
public:
    Roof(const Frame& frame, const Painter& painter, Rect area, RooflineState& state,
         const RooflineSheet& sheet)
        : frame_(frame), p_(painter), state_(state), sheet_(sheet), roofs_(sheet.roofs()),
          c_(chart_of(painter, area, sheet)), labels_(c_.area)
    {
        for (const RoofPoint& point : sheet.points())
        {
            order_.push_back(&point);
        }
        std::sort(order_.begin(), order_.end(),
                  [](const RoofPoint* a, const RoofPoint* b) { return a->seconds() < b->seconds(); });
    }

    void draw(Out& out)
    {
        if (c_.area.h < p_.px(2 * kLargest)) // less than a kernel may take
        {
            return;
        }
        p_.part("roof", c_.area);
        draw_sides();
        draw_chart_x(p_, c_, "intensity: FLOP for each byte of the GPU's memory",
                     [](double v) { return plain_number(v); });
        draw_chart_y(p_, c_, "FLOP/s", tera_words);
        draw_roofs();
        // The smallest are asked first, so that they can be pressed where they lie on others.
        for (const RoofPoint* point : order_)
        {
            ask(*point, out);
        }
        const RoofPoint& chosen = sheet_.chosen(state_);
        draw_gap(chosen);
        for (auto point = order_.rbegin(); point != order_.rend(); ++point)
        {
            draw_point(**point, *point == &chosen);
        }
        name_points(chosen);
    }

private:
    Colour memory() const { return line_colour(p_.theme.of(Component::activations)); }
    Colour compute() const { return line_colour(p_.theme.forward); }

    ImVec2 place(const RoofPoint& point) const
    {
        return c_.at(std::max(point.intensity(), c_.x.low), std::max(point.rate(), c_.y.low));
    }

    float radius(const RoofPoint& point) const
    {
        const double share = sheet_.seconds() > 0 ? point.seconds() / sheet_.seconds() : 0;
        return p_.px(kSmallest + (kLargest - kSmallest) * static_cast<float>(std::sqrt(share)));
    }

    // Left of the ridge memory binds, right of it the tensor cores do.
    void draw_sides() const
    {
        const float x = c_.at_x(roofs_.ridge());
        p_.fill({c_.area.x, c_.area.y, x - c_.area.x, c_.area.h}, with_alpha(memory(), 0.07F));
        p_.fill({x, c_.area.y, c_.area.right() - x, c_.area.h}, with_alpha(compute(), 0.07F));
        p_.dashed(x, c_.area.y, x, c_.area.bottom(), p_.theme.muted);
    }

    void draw_diagonal(double rate, double until, Colour colour, float thickness) const
    {
        const std::array<ImVec2, 2> line{ImVec2{c_.at_x(c_.x.low), c_.at_y(c_.x.low * rate)},
                                         ImVec2{c_.at_x(until / rate), c_.at_y(until)}};
        p_.list.PushClipRect(c_.area.min(), c_.area.max(), true);
        if (thickness > 2)
        {
            p_.list.AddPolyline(line.data(), 2, colour, 0, p_.px(thickness));
        }
        else
        {
            p_.dashed(line[0].x, line[0].y, line[1].x, line[1].y, colour, p_.px(thickness));
        }
        p_.list.PopClipRect();
    }

    void draw_flat(double peak, double slope, Colour colour, float thickness) const
    {
        const float from = std::max(c_.area.x, c_.at_x(peak / slope));
        const float y = c_.at_y(peak);
        thickness > 2 ? p_.line(from, y, c_.area.right(), y, colour, p_.px(thickness))
                      : p_.dashed(from, y, c_.area.right(), y, colour, p_.px(thickness));
    }

    void draw_roofs()
    {
        const double reached = roofs_.hbm * roofs_.hbm_share;
        draw_diagonal(reached, roofs_.peak * roofs_.product_share, with_alpha(memory(), 0.8F), 1.5F);
        draw_flat(roofs_.peak * roofs_.product_share, reached, with_alpha(compute(), 0.8F), 1.5F);
        if (roofs_.half_peak < roofs_.peak)
        {
            draw_flat(roofs_.half_peak, roofs_.hbm, compute(), 2.5F);
        }
        draw_diagonal(roofs_.hbm, roofs_.peak, memory(), 3);
        draw_flat(roofs_.peak, roofs_.hbm, compute(), 3);
        name_roofs();
    }

    void say(float right, float middle, Colour colour, const std::string& words)
    {
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        const Rect r{right - w, middle - p_.height(Type::small_strong) / 2, w, p_.height(Type::small_strong)};
        if (r.x < c_.area.x || r.y < c_.area.y)
        {
            return;
        }
        p_.fill(r, with_alpha(p_.theme.window, 0.8F), p_.px(3));
        p_.text(r.x + p_.px(4), r.middle(), Type::small_strong, colour, words);
        labels_.take(r);
    }

    void name_roofs()
    {
        const float line = p_.height(Type::small_strong);
        const float right = c_.area.right() - p_.px(2);
        const bool eight = roofs_.half_peak < roofs_.peak;
        say(right, c_.at_y(roofs_.peak) - line * 0.75F, p_.theme.text,
            fmt::format("{} dense{}", flop_rate_words(roofs_.peak), eight ? ", 8 bit" : ""));
        if (eight)
        {
            say(right, c_.at_y(roofs_.half_peak) - line * 0.75F, p_.theme.text,
                flop_rate_words(roofs_.half_peak) + ", 16 bit");
        }
        const double at = c_.x.at(0.30);
        const double rate = at * roofs_.hbm;
        if (rate < roofs_.peak)
        {
            say(c_.at_x(at) - p_.px(10), c_.at_y(rate) - line * 0.4F, p_.theme.text,
                byte_rate_words(roofs_.hbm));
        }
        const std::string ridge = fmt::format("ridge {}", intensity_words(roofs_.ridge()));
        const float w = p_.width(Type::small, ridge) + p_.px(8);
        const float x = std::min(c_.at_x(roofs_.ridge()) + p_.px(6), c_.area.right() - w);
        const Rect r{x, c_.area.bottom() - line * 1.4F, w, line};
        p_.text(r.x, r.middle(), Type::small, p_.theme.muted, ridge);
        labels_.take(r);
    }

    Colour colour(const RoofPoint& point) const
    {
        const Theme& t = p_.theme;
        return point.what.pass == KernelPass::forward ? t.forward.fill
               : point.what.pass == KernelPass::input ? t.backward_input.fill
                                                      : t.backward_weight.fill;
    }

    static std::string id_of(const RoofPoint& point)
    {
        return fmt::format("###kernel {} {}", point.what.name, pass_words(point.what.pass));
    }

    void ask(const RoofPoint& point, Out& out)
    {
        const ImVec2 at = place(point);
        const float reach = std::max(p_.px(11), radius(point));
        const Press pressed =
            press(p_, {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, id_of(point).c_str(), 11);
        labels_.take({at.x - radius(point), at.y - radius(point), 2 * radius(point), 2 * radius(point)});
        if (!pressed.held)
        {
            tooltip(p_, kernel_words(sheet_, point, p_.look.unit));
        }
        hovered_ = pressed.hovered ? &point : hovered_;
        if (pressed.clicked || (pressed.held && ImGui::IsMouseDragging(0, 1)))
        {
            state_.chosen = point.what.name;
            state_.pass = point.what.pass;
            out.animating = true;
        }
        move(point, pressed, out);
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
            const double intensity = c_.x_of(ImGui::GetIO().MousePos.x);
            const auto wanted =
                inner ? inner_at_intensity(intensity, product.rows, product.cols, point.what.operand)
                      : rows_at_intensity(intensity, product.cols, product.inner, point.what.operand);
            rows = wanted ? tokens() * *wanted / (inner ? product.inner : product.rows) : kRooflineRows.most;
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
            state_.batch = std::llround(kRooflineBatch.held(rows));
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
        const ImVec2 at = place(point);
        const double roof = roofs_.attainable(point.intensity(), point.what.peak);
        const float y = std::max(c_.area.y, c_.at_y(roof));
        p_.dashed(at.x, at.y, at.x, y, p_.theme.text, p_.px(1.5F));
        p_.list.AddCircleFilled({at.x, y}, p_.px(3), p_.theme.text);
        p_.dashed(at.x, at.y, at.x, c_.area.bottom(), with_alpha(p_.theme.text, 0.35F));
    }

    void draw_point(const RoofPoint& point, bool chosen) const
    {
        const ImVec2 at = place(point);
        const float r = radius(point);
        const bool lit = chosen || hovered_ == &point;
        const Colour fill = with_alpha(colour(point), lit ? 1.0F : 0.8F);
        switch (point.what.kind)
        {
        case KernelKind::product:
            p_.list.AddCircleFilled(at, r, fill);
            break;
        case KernelKind::attention:
            p_.list.AddQuadFilled({at.x, at.y - r * 1.2F}, {at.x + r * 1.2F, at.y}, {at.x, at.y + r * 1.2F},
                                  {at.x - r * 1.2F, at.y}, fill);
            break;
        case KernelKind::elementwise:
            p_.list.AddCircleFilled(at, r, with_alpha(p_.theme.window, 0.7F));
            p_.list.AddCircle(at, r - p_.px(1), fill, 0, p_.px(3));
            break;
        }
        if (lit)
        {
            p_.list.AddCircle(at, r + p_.px(4), p_.theme.text, 0, p_.px(2));
        }
    }

    void name_points(const RoofPoint& chosen)
    {
        const auto name = [&](const RoofPoint& point, bool strong)
        {
            labels_.put(p_, place(point), radius(point) + p_.px(5), strong ? Type::small_strong : Type::small,
                        strong ? p_.theme.text : p_.theme.muted, point.what.name);
        };
        name(chosen, true);
        const std::string ceiling = fmt::format("full waves reach {}", format_percent(roofs_.product_share));
        const float w = p_.width(Type::small, ceiling) + p_.px(12);
        if (c_.at_x(roofs_.ridge()) + 2 * w < c_.area.right())
        {
            labels_.put(p_, {c_.area.right() - w, c_.at_y(roofs_.peak * roofs_.product_share)}, p_.px(6),
                        Type::small, p_.theme.muted, ceiling);
        }
        for (auto point = order_.rbegin(); point != order_.rend(); ++point)
        {
            if (*point != &chosen)
            {
                name(**point, false);
            }
        }
    }

    const Frame& frame_;
    const Painter& p_;
    RooflineState& state_;
    const RooflineSheet& sheet_;
    const Roofs& roofs_;
    Chart c_;
    FreeLabels labels_;
    std::vector<const RoofPoint*> order_; // by time, ascending
    const RoofPoint* hovered_ = nullptr;
};

} // namespace

void draw_roof(const Frame& frame, const Painter& painter, Rect area, RooflineState& state,
               const RooflineSheet& sheet, Out& out)
{
    Roof(frame, painter, area, state, sheet).draw(out);
}

} // namespace ringside
