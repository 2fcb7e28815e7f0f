// Requests on their way through one engine, below what the engine does; and TTFT and TPOT over the rate.
#include <fmt/format.h>

#include "core/base/index.h"
#include "ui/views/serving/prediction.h"
#include "ui/views/serving/slo/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct Fills
{
    explicit Fills(const Theme& t)
        : queued(idle_fill(t)), prefill{t.backward_weight}, moved{t.data}, decode{t.forward},
          both{.ink = t.forward, .half = t.backward_weight.fill, .under = true}
    {
    }
    Fill queued;
    Fill prefill;
    Fill moved;
    Fill decode;
    Fill both;
};

// Some of an engine's requests, one after the other, from the middle of the run.
class RequestLanes
{
public:
    RequestLanes(const SloRoom& room, const LoadReport& load)
        : p_(room.p), load_(load), fills_(room.p.theme),
          apart_(load.setup.system == ServingSystem::disaggregated)
    {
    }

    void draw(Rect area)
    {
        draw_head(area.cut_top(p_.px(24)));
        area.h -= p_.px(30); // of the axis below
        const std::size_t engines = apart_ ? 2 : 1;
        const auto lanes = static_cast<std::size_t>(std::max(3.0F, area.h / p_.px(17)));
        choose(std::clamp<std::size_t>(lanes, engines + 1, 30) - engines);
        std::vector<LaneName> names;
        if (apart_)
        {
            names.push_back({"prefill engine", {}, {}, {}, true, "P"});
        }
        names.push_back({apart_ ? "decode engine" : "engine", {}, {}, {}, true, apart_ ? "D" : "E"});
        for (const EngineRequest* q : shown_)
        {
            names.push_back({fmt::format("TTFT {}", latency_words(q->ttft())), {}, {}, {}, false, "\u2013"});
        }
        const float pitch = lane_pitch(p_, area.h, names.size(), 30);
        const float label = p_.px(112);
        {
            TimeLanes all(p_, area, window_, {pitch, label}, names);
            if (apart_)
            {
                draw_engine(all, 0, load_.prefill_passes);
            }
            draw_engine(all, engines - 1, load_.passes);
            for (std::size_t i = 0; i < shown_.size(); ++i)
            {
                draw_request(all, engines + i, *shown_[i]);
            }
        }
        area.h = pitch * static_cast<float>(names.size());
        p_.part("requests", area);
        draw_time_axis(p_, {area.x + label, area.bottom(), area.w - label, p_.px(30)}, window_, window_.to);
    }

private:
    void draw_head(Rect head)
    {
        head.cut_left(p_.text_within(head.x, head.middle(), head.w, Type::small_strong, p_.theme.text,
                                     load_.setup.engine.ranks > 1
                                         ? "Requests of one attention replica, by arrival"
                                         : "Requests of one engine, by arrival") +
                      p_.px(24));
        std::vector<LegendItem> items{{"queued", fills_.queued}, {"prefill", fills_.prefill}};
        if (apart_)
        {
            items.push_back({"KV transfer", fills_.moved});
        }
        items.push_back({"decode", fills_.decode});
        draw_legend(p_, head, items);
    }

    void choose(std::size_t many)
    {
        const std::size_t count = std::min(many, load_.requests.size());
        const std::size_t from = (load_.requests.size() - count) * 2 / 3;
        double end = 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            shown_.push_back(&load_.requests[from + i]);
        }
        for (const EngineRequest* q : shown_)
        {
            end = std::max(end, q->first);
        }
        // The last ones decode on; all first tokens are in sight, and as much again of decoding at most.
        begin_ = shown_.front()->arrival;
        const double last = std::ranges::max(shown_, {}, [](const EngineRequest* q) { return q->end; })->end;
        window_ = {0, std::max(std::min(last, end + 0.5 * (end - begin_)) - begin_, 1e-6)};
    }

    void block(TimeLanes& lanes, std::size_t lane, double from, double to, const Fill& fill,
               const std::string& tip)
    {
        if (to <= from)
        {
            return;
        }
        lanes.block(lane, from - begin_, to - begin_, fill);
        if (lanes.points_at(lanes.cell(lane, from - begin_, to - begin_)))
        {
            tooltip_at_mouse(p_, tip);
        }
    }

    void draw_engine(TimeLanes& lanes, std::size_t lane, const std::vector<EngineStep>& passes)
    {
        const auto first = std::partition_point(
            passes.begin(), passes.end(), [this](const EngineStep& pass) { return pass.end <= begin_; });
        for (auto pass = first; pass != passes.end() && pass->start < begin_ + window_.to; ++pass)
        {
            const bool both = pass->prompt > 0 && pass->decoding > 0;
            const Fill& fill = both ? fills_.both : pass->prompt > 0 ? fills_.prefill : fills_.decode;
            block(lanes, lane, pass->start, pass->end, fill,
                  fmt::format("{:.0f} sequences decode, {:.0f} prompt tokens: {}", pass->decoding,
                              pass->prompt, latency_words(pass->end - pass->start)));
        }
    }

    void draw_request(TimeLanes& lanes, std::size_t lane, const EngineRequest& q)
    {
        const double moves = q.first - q.moved;
        block(lanes, lane, q.arrival, q.start, fills_.queued,
              fmt::format("Queued for {}", latency_words(q.start - q.arrival)));
        block(lanes, lane, q.start, moves, fills_.prefill,
              fmt::format("Prefill of {} tokens: {}", q.prompt, latency_words(moves - q.start)));
        block(lanes, lane, moves, q.first, fills_.moved,
              fmt::format("The KV cache moves to the decode engine: {}", latency_words(q.moved)));
        block(lanes, lane, q.first, q.end, fills_.decode,
              fmt::format("{} tokens, one every {}", q.output, latency_words(q.tpot())));
        if (q.ttft() > load_.setup.first_token)
        {
            lanes.outline(lane, q.arrival - begin_, q.first - begin_);
        }
    }

    const Painter& p_;
    const LoadReport& load_;
    Fills fills_;
    bool apart_;
    std::vector<const EngineRequest*> shown_;
    double begin_ = 0;  // [s] when the first of them came
    TimeWindow window_; // from there
};

// One of the two latencies over the rate; the objective and the rate can be dragged.
void draw_latency(const SloRoom& r, Rect area, std::string_view title, double LoadReport::*at_90,
                  double LoadReport::*at_50, double& objective, const char* id)
{
    const Scenario& s = r.frame.now.scenario;
    const auto& curve = r.state.curve_of(s);
    std::vector<PlotPoint> high;
    std::vector<PlotPoint> middle;
    for (const LoadReport& load : curve)
    {
        high.push_back({load.setup.rate, load.*at_90});
        middle.push_back({load.setup.rate, load.*at_50});
    }
    const Theme& t = r.p.theme;
    const double low = std::min(middle.front().y, objective) / 2;
    Plot plot(r.p, area, {high.front().x, high.back().x, PlotScale::linear, "requests/s", three_digits},
              {low, 20 * std::max(objective, low), PlotScale::log, "", latency_words},
              {.title = title, .part = id});
    if (!plot)
    {
        return;
    }
    plot.line(middle, {t.forward, 1.5F, true}, "median");
    plot.line(high, {t.text, 2.5F}, "p90");
    const PlotMove limit = plot.limit_y(objective, fmt::format("SLO {}", latency_words(objective)), id);
    if (const auto to = limit.y(1.1))
    {
        objective = std::max(1e-4, *to);
        r.out.animating = true;
    }
    if (const double most = r.state.goodput_of(s); most > 0)
    {
        plot.rule_x(most, {t.muted, 1, true}, fmt::format("goodput {}", load_words(most)));
    }
    const LoadReport& now = r.state.load_of(s);
    plot.dot({now.setup.rate, now.*at_90}, {t.text});
    plot.label({now.setup.rate, now.*at_90}, latency_words(now.*at_90), true);
    const std::string rate_id = fmt::format("{} rate", id);
    if (const auto to =
            plot.rule_x(r.state.rate_of(s), {t.text, 2, true}, "", rate_id.c_str()).x(high.front().x / 2))
    {
        r.state.rate = *to;
        r.out.animating = true;
    }
}

void draw_requests_page(const SloRoom& r)
{
    if (says_nothing_fits(r))
    {
        return;
    }
    const LoadReport& load = r.state.load_of(r.frame.now.scenario);
    Rect area = r.area;
    const float plots = std::max(r.p.px(190), area.h * 0.4F);
    const bool both = area.h >= plots + r.p.px(150);
    Rect below = both ? area.cut_bottom(plots) : area;
    if (both)
    {
        RequestLanes(r, load).draw(area);
        below.cut_top(r.p.px(12));
    }
    Rect left = below.cut_left(std::floor((below.w - r.p.px(28)) / 2));
    below.cut_left(r.p.px(28));
    draw_latency(r, left, "Time to first token (TTFT)", &LoadReport::ttft_90, &LoadReport::ttft_50,
                 r.state.setup.first_token, "###ttft");
    draw_latency(r, below, "Time per output token (TPOT)", &LoadReport::tpot_90, &LoadReport::tpot_50,
                 r.state.setup.each_token, "###tpot");
}

Caption requests_caption(const Frame& frame, SloState& state)
{
    const Scenario& s = frame.now.scenario;
    const LoadReport& load = state.load_of(s);
    if (!load.fits())
    {
        return nothing_fits();
    }
    const double most = state.goodput_of(s);
    const auto figure = [](double seconds, double objective)
    {
        const std::string_view mark = seconds > objective ? "!!" : "**";
        return fmt::format("{}{}{}", mark, latency_words(seconds), mark);
    };
    const std::string now = fmt::format(
        "At {} requests/s: p90 TTFT {}, p90 TPOT {}.", load_words(load.setup.rate),
        figure(load.ttft_90, load.setup.first_token), figure(load.tpot_90, load.setup.each_token));
    return {
        now + (most > 0 ? fmt::format(" Goodput: **{} requests/s**.", load_words(most))
                        : " No rate meets both SLOs."),
        fmt::format("goodput = largest rate with p90 TTFT \u2264 {} and p90 TPOT \u2264 {} = {} requests/s",
                    latency_words(load.setup.first_token), latency_words(load.setup.each_token),
                    load_words(most)),
        fmt::format(
            "Predicted with {}. TTFT {}, TPOT {}. {}. Poisson arrivals, lognormal lengths. Goodput: "
            "Zhong et al., DistServe, arXiv 2401.09670. Chunked prefill: Agrawal et al., "
            "Sarathi-Serve, arXiv 2403.02310.",
            load.setup.software.name,
            range_words(frame, load.setup.software, load.ttft_90, ServingMeasure::ttft, latency_words),
            range_words(frame, load.setup.software, load.tpot_90, ServingMeasure::tpot, latency_words),
            evidence_words(frame, load.setup.software, ServingMeasure::tpot))};
}

} // namespace

const Page<SloState> kSloRequests{"Requests", draw_requests_page, panel_slo, requests_caption};

} // namespace ringside
