// One file, since the parser, its events and what is summed over them share one pass over a file of any size.
//
// PyTorch's profiler writes Chrome's trace events (libkineto, output_json.cpp). nlohmann's SAX parser hands
// over one value after another; only GPU work, launches and steps are kept.
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/text/text.h"
#include "core/runs/trace_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace ringside
{

namespace
{

constexpr std::size_t kMostGpuEvents = 4'000'000;
constexpr std::size_t kMostLaunches = 8'000'000;
constexpr std::size_t kMostNameBytes = 64U << 20U; // of all names
constexpr std::size_t kLongestName = 512;
constexpr std::uint64_t kLongestValue = 16U << 20U; // of a text, before its end
constexpr double kMostMicroseconds = 4e15;          // until 2096
constexpr std::size_t kDeepest = 64;

enum class TraceKey : std::uint8_t
{
    other,
    trace_events,
    device_properties,
    distributed_info,
    args,
    ph,
    cat,
    name,
    ts,
    dur,
    correlation,
    rank,
    world_size,
    collective,
    in_elements,
    out_elements,
    group_size,
    dtype,
    group_name,
    group_description
};

TraceKey key_of_text(std::string_view text)
{
    using enum TraceKey;
    static constexpr std::array<std::pair<std::string_view, TraceKey>, 19> kKeys{
        {{"ph", ph},
         {"cat", cat},
         {"name", name},
         {"ts", ts},
         {"dur", dur},
         {"args", args},
         {"correlation", correlation},
         {"traceEvents", trace_events},
         {"deviceProperties", device_properties},
         {"distributedInfo", distributed_info},
         {"rank", rank},
         {"world_size", world_size},
         {"Collective name", collective},
         {"In msg nelems", in_elements},
         {"Out msg nelems", out_elements},
         {"Group size", group_size},
         {"dtype", dtype},
         {"Process Group Name", group_name},
         {"Process Group Description", group_description}}};
    const auto found = std::ranges::find(kKeys, text, &std::pair<std::string_view, TraceKey>::first);
    return found == kKeys.end() ? other : found->second;
}

// Bytes of an element, by the name that PyTorch gives its type (c10/core/ScalarType.h); 0: not known.
std::int64_t element_bytes(std::string_view type)
{
    static constexpr std::array<std::pair<std::string_view, std::int64_t>, 14> kTypes{
        {{"Float", 4},
         {"BFloat16", 2},
         {"Half", 2},
         {"Double", 8},
         {"Long", 8},
         {"Int", 4},
         {"Short", 2},
         {"Byte", 1},
         {"Char", 1},
         {"Bool", 1},
         {"Float8_e4m3fn", 1},
         {"Float8_e5m2", 1},
         {"Float8_e4m3fnuz", 1},
         {"Float8_e5m2fnuz", 1}}};
    const auto found = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::int64_t>::first);
    return found == kTypes.end() ? 0 : found->second;
}

std::int64_t nanoseconds(double microseconds)
{
    return std::isfinite(microseconds) && std::abs(microseconds) < kMostMicroseconds
               ? std::llround(microseconds * 1000)
               : 0;
}

// "4458676524670.502" with all its digits, which a double of so many microseconds has not.
std::int64_t nanoseconds(double microseconds, std::string_view text)
{
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot > 16 || text.find_first_of("eE") != std::string_view::npos ||
        text.front() == '-')
    {
        return nanoseconds(microseconds);
    }
    std::int64_t value = 0;
    for (std::size_t i = 0; i < dot + 4; ++i)
    {
        if (i != dot)
        {
            value = value * 10 + (i < text.size() ? text[i] - '0' : 0);
        }
    }
    return value;
}

// One event while it is read.
struct EventFields
{
    std::string cat;
    std::string name;
    bool complete = false; // ph X
    std::int64_t ts = 0;
    std::int64_t dur = -1;
    std::int64_t correlation = -1;
    TraceCollective call;
    std::int64_t in_elements = 0;
    std::int64_t out_elements = 0;
};

class KinetoReader
{
public:
    // nlohmann::json_sax
    bool null() { return heard(); }
    bool boolean(bool) { return heard(); }
    bool number_integer(std::int64_t value) { return number(static_cast<double>(value), {}); }
    bool number_unsigned(std::uint64_t value) { return number(static_cast<double>(value), {}); }
    bool number_float(double value, const std::string& text) { return number(value, text); }
    bool string(std::string& value);
    bool binary(const nlohmann::json::binary_t&) { return true; }
    bool start_object(std::size_t) { return open(false); }
    bool start_array(std::size_t) { return open(true); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& text)
    {
        keys_[depth_] = key_of_text(text);
        return heard();
    }
    bool parse_error(std::size_t place, const std::string&, const nlohmann::json::exception&)
    {
        broken_at_ = place;
        return false;
    }

    std::uint64_t bytes_since_heard = 0;
    Result<GpuTrace> take(std::string cut_short);

private:
    bool heard()
    {
        bytes_since_heard = 0;
        return !full_;
    }
    bool open(bool list);
    bool close();
    bool number(double value, std::string_view text);
    // Whether values belong to an event, or to its arguments.
    bool in_event() const { return events_depth_ > 0 && depth_ == events_depth_ + 1; }
    bool in_args() const
    {
        return events_depth_ > 0 && depth_ == events_depth_ + 2 && keys_[events_depth_ + 1] == TraceKey::args;
    }
    bool below(TraceKey key, std::size_t depth) const { return depth_ == depth && keys_[1] == key; }

    void finish_event();
    void keep_gpu_event(GpuWork work);
    std::uint32_t number_of_name(const std::string& name);
    std::uint32_t number_of_call();
    void link_events();
    void cut_into_steps();

    struct Launch
    {
        std::int64_t correlation;
        std::int64_t at;
    };
    struct HostStep
    {
        std::string name;
        std::int64_t from;
        std::int64_t to;
    };

    std::size_t depth_ = 0;
    std::array<TraceKey, kDeepest + 2> keys_{};
    std::size_t events_depth_ = 0; // of the list of events, while in it
    EventFields event_;
    GpuTrace trace_;
    std::vector<Launch> launches_;
    std::vector<HostStep> steps_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::size_t name_bytes_ = 0;
    std::map<std::string, std::uint32_t> calls_;
    struct Elements
    {
        std::int64_t in;
        std::int64_t out;
    };
    std::unordered_map<std::uint32_t, Elements> elements_; // of calls, by correlation
    std::size_t broken_at_ = 0;
    bool full_ = false;
    bool any_events_ = false;
};

bool KinetoReader::open(bool list)
{
    if (++depth_ > kDeepest)
    {
        full_ = true;
        return false;
    }
    keys_[depth_] = TraceKey::other;
    const bool named = depth_ == 2 && keys_[1] == TraceKey::trace_events;
    if (list && events_depth_ == 0 && (depth_ == 1 || named))
    {
        events_depth_ = depth_;
        any_events_ = true;
    }
    if (!list && in_event())
    {
        event_ = {};
    }
    return heard();
}

bool KinetoReader::close()
{
    if (in_event())
    {
        finish_event();
    }
    if (depth_ == events_depth_)
    {
        events_depth_ = 0;
    }
    --depth_;
    return heard();
}

bool KinetoReader::number(double value, std::string_view text)
{
    const TraceKey key = keys_[depth_];
    const std::int64_t whole = std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0;
    if (in_event())
    {
        event_.ts = key == TraceKey::ts ? nanoseconds(value, text.empty() ? "x" : text) : event_.ts;
        event_.dur = key == TraceKey::dur ? nanoseconds(value, text.empty() ? "x" : text) : event_.dur;
    }
    else if (in_args())
    {
        event_.correlation = key == TraceKey::correlation ? whole : event_.correlation;
        event_.in_elements = key == TraceKey::in_elements ? whole : event_.in_elements;
        event_.out_elements = key == TraceKey::out_elements ? whole : event_.out_elements;
        event_.call.ranks = key == TraceKey::group_size ? whole : event_.call.ranks;
    }
    else if (below(TraceKey::distributed_info, 2))
    {
        trace_.rank = key == TraceKey::rank ? whole : trace_.rank;
        trace_.world = key == TraceKey::world_size ? whole : trace_.world;
    }
    return heard();
}

bool KinetoReader::string(std::string& value)
{
    const TraceKey key = keys_[depth_];
    value.resize(std::min(value.size(), kLongestName));
    if (in_event())
    {
        event_.complete = key == TraceKey::ph ? value == "X" : event_.complete;
        if (key == TraceKey::cat || key == TraceKey::name)
        {
            (key == TraceKey::cat ? event_.cat : event_.name) = std::move(value);
        }
    }
    else if (in_args())
    {
        TraceCollective& call = event_.call;
        std::string* const target = key == TraceKey::collective                         ? &call.name
                                    : key == TraceKey::dtype                            ? &call.type
                                    : key == TraceKey::group_description                ? &call.group
                                    : key == TraceKey::group_name && call.group.empty() ? &call.group
                                                                                        : nullptr;
        if (target != nullptr && (key != TraceKey::group_description || value != "undefined"))
        {
            *target = std::move(value);
        }
    }
    else if (below(TraceKey::device_properties, 3) && key == TraceKey::name && trace_.device.empty())
    {
        trace_.device = std::move(value);
    }
    return heard();
}

void KinetoReader::finish_event()
{
    if (!event_.complete || event_.dur < 0)
    {
        return;
    }
    const std::string cat = small_letters(event_.cat);
    if (cat == "kernel")
    {
        keep_gpu_event(work_of_kernel(event_.name));
    }
    else if (cat == "gpu_memcpy" || cat == "memcpy")
    {
        keep_gpu_event(GpuWork::copy);
    }
    else if (cat == "gpu_memset" || cat == "memset")
    {
        keep_gpu_event(GpuWork::set);
    }
    else
    {
        ++trace_.host_events;
        const bool launches =
            cat == "cuda_runtime" || cat == "cuda_driver" || cat == "runtime" || cat.starts_with("hip_");
        if (launches && event_.correlation >= 0 && launches_.size() < kMostLaunches)
        {
            launches_.push_back({event_.correlation, event_.ts});
        }
        const bool is_step = cat == "user_annotation" && event_.name.starts_with("ProfilerStep#");
        if (is_step && steps_.size() < 10'000 &&
            std::ranges::find(steps_, event_.name, &HostStep::name) == steps_.end())
        {
            steps_.push_back({event_.name, event_.ts, event_.ts + event_.dur});
        }
    }
}

void KinetoReader::keep_gpu_event(GpuWork work)
{
    ++trace_.in_file;
    full_ = full_ || trace_.events.size() >= kMostGpuEvents;
    if (full_)
    {
        return;
    }
    GpuEvent event{.start = event_.ts,
                   .length = event_.dur,
                   .correlation = static_cast<std::uint32_t>(std::max<std::int64_t>(event_.correlation, 0)),
                   .name = number_of_name(event_.name),
                   .work = work};
    if (!event_.call.name.empty())
    {
        event.collective = number_of_call();
        elements_[event.correlation] = {event_.in_elements, event_.out_elements};
    }
    trace_.events.push_back(event);
}

std::uint32_t KinetoReader::number_of_name(const std::string& name)
{
    const auto known = names_.find(name);
    if (known != names_.end())
    {
        return known->second;
    }
    const bool room = name_bytes_ + name.size() < kMostNameBytes;
    const auto number = static_cast<std::uint32_t>(trace_.names.size());
    name_bytes_ += name.size() + 64;
    if (!room && !trace_.names.empty())
    {
        return 0;
    }
    trace_.names.push_back(name);
    names_.emplace(name, number);
    return number;
}

std::uint32_t KinetoReader::number_of_call()
{
    const TraceCollective& call = event_.call;
    const auto [known, is_new] =
        calls_.try_emplace(fmt::format("{}|{}|{}|{}", call.name, call.group, call.ranks, call.type),
                           static_cast<std::uint32_t>(trace_.collectives.size() + 1));
    if (is_new)
    {
        full_ = full_ || trace_.collectives.size() > 10'000;
        trace_.collectives.push_back(call);
    }
    return known->second;
}

// Kernels of a step before the recording are in the file, too, without the call that launched them.
void KinetoReader::link_events()
{
    std::ranges::stable_sort(launches_, {}, &Launch::correlation);
    trace_.linked = !launches_.empty();
    for (GpuEvent& event : trace_.events)
    {
        const auto launch =
            std::ranges::lower_bound(launches_, std::int64_t{event.correlation}, {}, &Launch::correlation);
        if (launch != launches_.end() && launch->correlation == event.correlation)
        {
            event.launched = launch->at;
        }
    }
    if (trace_.linked)
    {
        std::erase_if(trace_.events, [](const GpuEvent& event) { return event.launched == kNotLaunched; });
    }
    std::ranges::stable_sort(trace_.events, {}, &GpuEvent::start);
}

void KinetoReader::cut_into_steps()
{
    std::ranges::stable_sort(steps_, {}, &HostStep::from);
    std::vector<std::vector<GpuEvent>> events(steps_.size());
    for (GpuEvent& event : trace_.events)
    {
        const auto after = std::ranges::upper_bound(steps_, event.launched, {}, &HostStep::from);
        if (after != steps_.begin() && event.launched < std::prev(after)->to)
        {
            event.step = static_cast<std::uint16_t>(after - steps_.begin()); // of at most 10,000
            events[event.step - 1U].push_back(event);
        }
    }
    for (std::size_t i = 0; i < steps_.size(); ++i)
    {
        trace_.steps.push_back({steps_[i].name, static_cast<double>(steps_[i].to - steps_[i].from) * 1e-9,
                                timeline_of(events[i])});
    }
}

Result<GpuTrace> KinetoReader::take(std::string cut_short)
{
    if (full_)
    {
        return Issue{"", "the trace has more than 4,000,000 GPU events, or is nested too deeply",
                     "record fewer steps: schedule(wait, warmup, active=3)"};
    }
    if (!any_events_)
    {
        return Issue{"", "is no trace: it has no traceEvents", "give what export_chrome_trace() writes"};
    }
    if (broken_at_ > 0 || !cut_short.empty())
    {
        trace_.messages.push_back(fmt::format(
            "{}; the figures are of what was read",
            cut_short.empty() ? fmt::format("the trace breaks off at byte {}", broken_at_) : cut_short));
    }
    link_events();
    if (trace_.events.empty())
    {
        trace_.messages.emplace_back(
            trace_.in_file == 0 ? "the trace has no GPU events: it was recorded without ProfilerActivity.CUDA"
                                : "no GPU event of the trace was launched in it");
    }
    cut_into_steps();
    std::vector<std::pair<std::int64_t, std::int64_t>> bytes(trace_.collectives.size());
    for (const GpuEvent& event : trace_.events)
    {
        if (event.collective > 0)
        {
            const Elements elements = elements_[event.correlation];
            const std::int64_t each = element_bytes(trace_.collectives[event.collective - 1].type);
            const auto of = [&](std::int64_t n) { return std::clamp<std::int64_t>(n, 0, 1LL << 40U) * each; };
            bytes[event.collective - 1].first += of(elements.in);
            bytes[event.collective - 1].second += of(elements.out);
        }
    }
    sum_up_trace(trace_, bytes);
    return std::move(trace_);
}

// The bytes of a source one by one, as nlohmann's parser takes them. Names are rarely UTF-8 to the byte,
// which the parser insists on; nothing that is looked for has other letters.
class ByteIterator
{
public:
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;
    using iterator_category = std::input_iterator_tag;

    struct Buffer
    {
        ByteSource& source;
        KinetoReader& reader;
        std::vector<char> piece = std::vector<char>(1U << 16U);
        const char* at = nullptr;
        const char* end = nullptr;

        bool fill()
        {
            reader.bytes_since_heard += piece.size();
            if (reader.bytes_since_heard > kLongestValue)
            {
                return false;
            }
            const std::size_t count = source.read(piece.data(), piece.size());
            at = piece.data();
            end = at + count;
            return count > 0;
        }
    };

    ByteIterator() = default;
    explicit ByteIterator(Buffer& buffer) : buffer_(&buffer) {}
    char operator*() const
    {
        const char c = *buffer_->at;
        return static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
    ByteIterator& operator++()
    {
        ++buffer_->at;
        return *this;
    }
    void operator++(int) { ++*this; }
    // Only a comparison with the end is asked for.
    bool operator==(const ByteIterator&) const { return buffer_->at == buffer_->end && !buffer_->fill(); }

private:
    Buffer* buffer_ = nullptr;
};

} // namespace

Result<GpuTrace> read_kineto(ByteSource& source)
{
    KinetoReader reader;
    ByteIterator::Buffer buffer{source, reader};
    nlohmann::json::sax_parse(ByteIterator(buffer), ByteIterator(), &reader);
    return reader.take(source.cut_short());
}

bool is_kineto(std::string_view head)
{
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (head[first] != '{' && head[first] != '['))
    {
        return false;
    }
    const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
    return has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\"")) ||
           (head[first] == '[' && has("\"ph\"") && has("\"ts\""));
}

} // namespace ringside
