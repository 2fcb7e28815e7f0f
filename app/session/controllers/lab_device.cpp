#include "app/session/controllers/lab_device.h"

#include "core/base/caught.h"

namespace ringside
{

LabDevice::LabDevice(Open open, TrainerConfig config, double seconds, bool threaded)
{
    if (!threaded)
    {
        work(open, config, seconds);
        return;
    }
    thread_ = std::thread([this, open = std::move(open), config = std::move(config), seconds]
                          { work(open, config, seconds); });
}

LabDevice::~LabDevice()
{
    stop_early();
    wait();
}

void LabDevice::wait() const
{
    if (thread_.joinable())
    {
        thread_.join();
    }
}

LabDevice::Found LabDevice::poll() const
{
    const std::scoped_lock lock(mutex_);
    return found_;
}

void LabDevice::work(const Open& open, const TrainerConfig& config, double seconds)
{
    Found found;
    const auto publish = [&]
    {
        const std::scoped_lock lock(mutex_);
        found_ = found;
    };
    const auto measure = [&]
    {
        auto device = open ? open() : Result<trainer::Device>(Issue{"device", "there is none here", ""});
        if (!device)
        {
            found.fault = to_line(device.issues().front());
        }
        else
        {
            found.says = device->says;
            found.name = device->backend->name();
            found.capacity = static_cast<double>(device->backend->capacity());
            found.workspace = device->backend->workspace();
            publish();
            if (const auto ready = prepared(config); ready && seconds > 0)
            {
                found.rates = trainer::measure(*device->backend, *ready, seconds, &stop_);
            }
        }
    };
    if (const auto thrown = caught(measure))
    {
        found.fault = fault_line(thrown);
    }
    const std::scoped_lock lock(mutex_);
    found_ = std::move(found);
    found_.done = true;
}

} // namespace ringside
