// The pages of the roofline view: which kernels, what was moved by hand, and what follows from that for the
// scenario on show.
#pragma once

#include "core/base/derived.h"
#include "core/lab/machine.h"
#include "core/performance/occupancy.h"
#include "core/performance/roofline.h"
#include "ui/shell/paged_view.h"

namespace ringside
{

enum class RooflineWork : std::uint8_t
{
    forward,
    backward,
    decode
};
inline constexpr std::array<std::string_view, 3> kRooflineWorks{"Fwd", "Bwd", "Decode"};

inline constexpr Track kRooflineBatch = Track::log(1, 65536, say_whole).rounded();
inline constexpr Track kRooflineRows = Track::log(1, 262144, say_whole).rounded();
inline constexpr Track kRooflineWidth = Track::log(64, 262144, say_whole).rounded();

// What two kinds of kernel take; the second holds a tile's sums in registers and four stages of operands.
inline constexpr KernelShape kCopyingKernel{256, 32, 0};
inline constexpr KernelShape kMultiplyingKernel{256, 128, 131'072};

struct RooflineState;

// The kernels on show. Worked out again only when the scenario or what is shown of it changes.
class RooflineSheet
{
public:
    void refresh(const Scenario& scenario, const RooflineState& state);

    const Scenario& scenario() const { return scenario_; }
    const Roofs& roofs() const { return roofs_; }
    const std::vector<RoofPoint>& points() const { return points_; }
    double seconds() const { return seconds_; } // of all of them
    const RoofPoint& chosen(const RooflineState& state) const;
    // Products with weights among them, in order.
    std::vector<const RoofPoint*> products() const;
    // The product of the second page.
    ProductDetail product(const RooflineState& state) const;
    // Details with other numbers of rows.
    std::vector<ProductDetail> saw(const RooflineState& state, const std::vector<double>& rows) const;

private:
    const RoofPoint& product_point(const RooflineState& state) const;

    Scenario scenario_;
    RooflineWork work_ = RooflineWork::forward;
    std::int64_t batch_ = 0; // 0: nothing worked out yet
    Roofs roofs_;
    std::vector<RoofPoint> points_;
    double seconds_ = 0;
};

// How long the scenario's run takes on each machine [s]; 0: it cannot be computed.
using MachineHours = Derived<std::pair<Scenario, std::vector<Machine>>, std::vector<double>>;

struct RooflineState
{
    RooflineWork work = RooflineWork::forward;
    std::string chosen; // name of a kernel; one that is not there: the MLP's first product
    KernelPass pass = KernelPass::forward;
    std::int64_t batch = 32;               // sequences that are decoded together
    std::optional<Product> moved;          // nothing: the chosen product's own lengths
    double reach = 0;                      // rows that the saw-tooth goes to; only grows until R
    KernelShape shape{256, 64, 0};         // of the kernel on the third page
    std::optional<std::size_t> capability; // of multiprocessors(); nothing: the scenario's GPU
    RooflineSheet sheet;
    std::size_t machine = 0; // of LabFrame::machines
    MachineHours hours;

    const RooflineSheet& kernels(const Frame& frame)
    {
        sheet.refresh(frame.now.scenario, *this);
        return sheet;
    }
};

using RooflineRoom = PageRoom<RooflineState>;

extern const Page<RooflineState> roof_page, gemm_page, occupancy_page, machines_page;

// The machine that is chosen becomes the scenario's accelerator.
void use_machine(const Frame& frame, const RooflineState& state, Out& out);

void draw_saw(const RooflineRoom& room, Rect area, const RooflineSheet& sheet);

// "989 TFLOP/s"
std::string flop_rate_words(double rate);
// "2,490 FLOP/B"
std::string intensity_words(double intensity);

} // namespace ringside
