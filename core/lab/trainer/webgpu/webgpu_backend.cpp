#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace ringside::trainer
{

namespace
{

constexpr Index kMostKept = 65536; // [B] of a buffer for reading that is kept for the next time
constexpr std::uintptr_t kFirstAddress = 4096;
constexpr Index kAddressStep = 256;

Index words_of(Index bytes)
{
    return (bytes + 3) / 4;
}

} // namespace

std::string name_of(const GpuAdapter& adapter)
{
    return (adapter.software ? "Software WebGPU: " : "WebGPU: ") + adapter.name;
}

WebGpuBackend::WebGpuBackend(GpuAdapter adapter, std::unique_ptr<GpuPlayer> player)
    : adapter_(std::move(adapter)), player_(std::move(player))
{
    player_->answer = [this](std::uint32_t ticket, std::span<const char> bytes) { receive(ticket, bytes); };
    own(kMostRuns * kGpuSizesPlace, GpuBuffer::sizes); // buffer 1, which sizes of what is not recorded go to
    recorded_sizes_ = own(kMostRuns * kGpuSizesPlace, GpuBuffer::sizes);
    nothing_ = own(4, GpuBuffer::storage);
    no_master_ = own(4, GpuBuffer::storage);
}

void WebGpuBackend::say(std::vector<std::uint32_t>& commands, GpuCommand command,
                        std::initializer_list<std::uint32_t> numbers, std::span<const char> bytes) const
{
    const Index words = words_of(std::ssize(bytes));
    commands.push_back(static_cast<std::uint32_t>(command));
    commands.push_back(static_cast<std::uint32_t>(2 + std::ssize(numbers) + words));
    commands.insert(commands.end(), numbers);
    const std::size_t place = commands.size();
    commands.resize(place + static_cast<std::size_t>(words));
    if (!bytes.empty())
    {
        std::memcpy(commands.data() + place, bytes.data(), bytes.size());
    }
}

std::uint32_t WebGpuBackend::create(Index bytes, GpuBuffer kind)
{
    const std::uint32_t id = ++last_buffer_;
    say(commands_, GpuCommand::create,
        {id, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(kind)});
    return id;
}

void WebGpuBackend::destroy(std::uint32_t buffer)
{
    say(commands_, GpuCommand::destroy, {buffer});
}

WebGpuBackend::Buffer WebGpuBackend::own(Index bytes, GpuBuffer kind)
{
    own_bytes_ += bytes;
    return {create(bytes, kind), bytes};
}

std::uint32_t WebGpuBackend::grown(Buffer& buffer, Index bytes)
{
    if (buffer.bytes < bytes)
    {
        if (buffer.id != 0)
        {
            own_bytes_ -= buffer.bytes;
            destroy(buffer.id);
        }
        buffer = own(bytes, GpuBuffer::storage);
    }
    return buffer.id;
}

// At the first gap that is wide enough.
void* WebGpuBackend::allocate(Index bytes)
{
    const Index size = 4 * words_of(std::max<Index>(bytes, 1));
    if (size > adapter_.buffer_bytes)
    {
        return nullptr;
    }
    const auto room = static_cast<std::uintptr_t>((size + kAddressStep - 1) / kAddressStep * kAddressStep);
    std::uintptr_t address = kFirstAddress;
    for (const auto& [begin, buffer] : given_)
    {
        if (begin - address >= room)
        {
            break;
        }
        address = begin + static_cast<std::uintptr_t>((buffer.bytes + kAddressStep - 1) / kAddressStep *
                                                      kAddressStep);
    }
    given_[address] = {create(size, GpuBuffer::storage), bytes};
    given_bytes_ += bytes;
    own_bytes_ += size - bytes;
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr): never followed
}

void WebGpuBackend::release(void* memory)
{
    const auto found = given_.find(reinterpret_cast<std::uintptr_t>(memory));
    destroy(found->second.id);
    const Index bytes = found->second.bytes;
    given_bytes_ -= bytes;
    own_bytes_ -= 4 * words_of(std::max<Index>(bytes, 1)) - bytes;
    given_.erase(found);
}

WebGpuBackend::Place WebGpuBackend::place_of(const void* memory, DType type) const
{
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto next = given_.upper_bound(address);
    if (next == given_.begin())
    {
        throw std::logic_error("no memory of this device");
    }
    const auto& [begin, buffer] = *std::prev(next);
    return {buffer.id, static_cast<std::uint32_t>(address - begin), type};
}

void WebGpuBackend::upload(void* to, const void* from, Index bytes)
{
    recordable_ = recordable_ && !recording_;
    const Place place = place_of(to);
    say(commands_, GpuCommand::upload, {place.buffer, place.byte, static_cast<std::uint32_t>(bytes)},
        {static_cast<const char*>(from), static_cast<std::size_t>(bytes)});
}

void WebGpuBackend::download(void* /*to*/, const void* /*from*/, Index /*bytes*/)
{
    throw std::logic_error("a page cannot wait for its graphics card");
}

void WebGpuBackend::copy(void* to, const void* from, Index bytes)
{
    const Place source = place_of(from);
    const Place target = place_of(to);
    say(order(), GpuCommand::copy,
        {source.buffer, source.byte, target.buffer, target.byte,
         static_cast<std::uint32_t>(4 * words_of(bytes))});
}

void WebGpuBackend::clear(void* memory, Index bytes)
{
    const Place place = place_of(memory);
    say(order(), GpuCommand::clear,
        {place.buffer, place.byte, static_cast<std::uint32_t>(4 * words_of(bytes))});
}

void WebGpuBackend::read(const void* from, Index bytes, const Take& take)
{
    const Index size = 4 * words_of(bytes);
    const auto fits = std::ranges::find(reading_, size, &Buffer::bytes);
    Buffer buffer;
    if (fits == reading_.end())
    {
        buffer = own(size, GpuBuffer::reading);
    }
    else
    {
        buffer = *fits;
        reading_.erase(fits);
    }
    const Place place = place_of(from);
    const std::uint32_t ticket = ++last_ticket_;
    say(commands_, GpuCommand::read,
        {ticket, place.buffer, place.byte, static_cast<std::uint32_t>(size), buffer.id});
    asked_[ticket] = {take, buffer, bytes};
}

void WebGpuBackend::receive(std::uint32_t ticket, std::span<const char> bytes)
{
    const auto found = asked_.find(ticket);
    if (found == asked_.end())
    {
        return;
    }
    const Asked asked = std::move(found->second);
    asked_.erase(found);
    if (asked.buffer.id == 0)
    {
        asked.take(bytes);
        return;
    }
    if (asked.buffer.bytes <= kMostKept)
    {
        reading_.push_back(asked.buffer);
    }
    else
    {
        own_bytes_ -= asked.buffer.bytes;
        destroy(asked.buffer.id);
    }
    asked.take(bytes.first(static_cast<std::size_t>(asked.bytes)));
}

void WebGpuBackend::submit()
{
    if (const std::uint32_t ticket = std::exchange(timing_, 0); ticket != 0)
    {
        say(commands_, GpuCommand::time, {ticket});
    }
    flush();
}

void WebGpuBackend::time_kernels(Index repeats, TakeTimes take)
{
    submit(); // what comes before is not timed
    timing_ = ++last_ticket_;
    say(commands_, GpuCommand::watch, {static_cast<std::uint32_t>(repeats)});
    asked_[timing_] = {[this, repeats, take = std::move(take)](std::span<const char> bytes)
                       {
                           KernelTimes times = times_of(bytes);
                           times.repeats = repeats;
                           take(std::move(times));
                       },
                       {}};
}

// Kernels of one file together, whatever was filled in.
KernelTimes WebGpuBackend::times_of(std::span<const char> bytes) const
{
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    KernelTimes times{.rounded_to = words.at(0) * 1e-9, .by_host = words.at(1) != 0};
    std::map<std::string, KernelTime> sums;
    for (std::size_t at = kGpuTimesHead; at < words.size(); at += kGpuTimesEach)
    {
        const auto found =
            std::ranges::find_if(kernels_, [&](const auto& kernel) { return kernel.second == words[at]; });
        std::string name = found->first.substr(0, found->first.find(' '));
        std::ranges::replace(name, '_', ' ');
        KernelTime& sum = sums[name];
        sum.name = name;
        sum.launches += words[at + 1];
        sum.seconds += static_cast<double>(std::bit_cast<float>(words[at + 2]));
    }
    for (auto& [name, time] : sums)
    {
        times.list.push_back(std::move(time));
    }
    std::ranges::sort(times.list, std::greater(), &KernelTime::seconds);
    return times;
}

void WebGpuBackend::flush()
{
    if (!commands_.empty())
    {
        const auto now = std::exchange(commands_, {});
        runs_ = 0;
        player_->play(now);
    }
}

bool WebGpuBackend::start_recording()
{
    recorded_.clear();
    recorded_runs_ = 0;
    recording_ = recordable_ = true;
    return true;
}

bool WebGpuBackend::finish_recording()
{
    recording_ = false;
    if (!recordable_ || recorded_runs_ > kMostRuns)
    {
        return false;
    }
    say(commands_, GpuCommand::record, {recorded_sizes_.id, static_cast<std::uint32_t>(recorded_.size())},
        {reinterpret_cast<const char*>(recorded_.data()), recorded_.size() * 4});
    return true;
}

void WebGpuBackend::replay()
{
    say(commands_, GpuCommand::replay, {});
}

std::uint32_t WebGpuBackend::kernel(std::string_view file, Constants constants)
{
    std::string name(file);
    for (const Constant& constant : constants)
    {
        if (const auto* number = std::get_if<Index>(&constant.value))
        {
            name += fmt::format(" {}={}", constant.name, *number);
        }
        else if (const DType type = std::get<DType>(constant.value); type != DType::f32)
        {
            name += fmt::format(" {}={}", constant.name, type == DType::f16 ? "f16" : "bf16");
        }
    }
    const auto [found, is_new] = kernels_.emplace(name, static_cast<std::uint32_t>(kernels_.size()));
    if (is_new)
    {
        say(commands_, GpuCommand::kernel, {found->second, static_cast<std::uint32_t>(name.size())}, name);
    }
    return found->second;
}

void WebGpuBackend::launch(std::uint32_t kernel, const Groups& groups, std::initializer_list<Place> buffers,
                           std::initializer_list<Number> sizes)
{
    if (!recording_ && runs_ == kMostRuns)
    {
        flush();
    }
    Index& runs = recording_ ? recorded_runs_ : runs_;
    ++runs;
    auto& commands = order();
    const auto words = 2 + 5 + std::ssize(buffers) + std::ssize(sizes);
    commands.insert(commands.end(),
                    {static_cast<std::uint32_t>(GpuCommand::run), static_cast<std::uint32_t>(words), kernel,
                     static_cast<std::uint32_t>(groups.x), static_cast<std::uint32_t>(groups.y),
                     static_cast<std::uint32_t>(groups.z), static_cast<std::uint32_t>(buffers.size())});
    for (const Place& place : buffers)
    {
        commands.push_back(place.buffer);
    }
    for (const Number& size : sizes)
    {
        commands.push_back(size.bits);
    }
}

double WebGpuBackend::sum_of_squares(const void* /*data*/, DType /*type*/, Index /*elements*/)
{
    throw std::logic_error("a page cannot wait for its graphics card");
}

void WebGpuBackend::count_exponents(const Tensor& /*tensor*/, std::array<std::int64_t, 256>& /*counts*/)
{
    throw std::logic_error("a page cannot wait for its graphics card");
}

} // namespace ringside::trainer
