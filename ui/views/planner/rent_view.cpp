// What should be rented for the run? Days against dollars for every type of cluster and number of GPUs, each
// with its fastest layout.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/planner/rent.h"
#include "core/training/critical_batch.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kLayoutsPerFrame = 16'000; // a few milliseconds
constexpr double kFarDays = 30; // times the quickest offer's: what lies farther off is not drawn

std::string days_words(double days)
{
    return format_seconds(Seconds(days * 86400));
}

constexpr Track kDeadline = Track::log(0.1, 1000, days_words);
constexpr Track kBudget = Track::log(1000, 1e9, format_dollars);
constexpr std::array<double, 11> kSizes{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
constexpr Track kGpus = Track::only_at(kSizes, [](double n) { return grouped(std::llround(n)); });
constexpr Track kRent = Track::log(0.1, 100, format_dollars);

constexpr std::array<double, 12> kRoundDays{1, 2, 7, 14, 30, 60, 90, 120, 180, 270, 365, 730};

// Of all offers, at least one.
double least(const RentSearch& s, double RentOffer::*figure)
{
    return (*std::ranges::min_element(s.offers(), {}, figure)).*figure;
}

// A question users ask, and the offer that answers it.
struct Answer
{
    std::string asks;
    const RentOffer* offer;
};

class RentView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    RentSearch& search(const Frame& frame);
    // Megatron-LM until another is chosen: it runs on every type of cluster.
    Framework runs_on(const Frame& frame) const
    {
        const Framework* usual = frame.presets.framework("megatron");
        return framework_ ? *framework_ : usual == nullptr ? Framework() : *usual;
    }
    const RentSearch* found(bool doubled) const
    {
        const auto& one = searches_.at(doubled ? 1 : 0);
        return one ? &*one : nullptr;
    }
    double days(const RentSearch& s) const;
    double usd(const RentSearch& s) const;
    std::vector<Answer> answers(const RentSearch& s) const;
    void draw_plot(const RentSearch& s, const Painter& painter, Rect area, Out& out);
    void draw_answers(const RentSearch& s, const Painter& painter, Rect area, Out& out) const;

    std::array<std::optional<RentSearch>, 2> searches_; // with the network as it is, and doubled
    std::optional<Framework> framework_;                // chosen; nothing: the usual one
    bool doubled_ = false;
    bool keep_batch_ = false;
    std::optional<double> days_; // nothing: what suits the offers
    std::optional<double> usd_;
    std::int64_t gpus_ = 1024;
};

const RentType& type_of(const RentSearch& s, const RentOffer& offer)
{
    return s.request().types[offer.type];
}

// "512 x DGX H100"
std::string name_of(const RentSearch& s, const RentOffer& offer)
{
    return fmt::format("{} GPUs, {}", grouped(offer.gpus), type_of(s, offer).name);
}

void open(const RentSearch& s, const RentOffer& offer, Out& out)
{
    out.push(ChangeScenario{
        offer.scenario, false,
        fmt::format("Opened: {}, {}", name_of(s, offer), words_of(layout_of(offer.scenario)))});
}

// Of the wall-clock time, as far as runs like it were measured.
std::string range_words(const RentOffer& o)
{
    const StepEvidence& band = band_of(o.scenario);
    return fmt::format("{} to {}", days_words(o.days * band.low), days_words(o.days * band.high));
}

const Ink& ink_of_type(const Theme& t, std::size_t type)
{
    return t.series.at(type % t.series.size());
}

RentSearch& RentView::search(const Frame& frame)
{
    auto& one = searches_.at(doubled_ ? 1 : 0);
    if (!one || !one->answers(frame.now.scenario) || one->request().keep_batch != keep_batch_ ||
        !(one->request().limits.framework == runs_on(frame)))
    {
        // Prices that the user set stay.
        const auto& known = one ? one : searches_.at(doubled_ ? 0 : 1);
        RentRequest request;
        request.types = known ? known->request().types : rent_types(frame.presets);
        request.limits.framework = runs_on(frame);
        request.network = doubled_ ? 2 : 1;
        request.keep_batch = keep_batch_;
        one.emplace(frame.now.scenario, std::move(request), frame.presets);
    }
    return *one;
}

// Half as long again as the quickest, as people plan.
double RentView::days(const RentSearch& s) const
{
    const double wanted = s.offers().empty() ? 0 : 1.5 * least(s, &RentOffer::days);
    const auto* round = std::ranges::find_if(kRoundDays, [&](double days) { return days >= wanted; });
    return days_.value_or(round == kRoundDays.end() ? kRoundDays.back() : *round);
}

// Twice the cheapest, with one digit.
double RentView::usd(const RentSearch& s) const
{
    const double wanted = s.offers().empty() ? kBudget.low : 2 * least(s, &RentOffer::usd);
    return usd_.value_or(kBudget.held(rounded_to(wanted, 1)));
}

std::vector<Answer> RentView::answers(const RentSearch& s) const
{
    return {{"Cheapest within " + days_words(days(s)), s.cheapest_within(days(s))},
            {"Fastest within " + format_dollars(usd(s)), s.fastest_within(usd(s))},
            {"Fewest GPUs within " + days_words(days(s)), s.fewest_gpus_within(days(s))},
            {fmt::format("Fastest with {} GPUs", grouped(gpus_)), s.fastest_with(gpus_)}};
}

void RentView::draw_plot(const RentSearch& s, const Painter& p, Rect area, Out& out)
{
    const double deadline = days(s);
    const double budget = usd(s);
    const double quickest = least(s, &RentOffer::days);
    std::vector<const RentOffer*> shown;
    double cheapest = budget;
    double dearest = budget;
    double longest = deadline;
    for (const RentOffer& offer : s.offers())
    {
        if (offer.days <= std::max(deadline, quickest * kFarDays))
        {
            shown.push_back(&offer);
            cheapest = std::min(cheapest, offer.usd);
            dearest = std::max(dearest, offer.usd);
            longest = std::max(longest, offer.days);
        }
    }
    Plot plot(
        p, area,
        {cheapest / 1.3, dearest * 1.3, PlotScale::log, "cost of the run, US dollars", format_dollars},
        {std::min(quickest, deadline) / 1.3, longest * 1.3, PlotScale::log, "wall-clock days", plain_number});
    if (!plot)
    {
        return;
    }
    const PlotStroke limit{p.theme.muted, 1.5F, true};
    if (const auto to =
            plot.rule_y(deadline, limit, "deadline " + days_words(deadline), "###deadline").y(1.1))
    {
        days_ = kDeadline.held(*to);
        out.animating = true;
    }
    if (const auto to = plot.rule_x(budget, limit, "budget " + format_dollars(budget), "###budget").x(1.1))
    {
        usd_ = kBudget.held(*to);
        out.animating = true;
    }
    std::vector<PlotPoint> places;
    for (std::size_t type = 0; type < s.request().types.size(); ++type)
    {
        std::vector<PlotPoint> line;
        for (const RentOffer* offer : shown)
        {
            if (offer->type == type)
            {
                line.push_back({offer->usd, offer->days});
            }
        }
        plot.line(line, {ink_of_type(p.theme, type), 1.5F}, s.request().types[type].name);
    }
    for (const RentOffer* offer : shown)
    {
        places.push_back({offer->usd, offer->days});
        plot.dot(places.back(), {ink_of_type(p.theme, offer->type), offer->frontier ? 6.0F : 3.5F});
        if (offer->frontier)
        {
            plot.label(places.back(), grouped(offer->gpus));
        }
    }
    const PlotPick pick = plot.pick(places, "###offers");
    if (pick.at)
    {
        const RentOffer& o = *shown[*pick.at];
        plot.tip(name_of(s, o),
                 std::array{TipLine{"layout", words_of(layout_of(o.scenario)), 0},
                            TipLine{"global batch", grouped(o.scenario.training.global_batch), 0},
                            TipLine{"step", format_seconds(Seconds(o.step_s)), 0},
                            TipLine{"MFU", format_percent(o.mfu), 0},
                            TipLine{"goodput", format_percent(o.goodput), 0},
                            TipLine{"spare GPUs", grouped(o.spares), 0},
                            TipLine{"time", days_words(o.days), 0}, TipLine{"80% range", range_words(o), 0},
                            TipLine{"cost", format_dollars(o.usd), 0}},
                 "click to open it as the scenario");
    }
    if (pick.clicked)
    {
        open(s, *shown[*pick.at], out);
    }
}

void RentView::draw_answers(const RentSearch& s, const Painter& p, Rect area, Out& out) const
{
    const auto cell = [](auto words)
    { return [words](const Answer& a) -> Cell { return a.offer == nullptr ? "\u2013" : words(*a.offer); }; };
    const std::vector<Answer> all = answers(s);
    const Table<Answer> table{
        {{"What to rent", [](const Answer& a) { return a.asks; }},
         {"GPUs", cell([](const RentOffer& o) { return grouped(o.gpus); }), 95},
         {"spare", cell([](const RentOffer& o) { return grouped(o.spares); }), 1,
          "Nodes that wait to take a failed node's place; they are paid for"},
         {"time", cell([](const RentOffer& o) { return days_words(o.days); }), 90,
          "Wall clock: failures, restarts and checkpoints included"},
         {"cost", cell([](const RentOffer& o) { return format_dollars(o.usd); }), 99},
         {"MFU", cell([](const RentOffer& o) { return format_percent(o.mfu); }), 2},
         Column<Answer>("cluster", cell([&s](const RentOffer& o) { return type_of(s, o).name; }), 92).words(),
         Column<Answer>("layout", cell([](const RentOffer& o) { return words_of(layout_of(o.scenario)); }), 3)
             .words()},
        [](const Answer& a) { return "###" + a.asks; },
        nullptr,
        30};
    const auto pressed = table.draw(p, area, std::span<const Answer>(all)).pressed;
    if (pressed && all[*pressed].offer != nullptr)
    {
        open(s, *all[*pressed].offer, out);
    }
}

void RentView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    RentSearch& s = search(frame);
    if (!s.done())
    {
        s.advance(kLayoutsPerFrame);
        out.animating = true;
        area = progress_line(painter, area, s.progress());
    }
    if (s.offers().empty())
    {
        const auto reason =
            std::ranges::find_if(s.refused(), [](const std::string& why) { return !why.empty(); });
        empty_state(painter, area, s.done() ? "No cluster runs this" : "Searching layouts",
                    !s.done()                     ? std::string()
                    : reason == s.refused().end() ? "The model does not fit on any number of GPUs tried."
                                                  : *reason);
        return;
    }
    const Rect below = area.cut_bottom(table_height(painter, 4, 30));
    area.cut_bottom(painter.px(12));
    draw_plot(s, painter, area, out);
    draw_answers(s, painter, below, out);
}

Caption RentView::caption(const Frame& frame) const
{
    Caption caption;
    const RentSearch* s = found(doubled_);
    if (s == nullptr || s->offers().empty())
    {
        return caption;
    }
    const Scenario& now = frame.now.scenario;
    const std::string run = fmt::format("{} tokens of {}", format_count(now.training.tokens), now.model.name);
    const double deadline = days(*s);
    const RentOffer* best = s->cheapest_within(deadline);
    if (best == nullptr)
    {
        const RentOffer& quickest = *std::ranges::min_element(s->offers(), {}, &RentOffer::days);
        caption.sentence =
            fmt::format("Nothing trains {} within {}: !!the fastest takes {}!! ({}).", run,
                        days_words(deadline), days_words(quickest.days), name_of(*s, quickest));
    }
    else
    {
        caption.sentence =
            fmt::format("{} within {}: **{}**, done in {} for **{}**.", run, days_words(deadline),
                        name_of(*s, *best), days_words(best->days), format_dollars(best->usd));
    }
    const RentSearch* other = found(!doubled_);
    const RentOffer* then =
        other != nullptr && other->done() && other->answers(now) && other->request().keep_batch == keep_batch_
            ? other->cheapest_within(deadline)
            : nullptr;
    if (best != nullptr && then != nullptr)
    {
        caption.sentence += fmt::format(
            " {} it is {}, {}, {}.", doubled_ ? "With the network as it is" : "With twice the network",
            name_of(*other, *then), days_words(then->days), format_dollars(then->usd));
    }
    caption.formula = "cost = (GPUs + spare GPUs) \u00d7 wall-clock hours \u00d7 price per GPU-hour";
    if (const std::int64_t grown = grown_batch(now); !keep_batch_ && grown > now.training.global_batch)
    {
        caption.formula +=
            fmt::format(" \u00b7 batch {} \u2192 {} sequences, {} tokens (critical: {})",
                        grouped(now.training.global_batch), grouped(grown),
                        format_count(static_cast<double>(grown * now.training.sequence_length)),
                        format_count(critical_batch_tokens(kUsualLoss)));
    }
    caption.source = fmt::format(
        "The fastest layout of each size, sizes in powers of two. The batch goes up to the critical batch "
        "size (Kaplan et al. 2020, arXiv 2001.08361, at a loss of {:g}). Failures as often as Llama 3's per "
        "GPU; prices are list prices of autumn 2026, to be replaced by yours.",
        kUsualLoss);
    return caption;
}

bool RentView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    RentSearch& s = search(frame);
    PanelColumn column(p, area, out.animating);
    column.slide("Deadline", kDeadline, days(s), days_);
    column.slide("Budget in USD", kBudget, usd(s), usd_);
    column.slide("Number of GPUs", kGpus, gpus_, "Of the last question: the fastest with so many");
    column.choice("Network", {"as it is", "2\u00d7"}, doubled_);
    column.choice("Global batch", {"up to critical", "as it is"}, keep_batch_);
    choose_framework(column, frame.presets, runs_on(frame), framework_);
    column.heading("USD per GPU-hour");
    for (std::size_t type = 0; type < s.request().types.size(); ++type)
    {
        const RentType& each = s.request().types[type];
        double price = each.cluster.usd_per_gpu_hour;
        if (column.slide(each.name.c_str(), kRent, price, "Begins with " + each.price))
        {
            for (auto& one : searches_)
            {
                if (one)
                {
                    one->set_price(type, price);
                }
            }
        }
        if (!s.refused()[type].empty())
        {
            column.note(s.refused()[type]);
        }
    }
    return true;
}

ViewKeys RentView::keys()
{
    return {{"1 2 3 4", "Open an answer",
             [this](const KeyPress& k)
             {
                 const RentSearch* s = found(doubled_);
                 const RentOffer* offer = s == nullptr ? nullptr : answers(*s)[k.which].offer;
                 if (offer != nullptr)
                 {
                     open(*s, *offer, k.out);
                 }
             }},
            {"N", "The network as it is, or twice as fast", flips(doubled_)},
            {"drag", "The deadline and the budget"},
            {"click", "Open an offer"}};
}

} // namespace

extern const ViewInfo rent_view{24,
                                "rent",
                                "Planner",
                                "Rent",
                                "What to rent",
                                "Days against dollars over types of cluster and numbers of GPUs",
                                {"model", "training.tokens", "training.global_batch"},
                                make_view<RentView>};

} // namespace ringside
