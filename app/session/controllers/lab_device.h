// The device the lab trains on, opened and measured on a thread of its own so that nobody waits for it; or at
// once where there are no threads.
//
// Starting to train cuts the measuring short; the rates it has by then count.
#pragma once

#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/probe.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace ringside
{

class LabDevice
{
public:
    using Open = std::function<Result<trainer::Device>()>;

    // Opens at once and measures what `config` needs for about so many seconds; 0: only opens.
    LabDevice(Open open, TrainerConfig config, double seconds, bool threaded = true);
    LabDevice(const LabDevice&) = delete;
    LabDevice& operator=(const LabDevice&) = delete;
    ~LabDevice();

    struct Found
    {
        bool done = false;
        std::string says;           // one line: what was found, and why this one
        std::string name;           // of the device
        std::string fault;          // why there is none; empty: there is
        double capacity = 0;        // [B]
        std::int64_t workspace = 0; // [B] that it keeps for itself
        std::optional<trainer::DeviceRates> rates;
    };
    Found poll() const;
    // Measures no longer: training is wanted. Rates of the little that was measured are kept.
    void stop_early() { stop_ = true; }
    void wait() const; // for pictures and tests

private:
    void work(const Open& open, const TrainerConfig& config, double seconds);

    mutable std::mutex mutex_;
    Found found_;
    std::atomic<bool> stop_ = false;
    mutable std::thread thread_;
};

} // namespace ringside
