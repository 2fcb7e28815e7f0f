// `ringside rent`: days and dollars of a run over types of cluster and numbers of GPUs.
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/planner/rent_columns.h"
#include "core/scenario/fields.h"
#include "core/scenario/json/json.h"

#include <algorithm>
#include <limits>

namespace ringside
{

namespace
{

using nlohmann::json;

struct RentOptions : CommonOptions
{
    std::string file; // scenario
    std::vector<std::string> sets;
    std::vector<std::string> prices; // "dgx-h100=2.5"
    std::string framework = "megatron";
    double days = 0; // 0: any
    double usd = 0;  // 0: any
    double network = 1;
    bool keep_batch = false;
    std::int64_t most_gpus = RentRequest().most_gpus;
};

// A cluster that comes without a price takes part once it has one.
void set_price(std::vector<RentType>& types, const std::string& text, const Presets& presets, Issues& issues)
{
    const std::size_t at = text.find('=');
    const std::string id = text.substr(0, at);
    const ClusterPreset* preset = presets.cluster(id);
    if (preset == nullptr)
    {
        issues.push_back(
            unknown_word("--price", "cluster ", id, texts_of(presets.clusters, &ClusterPreset::id)));
        return;
    }
    const double price = at == std::string::npos ? -1 : std::strtod(text.c_str() + at + 1, nullptr);
    if (!(price >= 0.01 && price <= 1000))
    {
        issues.push_back({"--price", fmt::format("\u201c{}\u201d has no price", text),
                          fmt::format("use {}=USD with 0.01 to 1000 USD per GPU-hour", id)});
        return;
    }
    auto known = std::ranges::find_if(types, [&](const RentType& type) { return type.id == id; });
    if (known == types.end())
    {
        types.push_back({id, preset->name, preset->cluster, {}});
        known = types.end() - 1;
    }
    known->cluster.usd_per_gpu_hour = price;
    known->price = "--price";
}

RentRequest request_of(const RentOptions& o, const Presets& presets)
{
    RentRequest request;
    request.types = rent_types(presets);
    Issues issues;
    for (const std::string& price : o.prices)
    {
        set_price(request.types, price, presets, issues);
    }
    request.limits.framework = framework_named(o.framework, presets, issues);
    request.network = o.network;
    request.keep_batch = o.keep_batch;
    request.most_gpus = o.most_gpus;
    end_with(issues);
    return request;
}

json offer_json(const RentOffers& found, const RentOffer* offer, const Presets& presets)
{
    if (offer == nullptr)
    {
        return {};
    }
    const json whole = to_json(offer->scenario, presets);
    json out{{"parallel", whole["parallel"]}, {"training", whole["training"]}};
    const RentRow row{found.types[offer->type], *offer};
    for (const DataColumn<RentRow>& column : rent_columns())
    {
        if (!column.json.empty())
        {
            std::visit([&](auto value) { out[std::string(column.json)] = value; }, column.value(row));
        }
    }
    return out;
}

void print_offers(const RentOffers& found, std::vector<const RentOffer*> offers)
{
    std::vector<TextTable::Column> headings;
    for (const DataColumn<RentRow>& column : rent_columns())
    {
        headings.push_back({std::string(column.heading), column.left ? -1 : 1});
    }
    TextTable table(std::move(headings));
    for (const RentOffer* offer : offers)
    {
        const RentRow row{found.types[offer->type], *offer};
        table.add_row(list_of<std::string>(rent_columns(), [&](const DataColumn<RentRow>& column)
                                           { return column.heading.empty() ? "" : column.text_of(row); }));
    }
    table.fit();
    say("{}", table.text("  "));
}

// The offer, with those that computed times cannot tell from it.
json answer_json(const RentOffers& found, const RentOffer* offer, double RentOffer::*by,
                 const Presets& presets)
{
    json out = offer_json(found, offer, presets);
    if (offer != nullptr)
    {
        out["equals"] =
            json_list(found.as_good_as(*offer, by),
                      [&](const RentOffer* other) -> json {
                          return {{"cluster", found.types[other->type].id}, {"gpus", other->gpus}};
                      });
    }
    return out;
}

// All of those that meet the limits, and the three that people ask for.
json rent_json(const RentOffers& found, const std::vector<const RentOffer*>& offers, double days, double usd,
               const Presets& presets)
{
    json refused = json::object();
    for (std::size_t i = 0; i < found.types.size(); ++i)
    {
        if (!found.refused[i].empty())
        {
            refused[found.types[i].id] = found.refused[i];
        }
    }
    return {{"cheapest", answer_json(found, found.cheapest_within(days), &RentOffer::usd, presets)},
            {"fastest", answer_json(found, found.fastest_within(usd), &RentOffer::days, presets)},
            {"fewest_gpus", offer_json(found, found.fewest_gpus_within(days), presets)},
            {"offers",
             json_list(offers, [&](const RentOffer* offer) { return offer_json(found, offer, presets); })},
            {"refused", std::move(refused)}};
}

// Which others are as cheap as the cheapest, as far as one can say.
void print_equals(const RentOffers& found, const RentOffer& cheapest)
{
    std::vector<const RentOffer*> equal = found.as_good_as(cheapest, &RentOffer::usd);
    std::ranges::sort(equal, {}, &RentOffer::usd);
    constexpr std::size_t kNamed = 4;
    equal.resize(std::min(equal.size(), kNamed));
    if (!equal.empty())
    {
        const auto named = list_of<std::string>(
            equal, [&](const RentOffer* o)
            { return fmt::format("{} x {}", grouped(o->gpus), found.types[o->type].name); });
        say("Too close in cost to tell from {} x {}: {}.\n", grouped(cheapest.gpus),
            found.types[cheapest.type].name, fmt::join(named, ", "));
    }
}

// The frontier among those that meet the limits, and who runs nothing.
void print_rent(const RentOffers& found, std::vector<const RentOffer*> offers)
{
    if (!offers.empty())
    {
        print_equals(found, **std::ranges::min_element(offers, {}, &RentOffer::usd));
    }
    std::erase_if(offers, [](const RentOffer* offer) { return !offer->frontier; });
    print_offers(found, offers);
    for (std::size_t i = 0; i < found.types.size(); ++i)
    {
        if (!found.refused[i].empty())
        {
            say("{}: {}\n", found.types[i].name, found.refused[i]);
        }
    }
    if (offers.empty())
    {
        say("nothing meets these limits\n");
    }
}

int run(const RentOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const Scenario scenario = read_scenario(o.file, o.sets, presets);
    RentSearch search({scenario, request_of(o, presets), &presets});
    ProgressBar bar;
    while (search.advance(RentSearch::kSlice))
    {
        bar.show(search.progress());
    }
    const RentOffers& found = search.result();
    const double days = o.days > 0 ? o.days : std::numeric_limits<double>::infinity();
    const double usd = o.usd > 0 ? o.usd : std::numeric_limits<double>::infinity();
    std::vector<const RentOffer*> offers;
    for (const RentOffer& offer : found.offers)
    {
        if (offer.days <= days && offer.usd <= usd)
        {
            offers.push_back(&offer);
        }
    }
    std::ranges::sort(offers, {}, &RentOffer::usd);
    if (o.json)
    {
        print_document(rent_json(found, offers, days, usd, presets));
    }
    else
    {
        print_rent(found, offers);
    }
    return offers.empty() ? kNo : kDone;
}

void declare(CLI::App& app, RentOptions& o)
{
    add_scenario_file(app, o.file);
    add_scenario_sets(app, o.sets);
    real(app.add_option("--deadline-days", o.days, "only what is done within so many days"), 0, 1e6);
    real(app.add_option("--budget-usd", o.usd, "only what costs at most so much"), 0, 1e15);
    app.add_option("--price", o.prices,
                   "price of a cluster type in USD per GPU-hour, for example dgx-h100=2.5; those that come "
                   "without a price take part with one");
    add_framework(app, o.framework);
    real(app.add_option("--network", o.network, "times the bandwidth between nodes")->capture_default_str(),
         0.1, 100);
    app.add_flag(
        "--keep-batch", o.keep_batch,
        "the scenario's global batch; else it goes up to the critical batch size, as `scaling` has it");
    whole(app.add_option("--most-gpus", o.most_gpus, "the largest cluster tried")->capture_default_str(), 1,
          131072);
    add_json(app, o);
}

} // namespace

extern const CliCommand rent_command = command<declare, run>(
    "rent", "days and cost of a run over cluster types and numbers of GPUs: the frontier");

} // namespace ringside
