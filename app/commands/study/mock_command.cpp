// `ringside mock`: the plan of a mock interview by role, level and minutes; --ask holds it in the terminal.
#include "app/commands/console/options.h"
#include "core/study/grading/grading.h"
#include "core/study/sessions/round.h"

#include <iostream>

namespace ringside
{

namespace
{

using nlohmann::json;

struct MockOptions : CommonOptions
{
    int minutes = 45;
    std::string role{name_of(MockRole::training_infrastructure)};
    std::string level{name_of(MockLevel::mid)};
    std::uint64_t seed = 1;
    bool key = false;
    bool ask = false;
};

// One line on standard input; nothing at its end.
std::optional<std::string> typed_line()
{
    std::string line;
    return std::getline(std::cin, line) ? std::optional(line) : std::nullopt;
}

// What is asked at one point of the round: a single question, or a link of a chain.
struct AskedItem
{
    std::string title;
    std::string text;
    std::string key;
    double seconds = 0;
    std::function<Result<LinkVerdict>(const std::string&)> answer;
};

std::string answer_key(const Question& q)
{
    const auto right = std::ranges::find_if(q.choices, &ShownChoice::right);
    return q.kind == QuestionKind::numeric ? q.key_text : right != q.choices.end() ? right->says : q.answer;
}

AskedItem asked_single(const Question& q, double seconds, Calculator& calculator)
{
    std::string text = q.stem;
    for (const ShownChoice& c : q.choices)
    {
        text += fmt::format("\n- {}: {}", c.id, c.says);
    }
    for (const OrderedItem& item : q.ordering.items)
    {
        text += fmt::format("\n- {}: {}", item.id, item.says);
    }
    return {q.title, text, answer_key(q), seconds,
            [&q, &calculator](const std::string& typed) -> Result<LinkVerdict>
            {
                const auto verdict = grade(q, {typed}, calculator);
                return verdict ? Result<LinkVerdict>({verdict->correct, answer_key(q)})
                               : Result<LinkVerdict>(verdict.issues());
            }};
}

// Asks until the answer can be read or the input ends.
std::optional<LinkVerdict> asked_until_read(const AskedItem& asked)
{
    say("\n{} ({:.0f} s)\n{}\n> ", asked.title, asked.seconds, asked.text);
    while (const auto typed = typed_line())
    {
        const auto verdict = asked.answer(*typed);
        if (verdict)
        {
            say("{} {}\n", verdict->correct ? "Right." : "Not right.", verdict->message);
            return *verdict;
        }
        print_faults(verdict.issues());
        say("> ");
    }
    return {};
}

// The round, item by item.
class Round
{
public:
    Round(const MockOptions& o, const Presets& presets) : options_(o), presets_(presets), calculator_(presets)
    {
    }

    json hold(const RoundPlan& plan)
    {
        json items = json::array();
        for (const RoundItem& item : plan.items)
        {
            items.push_back(item.chain != nullptr ? chain(item) : single(item));
        }
        return items;
    }
    void say_score() const { say("\n{} of {} right\n", right_, asked_); }

private:
    json single(const RoundItem& item)
    {
        const VariantRef& v = *item.question;
        const Question q = or_end(draw(calculator_, *v.family, v.variant, item.seed), v.family->id);
        json out = entry(asked_single(q, item.seconds, calculator_));
        out["question"] = q.id;
        out["seed"] = item.seed;
        return out;
    }
    json chain(const RoundItem& item)
    {
        ChainRun run = or_end(start_chain(*item.chain, item.seed, presets_), item.chain->id);
        json out{{"chain", item.chain->id}, {"title", item.chain->title},  {"seed", item.seed},
                 {"seconds", item.seconds}, {"question", chain_stem(run)}, {"links", json::array()}};
        if (!options_.json)
        {
            say("\n{} ({:.0f} s)\n{}\n", item.chain->title, item.seconds, chain_stem(run));
        }
        for (std::size_t i = 0; i < item.chain->links.size(); ++i)
        {
            const AskedLink link = or_end(ask_link(run, i, presets_), item.chain->id);
            const auto answer = [&](const std::string& typed) { return answer_link(run, i, link, typed); };
            out["links"].push_back(
                entry({fmt::format("{}.", i + 1), link.ask, link.key, item.chain->links[i].seconds, answer}));
        }
        return out;
    }
    json entry(const AskedItem& asked)
    {
        json out{{"title", asked.title}, {"text", asked.text}, {"seconds", asked.seconds}};
        if (options_.key)
        {
            out["key"] = asked.key;
        }
        if (options_.ask)
        {
            const auto verdict = asked_until_read(asked);
            ++asked_;
            right_ += verdict && verdict->correct ? 1 : 0;
            out["correct"] = verdict ? json(verdict->correct) : json();
        }
        else if (!options_.json)
        {
            say("\n{} ({:.0f} s)\n{}\n", asked.title, asked.seconds, asked.text);
            say("{}{}", options_.key ? "= " + asked.key : "", options_.key ? "\n" : "");
        }
        return out;
    }

    const MockOptions& options_;
    const Presets& presets_;
    Calculator calculator_;
    int asked_ = 0;
    int right_ = 0;
};

template <class E>
E mock_value(const std::string& name)
{
    return every<E>()[static_cast<std::size_t>(std::ranges::find(kNamesOf<E>.all, name) -
                                               kNamesOf<E>.all.begin())];
}

int run_mock(const MockOptions& o)
{
    const Opened& opened = open_presets(o);
    Issues issues;
    const QuestionBank bank = load_questions(opened.assets, issues);
    const std::vector<Chain> chains = load_chains(opened.assets, issues);
    print_faults(issues);
    const RoundPlan plan = plan_round(
        bank, chains, {o.minutes, mock_value<MockRole>(o.role), mock_value<MockLevel>(o.level), o.seed});
    Round round(o, opened.presets);
    const json items = round.hold(plan);
    if (o.json)
    {
        print_document({{"minutes", o.minutes},
                        {"role", o.role},
                        {"level", o.level},
                        {"seed", o.seed},
                        {"filled", plan.filled},
                        {"items", items}});
    }
    else if (o.ask)
    {
        round.say_score();
    }
    return kDone;
}

template <class E>
std::vector<std::string> mock_names()
{
    return list_of<std::string>(kNamesOf<E>.all, [](std::string_view name) { return std::string(name); });
}

void add_mock_options(CLI::App& app, MockOptions& o)
{
    whole(app.add_option("--minutes", o.minutes, "length of the interview"), 5, 180);
    one_of(app.add_option("--role", o.role, "what the interview is for"), mock_names<MockRole>());
    one_of(app.add_option("--level", o.level, "how hard it is"), mock_names<MockLevel>());
    add_seed(app, o.seed);
    auto* document = add_json(app, o);
    app.add_flag("--key", o.key, "with the answers");
    auto* ask = app.add_flag("--ask", o.ask, "ask, and read an answer a line from standard input");
    exclude_each_other({document, ask});
}

} // namespace

const CliCommand mock_command = command<add_mock_options, run_mock>(
    "mock", "plan or hold a mock interview: chains of follow-ups on the same answer, and single questions");

} // namespace ringside
