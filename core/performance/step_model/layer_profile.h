// Makes the profiles of a layer, the embedding and the head: counts kernels, their FLOPs and bytes, and gives
// them their times.
//
// Each pass of a layer takes the norm of order four of device time and host launch time, mainly the longer of
// the two; collectives come on top. Selective recomputation runs the core of attention again
// with flash attention too, as Megatron-LM does, although it saves nothing there.
#pragma once

#include "core/model/attention.h"
#include "core/model/weights.h"
#include "core/performance/step_model/layer_kernel.h"
#include "core/performance/step_model/profile.h"
#include "core/performance/step_model/wires.h"

#include <vector>

namespace ringside
{

class LayerProfiler
{
public:
    // The scenario must outlive it. Layers attend as the first does.
    explicit LayerProfiler(const Scenario& scenario);

    UnitProfile layer(bool with_experts) const;
    UnitProfile embedding() const;
    UnitProfile head() const;
    // The kernels that such a profile is the sum of, forward and backward, in order. What is computed again
    // is not listed twice.
    std::vector<LayerKernel> layer_kernels(bool with_experts) const;
    std::vector<LayerKernel> head_kernels() const;
    // [B] of one micro-batch's tokens that one GPU hands to the next stage. Tensor-parallel ranks send a
    // share each (Narayanan et al., arXiv 2104.04473, section 4.1).
    double boundary() const;

private:
    // Seconds of one product, by pass.
    struct ProductTime
    {
        double forward = 0;
        double input = 0;
        double weight = 0;
    };
    // [s] of the products that a tensor group's gather feeds and of the one its scatter follows.
    struct Neighbours
    {
        double fed = 0;        // forward
        double fed_input = 0;  // their input's gradients
        double fed_weight = 0; // their weights' gradients
        double last = 0;       // forward
        double last_input = 0; // its input's gradient

        void add(const ProductTime& time, bool by_rows);
    };

    double charge(UnitProfile& unit, LayerKernel kernel, Cause cause) const;
    // A frozen weight has no gradient.
    ProductTime product(UnitProfile& unit, std::string_view name, const Product& product, double peak,
                        double operand, bool frozen) const;
    // LoRA's two products beside one of a frozen matrix, and what widens its 4 bits; how many products.
    double adapters(UnitProfile& unit, const Weight& weight) const;
    // A kernel that takes as long as its bytes, given for elements of 2, at device_.hbm or at another rate.
    void move(UnitProfile& unit, std::string_view name, KernelPass pass, double bytes, double flops,
              double rate = 0) const;
    void note(const LayerKernel& kernel) const;
    Product of_weight(const Weight& weight) const;
    UnitProfile attention() const;
    UnitProfile flash_attention() const;
    UnitProfile stored_scores() const;
    bool slow_softmax() const;
    // Elements of a token on this GPU that its layers' core reads, and that it writes.
    struct CoreWidths
    {
        double in = 0; // queries, keys, values
        double out = 0;
    };
    CoreWidths core_widths() const;
    bool keeps_state() const { return is_recurrent(kind_) || kind_ == LayerAttention::hybrid; }
    double state_bytes() const;
    void elementwise(UnitProfile& unit, bool with_experts) const;
    // Adds casts: elements of a token on this GPU of queries, of queries, keys and values, and inside the
    // MLP.
    void casts(UnitProfile& unit, double query, double qkv, double inner, bool with_experts) const;
    // What the backward runs again of the forward; `core` is attention.
    void recompute(UnitProfile& unit, const UnitProfile& core, bool with_experts) const;
    void sum_gradients(UnitProfile& unit) const;
    void kernels(UnitProfile& unit, double products) const;
    void add_tensor(UnitProfile& unit, const Neighbours& attention, const Neighbours& mlp) const;
    // `core` is attention, which keys and values travel beside.
    void add_context(UnitProfile& unit, const UnitProfile& core) const;
    // As PyTorch's context_parallel sends them, and its kernels that add up partial sums.
    void add_repeated_context(UnitProfile& unit, const UnitProfile& core) const;
    void add_up_blocks(UnitProfile& unit) const;
    void add_experts(UnitProfile& unit) const;
    // The shares of a token's copies that a rank gets of its own, and that cross the network.
    double rank_share() const;
    double crossing_share() const;
    // What attention's kernels reach over this model's heads, as a share of their rate over heads of 128.
    double width_share() const;
    // How many kernels each pass launches.
    void wait_for_host(UnitProfile& unit, double forward, double input, double weight) const;
    // Whether gathers, scatters and products are cut into pieces that overlap.
    bool pieces() const { return p_.overlap_tensor && can_overlap_.tensor; }
    double all_reduce() const;
    double hbm_seconds(double count) const { return count / device_.hbm; }

    const Model& m_;
    const Parallel& p_;
    const Training& t_;
    LayerAttention kind_; // of all its layers: see attention_parts()
    bool attends() const { return kind_ != LayerAttention::none; }
    Overlaps can_overlap_;
    const Software& w_;
    Device device_;
    Wires wires_;
    double s_ = 0;        // tokens of a sequence
    double b_ = 0;        // sequences of a micro-batch
    double t_ranks_ = 1;  // tensor
    double c_ranks_ = 1;  // context
    double n_ = 0;        // tokens on one GPU in products
    double n_narrow_ = 0; // tokens on one GPU in norms and residual
    double h_ = 0;        // hidden
    // Where kernels are listed, if anywhere.
    std::vector<LayerKernel>* list_ = nullptr;
};

} // namespace ringside
