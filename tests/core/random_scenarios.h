// Valid scenarios drawn at random, the same ones every time: all models and accelerators, own shapes, layouts
// and recipes. Shared by every test that holds for any scenario.
#pragma once

#include "tests/core/support.h"

#include "core/scenario/validate.h"

#include <random>
#include <utility>
#include <vector>

namespace ringside::test
{

class ScenarioSource
{
public:
    explicit ScenarioSource(std::uint32_t seed) : random_(seed) {}

    // The next valid scenario. Draws that do not validate are thrown away; about one in three does.
    Scenario next()
    {
        for (;;)
        {
            Scenario s = draw();
            if (!has_errors(validate(s)))
            {
                return s;
            }
        }
    }

    // The next one that does not validate: a draw with up to three counts of another.
    Scenario next_invalid()
    {
        for (;;)
        {
            Scenario s = draw();
            for (std::int64_t i = pick(0, 3); i > 0; --i)
            {
                disturb(s);
            }
            if (has_errors(validate(s)))
            {
                return s;
            }
        }
    }

private:
    void disturb(Scenario& s)
    {
        Parallel& p = s.parallel;
        Training& t = s.training;
        const std::vector<std::int64_t*> counts{&p.tensor,
                                                &p.context,
                                                &p.pipeline,
                                                &p.chunks,
                                                &p.expert,
                                                &p.expert_tensor,
                                                &t.micro_batch,
                                                &t.global_batch,
                                                &t.sequence_length,
                                                &s.cluster.gpus,
                                                &s.model.kv_heads,
                                                &s.model.experts_per_token,
                                                &s.model.dense_layers};
        *one_of(counts) = pick(1, 96);
        if (pick(0, 3) == 0)
        {
            t.schedule = one_of(std::vector<ScheduleKind>(schedules().begin(), schedules().end()));
        }
        if (pick(0, 7) == 0)
        {
            p.stage_layers.assign(static_cast<std::size_t>(pick(1, 8)), pick(1, 8));
        }
        if (pick(0, 7) == 0)
        {
            t.precision = Precision::fp32;
            t.gradient_dtype = GradientDtype::bf16;
        }
    }

    bool chance() { return pick(0, 1) == 1; }
    std::int64_t pick(std::int64_t least, std::int64_t most)
    {
        // Written out, because the standard leaves its distributions to the library and the scenarios must be
        // the same everywhere.
        return least + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(most - least + 1));
    }
    template <class T>
    const T& one_of(const std::vector<T>& all)
    {
        return all[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(all.size()) - 1))];
    }
    std::int64_t power(std::int64_t most) { return std::int64_t{1} << pick(0, most); }

    Model dense()
    {
        Model m;
        m.name = "custom model";
        m.layers = 4 * pick(1, 12);
        m.heads = 8 * power(3);
        m.head_dim = 32 * power(2);
        m.hidden = m.heads * m.head_dim;
        m.kv_heads = chance() ? m.heads : m.heads / power(3);
        m.attention = m.kv_heads == m.heads ? Attention::mha : Attention::gqa;
        m.vocab = pick(1000, 200000);
        m.gated_mlp = chance();
        m.tied_embeddings = chance();
        m.biases = chance();
        m.qkv_bias = chance();
        m.dropout = chance();
        m.norm = chance() ? Norm::layernorm : Norm::rmsnorm;
        m.norms_per_layer = pick(1, 4);
        m.positions = static_cast<Positions>(pick(0, 3));
        m.qk_norm = static_cast<QkNorm>(pick(0, 2));
        m.attention_sinks = chance();
        return m;
    }

    void add_experts(Model& m)
    {
        m.experts = 8 * power(3);
        m.experts_per_token = pick(1, 8);
        m.expert_ffn = 128 * pick(1, 32);
        m.shared_experts = pick(0, 2);
        m.dense_layers = pick(0, 3);
        m.moe_interval = pick(1, 2);
        m.mtp_layers = m.shared_experts / 2; // 1 in three
        m.router_bias = chance();
    }

    void make_latent(Model& m)
    {
        m.attention = Attention::mla;
        m.kv_heads = m.heads;
        m.head_dim = 0; // the sum of the two below
        m.q_lora_rank = chance() ? 0 : 256 * pick(1, 6);
        m.kv_lora_rank = 128 * pick(1, 4);
        m.qk_nope_head_dim = 128;
        m.qk_rope_head_dim = 64;
        m.v_head_dim = 128;
    }

    Model model()
    {
        if (chance())
        {
            return one_of(presets().models).model;
        }
        Model m = dense();
        const std::int64_t kind = pick(0, 3);
        if (kind == 1 || kind == 3)
        {
            add_experts(m);
        }
        if (kind >= 2)
        {
            make_latent(m);
        }
        return resolved(m);
    }

    void layout(Scenario& s)
    {
        Parallel& p = s.parallel;
        p.tensor = power(3);
        p.sequence_parallel = chance();
        p.context = power(2);
        p.pipeline = power(3);
        p.chunks = p.pipeline > 1 && chance() ? 2 : 1;
        p.zero = pick(0, 3);
        const std::int64_t data = power(4);
        s.cluster.gpus = p.tensor * p.context * p.pipeline * data;
        if (s.model.experts > 0)
        {
            p.expert = power(3);
            p.expert_tensor = power(1);
        }
        if (chance() && p.chunks == 1 && s.model.layers > p.pipeline)
        {
            // An uneven cut: one layer each, and the rest on the last.
            p.stage_layers.assign(static_cast<std::size_t>(p.pipeline), 1);
            p.stage_layers.back() = s.model.layers - p.pipeline + 1;
        }
        p.overlap_tensor = chance();
        p.overlap_expert = chance();
        p.overlap_pipeline = chance();
    }

    void recipe(Scenario& s)
    {
        Training& t = s.training;
        t.sequence_length = 512 * power(8);
        t.micro_batch = pick(1, 4);
        t.global_batch = data_parallel(s) * t.micro_batch * s.parallel.pipeline * pick(1, 3);
        t.precision = static_cast<Precision>(pick(0, 3));
        t.fp8_recipe = static_cast<Fp8Recipe>(pick(0, 2));
        t.gradient_dtype =
            t.precision == Precision::fp32 ? GradientDtype::fp32 : static_cast<GradientDtype>(pick(0, 2));
        t.optimizer = static_cast<Optimizer>(pick(0, 4));
        t.recompute = static_cast<Recompute>(pick(0, 2));
        t.flash_attention = chance();
        std::vector<ScheduleKind> kinds;
        for (const ScheduleKind kind : schedules())
        {
            if (kind->least_chunks <= s.parallel.chunks && s.parallel.chunks <= kind->most_chunks)
            {
                kinds.push_back(kind);
            }
        }
        t.schedule = one_of(kinds);
        t.offload = static_cast<Offload>(pick(0, 4));
        t.fragmentation = chance() ? 0 : static_cast<double>(pick(0, 50)) / 100;
        t.reserved_gb = static_cast<double>(pick(0, 80)) / 16;
        states(s);
    }

    // What few runs set: half of the scenarios have none of it.
    void states(Scenario& s)
    {
        Training& t = s.training;
        if (chance())
        {
            return;
        }
        t.moments_dtype = static_cast<MomentsDtype>(pick(0, 3));
        t.master_weights = static_cast<MasterWeights>(pick(0, 2));
        for (bool& module : t.recompute_modules)
        {
            module = chance();
        }
        t.offload_activations = chance() ? 0 : static_cast<double>(pick(0, 4)) / 4;
        t.deferred_head_gradients = pick(0, 3);
        s.parallel.whole_shards = chance();
        if (chance())
        {
            t.lora.rank = power(6);
            t.lora.quantized = chance();
            for (bool& target : t.lora.targets)
            {
                target = chance();
            }
        }
    }

    Scenario draw()
    {
        Scenario s;
        s.model = model();
        s.cluster.gpus_per_node = power(6);
        if (chance())
        {
            s.cluster = one_of(presets().clusters).cluster;
        }
        s.cluster.gpu = one_of(presets().gpus).gpu;
        s.software = presets().usual_software(s.cluster.gpu);
        layout(s);
        recipe(s);
        PipelineTimes& times = s.stage_times;
        times.forward = static_cast<double>(pick(1, 8)) / 3;
        times.backward_input = static_cast<double>(pick(0, 8)) / 3;
        times.backward_weight = static_cast<double>(pick(0, 8)) / 3;
        times.transfer = static_cast<double>(pick(0, 3)) / 7;
        times.recompute = chance() ? 0 : static_cast<double>(pick(0, 3)) / 3;
        times.pair = chance() ? 1 : static_cast<double>(pick(5, 8)) / 8;
        times.blocking = chance();
        times.embedding = chance() ? 0 : static_cast<double>(pick(0, 4)) / 4;
        times.head = chance() ? 0 : static_cast<double>(pick(0, 8)) / 4;
        s.collective = {pick(0, 16), static_cast<double>(pick(0, 9)) / 10,
                        static_cast<double>(pick(0, 20)) / 3};
        return s;
    }

    std::mt19937 random_;
};

} // namespace ringside::test
