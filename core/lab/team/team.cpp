#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/team/team_snapshot.h"
#include "core/model/sizes.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kMostPace = 120;
constexpr std::int64_t kMostDegree = 4096; // of an axis: the product of all of them is still a count

struct Word
{
    std::string_view name; // "dp"
    std::int64_t number = 0;
};

// "dp2" -> dp, 2; "tp" -> tp, 0.
Word read_word(std::string_view text)
{
    const auto digits = std::ranges::find_if(text, [](char c) { return c >= '0' && c <= '9'; });
    Word word{text.substr(0, static_cast<std::size_t>(digits - text.begin())), 0};
    const std::string_view number = text.substr(word.name.size());
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), word.number);
    if (!number.empty() && (fault != std::errc() || end != number.data() + number.size() || word.number < 1 ||
                            word.number > kMostDegree))
    {
        word.number = -1;
    }
    return word;
}

std::vector<std::string_view> words_of(std::string_view strategy)
{
    std::vector<std::string_view> words;
    for (;;)
    {
        const std::size_t dash = strategy.find('-');
        words.push_back(strategy.substr(0, dash));
        if (dash == std::string_view::npos)
        {
            return words;
        }
        strategy.remove_prefix(dash + 1);
    }
}

// How the words change what is cut; a single word without a number takes all ranks.
class Strategy
{
public:
    Strategy(Parallel& parallel, std::int64_t ranks, bool single) : p_(parallel), all_(single ? ranks : 0) {}

    bool take(const Word& word)
    {
        if (word.number < 0)
        {
            return false;
        }
        if (word.name == "zero")
        {
            p_.zero = word.number;
            return word.number >= 1 && word.number <= 3;
        }
        if (word.name == "sp")
        {
            p_.sequence_parallel = true;
            return word.number == 0 && (all_ == 0 || take({"tp", 0}));
        }
        std::int64_t* degree = degree_of(word.name);
        if (degree == nullptr || (word.number == 0 && all_ == 0))
        {
            return false;
        }
        *degree = word.number > 0 ? word.number : all_;
        return true;
    }
    std::int64_t data() const { return data_; }

private:
    std::int64_t* degree_of(std::string_view name)
    {
        return name == "tp"                    ? &p_.tensor
               : name == "pp"                  ? &p_.pipeline
               : name == "cp"                  ? &p_.context
               : name == "ep"                  ? &p_.expert
               : name == "dp" || name == "ddp" ? &data_
                                               : nullptr;
    }

    Parallel& p_;
    std::int64_t all_;
    std::int64_t data_ = 0; // asked for; 0: what remains
};

// The first word whose axis another has named before it; of "dp2-dp4" only one could hold.
std::optional<std::string_view> repeated(const std::vector<std::string_view>& words)
{
    std::vector<std::string_view> seen;
    for (const std::string_view word : words)
    {
        const std::string_view name = read_word(word).name;
        const std::string_view axis = name == "ddp" ? "dp" : name;
        if (std::ranges::find(seen, axis) != seen.end())
        {
            return word;
        }
        seen.push_back(axis);
    }
    return {};
}

// What is no strategy whatever the model; empty: nothing.
Issues faults_of_words(const std::vector<std::string_view>& words, std::string_view strategy,
                       std::int64_t ranks)
{
    if (ranks < 1)
    {
        return {{"--ranks", fmt::format("{} is out of range", ranks), "use 1 or more"}};
    }
    if (const auto again = repeated(words))
    {
        return {{"--strategy", fmt::format("“{}” in “{}” repeats what was said before it", *again, strategy),
                 "use every word once, such as dp2-tp2-pp2"}};
    }
    return {};
}

} // namespace

Scenario scenario_of(const TeamConfig& config)
{
    Scenario s = scenario_of(config.trainer);
    s.parallel = config.parallel;
    s.cluster.gpus = config.ranks;
    s.cluster.gpus_per_node = config.ranks;
    return s;
}

Result<TeamConfig> with_strategy(TrainerConfig config, std::string_view strategy, std::int64_t ranks)
{
    TeamConfig team{std::move(config), {}, ranks};
    const auto words = strategy == "none" ? std::vector<std::string_view>{} : words_of(strategy);
    Issues wrong = faults_of_words(words, strategy, ranks);
    if (!wrong.empty())
    {
        return wrong;
    }
    Strategy read(team.parallel, ranks, words.size() == 1);
    for (const std::string_view word : words)
    {
        if (!read.take(read_word(word)))
        {
            return Issue{
                "--strategy", fmt::format("“{}” in “{}” is not a strategy", word, strategy),
                "use ddp, zero1, zero2, zero3, tp, sp, cp, ep, pp, or a product such as dp2-tp2-pp2"};
        }
    }
    const Parallel& p = team.parallel;
    const std::int64_t cut = replica_gpus(p);
    // The copies of an expert: ranks that share out the experts are data-parallel ranks themselves.
    const std::int64_t needed = read.data() * cut * p.expert;
    if (read.data() > 0 && needed != ranks)
    {
        return Issue{"--ranks", fmt::format("{} ranks, but “{}” needs {}", ranks, strategy, needed),
                     fmt::format("use --ranks {}", needed)};
    }
    const std::int64_t least = std::max<std::int64_t>(1, ranks / std::max<std::int64_t>(1, cut)) * p.pipeline;
    Training& t = team.trainer.training;
    const std::int64_t micro_batches = (t.global_batch / t.micro_batch + least - 1) / least * least;
    t.global_batch = t.micro_batch * std::max(least, micro_batches);
    return team;
}

Result<CompressionOptions> read_compression(std::string_view words, bool feedback)
{
    CompressionOptions options{.compressor = Compressor::none, .feedback = feedback};
    const std::size_t equals = words.find('=');
    const std::string_view id = words.substr(0, equals);
    const auto fault = [&](std::string message)
    {
        return Issue{"--compress", std::move(message),
                     "use none, bf16, fp16, top-k=0.01, random-k=0.01, sign or powersgd=2"};
    };
    if (id == "none" && equals == std::string_view::npos)
    {
        return options;
    }
    const auto compressor = find_compressor(id);
    if (!compressor)
    {
        return fault(fmt::format("\u201c{}\u201d is no compressor", id));
    }
    options.compressor = *compressor;
    if (equals == std::string_view::npos)
    {
        return options;
    }
    const auto number = parse_number(words.substr(equals + 1));
    const bool rank = *compressor == Compressor::power_sgd;
    if (!number || (!rank && *compressor != Compressor::top_k && *compressor != Compressor::random_k) ||
        (rank && (*number != std::floor(*number) || std::abs(*number) > 1e6)))
    {
        return fault(
            fmt::format("\u201c{}\u201d of {}", words.substr(equals + 1), info_of(*compressor).name));
    }
    if (rank)
    {
        options.rank = static_cast<std::int64_t>(*number);
    }
    else
    {
        options.keep = *number;
    }
    return options;
}

Issues faults_of_cut(const TeamConfig& config)
{
    Issues issues;
    for (const Issue& issue : validate(scenario_of(config)))
    {
        if (issue.path.starts_with("parallel.") || issue.path.starts_with("training.") ||
            issue.path == "cluster.gpus")
        {
            issues.push_back(issue);
        }
    }
    return issues;
}

Result<TeamConfig> with_compression(TeamConfig config, std::string_view words, bool feedback)
{
    const auto options = read_compression(words, feedback);
    if (!options)
    {
        return options.issues();
    }
    if (options->compressor != Compressor::none && dense_replicas(scenario_of(config)) < 2)
    {
        return Issue{"--compress",
                     fmt::format("\u201c{}\u201d has nothing to do: no two ranks sum gradients", words),
                     "use data parallelism, such as --ranks 4 --strategy ddp, or --compress none"};
    }
    config.compression = *options;
    return config;
}

double predicted_stall(const SavePlan& plan, std::int64_t bytes, double step)
{
    if (plan.mode == SaveMode::none || !(plan.bytes_per_second > 0))
    {
        return 0;
    }
    const double write = static_cast<double>(bytes) / plan.bytes_per_second;
    const double covered = plan.mode == SaveMode::synchronous ? 0 : static_cast<double>(plan.every) * step;
    return std::max(0.0, write - covered);
}

std::string strategy_name(const TeamConfig& config)
{
    const Parallel& p = config.parallel;
    const std::int64_t data = data_parallel(scenario_of(config));
    std::string name;
    const auto add = [&name](std::string_view word, std::int64_t degree)
    {
        if (degree > 1)
        {
            name += fmt::format("{}{}{}", name.empty() ? "" : "-", word, degree);
        }
    };
    add("dp", data / p.expert);
    add("tp", p.tensor);
    add("cp", p.context);
    add("ep", p.expert);
    add("pp", p.pipeline);
    name += p.sequence_parallel && p.tensor > 1 ? "-sp" : "";
    name += p.zero > 0 && data > 1 ? fmt::format("-zero{}", p.zero) : "";
    if (config.compression.compressor != Compressor::none && data > 1)
    {
        name += ", " + label_of(config.compression);
        name += feeds_back(config.compression) ? "" : ", no feedback";
    }
    return name.empty() ? "none" : name;
}

void add_sent(std::vector<RankTrace::Sent>& sum, const RankTrace::Sent& sent)
{
    auto axis = std::ranges::find(sum, sent.axis, &RankTrace::Sent::axis);
    if (axis == sum.end())
    {
        axis = sum.insert(sum.end(), {sent.axis, 0, 0});
    }
    axis->bytes += sent.bytes;
    axis->calls += sent.calls;
}

std::int64_t all_sent(const RankTrace& rank)
{
    return sum_over<std::int64_t>(rank.sent, [](const RankTrace::Sent& sent)
                                  { return sent.axis == "control" ? 0 : sent.bytes; });
}

std::int64_t most_sent(const TeamStepTrace& trace)
{
    return largest_over<std::int64_t>(trace.ranks, all_sent);
}

void note_step(TeamSnapshot& run, double loss, std::int64_t most_sent)
{
    run.sent_so_far += static_cast<double>(most_sent);
    if ((run.step - 1) % run.loss_stride == 0)
    {
        run.losses.push_back(static_cast<float>(loss));
        run.sent_until.push_back(run.sent_so_far);
    }
    thin_out(run.loss_stride, run.losses, run.sent_until);
}

void note_step(TeamSnapshot& run, TeamStepTrace trace)
{
    run.message.clear();
    run.step = trace.step;
    note_step(run, trace.loss, most_sent(trace));
    run.sent.resize(trace.ranks.size());
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    {
        for (const RankTrace::Sent& sent : trace.ranks[rank].sent)
        {
            add_sent(run.sent[rank], sent);
        }
    }
    run.pace.push_back({run.step, trace.seconds, 0});
    keep_last(run.pace, kMostPace);
    run.trace = std::make_shared<const TeamStepTrace>(std::move(trace));
}

} // namespace ringside
