#include "ui/views/memory/offload/tanks.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/stacked_bar.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kTanks> kTankNames{"GPU", "Host", "NVMe"};
constexpr float kHeader = 26;
constexpr float kFooter = 22;
constexpr float kWidest = 26;    // [design px] of a pipe; the fastest has it
constexpr double kPeriods = 240; // packets that pass a point in a step
constexpr float kPacket = 26;    // [design px] from one packet to the next

// A direction between two tanks.
struct Pipe
{
    OffloadLane lane;
    bool rightwards;
    std::string what;
    Bytes bytes; // a step
    std::vector<Colour> colours;
    OffloadKind kind; // on a lane that has several
    bool back = false;
};

class TankDrawing
{
public:
    TankDrawing(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed,
                const TankStyle& style)
        : frame_(frame), p_(painter), area_(area), placed_(placed), style_(style)
    {
        const float most = painter.px(240);
        width_ = std::min(most, area.w * 0.22F);
        gap_ = (area.w - 3 * width_) / 2;
    }

    Rect tank(std::size_t i) const
    {
        return {area_.x + static_cast<float>(i) * (width_ + gap_), area_.y + p_.px(kHeader), width_,
                area_.h - p_.px(kHeader + kFooter)};
    }

    void draw(Out& out)
    {
        for (std::size_t i = 0; i < kTanks; ++i)
        {
            draw_header(i);
            draw_tank(i, out);
        }
        draw_footers();
        draw_pipes();
        draw_tip();
    }

private:
    bool fits(std::size_t i) const { return i == 0 ? gpu_fits() : i > 1 || host_fits(); }
    bool gpu_fits() const { return placed_.held(Tank::gpu) <= placed_.capacity[0]; }
    bool host_fits() const { return placed_.held(Tank::host) <= placed_.capacity[1]; }

    std::string amount(Bytes b) const { return format_gigabytes(b, p_.look.unit); }

    void draw_header(std::size_t i) const
    {
        const Theme& t = p_.theme;
        const Rect r = tank(i);
        const float middle = area_.y + p_.px(kHeader) / 2 - p_.px(3);
        const Bytes held = placed_.held(static_cast<Tank>(i));
        const std::string whole =
            i < 2 ? fmt::format("{} of {} {}", amount(held),
                                plain_number(in_gigabytes(placed_.capacity[i], p_.look.unit)),
                                p_.look.gigabyte())
                  : format_bytes(held, p_.look.unit);
        const std::string_view name = kTankNames[i];
        const float w = p_.width(Type::body_strong, name);
        // The last one's words may begin left of it.
        const float figure = p_.width(Type::mono_small, whole);
        const float both = w + p_.px(10) + figure;
        const bool counted = both <= r.w + (i < 2 ? gap_ - p_.px(12) : gap_ * 0.4F);
        const float x = i == 2 && counted && both > r.w ? r.right() - both : r.x;
        p_.text(x, middle, Type::body_strong, t.text, name);
        if (counted)
        {
            p_.text(x + w + p_.px(10), middle + p_.px(1), Type::mono_small, fits(i) ? t.muted : t.warning,
                    whole);
        }
    }

    double most_of(std::size_t i) const
    {
        const double held = placed_.held(static_cast<Tank>(i)).value;
        return i < 2 ? std::max(placed_.capacity[i].value, held) : std::max(1.0, held * 1.25);
    }

    void draw_tank(std::size_t i, Out& out)
    {
        const Rect r = tank(i);
        const double most = std::max(1.0, most_of(i));
        const Bytes held = placed_.held(static_cast<Tank>(i));
        std::vector<BarPart> parts;
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            const Bytes bytes = placed_.holds[i][c];
            const float share = style_.levels.parts[i][c].towards(static_cast<float>(bytes.value / most),
                                                                  frame_, p_.look, out);
            const auto component = static_cast<Component>(c);
            parts.push_back({static_cast<double>(share) * most,
                             {p_.theme.of(component)},
                             name_of(component),
                             amount(bytes)});
        }
        const double limit = i < 2 ? placed_.capacity[i].value : 0;
        const std::string over = fmt::format("{} {} over", amount(held - Bytes(limit)), p_.look.gigabyte());
        const StackedBar bar = draw_stacked_bar(p_, r, parts, {most, true, limit, true, over});
        if (bar.hovered)
        {
            tip_ = fmt::format("{}, {} of {}", parts[*bar.hovered].name,
                               format_bytes(placed_.holds[i][*bar.hovered], p_.look.unit),
                               i == 0   ? "this GPU"
                               : i == 1 ? "this GPU's, on its host"
                                        : "this GPU's, on disk");
        }
        if (held == Bytes{})
        {
            const std::string_view words = i == 2 ? "empty: 2 fills it" : "empty: 1 fills it";
            const bool roomy = style_.keys && p_.width(Type::small, words) + p_.px(8) <= r.w;
            p_.text(r.centre(), r.middle(), Type::small, p_.theme.muted, roomy ? words : "empty",
                    Align::centre);
        }
    }

    void draw_footers() const
    {
        std::array<std::string, kTanks> words;
        if (placed_.fullest_stage != placed_.stage)
        {
            words[0] = fmt::format("stage {}; stage {} holds {}", placed_.stage, placed_.fullest_stage,
                                   amount(placed_.fullest));
        }
        words[1] = placed_.sharing > 1 ? fmt::format("its {} of the host's memory", fraction(placed_.sharing))
                                       : "the host's memory";
        words[2] = "of this GPU, on its host's disks";
        for (std::size_t i = 0; i < kTanks; ++i)
        {
            const Rect r = tank(i);
            const bool warned = i == 0 ? gpu_fits() && !placed_.gpu_fits : i == 1 && !placed_.host_fits;
            if (i == 1 && !placed_.host_fits)
            {
                words[1] = "host out of memory";
            }
            const float w = p_.width(Type::small, words[i]) + (warned ? p_.px(22) : 0);
            if (words[i].empty() || w > r.w + std::min(gap_ * 0.5F, p_.px(40)))
            {
                continue;
            }
            const float middle = r.bottom() + p_.px(kFooter) / 2 + p_.px(3);
            float x = std::min(r.centre() - w / 2, area_.right() - w);
            x = std::max(x, area_.x);
            if (warned)
            {
                p_.triangle(x, middle, p_.theme.warning);
                x += p_.px(22);
            }
            p_.text(x, middle, Type::small, warned ? p_.theme.warning : p_.theme.muted, words[i]);
        }
    }

    static std::string fraction(std::int64_t n)
    {
        return n == 2 ? "half" : n == 4 ? "quarter" : n == 8 ? "eighth" : fmt::format("1/{}", grouped(n));
    }

    std::vector<Pipe> pipes(std::size_t left) const
    {
        const Theme& t = p_.theme;
        const Colour weights = t.of(Component::weights).fill;
        const std::vector<Colour> state{t.of(Component::master_weights).fill, t.of(Component::momentum).fill,
                                        t.of(Component::variance).fill};
        const OffloadReport& r = placed_;
        if (left == 0)
        {
            return {{OffloadLane::down,
                     true,
                     "gradients",
                     r.step.down,
                     {t.of(Component::gradients).fill},
                     OffloadKind::gradients},
                    {OffloadLane::up, false, "weights", r.step.up, {weights}, OffloadKind::weights}};
        }
        std::vector<Colour> both = state;
        if (offloads_weights(r.options.placement))
        {
            both.push_back(weights);
        }
        return {{OffloadLane::nvme, true, "written", r.step.write, both, OffloadKind::write},
                {OffloadLane::nvme, false, "read", r.step.read, both, OffloadKind::read}};
    }

    double rate(OffloadLane lane) const
    {
        const Cluster& c = frame_.now.scenario.cluster;
        return lane == OffloadLane::nvme ? c.nvme_gb_per_s : c.gpu.pcie_gb_per_s;
    }

    void draw_pipes()
    {
        for (std::size_t left = 0; left < 2; ++left)
        {
            const Rect a = tank(left);
            Rect between{a.right() + p_.px(3), a.y, gap_ - p_.px(6), a.h};
            const std::vector<Pipe> both = pipes(left);
            const float half = between.h / 2;
            for (std::size_t k = 0; k < both.size(); ++k)
            {
                draw_pipe({between.x, between.y + half * static_cast<float>(k), between.w, half}, both[k]);
            }
        }
    }

    // What is on its way through a pipe at the clock.
    const OffloadTask* running(const Pipe& pipe) const
    {
        for (const OffloadTask& task : placed_.tasks)
        {
            const bool mine =
                task.lane == pipe.lane &&
                (task.lane != OffloadLane::nvme ||
                 (pipe.rightwards ? task.kind == OffloadKind::write : task.kind != OffloadKind::write));
            if (mine && task.start <= style_.clock && style_.clock < task.end)
            {
                return &task;
            }
        }
        return nullptr;
    }

    void draw_pipe(Rect r, const Pipe& pipe)
    {
        const Theme& t = p_.theme;
        const double fastest = std::max({rate(OffloadLane::down), rate(OffloadLane::nvme), 1e-9});
        const bool exists = rate(pipe.lane) > 0;
        const bool used = pipe.bytes > Bytes{} && exists;
        const float bore =
            std::max(p_.px(3), p_.px(kWidest) * static_cast<float>(std::max(0.0, rate(pipe.lane)) / fastest));
        const float line = p_.height(Type::small);
        const bool worded = r.h >= line + bore + p_.px(12);
        const float middle = worded ? r.middle() + line / 2 + p_.px(2) : r.middle();
        const float head = p_.px(10);
        const Rect body{pipe.rightwards ? r.x : r.x + head, middle - bore / 2, r.w - head, bore};
        p_.fill(body, used ? t.raised : t.panel);
        p_.line(body.x, body.y, body.right(), body.y, t.line);
        p_.line(body.x, body.bottom(), body.right(), body.bottom(), t.line);
        if (used)
        {
            draw_packets(body, pipe);
        }
        const float tip = pipe.rightwards ? r.right() : r.x;
        const float back = pipe.rightwards ? body.right() : body.x;
        const float spread = (pipe.rightwards ? 1.0F : -1.0F) * (bore / 2 + p_.px(3));
        p_.list.AddTriangleFilled({back, middle - spread}, {tip, middle}, {back, middle + spread},
                                  used ? t.text : t.line);
        if (worded)
        {
            words({r.x + p_.px(8), r.y, r.w - p_.px(16), r.h}, body.y - line / 2 - p_.px(6), pipe, used);
        }
        rate_label(body, pipe, used);
        if (r.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        {
            tip_ = tip_of(pipe);
        }
    }

    void words(Rect r, float middle, const Pipe& pipe, bool used) const
    {
        const Theme& t = p_.theme;
        const std::string bytes = used ? format_bytes(pipe.bytes, p_.look.unit) : "nothing";
        const float w = p_.width(Type::mono_small, bytes);
        if (w > r.w)
        {
            return;
        }
        const std::string_view what = pipe.what;
        const bool named = w + p_.width(Type::small, what) + p_.px(8) <= r.w;
        if (named)
        {
            p_.text(r.x, middle, Type::small, used ? t.text : t.muted, what);
        }
        p_.text(named ? r.right() : r.centre(), middle, Type::mono_small, used ? t.text : t.muted, bytes,
                named ? Align::right : Align::centre);
    }

    // On the pipe where it is wide enough for words.
    void rate_label(Rect body, const Pipe& pipe, bool used) const
    {
        if (!used && rate(pipe.lane) > 0)
        {
            return;
        }
        const std::string words = rate(pipe.lane) > 0 ? fmt::format("{} GB/s", plain_number(rate(pipe.lane)))
                                                      : std::string("no rate stated");
        const float w = p_.width(Type::mono_small, words) + p_.px(8);
        const float h = p_.height(Type::mono_small);
        if (w + p_.px(24) > body.w)
        {
            return;
        }
        p_.fill({body.centre() - w / 2, body.middle() - h / 2, w, h}, p_.theme.window, p_.px(4));
        p_.text(body.centre(), body.middle(), Type::mono_small, p_.theme.muted, words, Align::centre);
    }

    void draw_packets(Rect body, const Pipe& pipe) const
    {
        const OffloadTask* task = running(pipe);
        if (task == nullptr || placed_.shown_total <= 0)
        {
            return;
        }
        const float inset = body.h > p_.px(8) ? p_.px(3) : 0;
        const float pitch = p_.px(kPacket);
        const float length = pitch * 0.62F;
        const double phase = std::fmod(style_.clock / placed_.shown_total * kPeriods, 1.0);
        p_.list.PushClipRect(body.min(), body.max(), true);
        const int count = static_cast<int>(body.w / pitch) + 2;
        for (int i = -1; i < count; ++i)
        {
            const float along = (static_cast<float>(i) + static_cast<float>(phase)) * pitch;
            const float x = pipe.rightwards ? body.x + along : body.right() - along - length;
            const bool weights = task->kind == OffloadKind::weights;
            // From which colour on is counted from the end that packets come from, so that one keeps its own.
            const auto step = static_cast<std::int64_t>(style_.clock / placed_.shown_total * kPeriods);
            const auto n = static_cast<std::int64_t>(pipe.colours.size());
            const auto at = static_cast<std::size_t>((((i - step) % n) + n) % n);
            const Colour colour = weights ? p_.theme.of(Component::weights).fill : pipe.colours[at];
            p_.fill({x, body.y + inset, length, body.h - 2 * inset}, colour,
                    body.h > p_.px(8) ? p_.px(3) : 0);
        }
        p_.list.PopClipRect();
    }

    std::string tip_of(const Pipe& pipe) const
    {
        const OffloadReport& r = placed_;
        if (rate(pipe.lane) <= 0)
        {
            return "Nothing is known of how fast this pipe is.";
        }
        if (pipe.bytes <= Bytes{})
        {
            return "Nothing passes here.";
        }
        std::string text = fmt::format("{} {} a step at {} GB/s: {}", format_bytes(pipe.bytes, p_.look.unit),
                                       pipe.what, plain_number(rate(pipe.lane)),
                                       format_seconds(pipe.bytes / BytesPerSecond(rate(pipe.lane) * 1e9)));
        const Bytes each = pipe.lane == OffloadLane::up                         ? r.each.up
                           : pipe.kind == OffloadKind::read && !pipe.rightwards ? r.each.read
                                                                                : Bytes{};
        if (each > Bytes{})
        {
            text += fmt::format("; {} of it for each of {} micro-batches, forward and backward",
                                format_bytes(each, p_.look.unit), grouped(r.micro_batches));
        }
        return text;
    }

    void draw_tip() const { tooltip_at_mouse(p_, tip_); }

    const Frame& frame_;
    const Painter& p_;
    Rect area_;
    const OffloadReport& placed_;
    const TankStyle& style_;
    float width_ = 0;
    float gap_ = 0;
    std::string tip_;
};

} // namespace

void draw_tanks(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed,
                const TankStyle& style, Out& out)
{
    TankDrawing(frame, painter, area, placed, style).draw(out);
}

} // namespace ringside
