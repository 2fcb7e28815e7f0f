#include "ui/views/serving/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/shell/scopes.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 14> kBatches{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr std::array<double, 12> kTokens{16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 131072};
constexpr std::array<double, 21> kAcceptances{0,   .05, .1,  .15, .2,  .25, .3,  .35, .4,  .45, .5,
                                              .55, .6,  .65, .7,  .75, .8,  .85, .9,  .95, 1};
constexpr std::array<double, 8> kCosts{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5};
constexpr std::array<std::string_view, 3> kBits{"16", "8", "4"};

std::size_t place_of(std::int64_t bits)
{
    return bits == 16 ? 0 : bits == 8 ? 1 : 2;
}

class Column
{
public:
    Column(const Painter& painter, Rect area, TypedEntry& entry) : p_(painter), area_(area), entry_(entry) {}

    bool slide(const char* label, const std::string& shown, std::span<const double> stops, double value,
               const std::function<void(double)>& take)
    {
        const auto next = stop_slider(p_, area_.cut_top(p_.px(44)), label, shown, stops, value, entry_);
        if (next)
        {
            take(*next);
        }
        return next.has_value();
    }

    // Label, and at the right 16, 8 or 4 bit.
    bool bits(const char* label, std::int64_t& value)
    {
        const IdScope scope(label);
        Rect row = area_.cut_top(p_.px(36));
        const Rect choice = row.cut_right(std::min(row.w * 0.56F, p_.px(132)));
        p_.text_within(row.x, row.middle(), row.w - p_.px(8), Type::small, p_.theme.muted, label);
        const auto chosen =
            segments(p_, {choice.x, choice.y + p_.px(4), choice.w, p_.px(28)}, kBits, place_of(value));
        value = chosen ? std::int64_t{16} >> *chosen : value;
        return chosen.has_value();
    }

    bool flip(const char* label, bool& value, std::string_view tip)
    {
        const bool flipped = toggle(p_, area_.cut_top(p_.px(32)), label, value);
        tooltip(p_, tip);
        value = flipped ? !value : value;
        return flipped;
    }

    void line(std::string_view label, const std::string& value, std::string_view tip = {},
              bool warned = false)
    {
        const Rect row = area_.cut_top(p_.px(25));
        const float w = p_.text(row.right(), row.middle(), Type::mono_small,
                                warned ? p_.theme.warning : p_.theme.text, value, Align::right);
        p_.text_within(row.x, row.middle(), row.w - w - p_.px(8), Type::small, p_.theme.muted, label);
        if (!tip.empty() && row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        {
            tooltip_at_mouse(p_, tip);
        }
    }

    void gap() { area_.cut_top(p_.px(6)); }

private:
    const Painter& p_;
    Rect area_;
    TypedEntry& entry_;
};

bool draw_requests(Column& c, const ServingReport& r, ServingWish& w)
{
    const ServingSetup& s = r.setup;
    const auto whole = [](double v) { return std::max<std::int64_t>(1, std::llround(v)); };
    bool moved = c.slide("Requests at once", grouped(s.batch), kBatches, static_cast<double>(s.batch),
                         [&](double v) { w.batch = whole(v); });
    moved |= c.slide("Prompt, tokens", grouped(s.prompt), kTokens, static_cast<double>(s.prompt),
                     [&](double v) { w.prompt = whole(v); });
    moved |= c.slide("Answer, tokens", grouped(s.output), kTokens, static_cast<double>(s.output),
                     [&](double v) { w.output = whole(v); });
    moved |= c.bits("Weights, bit", w.weight_bits);
    moved |= c.bits("Cache, bit", w.cache_bits);
    moved |= c.flip(
        "Paged cache", w.paged,
        "Blocks of 16 tokens as they are needed; else room for the longest request from the start (P). "
        "Kwon et al. 2023, arXiv 2309.06180");
    return moved;
}

bool draw_drafting(Column& c, ServingWish& w)
{
    bool moved = c.slide("Accepted, a", format_percent(w.acceptance), kAcceptances, w.acceptance,
                         [&](double v) { w.acceptance = v; });
    moved |= c.slide("A draft costs, c", three_digits(w.draft_cost), kCosts, w.draft_cost,
                     [&](double v) { w.draft_cost = v; });
    return moved;
}

void draw_numbers(Column& c, const ServingReport& r, ByteUnit unit)
{
    c.line(
        "Cache of a token", format_bytes(r.model_token, unit),
        r.shape.latent
            ? "One latent and one rotary key for all heads (DeepSeek-V2, section 2.1)"
            : fmt::format("With a key and a value for every query head: {}",
                          format_bytes(r.model_token * (r.shape.widest_layer_numbers / r.shape.layer_numbers),
                                       unit)));
    if (r.shape.window_layers > 0)
    {
        c.line("Window", fmt::format("{} in {} layers", grouped(r.shape.window), r.shape.window_layers),
               r.window.source);
    }
    c.line("First token", format_seconds(Seconds(r.first_token())),
           fmt::format("Prefill of one prompt, {}; nobody before it in the queue",
                       r.prefill.memory_bound() ? "bound by reading the weights" : "bound by multiplying"));
    c.line("Decoding step", format_seconds(Seconds(r.decode.total())),
           fmt::format("reading {}, multiplying {}, all-reduces {}", format_seconds(Seconds(r.decode.memory)),
                       format_seconds(Seconds(r.decode.compute)), format_seconds(Seconds(r.decode.reduce))));
    c.line("Weights balance at", fmt::format("{} at once", three_digits(r.balance)),
           "Peak over bandwidth, half the bytes of a weight: from so many requests on weights are read "
           "faster than "
           "multiplied, the cache left out");
}

} // namespace

bool draw_serving_panel(const Painter& painter, Rect area, const ServingReport& r, ServingWish& w,
                        TypedEntry& entry)
{
    Column c(painter, area, entry);
    bool moved = draw_requests(c, r, w);
    if (w.strip == ServingStrip::drafts)
    {
        c.gap();
        moved |= draw_drafting(c, w);
    }
    else
    {
        c.gap();
        draw_numbers(c, r, painter.look.unit);
    }
    return moved;
}

} // namespace ringside
