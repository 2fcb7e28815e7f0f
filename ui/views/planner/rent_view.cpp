// What should be rented for the run? Days against dollars for every type of cluster and number of GPUs, each
// with its fastest layout.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/base/work.h"
#include "core/evaluate/report.h"
#include "core/planner/layout.h"
#include "core/planner/rent_columns.h"
#include "core/training/critical_batch.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ringside
{

namespace
{

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

// The least of this figure among all offers, at least one.
double least(const RentOffers& s, double RentOffer::*figure)
{
    return (*std::ranges::min_element(s.offers, {}, figure)).*figure;
}

// A question users ask, and the offer that answers it.
struct RentAnswer
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
    // With the prices that the user set.
    WorkAnswer<RentOffers> search(const Frame& frame, bool doubled) const;
    // Megatron-LM until another is chosen: it runs on every type of cluster.
    Framework runs_on(const Frame& frame) const
    {
        const Framework* usual = frame.presets.framework("megatron");
        return framework_ ? *framework_ : usual == nullptr ? Framework() : *usual;
    }
    double days(const RentOffers& s) const;
    double usd(const RentOffers& s) const;
    std::vector<RentAnswer> answers(const RentOffers& s) const;
    void draw_plot(const RentOffers& s, const Painter& painter, Rect area, Out& out);
    void draw_answers(const RentOffers& s, const Painter& painter, Rect area, Out& out) const;

    using Prices = std::map<std::size_t, double>; // by type, where the user set one
    using Found = std::shared_ptr<const RentOffers>;

    Derived<const Presets*, std::vector<RentType>> types_;
    Prices prices_;
    std::array<Derived<std::pair<Found, Prices>, Found>, 2> priced_; // with the network as it is, and doubled
    std::array<bool, 2> seen_{};                                     // which of these have been on show
    std::optional<Framework> framework_;                             // chosen; nothing: the usual one
    bool doubled_ = false;
    bool keep_batch_ = false;
    std::optional<double> days_; // nothing: what suits the offers
    std::optional<double> usd_;
    std::int64_t gpus_ = 1024;
};

const RentType& type_of(const RentOffers& s, const RentOffer& offer)
{
    return s.types[offer.type];
}

// "512 x DGX H100"
std::string name_of(const RentOffers& s, const RentOffer& offer)
{
    return fmt::format("{} GPUs, {}", grouped(offer.gpus), type_of(s, offer).name);
}

// Where its line ends; null where the type has none.
const RentOffer* last_of_type(const std::vector<const RentOffer*>& shown, std::size_t type)
{
    const auto last = std::find_if(shown.rbegin(), shown.rend(),
                                   [type](const RentOffer* offer) { return offer->type == type; });
    return last == shown.rend() ? nullptr : *last;
}

void open(const RentOffers& s, const RentOffer& offer, Out& out)
{
    out.push(ChangeScenario{
        offer.scenario, false,
        fmt::format("Opened: {}, {}", name_of(s, offer), words_of(layout_of(offer.scenario)))});
}

// The range of the wall-clock time, as far as runs like it were measured.
std::string range_words(const RentOffer& o)
{
    const Band band = step_band(o.scenario, o.step_s);
    return fmt::format("{} to {}", days_words(o.days * band.low), days_words(o.days * band.high));
}

const Ink& ink_of_type(const Theme& t, std::size_t type)
{
    return t.series.at(type % t.series.size());
}

WorkAnswer<RentOffers> RentView::search(const Frame& frame, bool doubled) const
{
    RentRequest rent;
    rent.types = types_.of(&frame.presets, [](const Presets* presets) { return rent_types(*presets); });
    rent.limits.framework = runs_on(frame);
    rent.network = doubled ? 2 : 1;
    rent.keep_batch = keep_batch_;
    auto found = work_on<RentSearch>(frame.works, {frame.now.scenario, std::move(rent), &frame.presets});
    if (found)
    {
        found.result = priced_.at(doubled ? 1 : 0)
                           .of({found.result, prices_},
                               [](const std::pair<Found, Prices>& from) -> Found
                               {
                                   auto priced = std::make_shared<RentOffers>(*from.first);
                                   for (const auto& [type, usd] : from.second)
                                   {
                                       priced->set_price(type, usd);
                                   }
                                   return priced;
                               });
    }
    return found;
}

// Half as long again as the quickest, as people plan.
double RentView::days(const RentOffers& s) const
{
    const double wanted = s.offers.empty() ? 0 : 1.5 * least(s, &RentOffer::days);
    const auto* round = std::ranges::find_if(kRoundDays, [&](double days) { return days >= wanted; });
    return days_.value_or(round == kRoundDays.end() ? kRoundDays.back() : *round);
}

// Twice the cheapest, with one digit.
double RentView::usd(const RentOffers& s) const
{
    const double wanted = s.offers.empty() ? kBudget.low : 2 * least(s, &RentOffer::usd);
    return usd_.value_or(kBudget.clamped(rounded_to(wanted, 1)));
}

std::vector<RentAnswer> RentView::answers(const RentOffers& s) const
{
    return {{"Cheapest within " + days_words(days(s)), s.cheapest_within(days(s))},
            {"Fastest within " + format_dollars(usd(s)), s.fastest_within(usd(s))},
            {"Fewest GPUs within " + days_words(days(s)), s.fewest_gpus_within(days(s))},
            {fmt::format("Fastest with {} GPUs", grouped(gpus_)), s.fastest_with(gpus_)}};
}

// A line per type of cluster and a dot per offer, whose places are returned.
std::vector<PlotPoint> draw_offers(Plot& plot, const Theme& theme, const RentOffers& s,
                                   const std::vector<const RentOffer*>& shown)
{
    std::vector<PlotPoint> places;
    for (std::size_t type = 0; type < s.types.size(); ++type)
    {
        std::vector<PlotPoint> line;
        for (const RentOffer* offer : shown)
        {
            if (offer->type == type)
            {
                line.push_back({offer->usd, offer->days});
            }
        }
        const RentOffer* last = last_of_type(shown, type);
        plot.line(line, {ink_of_type(theme, type), 1.5F},
                  last != nullptr && last->frontier
                      ? fmt::format("{}, {}", s.types[type].name, grouped(last->gpus))
                      : s.types[type].name);
    }
    for (const RentOffer* offer : shown)
    {
        places.push_back({offer->usd, offer->days});
        plot.dot(places.back(), {ink_of_type(theme, offer->type), offer->frontier ? 6.0F : 3.5F});
        if (offer->frontier && offer != last_of_type(shown, offer->type)) // its line's name says it
        {
            plot.label(places.back(), grouped(offer->gpus));
        }
    }
    return places;
}

// What a card says of an offer.
std::vector<TipLine> tip_lines(const RentOffers& s, const RentOffer& offer)
{
    const RentRow row{type_of(s, offer), offer};
    std::vector<TipLine> lines;
    for (const RentColumn column : {RentColumn::layout, RentColumn::batch, RentColumn::step, RentColumn::mfu,
                                    RentColumn::goodput, RentColumn::spares, RentColumn::time})
    {
        lines.push_back({std::string(info_of(column).heading), info_of(column).text_of(row), 0});
    }
    lines.push_back({"80% range", range_words(offer), 0});
    lines.push_back(
        {std::string(info_of(RentColumn::cost).heading), info_of(RentColumn::cost).text_of(row), 0});
    return lines;
}

void RentView::draw_plot(const RentOffers& s, const Painter& p, Rect area, Out& out)
{
    const double deadline = days(s);
    const double budget = usd(s);
    const double quickest = least(s, &RentOffer::days);
    std::vector<const RentOffer*> shown;
    double cheapest = budget;
    double dearest = budget;
    double longest = deadline;
    for (const RentOffer& offer : s.offers)
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
        days_ = kDeadline.clamped(*to);
        out.animating = true;
    }
    if (const auto to = plot.rule_x(budget, limit, "budget " + format_dollars(budget), "###budget").x(1.1))
    {
        usd_ = kBudget.clamped(*to);
        out.animating = true;
    }
    const std::vector<PlotPoint> places = draw_offers(plot, p.theme, s, shown);
    const PlotPick pick = plot.pick(places, "###offers");
    if (pick.at)
    {
        plot.tip(name_of(s, *shown[*pick.at]), tip_lines(s, *shown[*pick.at]),
                 "click to open it as the scenario");
    }
    if (pick.clicked)
    {
        open(s, *shown[*pick.at], out);
    }
}

void RentView::draw_answers(const RentOffers& s, const Painter& p, Rect area, Out& out) const
{
    const std::vector<RentAnswer> all = answers(s);
    std::vector<Column<RentAnswer>> columns{{"What to rent", [](const RentAnswer& a) { return a.asks; }}};
    for (const RentColumn each : {RentColumn::gpus, RentColumn::spares, RentColumn::time, RentColumn::cost,
                                  RentColumn::mfu, RentColumn::cluster, RentColumn::layout})
    {
        const DataColumn<RentRow>& info = info_of(each);
        const auto cell = [&s, &info](const RentAnswer& a) -> Cell {
            return a.offer == nullptr ? "\u2013" : info.text_of({type_of(s, *a.offer), *a.offer});
        };
        columns.emplace_back(std::string(info.heading), cell, info.keep, std::string(info.help));
        columns.back().left = info.left;
    }
    const Table<RentAnswer> table{std::move(columns), [](const RentAnswer& a) { return "###" + a.asks; },
                                  nullptr, 30};
    const auto pressed = table.draw(p, area, std::span<const RentAnswer>(all)).pressed;
    if (pressed && all[*pressed].offer != nullptr)
    {
        open(s, *all[*pressed].offer, out);
    }
}

void RentView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    seen_.at(doubled_ ? 1 : 0) = true;
    const auto found = search(frame, doubled_);
    if (!draw_status(painter, area, found))
    {
        return;
    }
    const RentOffers& s = *found;
    if (s.offers.empty())
    {
        const auto reason =
            std::ranges::find_if(s.refused, [](const std::string& why) { return !why.empty(); });
        empty_state(painter, area, found.done() ? "No cluster runs this" : "Searching layouts",
                    !found.done()               ? std::string()
                    : reason == s.refused.end() ? "The model does not fit on any number of GPUs tried."
                                                : *reason);
        return;
    }
    const Rect below = area.cut_bottom(table_height(painter, 4, 30));
    area.cut_bottom(painter.px(12));
    draw_plot(s, painter, area, out);
    draw_answers(s, painter, below, out);
}

// The next cheapest that computed times cannot tell from it, of another type.
std::string equal_words(const RentOffers& s, const RentOffer& best)
{
    const std::vector<const RentOffer*> equal = s.as_good_as(best, &RentOffer::usd);
    const auto next = std::ranges::min_element(equal, {}, &RentOffer::usd);
    return next == equal.end() ? std::string()
                               : fmt::format(" Too close to call: {} for {}.", name_of(s, **next),
                                             format_dollars((*next)->usd));
}

Caption RentView::caption(const Frame& frame) const
{
    Caption caption;
    const auto s = search(frame, doubled_);
    if (!s || s->offers.empty())
    {
        caption.sentence = s ? "" : fault_sentence(s);
        return caption;
    }
    const Scenario& now = frame.now.scenario;
    const std::string run = fmt::format("{} tokens of {}", format_count(now.training.tokens), now.model.name);
    const double deadline = days(*s);
    const RentOffer* best = s->cheapest_within(deadline);
    if (best == nullptr)
    {
        const RentOffer& quickest = *std::ranges::min_element(s->offers, {}, &RentOffer::days);
        caption.sentence =
            fmt::format("Nothing trains {} within {}: !!the fastest takes {}!! ({}).", run,
                        days_words(deadline), days_words(quickest.days), name_of(*s, quickest));
    }
    else
    {
        caption.sentence =
            fmt::format("{} within {}: **{}**, done in {} for **{}**.", run, days_words(deadline),
                        name_of(*s, *best), days_words(best->days), format_dollars(best->usd));
        caption.sentence += equal_words(*s, *best);
    }
    const bool compares = s.done() && seen_.at(doubled_ ? 0 : 1);
    const auto other = compares ? search(frame, !doubled_) : WorkAnswer<RentOffers>();
    const RentOffer* then = other && other.done() ? other->cheapest_within(deadline) : nullptr;
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
    const auto found = search(frame, doubled_);
    PanelColumn column(p, area, out.animating);
    if (!found)
    {
        column.note(fault_sentence(found));
        return true;
    }
    const RentOffers& s = *found;
    column.slide("Deadline", kDeadline, days(s), days_);
    column.slide("Budget in USD", kBudget, usd(s), usd_);
    column.slide("Number of GPUs", kGpus, gpus_, "Of the last question: the fastest with so many");
    column.choice("Network", {"as it is", "2\u00d7"}, doubled_);
    column.choice("Global batch", {"up to critical", "as it is"}, keep_batch_);
    choose_framework(column, frame.presets, runs_on(frame), framework_);
    column.heading("USD per GPU-hour");
    for (std::size_t type = 0; type < s.types.size(); ++type)
    {
        const RentType& each = s.types[type];
        double price = each.cluster.usd_per_gpu_hour;
        if (column.slide(each.name.c_str(), kRent, price, "Begins with " + each.price))
        {
            prices_[type] = price;
        }
        if (!s.refused[type].empty())
        {
            column.note(s.refused[type]);
        }
    }
    return true;
}

ViewKeys RentView::keys()
{
    return {{"1 2 3 4", "Open an answer",
             [this](const KeyPress& k)
             {
                 const auto s = search(k.frame, doubled_);
                 const RentOffer* offer = s ? answers(*s)[k.which].offer : nullptr;
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

extern const ViewInfo rent_view{20,
                                "rent",
                                ViewGroup::planner,
                                "Rent",
                                "What to rent",
                                "Days against dollars over types of cluster and numbers of GPUs",
                                {"model", "training.tokens", "training.global_batch"},
                                make_view<RentView>};

} // namespace ringside
