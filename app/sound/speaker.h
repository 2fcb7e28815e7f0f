// Where samples go: a device that plays them one after the other.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <span>

namespace ringside
{

class Speaker
{
public:
    Speaker() = default;
    Speaker(const Speaker&) = delete;
    Speaker& operator=(const Speaker&) = delete;
    virtual ~Speaker() = default;

    // Why nothing can be heard here; empty: it can. Called before anything else, once.
    virtual Issues open() = 0;
    // [s] of samples that are still to be heard.
    virtual double ahead() = 0;
    // kSampleRate of them make a second.
    virtual void push(std::span<const float> samples) = 0;
};

// The speaker of this machine; its library is loaded and its device opened only by open().
std::unique_ptr<Speaker> system_speaker();

} // namespace ringside
