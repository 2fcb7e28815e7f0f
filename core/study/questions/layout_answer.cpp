#include "core/study/questions/layout_answer.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/planner/search/layout_search.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ringside
{

namespace
{

struct LayoutWord
{
    std::string_view word;
    std::int64_t Layout::*field;
};

constexpr std::array kLayoutWords{
    LayoutWord{"tp", &Layout::tensor},      LayoutWord{"tensor", &Layout::tensor},
    LayoutWord{"pp", &Layout::pipeline},    LayoutWord{"pipeline", &Layout::pipeline},
    LayoutWord{"cp", &Layout::context},     LayoutWord{"context", &Layout::context},
    LayoutWord{"ep", &Layout::expert},      LayoutWord{"expert", &Layout::expert},
    LayoutWord{"vp", &Layout::chunks},      LayoutWord{"chunks", &Layout::chunks},
    LayoutWord{"zero", &Layout::zero},      LayoutWord{"micro", &Layout::micro_batch},
    LayoutWord{"mb", &Layout::micro_batch}, LayoutWord{"gpus", &Layout::gpus}};

// Other spellings, and words that say nothing between a name and its number.
constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kSpellings{
    {{"tensor-model-parallel-size", "tp"},
     {"pipeline-model-parallel-size", "pp"},
     {"context-parallel-size", "cp"},
     {"expert-model-parallel-size", "ep"},
     {"micro-batch-size", "micro"},
     {"mbs", "micro"},
     {"microbatch", "micro"},
     {"micro-batch", "micro"},
     {"ubatch", "micro"},
     {"vpp", "vp"},
     {"ddp", "dp"},
     {"data-parallel", "dp"},
     {"tensor-parallel", "tp"},
     {"replicas", "dp"},
     {"pipeline-parallel", "pp"},
     {"stages", "pp"},
     {"context-parallel", "cp"},
     {"gpu", "gpus"},
     {"expert-parallel", "ep"},
     {"sequence-parallel", "sp"},
     {"sequence", "sp"},
     {"recomputation", "recompute"},
     {"checkpointing", "recompute"},
     {"no", "none"},
     {"way", ""},
     {"ways", ""},
     {"with", ""},
     {"and", ""},
     {"stage", ""},
     {"degree", ""},
     {"size", ""},
     {"parallel", ""},
     {"parallelism", ""},
     {"of", ""},
     {"use", ""},
     {"x", ""},
     {"batch", ""}}};

// "tp8" and "8tp" are two words; "1f1b" and "zb-h1" are one.
void add_layout_word(std::vector<std::string>& words, std::string word)
{
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    word.erase(0, word.find_first_not_of('-')); // "--tp"
    while (!word.empty() && !find_schedule(word))
    {
        const bool number = digit(word.front());
        const auto end =
            std::find_if(word.begin(), word.end(), [&](char c) { return digit(c) != number; }) - word.begin();
        std::string first = word.substr(0, static_cast<std::size_t>(end));
        word.erase(0, static_cast<std::size_t>(end));
        first.erase(first.find_last_not_of('-') + 1);
        word.erase(0, number ? word.find_first_not_of('-') : 0);
        const auto* same = std::find_if(kSpellings.begin(), kSpellings.end(),
                                        [&](const auto& spelling) { return spelling.first == first; });
        first = same == kSpellings.end() ? first : std::string(same->second);
        if (!first.empty())
        {
            words.push_back(std::move(first));
        }
    }
    if (!word.empty())
    {
        words.emplace_back("schedule");
        words.push_back(std::move(word));
    }
}

// Names in front of their values: "8-way TP" and "full recompute" the other way round, "8x4x8" as TP, PP, DP.
void name_first(std::vector<std::string>& words)
{
    const auto number = [](const std::string& w)
    { return w.find_first_not_of("0123456789") == std::string::npos; };
    const auto leading = std::find_if_not(words.begin(), words.end(), number) - words.begin();
    if (leading == 2 || leading == 3)
    {
        constexpr std::array kAxes{"tp", "pp", "dp"};
        for (auto i = leading; i > 0; --i)
        {
            words.insert(words.begin() + i - 1, kAxes.at(static_cast<std::size_t>(i - 1)));
        }
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
        const std::string& next = words[i + 1];
        const bool kind = words[i] == "full" || words[i] == "none" || words[i] == "selective";
        const bool back = number(words[i]) || (kind && (next == "recompute" || next == "zero"));
        if (back)
        {
            std::swap(words[i], words[i + 1]);
            words[i + 1] = words[i] == "zero" && kind ? "0" : words[i + 1];
        }
        i += back || number(words[i + 1]) ? 1U : 0U;
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
    {
        if (words[i] == "schedule" && words[i + 1] == "schedule")
        {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

std::vector<std::string> layout_words(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    for (const char c : std::string(text) + " ")
    {
        if (std::string_view(" ,=;:/|+()[]*\t\n\xc3\x97").find(c) != std::string_view::npos)
        {
            add_layout_word(words, std::exchange(word, ""));
            continue;
        }
        word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    name_first(words);
    return words;
}

std::optional<std::int64_t> layout_count(const std::string& word)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool good =
        error == std::errc() && end == word.data() + word.size() && value >= 0 && value <= 10'000'000;
    return good ? std::optional<std::int64_t>(value) : std::nullopt;
}

bool read_recompute(const std::string& word, Layout& layout)
{
    for (const Recompute r : {Recompute::none, Recompute::selective, Recompute::full})
    {
        if (name_of(r) == word)
        {
            layout.recompute = r;
            return true;
        }
    }
    return false;
}

Issue no_layout_word(const std::string& word)
{
    std::vector<std::string> known{"dp", "sp", "recompute", "schedule"};
    for (const LayoutWord& w : kLayoutWords)
    {
        known.emplace_back(w.word);
    }
    const std::string near = nearest_word(word, known);
    return {"", fmt::format("\u201c{}\u201d is not part of a layout", word.substr(0, 30)),
            near.empty() ? "write it such as tp 8 pp 4 zero 1 micro 1"
                         : fmt::format("did you mean {}?", near)};
}

// Everything that can be named, over a layout where all is 1 or off.
Result<Layout> read_layout_words(const std::vector<std::string>& words, Layout layout,
                                 std::optional<std::int64_t>& data)
{
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const std::string& word = words[i];
        const std::string value = i + 1 < words.size() ? words[i + 1] : "";
        if (word == "sp")
        {
            layout.sequence_parallel = value != "off" && value != "no" && value != "0";
            i += value == "on" || value == "off" || value == "yes" || value == "no" || value == "0" ||
                         value == "1"
                     ? 1U
                     : 0U;
            continue;
        }
        ++i;
        if (word == "recompute" && read_recompute(value, layout))
        {
            continue;
        }
        if (word == "schedule" && find_schedule(value))
        {
            layout.schedule = find_schedule(value);
            continue;
        }
        const auto* known = std::find_if(kLayoutWords.begin(), kLayoutWords.end(),
                                         [&](const LayoutWord& w) { return w.word == word; });
        const bool named = known != kLayoutWords.end() || word == "dp" || word == "data";
        const auto count = layout_count(value);
        if (!named && word != "recompute" && word != "schedule")
        {
            return no_layout_word(word);
        }
        if (!named || !count)
        {
            return Issue{"", fmt::format("{} of \u201c{}\u201d is no value", word, value.substr(0, 30)),
                         "write it such as tp 8 pp 4 zero 1 micro 1"};
        }
        known != kLayoutWords.end() ? void(layout.*(known->field) = *count) : void(data = *count);
    }
    return layout;
}

// Counts outside their fields' ranges, which the rules of a layout take for granted.
Issues outside_ranges(const Scenario& s)
{
    Issues issues;
    const auto check = [&]<class S>(const S& part)
    {
        for (const Field<S>& field : fields_of(part))
        {
            const auto* member = std::get_if<std::int64_t S::*>(&field.member);
            const double value = member != nullptr ? static_cast<double>(part.*(*member)) : field.least;
            if (value < field.least || value > field.most)
            {
                issues.push_back({"", fmt::format("{}: {} is out of range", field.label, value),
                                  fmt::format("use {} to {}", field.least, field.most)});
            }
        }
    };
    check(s.cluster);
    check(s.parallel);
    check(s.training);
    return issues;
}

} // namespace

Result<Scenario> read_layout(std::string_view text, const Scenario& scenario)
{
    if (text.size() > 500)
    {
        return Issue{"", "too long for a layout", "write it such as tp 8 pp 4 zero 1 micro 1"};
    }
    const std::vector<std::string> words = layout_words(text);
    if (words.empty())
    {
        return Issue{"", "nothing was typed", "write it such as tp 8 pp 4 zero 1 micro 1"};
    }
    const Layout own = layout_of(scenario);
    Layout start;
    start.gpus = own.gpus;
    start.recompute = own.recompute;
    start.schedule = own.schedule;
    start.sequence_parallel = own.sequence_parallel;
    std::optional<std::int64_t> data;
    auto layout = read_layout_words(words, start, data);
    if (!layout)
    {
        return layout.issues();
    }
    layout->sequence_parallel = layout->sequence_parallel && layout->tensor > 1;
    layout->expert_tensor = std::min(own.expert_tensor, layout->tensor);
    Scenario laid = scenario;
    apply(*layout, laid);
    Issues issues = outside_ranges(laid);
    issues = issues.empty() ? validate(laid) : issues;
    std::erase_if(issues, [](const Issue& i) { return i.severity != Severity::error; });
    if (!issues.empty())
    {
        return issues;
    }
    if (data && *data != data_parallel(laid))
    {
        return Issue{"",
                     fmt::format("dp {} does not follow: {} GPUs leave {} replicas", *data, laid.cluster.gpus,
                                 data_parallel(laid)),
                     "leave dp out, or change the others"};
    }
    return laid;
}

std::string layout_text(const Scenario& scenario)
{
    const Layout l = layout_of(scenario);
    std::string text = fmt::format("tp {} pp {}", l.tensor, l.pipeline);
    const auto add = [&](std::string_view word, std::int64_t value, std::int64_t plain)
    { text += value == plain ? "" : fmt::format(" {} {}", word, value); };
    add("cp", l.context, 1);
    add("ep", l.expert, 1);
    add("vp", l.chunks, 1);
    text += fmt::format(" zero {} micro {} recompute {}", l.zero, l.micro_batch, name_of(l.recompute));
    return text + (l.pipeline > 1 ? fmt::format(" schedule {}", l.schedule->id) : "");
}

Result<DesignVerdict> judge_layout(const Scenario& scenario, const GoalSpec& goal)
{
    const auto report = evaluate(scenario);
    if (!report)
    {
        return report.issues();
    }
    DesignVerdict v;
    v.fits = report->memory.fits();
    v.bytes = report->memory.worst().total().value;
    v.capacity = report->memory.capacity.value;
    v.seconds = report->step.total();
    v.message = v.fits ? "It fits"
                       : fmt::format("It does not fit: {} of {} on the peak-memory GPU",
                                     format_bytes(Bytes(v.bytes)), format_bytes(Bytes(v.capacity)));
    v.good = v.fits == goal.fits;
    if (goal.within_best > 0)
    {
        SearchLimits limits;
        limits.headroom = 0; // the goal is what fits at all
        LayoutSearch search(scenario, limits);
        while (search.advance(1'000'000))
        {
        }
        if (!search.result().best.empty())
        {
            const Candidate& best = search.result().best.front();
            Scenario laid = scenario;
            apply(best.layout, laid);
            v.best = best.seconds;
            v.best_layout = layout_text(laid);
        }
        v.good = v.good && v.best > 0 && v.over_best() <= goal.within_best;
        v.message += v.fits && v.best > 0
                         ? fmt::format(", and a step takes {}, {}x the best there is",
                                       format_seconds(Seconds(v.seconds)), three_digits(v.over_best()))
                         : "";
    }
    v.message += ".";
    return v;
}

} // namespace ringside
