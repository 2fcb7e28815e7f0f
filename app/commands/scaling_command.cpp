// `ringside scaling`: what a compute budget buys by every published law: loss, optimum, days and dollars.
#include "app/commands/console/options.h"
#include "app/commands/console/table.h"
#include "app/session/session.h"
#include "core/base/text/text.h"
#include "core/scaling/budget.h"
#include "core/scaling/kaplan.h"
#include "core/scaling/lifetime.h"
#include "core/scaling/repeats.h"
#include "core/training/critical_batch.h"

#include <optional>

namespace ringside
{

namespace
{

using nlohmann::json;

// Numbers are typed as people write them ("70B", "15T", "5.76e23"); empty: not given.
struct ScalingOptions : CommonOptions
{
    std::string compute;    // [FLOP]
    std::string parameters; // N
    std::string tokens;     // D
    std::string unique;     // tokens there are, of which D are repeats
    std::string served;     // tokens read and written over the model's life
    std::string gpus;
    std::string gpu;   // id of a preset
    std::string mfu;   // 0 to 1, or 40%
    std::string price; // [USD] of a GPU's hour
};

constexpr std::string_view kKaplanLoss = "Kaplan et al. 2020, arXiv 2001.08361, equation 1.5";
constexpr std::string_view kTwentyTokens = "Hoffmann et al. 2022, arXiv 2203.15556, Table 3, rounded";
constexpr std::string_view kCriticalBatch =
    "McCandlish et al. 2018, arXiv 1812.06162; Kaplan et al. 2020, arXiv 2001.08361, equation 1.4";
constexpr std::string_view kRepeats = "Muennighoff et al. 2023, arXiv 2305.16264, equation 5";
constexpr std::string_view kLifetime = "Sardana et al. 2024, arXiv 2401.00448, equation 2";

struct Asked
{
    std::optional<double> compute, parameters, tokens, unique, served, gpus, mfu, price;
    const GpuPreset* gpu = nullptr;

    bool cluster() const { return gpus || gpu != nullptr || mfu || price; }
};

// What the loss is asked of: N and D as given, or Chinchilla's round figure for the compute.
struct Point
{
    double parameters = 0;
    double tokens = 0;
    bool given = false;

    double flops() const { return training_flops(parameters, tokens); }
};

std::optional<double> read(Issues& issues, const char* option, const std::string& text, double least,
                           double most, std::string_view like)
{
    if (text.empty())
    {
        return {};
    }
    const bool percent = text.ends_with('%');
    auto value = parse_number(percent ? text.substr(0, text.size() - 1) : text);
    if (!value || (percent && most > 1))
    {
        issues.push_back({option, fmt::format("\u201c{}\u201d is not a number", text),
                          fmt::format("write it like {}", like)});
        return {};
    }
    *value /= percent ? 100 : 1;
    if (!(*value >= least && *value <= most))
    {
        issues.push_back({option, fmt::format("{} is out of range", text),
                          fmt::format("use {:g} to {:g}, like {}", least, most, like)});
        return {};
    }
    return value;
}

void check_together(const ScalingOptions& o, Issues& issues)
{
    const int given =
        (o.compute.empty() ? 0 : 1) + (o.parameters.empty() ? 0 : 1) + (o.tokens.empty() ? 0 : 1);
    if (given == 3)
    {
        issues.push_back({"--compute", "parameters and tokens already determine it: C = 6 N D",
                          "leave one of the three out"});
    }
    else if (o.compute.empty() && given < 2)
    {
        const char* missing = !o.parameters.empty() ? "--tokens"
                              : !o.tokens.empty()   ? "--parameters"
                                                    : "--compute";
        issues.push_back({missing, "nothing was given to compute with",
                          "give --compute C, or --parameters N and --tokens D"});
    }
}

Asked asked(const ScalingOptions& o, const Presets& presets)
{
    Issues issues;
    Asked a;
    check_together(o, issues);
    a.compute = read(issues, "--compute", o.compute, 1e6, 1e36, "5.76e23");
    a.parameters = read(issues, "--parameters", o.parameters, 1e3, 1e17, "70B");
    a.tokens = read(issues, "--tokens", o.tokens, 1e3, 1e17, "1.4T");
    a.unique = read(issues, "--unique", o.unique, 1e3, 1e17, "300B");
    a.served = read(issues, "--serve", o.served, 0, 1e20, "2T");
    a.gpus = read(issues, "--gpus", o.gpus, 1, 1e8, "2048");
    a.mfu = read(issues, "--mfu", o.mfu, 1e-4, 1, "0.4");
    a.price = read(issues, "--price", o.price, 0, 1e6, "2.5");
    if (!o.gpu.empty() && (a.gpu = presets.gpu(o.gpu)) == nullptr)
    {
        issues.push_back(unknown_word("--gpu", "", o.gpu,
                                      texts_of(presets.gpus, [](const GpuPreset& g) { return g.gpu.id; })));
    }
    end_with(issues);
    return a;
}

Point point_of(const Asked& a)
{
    const ComputeOptimum round = chinchilla_optimum(a.compute.value_or(0));
    const double n = a.parameters ? *a.parameters : a.tokens ? *a.compute / 6 / *a.tokens : round.parameters;
    const double d = a.tokens ? *a.tokens : a.parameters ? *a.compute / 6 / n : round.tokens;
    return {n, d, a.parameters || a.tokens};
}

json losses(double parameters, double tokens)
{
    json out = json::object();
    for (const LossFit& fit : loss_fits())
    {
        out[std::string(fit.id)] = loss(fit, parameters, tokens);
    }
    out["kaplan"] = kaplan_loss(parameters, tokens);
    return out;
}

json split_json(std::string_view law, std::string_view name, std::string_view source, double exponent,
                ComputeOptimum at)
{
    return {{"law", law},
            {"name", name},
            {"source", source},
            {"exponent", exponent},
            {"parameters", at.parameters},
            {"tokens", at.tokens},
            {"tokens_per_parameter", at.tokens / at.parameters},
            {"flops", training_flops(at.parameters, at.tokens)},
            {"loss", losses(at.parameters, at.tokens)}};
}

json optima_json(double flops)
{
    json out = json::array();
    out.push_back(
        split_json("20-tokens", "20 tokens/parameter", kTwentyTokens, 0.5, chinchilla_optimum(flops)));
    for (const AllocationRule& rule : allocation_rules())
    {
        out.push_back(split_json(rule.id, rule.name, rule.source, rule.exponent, rule.at(flops)));
    }
    return out;
}

json point_json(const Point& p)
{
    json overspent = json::object();
    for (const LossFit& fit : loss_fits())
    {
        overspent[std::string(fit.id)] = overspending(fit, p.parameters, p.flops());
    }
    return {{"parameters", p.parameters},
            {"tokens", p.tokens},
            {"tokens_per_parameter", p.tokens / p.parameters},
            {"given", p.given},
            {"compute_over_optimum", std::move(overspent)}};
}

json loss_json(const Point& p)
{
    json out = json::array();
    const json values = losses(p.parameters, p.tokens);
    for (const LossFit& fit : loss_fits())
    {
        out.push_back({{"law", fit.id},
                       {"name", fit.name},
                       {"source", fit.source},
                       {"floor", fit.floor},
                       {"value", values[std::string(fit.id)]}});
    }
    out.push_back({{"law", "kaplan"},
                   {"name", "Kaplan 2020"},
                   {"source", kKaplanLoss},
                   {"floor", 0},
                   {"value", values["kaplan"]}});
    return out;
}

json batch_json(const Point& p)
{
    const double l = kaplan_loss(p.parameters, p.tokens);
    return {{"critical_tokens", critical_batch_tokens(l)}, {"at_loss", l}, {"source", kCriticalBatch}};
}

json data_json(const Point& p, double unique)
{
    const double passes = p.tokens / unique;
    return {{"unique_tokens", unique},
            {"passes", passes},
            {"effective_tokens", effective_tokens(unique, p.tokens)},
            {"loss", repeated_loss(p.parameters, unique, p.tokens)},
            {"worth_of_next_pass", worth_of_next_pass(passes)},
            {"parameters_for_unique", parameters_for_unique(unique)},
            {"source", kRepeats}};
}

json lifetime_json(const Point& p, double served)
{
    json out{{"served_tokens", served},
             {"training_flops", p.flops()},
             {"serving_flops", 2 * p.parameters * served},
             {"source", kLifetime},
             {"cheapest", json::array()}};
    for (const LossFit& fit : loss_fits())
    {
        const double wanted = loss(fit, p.parameters, p.tokens);
        if (const auto best = lifetime_optimum(fit, wanted, served))
        {
            out["cheapest"].push_back({{"law", fit.id},
                                       {"name", fit.name},
                                       {"loss", wanted},
                                       {"parameters", best->parameters},
                                       {"tokens", best->tokens},
                                       {"training_flops", best->training},
                                       {"serving_flops", best->serving}});
        }
    }
    return out;
}

json budget_json(const Asked& a, const Point& p, const Gpu& gpu)
{
    Budget b;
    b.parameters = p.parameters;
    b.tokens = p.tokens;
    b.gpus = a.gpus.value_or(1);
    b.peak_tflops = gpu.bf16_tflops;
    b.mfu = a.mfu.value_or(b.mfu);
    b.usd_per_hour = a.price.value_or(0);
    b = solved(b, BudgetUnknown::days);
    const Term term = explain_budget(b, BudgetUnknown::days);
    json out{{"gpu", gpu.id},
             {"gpu_name", gpu.name},
             {"peak_tflops", b.peak_tflops},
             {"mfu", b.mfu},
             {"gpus", a.gpus ? json(*a.gpus) : json(nullptr)},
             {"gpu_hours", b.gpu_hours()},
             {"days", a.gpus ? json(b.days) : json(nullptr)},
             {"cost_usd", a.price ? json(b.usd()) : json(nullptr)},
             {"price_usd_per_gpu_hour", a.price ? json(*a.price) : json(nullptr)},
             {"source", term.source}};
    if (a.gpus)
    {
        out["formula"] = "days = " + term.formula;
        out["working"] = term.working;
    }
    return out;
}

std::string count(const json& value)
{
    return format_count(value.get<double>());
}

// Losses are compared, so they keep three digits after the point.
std::string nats(const json& value)
{
    return fmt::format("{:.3f}", value.get<double>());
}

void print_optima(const json& optima)
{
    TextTable table({{"", -20},
                     {"N", 10},
                     {"D", 10},
                     {"D/N", 8},
                     {"6 N D", 12},
                     {"printed", 10},
                     {"unrounded", 10},
                     {"refit", 10},
                     {"Kaplan", 9},
                     {"   source"}});
    for (const json& o : optima)
    {
        const json& l = o["loss"];
        table.add(o["name"].get<std::string>(), count(o["parameters"]), count(o["tokens"]),
                  three_digits(o["tokens_per_parameter"].get<double>()),
                  fmt::format("{:.3g}", o["flops"].get<double>()), nats(l["printed"]), nats(l["unrounded"]),
                  nats(l["refit"]), nats(l["kaplan"]), "   " + o["source"].get<std::string>());
    }
    put("compute-optimal N and D by each law, and the loss there by four laws [nats/token]\n{}",
        table.text());
}

void print_point(const json& out)
{
    const json& p = out["point"];
    put("{} parameters, {} tokens: {} tokens per parameter, 6 N D = {:.3g} FLOPs{}\n\n",
        count(p["parameters"]), count(p["tokens"]), three_digits(p["tokens_per_parameter"].get<double>()),
        out["compute_flops"].get<double>(),
        p["given"].get<bool>()
            ? ""
            : "\n(Chinchilla's 20 tokens per parameter, since only the compute was given)");
    put("loss [nats/token]\n");
    for (const json& l : out["loss"])
    {
        const std::string law = l["law"];
        put("  {:<22}{:>8}   {:<26}{}\n", l["name"].get<std::string>(), nats(l["value"]),
            p["compute_over_optimum"].contains(law)
                ? fmt::format("{:.2f} x optimal compute", p["compute_over_optimum"][law].get<double>())
                : "",
            l["source"].get<std::string>());
    }
    put("critical batch: {} tokens   {}\n\n", count(out["batch"]["critical_tokens"]), kCriticalBatch);
}

void print_data(const json& d)
{
    put("\n{:.3g} epochs of {} unique tokens are worth {} unique tokens; the next epoch is worth {}\n"
        "loss with repeats {}   {}\n",
        d["passes"].get<double>(), count(d["unique_tokens"]), count(d["effective_tokens"]),
        format_percent(d["worth_of_next_pass"].get<double>()), nats(d["loss"]), kRepeats);
}

void print_lifetime(const json& life)
{
    put("\ninference on {} tokens takes {:.3g} FLOPs, training {:.3g}; lowest total at the same loss\n",
        count(life["served_tokens"]), life["serving_flops"].get<double>(),
        life["training_flops"].get<double>());
    for (const json& c : life["cheapest"])
    {
        put("  {:<22}{:>8} parameters{:>10} tokens   {:.3g} FLOPs in total\n", c["name"].get<std::string>(),
            count(c["parameters"]), count(c["tokens"]),
            c["training_flops"].get<double>() + c["serving_flops"].get<double>());
    }
    put("  {}\n", kLifetime);
}

void print_budget(const json& b)
{
    put("\n{} at {} MFU: {} GPU-hours\n", b["gpu_name"].get<std::string>(),
        format_percent(b["mfu"].get<double>()), count(b["gpu_hours"]));
    if (!b["days"].is_null())
    {
        put("on {} GPUs: {} days\n  {}\n  = {}\n",
            grouped(static_cast<std::int64_t>(b["gpus"].get<double>())),
            three_digits(b["days"].get<double>()), b["formula"].get<std::string>(),
            b["working"].get<std::string>());
    }
    if (!b["cost_usd"].is_null())
    {
        put("{} USD at {:g} USD per GPU-hour\n", count(b["cost_usd"]),
            b["price_usd_per_gpu_hour"].get<double>());
    }
    put("  {}\n", b["source"].get<std::string>());
}

int run_scaling(const ScalingOptions& o)
{
    const Presets& presets = open_presets(o).presets;
    const Asked a = asked(o, presets);
    const Point p = point_of(a);
    json out{{"compute_flops", p.flops()},        {"point", point_json(p)}, {"loss", loss_json(p)},
             {"optimum", optima_json(p.flops())}, {"batch", batch_json(p)}, {"budget", nullptr}};
    if (a.unique)
    {
        out["data"] = data_json(p, *a.unique);
    }
    if (a.served)
    {
        out["lifetime"] = lifetime_json(p, *a.served);
    }
    if (a.cluster())
    {
        out["budget"] =
            budget_json(a, p, a.gpu != nullptr ? a.gpu->gpu : default_scenario(presets).cluster.gpu);
    }
    if (o.json)
    {
        print_document(out);
        return kDone;
    }
    print_point(out);
    print_optima(out["optimum"]);
    for (const auto& [part, print] :
         {std::pair{"data", &print_data}, {"lifetime", &print_lifetime}, {"budget", &print_budget}})
    {
        if (out.contains(part) && !out[part].is_null())
        {
            print(out[part]);
        }
    }
    return kDone;
}

void add_scaling_options(CLI::App& app, ScalingOptions& o)
{
    app.add_option("--compute", o.compute, "training FLOPs, 6 N D: 5.76e23")->type_name("C");
    app.add_option("--parameters", o.parameters, "active parameters: 70B")->type_name("N");
    app.add_option("--tokens", o.tokens, "training tokens: 1.4T")->type_name("D");
    app.add_option("--unique", o.unique, "unique tokens; training tokens beyond them are repeated epochs");
    app.add_option("--serve", o.served, "inference tokens over the model's lifetime");
    app.add_option("--gpus", o.gpus, "number of GPUs, for the training time");
    app.add_option("--gpu", o.gpu, "GPU preset; default: the default scenario's")->type_name("ID");
    app.add_option("--mfu", o.mfu, "model FLOPs utilization: 0.4 or 40%; default 0.4");
    app.add_option("--price", o.price, "USD per GPU-hour, for the cost");
    add_json(app, o);
}

} // namespace

const CliCommand scaling_command = command<add_scaling_options, run_scaling>(
    "scaling", "loss, compute optimum, training days and cost by every published scaling law");

} // namespace ringside
