// Valid scenarios of every kind for property tests: all models, accelerators, layouts and recipes, small
// enough to evaluate quickly.
#pragma once

#include "tests/core/support.h"

#include "core/scenario/validate.h"

#include <initializer_list>
#include <random>

namespace ringside::test
{

class RandomScenarios
{
public:
    explicit RandomScenarios(unsigned seed) : random_(seed) {}

    Scenario next()
    {
        for (;;)
        {
            const Scenario s = draw();
            if (!has_errors(validate(s)))
            {
                return s;
            }
        }
    }

private:
    bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
    std::size_t index(std::size_t size)
    {
        return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_);
    }
    template <class T>
    T one_of(std::initializer_list<T> values)
    {
        return *(values.begin() + index(values.size()));
    }

    Scenario draw()
    {
        Scenario s;
        s.model = presets().models[index(presets().models.size())].model;
        s.cluster = presets().clusters[index(presets().clusters.size())].cluster;
        s.cluster.gpu = presets().gpus[index(presets().gpus.size())].gpu;
        draw_parallel(s);
        draw_training(s);
        return s;
    }

    void draw_parallel(Scenario& s)
    {
        Parallel& p = s.parallel;
        p.tensor = one_of<std::int64_t>({1, 1, 2, 4, 8});
        p.sequence_parallel = chance(0.5);
        p.context = one_of<std::int64_t>({1, 1, 1, 2, 4});
        p.pipeline = one_of<std::int64_t>({1, 1, 2, 3, 4, 8});
        p.expert = s.model.experts > 0 ? one_of<std::int64_t>({1, 2, 4, 8}) : 1;
        p.expert_tensor = s.model.experts > 0 ? one_of<std::int64_t>({1, 1, 2}) : 1;
        p.zero = one_of<std::int64_t>({0, 1, 1, 2, 3});
        s.cluster.gpus = p.tensor * p.context * p.pipeline * one_of<std::int64_t>({1, 2, 3, 4, 8, 64});
        if (p.pipeline > 1 && chance(0.3))
        {
            s.training.schedule = ScheduleKind::interleaved;
            p.chunks = one_of<std::int64_t>({2, 3});
        }
        else
        {
            s.training.schedule = one_of({ScheduleKind::naive, ScheduleKind::gpipe, ScheduleKind::one_f_one_b,
                                          ScheduleKind::one_f_one_b});
        }
        draw_stage_layers(s);
    }

    // Now and then, or where layers do not divide, an uneven cut.
    void draw_stage_layers(Scenario& s)
    {
        const std::int64_t stages = s.parallel.pipeline * s.parallel.chunks;
        if (stages > s.model.layers || (s.model.layers % stages == 0 && !chance(0.2)))
        {
            return;
        }
        s.parallel.stage_layers.assign(static_cast<std::size_t>(stages), s.model.layers / stages);
        s.parallel.stage_layers[index(s.parallel.stage_layers.size())] += s.model.layers % stages;
    }

    void draw_training(Scenario& s)
    {
        Training& t = s.training;
        t.sequence_length = one_of<std::int64_t>({1024, 2048, 4096, 8192, 131072});
        t.micro_batch = one_of<std::int64_t>({1, 1, 2, 4, 6});
        t.global_batch =
            data_parallel(s) * t.micro_batch * s.parallel.pipeline * one_of<std::int64_t>({1, 2, 4, 8});
        t.precision =
            one_of({Precision::fp32, Precision::fp16, Precision::bf16, Precision::bf16, Precision::fp8});
        t.fp8_recipe = one_of({Fp8Recipe::bf16_weights, Fp8Recipe::fp8_weights, Fp8Recipe::deepseek});
        t.gradient_dtype = one_of({GradientDtype::fp32, GradientDtype::bf16});
        t.optimizer = one_of({Optimizer::adamw, Optimizer::adamw, Optimizer::adamw_8bit,
                              Optimizer::sgd_momentum, Optimizer::adafactor, Optimizer::muon});
        t.recompute = one_of({Recompute::none, Recompute::selective, Recompute::full});
        t.flash_attention = chance(0.6);
        t.offload = one_of({Offload::none, Offload::none, Offload::none, Offload::optimizer_cpu,
                            Offload::optimizer_nvme, Offload::optimizer_and_weights_cpu,
                            Offload::optimizer_and_weights_nvme});
        t.fragmentation = one_of({0.0, 0.0, 0.05, 0.137});
        t.reserved_gb = one_of({0.0, 1.5});
        s.stage_times.transfer = one_of({0.0, 0.0, 0.0, 0.25});
    }

    std::mt19937 random_;
};

} // namespace ringside::test
