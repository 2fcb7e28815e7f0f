// The devices of the live lab: the one that is opened here, and graphics cards that runs can be made on
// elsewhere. Each is measured once, so that predictions have times; on request also as a machine.
#pragma once

#include "app/session/controllers/lab_device.h"
#include "core/lab/trainer/remote.h"
#include "ui/shell/frame/lab_frame.h"

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

// A graphics card that runs can be made on elsewhere, beside the device that is opened here.
struct LabCard
{
    LabChoice shown;
    trainer::Abilities abilities;
    std::int64_t workspace = 0; // [B]
    bool software = false;      // computed by the processor
};

class LabDevices
{
public:
    using Rates = std::optional<trainer::DeviceRates>;
    struct Setup
    {
        LabDevice::Open open;             // null: nothing can be trained here
        trainer::RemoteRun::OpenLine far; // where runs are made elsewhere; null: on threads of their own
        std::function<std::vector<LabCard>()> cards; // found so far; null: none
        // Where the next run is made: 0, or the card counted from 1; what on it goes through subgroups.
        std::function<void(std::size_t, trainer::Subgroups)> choose;
        bool threads = true;          // false: the device is opened and measured at once
        double probe_seconds = 2;     // of measuring the device; 0: predictions without times
        std::vector<Gpu> data_sheets; // to find a device's nominal rate in
    };

    explicit LabDevices(Setup setup) : setup_(std::move(setup)) {}
    LabDevices(const LabDevices&) = delete;
    LabDevices& operator=(const LabDevices&) = delete;

    bool can_train() const { return setup_.open != nullptr; }
    // Opens the device and measures what `config` needs, once; false: nothing was to be opened.
    bool wake(const TrainerConfig& config);
    // False where it is chosen already, or there is none of that number.
    bool choose(std::size_t device);
    // The card that is chosen and computes what is set; null: none.
    const LabCard* card() const { return chosen_ == 0 || on_cpu_ ? nullptr : &cards_[chosen_ - 1]; }
    // What of a prepared configuration that card cannot compute; empty: it computes all of it, or there is
    // none.
    Issues lacking(const TrainerConfig& ready) const;
    // A run of the prepared configuration is about to begin: measuring ends, and what the card cannot compute
    // is computed by the CPU. Says why, where that is so.
    std::string make_ready_for(const TrainerConfig& ready);
    std::unique_ptr<trainer::LiveTraining> start(const TrainerConfig& config,
                                                 const trainer::RunSettings& settings,
                                                 std::optional<trainer::TrainerState> from) const;

    // The rates of the device that is chosen: nothing before it was measured.
    const Rates& rates() const;
    std::optional<Gpu> gpu(Precision precision) const;
    std::int64_t workspace() const { return card() ? card()->workspace : found_.workspace; } // [B]

    bool measuring_machine() const { return measuring_machine_; }
    void measure_machine(const TrainerConfig& ready);
    // Once, when it has been measured: its rates, or no rates where that failed.
    std::optional<Rates> take_machine();

    // What the frame says of devices. `idle`: there is no run, so that a card may be measured.
    void look(LabFrame& frame, const TrainerConfig& config, bool idle);
    void wait() const; // for pictures and tests

private:
    // What a card can do; the probe stays until it has said so.
    struct Measured
    {
        std::unique_ptr<trainer::RemoteProbe> probe;
        Rates rates;
        bool done = false;
    };
    void tell_choice() const;
    void measure_card(const TrainerConfig& config, bool idle);

    Setup setup_;
    std::unique_ptr<LabDevice> device_;
    LabDevice::Found found_;
    std::future<Rates> machine_; // measured here
    Measured far_machine_;       // measured elsewhere
    bool measuring_machine_ = false;
    std::map<std::size_t, Measured> measured_; // by card, counted from 1
    std::vector<LabCard> cards_;
    std::size_t chosen_ = 0; // 0: the device; or a card
    bool on_cpu_ = false;    // the card cannot compute what was begun last
    double sheet_flops_ = 0; // [FLOP/s] of the device's data sheet, bf16; 0: not known
};

} // namespace ringside
