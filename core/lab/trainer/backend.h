// Where the numbers are computed: memory and operations of one device. Operations run in the order they are
// asked for; what they leave behind may be read by the host after download() or wait().
//
// Results have the same bits with any number of threads: an element of a product is one sum over K in order
// whatever the tiles, sums over rows are cut by columns, and the backward of attention is one piece of work
// per key/value head. Random numbers follow from seed, stream and counter, and a step's place in the data is
// its number, so a checkpoint is weights, moments and a few counters.
#pragma once

#include "core/lab/kernel_times.h"
#include "core/lab/trainer/operations.h"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::trainer
{

// What a backend can compute. Who asks for more is told before the first step.
struct Abilities
{
    bool probabilities = true; // attention that keeps them: training without flash attention
    bool eight_bits = true;    // training in fp8
    bool experts = true;
    bool exponents = true; // count_exponents()
    bool kernel_times = false;
    Index head_dim = 1 << 20;
};

// What goes through subgroups, whose threads hand on what they have, where that is faster on a device.
struct Subgroups
{
    bool products = false;
    bool attention = false;
};

class Backend
{
public:
    // Takes what has been read.
    using Take = std::function<void(std::span<const char>)>;

    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    virtual std::string name() const = 0; // "CPU, 2 threads, AVX2"
    virtual Index capacity() const = 0;   // [B] of the device's memory; 0: it does not say
    virtual bool is_gpu() const = 0;
    virtual Abilities abilities() const { return {}; }
    // Whether the host can wait for the device. In a page it cannot: nothing is ever downloaded there, and
    // what is read comes later.
    virtual bool waits() const { return true; }
    // Whether threads can hand on what they have within a subgroup, and what shall from here on.
    virtual bool has_subgroups() const { return false; }
    virtual void use_subgroups(Subgroups /*use*/) {}
    // Null when the device has no more.
    virtual void* allocate(Index bytes) = 0;
    virtual void release(void* memory) = 0;
    // [B] the backend keeps for itself: packed operands, scratch of its threads.
    virtual Index workspace() const = 0;

    virtual void upload(void* to, const void* from, Index bytes) = 0;
    virtual void download(void* to, const void* from, Index bytes) = 0;
    virtual void copy(void* to, const void* from, Index bytes) = 0; // on the device
    virtual void clear(void* memory, Index bytes) = 0;
    virtual void wait() = 0;
    // Memory as it is here in the order of operations. `take` gets it as soon as it is there: where the host
    // waits, before this returns.
    virtual void read(const void* from, Index bytes, const Take& take)
    {
        std::vector<char> host(static_cast<std::size_t>(bytes));
        download(host.data(), from, bytes);
        take(host);
    }
    // What was asked for so far begins, where it has not yet.
    virtual void submit() {}
    // What is asked for until the next submit() is timed, kernel by kernel. Each runs so many times more for
    // it, so what they leave behind is of no use.
    using TakeTimes = std::function<void(KernelTimes)>;
    virtual void time_kernels(Index /*repeats*/, TakeTimes /*take*/) {}

    // Between the two, clear(), copy() and operations are written down and not carried out; replay() then
    // carries all of them out at once, as often as it is called, on the very same memory. False where the
    // backend, or something that was asked of it, cannot be recorded.
    virtual bool start_recording() { return false; }
    virtual bool finish_recording() { return false; }
    virtual void replay() {}

    virtual void run(const Product& product) = 0;
    virtual void run(const Embed& embed) = 0;
    virtual void run(const EmbedBackward& embed) = 0;
    virtual void run(const NormForward& norm) = 0;
    virtual void run(const NormBackward& norm) = 0;
    virtual void run(const Rope& rope) = 0;
    virtual void run(const Attention& attention) = 0;
    virtual void run(const AttentionBackward& attention) = 0;
    virtual void run(const AttentionHop& hop) = 0;
    virtual void run(const AttentionHopBackward& hop) = 0;
    virtual void run(const Activation& activation) = 0;
    virtual void run(const ActivationBackward& activation) = 0;
    virtual void run(const Route& route) = 0;
    virtual void run(const RouteBackward& route) = 0;
    virtual void run(const Dispatch& dispatch) = 0;
    virtual void run(const Combine& combine) = 0;
    virtual void run(const CrossEntropy& loss) = 0;
    virtual void run(const LogitStatistics& statistics) = 0;
    virtual void run(const Add& add) = 0;
    virtual void run(const SumRows& sum) = 0;
    virtual void run(const Convert& convert) = 0;
    virtual void run(const Update& update) = 0;

    // sum_of_squares() as a float that stays on the device.
    virtual void add_squares(const SquareSum& sum)
    {
        const auto value = static_cast<float>(sum_of_squares(sum.data, sum.type, sum.elements));
        upload(sum.out, &value, sizeof value);
    }

    // Sum of squares, in an order that does not depend on the number of threads; not finite when an element
    // is not.
    virtual double sum_of_squares(const void* data, DType type, Index elements) = 0;
    // Adds to counts[exponent field of the float]: see ExponentHistogram. At most about 64 k elements, evenly
    // chosen, are looked at.
    virtual void count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts) = 0;
};

} // namespace ringside::trainer
