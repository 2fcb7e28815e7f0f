// Data, recipe and learning: what sequences are, how the rate goes, that losses fall as they must.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/config_json.h"

#include <catch2/catch_approx.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;
using namespace ringside::test;

namespace
{

TrainerConfig task_config(LabTask task, std::int64_t symbols, std::int64_t length)
{
    TrainerConfig c = tiny_config();
    c.data = {task, symbols, "", nullptr};
    c.model.hidden = 32;
    c.model.heads = 4;
    c.training.sequence_length = length;
    c.training.micro_batch = c.training.global_batch = 16;
    c.recipe.learning_rate = 1e-2;
    c.recipe.decay_steps = 400;
    return c;
}

std::string words(const Corpus& corpus, const std::vector<std::int32_t>& tokens)
{
    std::string text;
    for (const std::int32_t token : tokens)
    {
        text += token < 0 ? "." : corpus.decode(token);
    }
    return text;
}

} // namespace

TEST_CASE("a batch of text is the text, and its targets are one character ahead")
{
    const TrainerConfig c = tiny_config();
    const Corpus corpus(c.data);
    const Batch batch = corpus.batch(1, 0, 0, 4, 10);
    REQUIRE(batch.tokens.size() == 40);
    REQUIRE(batch.targets.size() == 40);
    for (std::size_t i = 0; i < 4; ++i)
    {
        const auto first = batch.tokens.begin() + static_cast<std::ptrdiff_t>(10 * i);
        const std::string seen = words(corpus, {first, first + 10});
        const std::string next = corpus.decode(batch.targets[10 * i + 9]);
        CHECK(short_text()->find(seen + next) != std::string::npos);
        CHECK(std::equal(first + 1, first + 10, batch.targets.begin() + static_cast<std::ptrdiff_t>(10 * i)));
    }
    CHECK(corpus.batch(1, 0, 2, 2, 10).tokens ==
          std::vector<std::int32_t>(batch.tokens.begin() + 20, batch.tokens.end()));
    CHECK(corpus.batch(1, 1, 0, 4, 10).tokens != batch.tokens);
    CHECK(corpus.batch(2, 0, 0, 4, 10).tokens != batch.tokens);
}

TEST_CASE("what is held out of a text is never trained on")
{
    LabData data;
    std::string text;
    for (int i = 0; i < 1000; ++i)
    {
        text += i < 900 ? 'a' : 'b';
    }
    data.text = std::make_shared<const std::string>(text);
    const Corpus corpus(data);
    for (std::int64_t step = 0; step < 50; ++step)
    {
        for (const std::int32_t token : corpus.batch(1, step, 0, 4, 20).tokens)
        {
            REQUIRE(corpus.decode(token) == "a");
        }
        for (const std::int32_t token : corpus.batch(1, step, 0, 4, 20, true).tokens)
        {
            REQUIRE(corpus.decode(token) == "b");
        }
    }
}

TEST_CASE("copy, sort and addition ask only for what can be known")
{
    const Corpus copy({LabTask::copy, 5, "", nullptr});
    const Batch c = copy.batch(1, 0, 0, 1, 8);
    const std::string tokens = words(copy, c.tokens);
    CHECK(words(copy, c.targets) == "...." + tokens.substr(0, 4));
    CHECK(tokens.substr(4, 1) == "|");

    const Corpus sort({LabTask::sort, 5, "", nullptr});
    const Batch s = sort.batch(1, 0, 0, 1, 8);
    std::string sorted = words(sort, s.tokens).substr(0, 4);
    std::sort(sorted.begin(), sorted.end());
    CHECK(words(sort, s.targets) == "...." + sorted);

    const Corpus addition({LabTask::addition, 7, "", nullptr});
    const Batch a = addition.batch(1, 0, 0, 1, 7);
    REQUIRE(a.tokens.size() == 7);
    CHECK(addition.decode(a.tokens[2]) == "= ");
    CHECK(a.targets[2] == (a.tokens[0] + a.tokens[1]) % 7);
    CHECK(a.targets[6] == (a.tokens[4] + a.tokens[5]) % 7);
    CHECK(std::count(a.targets.begin(), a.targets.end(), kNoTarget) == 5);
}

TEST_CASE("texts are cut into characters, not bytes; others are faults")
{
    LabData data;
    data.text = std::make_shared<const std::string>("naïve café – ∂L/∂w naïve café – ∂L/∂w");
    const Corpus corpus(data);
    CHECK(words(corpus, corpus.encode("∂w ï")) == "∂w ï");
    CHECK(corpus.encode("ß").empty());
    CHECK(corpus.vocabulary() == 14);
    CHECK(check_data(data, 4).empty());
    CHECK(check_data(data, 400).size() == 1);
    data.text = std::make_shared<const std::string>("abc\xff\xfe abc abc abc abc abc abc");
    CHECK(check_data(data, 4).front().message.find("byte 3") != std::string::npos);
    data.text = nullptr;
    CHECK(check_data(data, 4).size() == 1);
    CHECK(check_data({LabTask::addition, 98, "", nullptr}, 8).size() == 1);
}

TEST_CASE("synthetic tasks are learned until nothing is left to learn")
{
    struct Case
    {
        LabTask task;
        std::int64_t symbols;
        std::int64_t length;
        std::int64_t width;
        double rate;
        int steps;
    };
    // Addition needs the width and the small rate: at 32 and 1e-2 nine seeds of ten learn nothing.
    for (const Case& task :
         {Case{LabTask::copy, 6, 12, 32, 1e-2, 300}, Case{LabTask::sort, 6, 12, 32, 1e-2, 600},
          Case{LabTask::addition, 5, 7, 64, 1e-3, 600}})
    {
        INFO(name_of(task.task));
        TrainerConfig config = task_config(task.task, task.symbols, task.length);
        config.model.hidden = task.width;
        config.recipe.learning_rate = task.rate;
        config.recipe.decay_steps = task.steps;
        auto t = make_trainer(config, 2);
        const auto losses = train(*t, task.steps);
        CHECK(losses.front() == Catch::Approx(std::log(static_cast<double>(task.symbols + 1))).margin(0.3));
        CHECK(losses.back() < 0.05);
        const auto held_out = t->validation_loss(32);
        REQUIRE(held_out);
        CHECK(*held_out < 0.1);
    }
}

TEST_CASE("a model that has learned to copy copies")
{
    auto t = make_trainer(task_config(LabTask::copy, 6, 12), 2);
    train(*t, 300);
    const auto text = t->sample(5, 0, 0, 3);
    REQUIRE(text);
    const std::size_t bar = text->find('|');
    REQUIRE(bar != std::string::npos);
    CHECK(text->substr(bar + 1, bar).starts_with(text->substr(0, std::min<std::size_t>(bar, 5))));
}

TEST_CASE("sampling follows seed, temperature and top-k")
{
    auto t = make_trainer(tiny_config());
    train(*t, 60);
    const auto text = [&](double temperature, std::int64_t top_k, std::uint64_t round)
    {
        const auto drawn = t->sample(30, temperature, top_k, round);
        return drawn ? *drawn : std::string();
    };
    CHECK(text(1, 0, 1) == text(1, 0, 1));
    CHECK(text(1, 0, 1) != text(1, 0, 2));
    CHECK(text(0, 0, 1) == text(0, 0, 2));
    CHECK(text(1, 1, 1) == text(0, 0, 1));
    CHECK(text(1, 0, 1).size() >= 30);
}

TEST_CASE("hand-worked: the learning rate rises in a line, falls in half a cosine and stays")
{
    Recipe r;
    r.learning_rate = 0.1;
    r.warmup_steps = 4;
    r.decay_steps = 12;
    r.final_share = 0.2;
    CHECK(trainer::learning_rate(r, 0) == Catch::Approx(0.025));
    CHECK(trainer::learning_rate(r, 3) == Catch::Approx(0.1));
    CHECK(trainer::learning_rate(r, 4) == Catch::Approx(0.1));
    CHECK(trainer::learning_rate(r, 8) == Catch::Approx(0.06));
    CHECK(trainer::learning_rate(r, 12) == Catch::Approx(0.02));
    CHECK(trainer::learning_rate(r, 5000) == Catch::Approx(0.02));
    r.decay_steps = 0;
    CHECK(trainer::learning_rate(r, 5000) == Catch::Approx(0.1));
}

TEST_CASE("hand-worked: the first step of AdamW and of SGD")
{
    // AdamW's corrected means are the gradient and its square, so the step is the rate times the gradient's
    // sign, and matrices decay; SGD's is the rate times the gradient.
    for (const Optimizer optimizer : {Optimizer::adamw, Optimizer::sgd_momentum})
    {
        TrainerConfig c = tiny_config();
        c.training.optimizer = optimizer;
        c.recipe = {};
        c.recipe.learning_rate = 0.01;
        c.recipe.warmup_steps = c.recipe.decay_steps = 0;
        c.recipe.clip = 0;
        auto t = make_trainer(c);
        const auto before = fp32_weights(*t);
        step(*t);
        const auto after = fp32_weights(*t);
        const auto gradient = t->gradients();
        const auto decayed = static_cast<std::size_t>(t->parameters().decayed);
        for (std::size_t i = 0; i < before.size(); i += 7)
        {
            const auto g = static_cast<double>(gradient[i]);
            const double pull = i < decayed ? 0.1 * static_cast<double>(before[i]) : 0;
            const double move = optimizer == Optimizer::adamw ? g / (std::abs(g) + 1e-8) : g;
            REQUIRE(static_cast<double>(after[i]) ==
                    Catch::Approx(static_cast<double>(before[i]) - 0.01 * (move + pull)).margin(2e-6));
        }
    }
}

TEST_CASE("clipping shortens a step of SGD to the norm asked for")
{
    TrainerConfig c = tiny_config();
    c.training.optimizer = Optimizer::sgd_momentum;
    c.recipe.weight_decay = 0;
    c.recipe.learning_rate = 1;
    c.recipe.warmup_steps = c.recipe.decay_steps = 0;
    c.recipe.clip = 0.01;
    auto t = make_trainer(c);
    const auto before = fp32_weights(*t);
    const auto result = step(*t);
    CHECK(result.gradient_norm > 0.1);
    const auto after = fp32_weights(*t);
    double squares = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
    {
        squares += std::pow(static_cast<double>(after[i] - before[i]), 2);
    }
    CHECK(std::sqrt(squares) == Catch::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("a configuration that cannot be trained names every reason, with what would work")
{
    TrainerConfig c = tiny_config();
    c.model.experts = 4;
    c.model.attention = Attention::mla;
    c.model.positions = Positions::alibi;
    c.training.optimizer = Optimizer::muon;
    c.recipe.beta2 = 2;
    c.recipe.learning_rate = std::nan("");
    const auto ready = prepared(c);
    REQUIRE_FALSE(ready);
    std::vector<std::string> paths;
    for (const Issue& issue : ready.issues())
    {
        paths.push_back(issue.path);
        CHECK_FALSE(issue.hint.empty());
    }
    for (const char* path : {"model.experts_per_token", "model.attention", "model.positions",
                             "training.optimizer", "recipe.beta2", "recipe.learning_rate"})
    {
        INFO(path);
        CHECK(std::count(paths.begin(), paths.end(), path) == 1);
    }
    c = tiny_config();
    c.model.hidden = 0;
    CHECK_FALSE(prepared(c));
    c = tiny_config();
    c.training.global_batch = 4;
    CHECK_FALSE(prepared(c));
}

TEST_CASE("a configuration survives JSON, and one field can be set by its path")
{
    TrainerConfig c = *prepared(tiny_config());
    c.recipe.clip = 0.5;
    c.seed = 12345678901234567890U;
    auto back = trainer_config_from_json(to_json(c));
    REQUIRE(back);
    back->data.text = c.data.text;
    CHECK(*back == c);

    const auto clipped = with_setting(c, "recipe.clip=0.25");
    REQUIRE(clipped);
    CHECK(clipped->recipe.clip == 0.25);
    CHECK(clipped->data == c.data);
    const auto gated = with_setting(c, "model.gated_mlp=true");
    REQUIRE(gated);
    CHECK(gated->model.gated_mlp);
    CHECK(with_setting(c, "recipe.clap=1").issues().front().hint == R"(did you mean "clip"?)");
    CHECK_FALSE(with_setting(c, "recipe.clip=much"));
    CHECK_FALSE(with_setting(c, "training.precision=int3"));
    CHECK_FALSE(with_setting(c, "nonsense"));
}

TEST_CASE("a field out of range is answered with what the lab takes, not the engine")
{
    const TrainerConfig c = *prepared(tiny_config());
    const auto hint = [&](const char* assignment)
    { return with_setting(c, assignment).issues().front().hint; };
    CHECK(hint("model.hidden=0") == "use 8 to 2048");
    CHECK(hint("model.layers=1000000") == "use 1 to 96");
    CHECK(hint("model.heads=0") == "use 1 to 128");
    CHECK(hint("training.micro_batch=0") == "use 1 to 4096");
    CHECK(hint("training.sequence_length=0") == "use 2 to 4096");
    CHECK(hint("training.optimizer=adam") == "use adamw or sgd-momentum");
    CHECK(hint("recipe.warmup_steps=soon") == "use 0 to 1,000,000,000");
    TrainerConfig wide = c;
    wide.model.hidden = 7;
    wide.recipe.growth_interval = 0;
    const auto ready = prepared(wide);
    REQUIRE_FALSE(ready);
    std::vector<std::string> lines;
    for (const Issue& issue : ready.issues())
    {
        lines.push_back(to_line(issue));
    }
    for (const char* line : {"model.hidden: 7 is out of range (use 8 to 2048)",
                             "recipe.growth_interval: 0 is out of range (use 1 to 1,000,000,000)"})
    {
        INFO(line);
        CHECK(std::count(lines.begin(), lines.end(), line) == 1);
    }
}

namespace
{

// A copy task for experts, two a token.
TrainerConfig routed_config(double balance, double capacity)
{
    TrainerConfig c = task_config(LabTask::copy, 8, 17);
    c.model.experts = 8;
    c.model.experts_per_token = 2;
    c.model.expert_ffn = 32;
    c.recipe.balance_loss = balance;
    c.recipe.capacity_factor = capacity;
    return c;
}

// Mean over layers and the last 20 of so many steps.
struct Evenness
{
    double violation = 0;
    double dropped = 0;
    double balance = 0;
    double loss = 0;
};
Evenness trained(const TrainerConfig& config, int steps)
{
    auto t = make_trainer(config, 2);
    Evenness mean;
    for (int i = 0; i < steps; ++i)
    {
        const auto result = step(*t);
        for (const LayerRouting& layer : result.experts)
        {
            const double share = i + 20 < steps ? 0 : 1.0 / 20 / static_cast<double>(result.experts.size());
            mean.violation += share * layer.violation();
            mean.dropped += share * layer.dropped();
            mean.balance += share * layer.balance;
        }
        mean.loss = result.loss;
    }
    return mean;
}

} // namespace

TEST_CASE("a model with experts learns to copy what it has read, to near nothing")
{
    CHECK(trained(routed_config(0.01, 2), 400).loss < 0.05);
}

TEST_CASE("the balance loss makes experts evenly busy, so that fewer tokens are dropped")
{
    TrainerConfig c = routed_config(0, 1);
    c.data = tiny_config().data;
    c.training.sequence_length = 32;
    c.training.micro_batch = c.training.global_batch = 8;
    const Evenness without = trained(c, 150);
    c.recipe.balance_loss = 0.05;
    const Evenness with = trained(c, 150);
    CHECK(with.violation < 0.5 * without.violation);
    CHECK(with.dropped < 0.6 * without.dropped);
    CHECK(without.balance > 1.5);
    CHECK(with.balance < 1.1);
    CHECK(with.balance > 0.99);
}

TEST_CASE("with room for every token none is dropped, whatever is chosen")
{
    const Evenness all = trained(routed_config(0, 4), 5); // 4 x 2 x 17 / 8 = 17 rows
    CHECK(all.dropped == 0);
}

TEST_CASE("a recipe with experts is saved, read again and gone on with bit for bit")
{
    TrainerConfig c = routed_config(0.02, 1.5);
    const auto back = trainer_config_from_json(to_json(c));
    REQUIRE(back);
    CHECK(back->recipe == c.recipe);
    CHECK(back->model.experts == 8);
    auto one = make_trainer(c);
    train(*one, 3);
    auto other = make_trainer(c);
    REQUIRE(other->restore(one->state()).empty());
    CHECK(train(*other, 2) == train(*one, 2));
    CHECK(other->state() == one->state());
}

TEST_CASE("what experts cannot be is said with the field and what would work")
{
    const auto fault = [](void (*change)(TrainerConfig&))
    {
        TrainerConfig c = routed_config(0, 1);
        change(c);
        const auto ready = prepared(c);
        return ready ? std::string() : to_line(ready.issues().front());
    };
    CHECK(fault([](TrainerConfig& c) { c.model.experts_per_token = 3; }) ==
          "model.experts_per_token: 3 is out of range (use 1 to 2)");
    CHECK(fault([](TrainerConfig& c) { c.model.experts = 1; }) ==
          "model.experts_per_token: 2 is out of range (use 1 to 1)");
    CHECK(fault([](TrainerConfig& c) { c.model.experts = 65; }).starts_with("model.experts: 65"));
    CHECK(fault([](TrainerConfig& c) { c.model.shared_experts = 1; }).starts_with("model.shared_experts"));
    CHECK(fault([](TrainerConfig& c) { c.model.dense_layers = 1; }).starts_with("model.dense_layers"));
    CHECK(fault([](TrainerConfig& c) { c.model.moe_interval = 2; }).starts_with("model.moe_interval"));
    CHECK(fault([](TrainerConfig& c) { c.model.router_bias = true; }).starts_with("model.router_bias"));
    CHECK(
        fault([](TrainerConfig& c) { c.recipe.capacity_factor = 0; }).starts_with("recipe.capacity_factor"));
}
