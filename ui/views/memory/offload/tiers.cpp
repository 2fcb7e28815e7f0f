#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/memory/offload/pictures.h"
#include "ui/widgets/charts/stacked_bar.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kTanks> kTierNames{"GPU", "Host", "NVMe"};
constexpr float kWidestLink = 26; // [design px]; the fastest has it
constexpr double kPeriods = 240;  // packets that pass a point in a step
constexpr float kPacket = 26;     // [design px] from one packet to the next

// One direction between two tiers.
struct TierLink
{
    OffloadLane lane;
    bool rightwards;
    std::string_view what;
    Bytes bytes; // per step
    std::vector<Colour> colours;
    OffloadKind kind; // on a lane that has several
};

class Tiers
{
public:
    Tiers(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed)
        : frame_(frame), p_(painter), area_(area), r_(placed),
          line_(painter.height(Type::small) + painter.px(4)),
          width_(std::min(painter.px(240), area.w * 0.22F)), gap_((area.w - 3 * width_) / 2)
    {
    }

    void draw(TierLevels& levels, Out& out)
    {
        for (std::size_t i = 0; i < kTanks; ++i)
        {
            draw_words(i);
            draw_tier(i, levels[i], out);
        }
        for (std::size_t left = 0; left < 2; ++left)
        {
            const Rect a = tier(left);
            Rect between{a.right() + p_.px(3), a.y, gap_ - p_.px(6), a.h};
            const auto both = links(left);
            draw_link(between.cut_top(a.h / 2), both[0]);
            draw_link(between, both[1]);
        }
        tooltip_at_mouse(p_, tip_);
    }

private:
    Rect tier(std::size_t i) const
    {
        return {area_.x + static_cast<float>(i) * (width_ + gap_), area_.y + 2 * line_ + p_.px(6), width_,
                area_.h - 3 * line_ - p_.px(8)};
    }
    std::string amount(Bytes b) const { return format_gigabytes(b, p_.look.unit); }

    // Above a tier what it holds of what; below, whose that is.
    void draw_words(std::size_t i) const
    {
        const Theme& t = p_.theme;
        const Rect r = tier(i);
        const Bytes held = r_.held(static_cast<Tank>(i));
        const bool fits = i == 2 || held <= r_.capacity[i];
        const std::string whole =
            i < 2 ? fmt::format("{} of {} {}", amount(held),
                                plain_number(in_gigabytes(r_.capacity[i], p_.look.unit)), p_.look.gigabyte())
                  : format_bytes(held, p_.look.unit);
        p_.text(r.x, r.y - 1.5F * line_, Type::body_strong, t.text, kTierNames[i]);
        p_.text_within(r.x, r.y - line_ / 2, r.w + (i < 2 ? gap_ / 2 : 0), Type::mono_small,
                       fits ? t.muted : t.warning, whole);
        const bool over = i == 0 ? fits && !r_.gpu_fits : i == 1 && !r_.host_fits;
        const std::string below =
            i == 0 && r_.fullest_stage != r_.stage
                ? fmt::format("stage {}; stage {} holds {}", r_.stage, r_.fullest_stage, amount(r_.fullest))
            : i == 0          ? fmt::format("stage {}", r_.stage)
            : over            ? "host out of memory"
            : i == 2          ? "per GPU"
            : r_.sharing == 1 ? "host memory"
                              : fmt::format("1/{} of host memory", grouped(r_.sharing));
        const float w = p_.width(Type::small, below) + (over ? p_.px(22) : 0);
        if (w > r.w + gap_ / 2)
        {
            return;
        }
        float x = std::clamp(r.centre() - w / 2, area_.x, area_.right() - w);
        const float middle = r.bottom() + line_ / 2 + p_.px(2);
        if (over)
        {
            p_.triangle(x, middle, t.warning);
            x += p_.px(22);
        }
        p_.text(x, middle, Type::small, over ? t.warning : t.muted, below);
    }

    void draw_tier(std::size_t i, std::array<Tween, kComponents>& levels, Out& out)
    {
        const Rect r = tier(i);
        const Bytes held = r_.held(static_cast<Tank>(i));
        const double limit = i < 2 ? r_.capacity[i].value : 0;
        const double most = std::max(1.0, i < 2 ? std::max(limit, held.value) : held.value * 1.25);
        std::vector<BarPart> parts;
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            const Bytes bytes = r_.holds[i][c];
            const float share =
                levels[c].towards(static_cast<float>(bytes.value / most), frame_, p_.look, out);
            parts.push_back({static_cast<double>(share) * most,
                             {p_.theme.component[c]},
                             name_of(static_cast<Component>(c)),
                             amount(bytes)});
        }
        const StackedBar bar =
            draw_stacked_bar(p_, r, parts, {.most = most, .limit = limit, .walls = true, .reads = false});
        if (bar.hovered)
        {
            tip_ = fmt::format("{}: {}", parts[*bar.hovered].name,
                               format_bytes(r_.holds[i][*bar.hovered], p_.look.unit));
        }
        if (held == Bytes{})
        {
            const std::string_view words = i == 2 ? "empty: press 2" : "empty: press 1";
            const bool roomy = p_.width(Type::small, words) + p_.px(8) <= r.w;
            p_.text(r.centre(), r.middle(), Type::small, p_.theme.muted, roomy ? words : "empty",
                    Align::centre);
        }
    }

    // From the left tier to its neighbour, and back.
    std::array<TierLink, 2> links(std::size_t left) const
    {
        const auto ink = [&](Component c) { return p_.theme.of(c).fill; };
        const std::vector<Colour> weights{ink(Component::weights)};
        if (left == 0)
        {
            return {{{OffloadLane::down,
                      true,
                      "gradients",
                      r_.step.down,
                      {ink(Component::gradients)},
                      OffloadKind::gradients},
                     {OffloadLane::up, false, "weights", r_.step.up, weights, OffloadKind::weights}}};
        }
        std::vector<Colour> state{ink(Component::master_weights), ink(Component::momentum),
                                  ink(Component::variance)};
        if (offloads_weights(r_.options.placement))
        {
            state.push_back(weights.front());
        }
        return {{{OffloadLane::nvme, true, "write", r_.step.write, state, OffloadKind::write},
                 {OffloadLane::nvme, false, "read", r_.step.read, state, OffloadKind::read}}};
    }

    double rate(OffloadLane lane) const
    {
        const Cluster& c = frame_.now.scenario.cluster;
        return lane == OffloadLane::nvme ? c.nvme_gb_per_s : c.gpu.pcie_gb_per_s;
    }

    // What is on its way over a link at the clock.
    const OffloadTask* running(const TierLink& link) const
    {
        for (const OffloadTask& task : r_.tasks)
        {
            const bool mine =
                task.lane == link.lane &&
                (task.lane != OffloadLane::nvme ||
                 (link.rightwards ? task.kind == OffloadKind::write : task.kind != OffloadKind::write));
            if (mine && task.start <= frame_.playback.t && frame_.playback.t < task.end)
            {
                return &task;
            }
        }
        return nullptr;
    }

    void draw_link(Rect r, const TierLink& link)
    {
        const Theme& t = p_.theme;
        const double fastest = std::max({rate(OffloadLane::down), rate(OffloadLane::nvme), 1e-9});
        const bool used = link.bytes > Bytes{} && rate(link.lane) > 0;
        const float bore = std::max(
            p_.px(3), p_.px(kWidestLink) * static_cast<float>(std::max(0.0, rate(link.lane)) / fastest));
        const bool worded = r.h >= 2 * line_ + bore;
        const float middle = r.middle();
        const float head = p_.px(10);
        const Rect body{link.rightwards ? r.x : r.x + head, middle - bore / 2, r.w - head, bore};
        p_.fill(body, used ? t.raised : t.panel);
        p_.line(body.x, body.y, body.right(), body.y, t.line);
        p_.line(body.x, body.bottom(), body.right(), body.bottom(), t.line);
        if (used)
        {
            draw_packets(body, link);
        }
        const float tip = link.rightwards ? r.right() : r.x;
        const float back = link.rightwards ? body.right() : body.x;
        const float spread = (link.rightwards ? 1.0F : -1.0F) * (bore / 2 + p_.px(3));
        p_.list.AddTriangleFilled({back, middle - spread}, {tip, middle}, {back, middle + spread},
                                  used ? t.text : t.line);
        if (worded)
        {
            const Colour ink = used ? t.text : t.muted;
            say(r, body.y - line_ / 2, ink,
                fmt::format("{} {}", link.what, used ? format_bytes(link.bytes, p_.look.unit) : "0"));
            say(r, body.bottom() + line_ / 2, t.muted,
                rate(link.lane) > 0 ? fmt::format("{} GB/s", plain_number(rate(link.lane)))
                                    : "no stated rate");
        }
        if (p_.points_at(r))
        {
            tip_ = tip_of(link);
        }
    }

    void say(Rect r, float middle, Colour ink, const std::string& words) const
    {
        if (p_.width(Type::small, words) <= r.w)
        {
            p_.text(r.centre(), middle, Type::small, ink, words, Align::centre);
        }
    }

    void draw_packets(Rect body, const TierLink& link) const
    {
        const OffloadTask* task = running(link);
        if (task == nullptr || r_.shown_total <= 0)
        {
            return;
        }
        const float inset = body.h > p_.px(8) ? p_.px(3) : 0;
        const float pitch = p_.px(kPacket);
        const float length = pitch * 0.62F;
        const double phase = std::fmod(frame_.playback.t / r_.shown_total * kPeriods, 1.0);
        p_.list.PushClipRect(body.min(), body.max(), true);
        const int count = static_cast<int>(body.w / pitch) + 2;
        for (int i = -1; i < count; ++i)
        {
            const float along = (static_cast<float>(i) + static_cast<float>(phase)) * pitch;
            const float x = link.rightwards ? body.x + along : body.right() - along - length;
            const bool weights = task->kind == OffloadKind::weights;
            // From which colour on is counted from the end that packets come from, so that one keeps its own.
            const auto step = static_cast<std::int64_t>(frame_.playback.t / r_.shown_total * kPeriods);
            const auto n = static_cast<std::int64_t>(link.colours.size());
            const auto at = static_cast<std::size_t>((((i - step) % n) + n) % n);
            const Colour colour = weights ? p_.theme.of(Component::weights).fill : link.colours[at];
            p_.fill({x, body.y + inset, length, body.h - 2 * inset}, colour,
                    body.h > p_.px(8) ? p_.px(3) : 0);
        }
        p_.list.PopClipRect();
    }

    std::string tip_of(const TierLink& link) const
    {
        if (rate(link.lane) <= 0)
        {
            return "This link has no stated rate.";
        }
        if (link.bytes <= Bytes{})
        {
            return "Nothing is transferred.";
        }
        std::string text = fmt::format("{} {} per step at {} GB/s: {}", link.what,
                                       format_bytes(link.bytes, p_.look.unit), plain_number(rate(link.lane)),
                                       format_seconds(link.bytes / BytesPerSecond(rate(link.lane) * 1e9)));
        const Bytes each = link.lane == OffloadLane::up     ? r_.each.up
                           : link.kind == OffloadKind::read ? r_.each.read
                                                            : Bytes{};
        if (each > Bytes{})
        {
            text += fmt::format("; of that {} for each of {} micro-batches, forward and backward",
                                format_bytes(each, p_.look.unit), grouped(r_.micro_batches));
        }
        return text;
    }

    const Frame& frame_;
    const Painter& p_;
    Rect area_;
    const OffloadReport& r_;
    float line_;
    float width_;
    float gap_;
    std::string tip_;
};

} // namespace

void draw_tiers(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed,
                TierLevels& levels, Out& out)
{
    Tiers(frame, painter, area, placed).draw(levels, out);
}

} // namespace ringside
