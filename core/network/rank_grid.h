// Which rank sits where: its place on every axis of parallelism, the members of its groups, its domain of
// fast links, and where it is drawn. Nothing about what is sent.
//
// The order of the axes is innermost first; Megatron-LM's is tp-cp-ep-dp-pp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct Scenario;

enum class Axis : std::uint8_t
{
    tensor,
    context,
    expert,
    data,
    pipeline
};
constexpr std::size_t index(Axis axis)
{
    return static_cast<std::size_t>(axis);
}
inline constexpr std::size_t kAxes = 5;
template <>
inline constexpr auto kNamesOf<Axis> = names<Axis>("tensor", "context", "expert", "data", "pipeline");

// Innermost first: ranks that differ in the first axis only are neighbours.
using AxisOrder = std::array<Axis, kAxes>;
// Megatron-LM's default, "tp-cp-ep-dp-pp" (megatron/core/parallel_state.py, initialize_model_parallel).
inline constexpr AxisOrder kMegatronOrder{Axis::tensor, Axis::context, Axis::expert, Axis::data,
                                          Axis::pipeline};
// "tp-cp-ep-dp-pp", and back; nothing for what is not a permutation.
std::string order_name(const AxisOrder& order);
std::optional<AxisOrder> parse_order(std::string_view text);
std::vector<AxisOrder> all_orders(); // 120
// The order with one axis moved to another place, the others keeping theirs.
AxisOrder moved(AxisOrder order, Axis axis, std::size_t place);

enum class Group : std::uint8_t
{
    tensor,
    context,
    expert,
    data,
    pipeline,
    replicas,        // data x context: gradients of all but the experts are reduced over these
    expert_replicas, // gradients of experts are reduced over these
    expert_tensor
};
inline constexpr std::size_t kGroups = 8;
Group group_of(Axis axis);

struct Coordinates
{
    std::int64_t tensor = 0, context = 0, data = 0, pipeline = 0;
    std::int64_t expert_tensor = 0, expert = 0, expert_data = 0; // the same rank among its stage's experts

    bool operator==(const Coordinates&) const = default;
};

// The ranks of a valid scenario under an order. As Megatron-LM's RankGenerator does it, experts have a grid
// of their own: expert_tensor in tensor's place, no context, and data is what remains. Their groups never
// leave a stage; with the pipeline not outermost (where Megatron-LM wants both grids to have the same stages)
// the ranks of a stage are counted in ascending order. Everything costs O(1) a rank.
class RankGrid
{
public:
    RankGrid(const Scenario& scenario, const AxisOrder& order);

    std::int64_t gpus() const { return gpus_; }
    const AxisOrder& order() const { return order_; }
    Coordinates coordinates(std::int64_t rank) const;
    std::int64_t rank(const Coordinates& c) const; // by tensor, context, data, pipeline
    std::int64_t expert_rank(const Coordinates& c) const;

    std::int64_t size(Group group) const;
    std::int64_t size(Axis axis) const { return size(group_of(axis)); }
    bool active(Axis axis) const;         // it cuts something: the dense ranks or the experts
    std::int64_t stride(Axis axis) const; // between neighbours; of the expert axis inside its stage
    std::int64_t position(std::int64_t rank, Group group) const;
    std::int64_t member(std::int64_t rank, Group group, std::int64_t position) const;
    std::vector<std::int64_t> members(std::int64_t rank, Group group) const; // ascending

    // A domain is what the fast links join: a node of 8, or a rack of 72. A GPU's slot is also its rail: NICs
    // of one slot meet in the same leaf switch.
    std::int64_t per_domain() const { return per_domain_; }
    std::int64_t domains() const { return (gpus_ + per_domain_ - 1) / per_domain_; }
    std::int64_t domain(std::int64_t rank) const { return rank / per_domain_; }
    std::int64_t slot(std::int64_t rank) const { return rank % per_domain_; }
    bool leaves_domain(Group group) const; // rank 0's group has members in several

    // Groups repeat: moving a rank by less than `grain` inside its grain moves its whole group alike, and so
    // does moving it by whole periods.
    std::int64_t grain(Group group) const;
    std::int64_t period(Group group) const;

private:
    struct Dim
    {
        std::int64_t stride = 1;
        std::int64_t size = 1;

        std::int64_t at(std::int64_t index) const { return index / stride % size; }
    };
    struct Dims
    {
        Dim inner, outer;
        bool experts = false; // counted inside the stage
    };

    std::int64_t in_stage(std::int64_t rank) const;
    std::int64_t from_stage(std::int64_t index, std::int64_t stage) const;
    Dims dims(Group group) const;

    AxisOrder order_;
    std::int64_t gpus_ = 1;
    std::int64_t per_domain_ = 1;
    std::array<Dim, kAxes> dense_;  // by Axis; the expert's is 1
    std::array<Dim, kAxes> expert_; // by Axis, inside a stage; context's and pipeline's are 1
};

// Domains in rows and columns and GPUs inside them, for an area of this shape. Columns are chosen so that
// cells come out large, and rows end where an axis does, if there is a choice.
struct MapLayout
{
    std::int64_t domains = 1;
    std::int64_t columns = 1;
    std::int64_t rows = 1;
    std::int64_t slot_columns = 1;
    std::int64_t slot_rows = 1;
    std::optional<Axis> row_axis;    // a row, or several together, are one coordinate of this axis
    std::optional<Axis> column_axis; // every column is
};
MapLayout map_layout(const RankGrid& grid, double width, double height);

} // namespace ringside
