// What the roofline view remembers: which page, which kernels, what was moved by hand; and what follows from
// it for the scenario on show.
#pragma once

#include "core/performance/occupancy.h"
#include "core/performance/roofline.h"
#include "ui/shell/frame.h"

#include <array>
#include <optional>
#include <string>

namespace ringside
{

enum class RooflinePage : std::uint8_t
{
    roof,
    product,
    occupancy
};
inline constexpr std::array<std::string_view, 3> kRooflinePages{"Roof", "Product", "Blocks"};

enum class RooflineWork : std::uint8_t
{
    forward,
    backward,
    decode
};
inline constexpr std::array<std::string_view, 3> kRooflineWorks{"Fwd", "Bwd", "Decode"};

struct RooflineRange
{
    double least;
    double most;

    double held(double value) const;
};
inline constexpr RooflineRange kRooflineBatch{1, 65536};
inline constexpr RooflineRange kRooflineRows{1, 262144};
inline constexpr RooflineRange kRooflineWidth{64, 262144};

// What two kinds of kernel take; the second holds a tile's sums in registers and four stages of operands.
inline constexpr KernelShape kCopyingKernel{256, 32, 0};
inline constexpr KernelShape kMultiplyingKernel{256, 128, 131'072};

struct RooflineState
{
    RooflinePage page = RooflinePage::roof;
    RooflineWork work = RooflineWork::forward;
    std::string chosen; // name of a kernel; one that is not there: the MLP's first product
    KernelPass pass = KernelPass::forward;
    std::int64_t batch = 32;               // sequences that are decoded together
    std::optional<Product> moved;          // nothing: the chosen product's own lengths
    double reach = 0;                      // rows that the saw-tooth goes to; only grows until R
    KernelShape shape{256, 64, 0};         // of the kernel on the third page
    std::optional<std::size_t> capability; // of multiprocessors(); nothing: the scenario's GPU
};

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
    // The same with other numbers of rows.
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

// The multiprocessor of the third page; Hopper's where the scenario's GPU is not among them.
const Multiprocessor& shown_multiprocessor(const RooflineState& state, const Scenario& scenario);

// The scenario with the sequence length, a power of two, at which a product has about so many rows; itself
// where there is no legal one.
Scenario with_rows(const Scenario& scenario, double rows);

} // namespace ringside
