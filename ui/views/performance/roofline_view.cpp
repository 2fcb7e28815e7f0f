// The roofline of one GPU: what its memory and its tensor cores allow, where the kernels of a layer lie, why
// a small GEMM is slow, and how many blocks an SM holds.
#include "ui/shell/frame/lab_action.h"
#include "ui/views/performance/roofline/pages.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, 4> kPages{"roofline/roof", "roofline/product", "roofline/blocks",
                                                 "roofline/machines"};

class RooflineView final : public PagedView<RooflineState>
{
public:
    RooflineView() : PagedView(kPages, {&roof_page, &gemm_page, &occupancy_page, &machines_page}) {}

    ViewKeys keys() override;

private:
    void next_product(const Frame& frame);
};

void RooflineView::next_product(const Frame& frame)
{
    const auto products = state_.kernels(frame).products();
    const RoofPoint* now = &state_.sheet.chosen(state_);
    const auto at = std::find(products.begin(), products.end(), now);
    const RoofPoint& next = at == products.end() || at + 1 == products.end() ? *products.front() : **(at + 1);
    state_.chosen = next.what.name;
    state_.pass = next.what.pass;
    state_.moved.reset();
    state_.reach = 0;
}

ViewKeys RooflineView::keys()
{
    return {turn_key("Roofline, one GEMM, occupancy of an SM, measured machines"),
            {"F", "Forward, backward, decoding", turns(state_.work, kRooflineWorks.size())},
            {"P", "The next GEMM of the layer", [this](const KeyPress& k) { next_product(k.frame); }},
            {"R", "Back to the scenario's GEMM and GPU",
             [this]
             {
                 state_.moved.reset();
                 state_.reach = 0;
                 state_.capability.reset();
             }},
            {"E, G", "Occupancy: an element-wise kernel, a GEMM",
             [this](const KeyPress& k)
             {
                 if (shows(occupancy_page))
                 {
                     state_.shape = k.which == 0 ? kCopyingKernel : kMultiplyingKernel;
                 }
             }},
            {"M", "Measure this machine",
             [this](const KeyPress& k)
             {
                 if (shows(machines_page))
                 {
                     k.out.push(to_action(LabCommand::machine));
                 }
             }},
            {"A", "Use the machine as the accelerator",
             [this](const KeyPress& k)
             {
                 if (shows(machines_page))
                 {
                     use_machine(k.frame, state_, k.out);
                 }
             }},
            {"drag", "A kernel: more or fewer rows; M on its curve; what a block uses"},
            {"click", "A kernel: its calculation"}};
}

} // namespace

extern const ViewInfo roofline_view{
    20,
    "roofline",
    ViewGroup::performance,
    "Roofline",
    "Roofline",
    "What memory bandwidth and tensor cores allow, where each kernel of a "
    "layer lies, tiles and waves of a GEMM, blocks on an SM",
    {"model", "gpu", "software", "tensor", "micro_batch", "training.sequence_length"},
    make_view<RooflineView>,
    kPages};

} // namespace ringside
