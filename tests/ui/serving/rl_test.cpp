// RL systems: what a step of it is made of, and what keys add to it.
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;

TEST_CASE("a step shows the log-probabilities of old policy and reference, and the scores of a reward model")
{
    test::Window w;
    w.open("rl/step");
    w.settle(300);
    CHECK(says(w, "old log-probs"));
    CHECK(says(w, "reference log-probs"));
    CHECK(says(w, "generation + old log-probs + reference + update + sync"));
    CHECK_FALSE(says(w, "reward model")); // a rule scores
    w.key(ImGuiKey_M);
    w.settle(300);
    CHECK(says(w, "reward model"));
    CHECK(says(w, "generation + reward + old log-probs + reference + update + sync"));
    w.key(ImGuiKey_R);
    w.settle(300);
    CHECK_FALSE(says(w, "reference log-probs"));
}

TEST_CASE("engines are as large as the scenario's tensor parallelism until another size is chosen")
{
    test::Window w;
    w.open("rl/step");
    w.settle(300);
    // 256 GPUs are 32 engines of 8, of which 16 are drawn; the slowest stands for its neighbour.
    CHECK((says(w, "engine 16") || says(w, "engine 17")));
    w.type_value("GPUs per engine", "16");
    w.settle(300);
    CHECK(says(w, "engine 8"));
    CHECK_FALSE(says(w, "engine 17"));
}

TEST_CASE("no words of RL systems are cut off or lie on others at any size, however it is placed")
{
    test::Window w;
    w.open("rl/step");
    w.key(ImGuiKey_M);
    for (int placement = 0; placement < 4; ++placement)
    {
        test::check_words_at_every_size(w, "placement " + std::to_string(placement));
        w.key(ImGuiKey_G);
    }
    w.key(ImGuiKey_Y);
    test::check_words_at_every_size(w, "GPU split");
    w.key(ImGuiKey_Y);
    test::check_words_at_every_size(w, "importance weights");
}

TEST_CASE("importance weights of 3,000 tokens leave e^-1.2 of a batch, and a larger cap biases less")
{
    test::Window w;
    w.open("rl/weights");
    w.settle(300);
    CHECK(says(w, "30.1%"));
    CHECK(says(w, "0.772"));
    w.type_value("Cap of the weight", "10");
    w.settle(300);
    CHECK(says(w, "30.1%"));
    CHECK(says(w, "0.98"));
    w.type_value("Log-ratio of a token, \u03c3", "0.01");
    w.settle(300);
    CHECK(says(w, "74.1%"));
}
