// The backend of a page: a graphics card through WebGPU, stored in fp32, bf16 or fp16 (two numbers in a word,
// which every card can), summed in fp32. It computes nothing and waits for nothing: it writes lists of
// commands (commands.h), which a player carries out in their order, and is told later what was read.
//
// Every allocation is a buffer of its own and of its own size, filled up to whole words by the backend's own
// bytes, so the ledger is what exists on the card, to the byte. Addresses are made up: they are never
// followed, only found again among the buffers. Kernels are bound to whole buffers and told where in them to
// begin, since bindings may begin at multiples of 256 B only and an embedding ends anywhere. A kernel writes
// to no buffer that it is given twice.
//
// Kernels: one WGSL file each, beside this one; each begins with the formula it computes.
#pragma once

#include "core/lab/trainer/backend.h"
#include "core/lab/trainer/webgpu/commands.h"

#include <bit>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

namespace ringside::trainer
{

// Carries commands out.
class GpuPlayer
{
public:
    using Answer = std::function<void(std::uint32_t ticket, std::span<const char> bytes)>;

    GpuPlayer() = default;
    GpuPlayer(const GpuPlayer&) = delete;
    GpuPlayer& operator=(const GpuPlayer&) = delete;
    virtual ~GpuPlayer() = default;
    virtual void play(std::span<const std::uint32_t> commands) = 0;

    Answer answer; // to what was read
};

// The card, as the browser describes it.
struct GpuAdapter
{
    std::string name;                       // "nvidia ampere"
    bool software = false;                  // computed by the processor
    Index buffer_bytes = Index{128} << 20U; // [B] largest that a kernel may be bound to
    Index group_bytes = Index{16} << 10U;   // [B] memory of a workgroup
    bool subgroups = false;                 // it has them; sums over rows always use them
    Subgroups through;                      // what else does
};

std::string name_of(const GpuAdapter& adapter); // "WebGPU: nvidia ampere"

class WebGpuBackend final : public Backend
{
public:
    static constexpr Index kMostRuns = 1024; // of one submission, and of a recording
    // [B] that the backend has from the start.
    static constexpr Index kFirstWorkspace = 2 * kMostRuns * kGpuSizesPlace + 8;
    static constexpr Abilities kAbilities{
        .eight_bits = false, .exponents = false, .kernel_times = true, .head_dim = 128};

    WebGpuBackend(GpuAdapter adapter, std::unique_ptr<GpuPlayer> player);

    std::string name() const override { return name_of(adapter_); }
    Index capacity() const override { return 0; }
    bool is_gpu() const override { return true; }
    Abilities abilities() const override { return kAbilities; }
    bool waits() const override { return false; }
    bool has_subgroups() const override { return adapter_.subgroups; }
    void use_subgroups(Subgroups use) override { adapter_.through = adapter_.subgroups ? use : Subgroups{}; }
    void* allocate(Index bytes) override;
    void release(void* memory) override;
    Index workspace() const override { return own_bytes_; }
    // [B] of all buffers that exist.
    Index bytes() const { return own_bytes_ + given_bytes_; }

    void upload(void* to, const void* from, Index bytes) override;
    void download(void* to, const void* from, Index bytes) override;
    void copy(void* to, const void* from, Index bytes) override;
    void clear(void* memory, Index bytes) override;
    void wait() override {}
    void read(const void* from, Index bytes, const Take& take) override;
    void submit() override;
    void time_kernels(Index repeats, TakeTimes take) override;
    bool start_recording() override;
    bool finish_recording() override;
    void replay() override;

    void run(const Product& product) override;
    void run(const Embed& embed) override;
    void run(const EmbedBackward& embed) override;
    void run(const NormForward& norm) override;
    void run(const NormBackward& norm) override;
    void run(const Rope& rope) override;
    void run(const Attention& attention) override;
    void run(const AttentionBackward& attention) override;
    void run(const AttentionHop& hop) override;
    void run(const AttentionHopBackward& hop) override;
    void run(const Activation& activation) override;
    void run(const ActivationBackward& activation) override;
    void run(const Route& route) override;
    void run(const RouteBackward& route) override;
    void run(const Dispatch& dispatch) override;
    void run(const Combine& combine) override;
    void run(const CrossEntropy& loss) override;
    void run(const LogitStatistics& statistics) override;
    void run(const Add& add) override;
    void run(const SumRows& sum) override;
    void run(const Convert& convert) override;
    void add_squares(const SquareSum& sum) override;
    void run(const Update& update) override;
    double sum_of_squares(const void* data, DType type, Index elements) override;
    void count_exponents(const Tensor& tensor, std::array<std::int64_t, 256>& counts) override;

private:
    struct Buffer
    {
        std::uint32_t id = 0;
        Index bytes = 0;
    };
    struct Place
    {
        std::uint32_t buffer = 0;
        std::uint32_t byte = 0;
        DType type = DType::f32;
    };
    // A size as a kernel is told it: a whole number, or the bits of a float.
    struct Number
    {
        Number(Index value)
            : bits(static_cast<std::uint32_t>(value)) {} // NOLINT(google-explicit-constructor)
        Number(float value)
            : bits(std::bit_cast<std::uint32_t>(value)) {} // NOLINT(google-explicit-constructor)
        std::uint32_t bits;
    };
    struct Groups
    {
        Index x = 1;
        Index y = 1;
        Index z = 1;
    };
    // A constant of a kernel: a number, or the format that a binding's numbers are stored in.
    struct Constant
    {
        std::string_view name;
        std::variant<Index, DType> value;
    };
    using Constants = std::initializer_list<Constant>;

    std::uint32_t create(Index bytes, GpuBuffer kind);
    void destroy(std::uint32_t buffer);
    Buffer own(Index bytes, GpuBuffer kind);
    // What the backend keeps for itself, at least so large.
    std::uint32_t grown(Buffer& buffer, Index bytes);
    Place place_of(const void* memory, DType type = DType::f32) const;
    Place place_of(const Tensor& tensor) const { return place_of(tensor.data, tensor.type); }
    static Index element(const Place& place) { return place.byte / bytes_of(place.type); }
    // Whole numbers behind a command's head.
    void say(std::vector<std::uint32_t>& commands, GpuCommand command,
             std::initializer_list<std::uint32_t> numbers, std::span<const char> bytes = {}) const;
    std::vector<std::uint32_t>& order() { return recording_ ? recorded_ : commands_; }
    std::uint32_t kernel(std::string_view file, Constants constants);
    // A kernel over its buffers, in the order of their bindings.
    void launch(std::uint32_t kernel, const Groups& groups, std::initializer_list<Place> buffers,
                std::initializer_list<Number> sizes);
    // One thread for each of so many elements, or a few for each thread.
    static Groups threads_for(Index elements);
    static Groups rows_of(Index rows);
    Place angles(Index length, Index head_dim);
    void elements(const Tensor& from, const Tensor& to, Index adds, Index transposed);
    void column_sums(const Tensor& gradient, const NormBackward* gain, const Tensor& to);
    void attention_backward(const AttentionBackward& b, bool of_keys, const Place& kept, Index kept_stride);
    // Chunks of four elements in a head, the last ones filled up with zeros, so that a team's threads share
    // them.
    Index chunks_of(Index head_dim) const;
    Index key_tile(Index chunks) const;
    void flush();
    KernelTimes times_of(std::span<const char> bytes) const;
    void receive(std::uint32_t ticket, std::span<const char> bytes);

    GpuAdapter adapter_;
    std::map<std::uintptr_t, Buffer> given_; // by address
    Index given_bytes_ = 0;
    Index own_bytes_ = 0;
    std::uint32_t last_buffer_ = 0;
    std::map<std::string, std::uint32_t, std::less<>> kernels_;
    Buffer sums_;    // of squares, first pass
    Buffer shared_;  // of attention's backward
    Buffer nothing_; // where a kernel writes what is not wanted
    Buffer no_master_;
    std::map<std::pair<Index, Index>, Buffer> angles_;

    std::vector<std::uint32_t> commands_; // not played yet
    Index runs_ = 0;                      // among them
    std::vector<std::uint32_t> recorded_;
    Buffer recorded_sizes_; // there from the start, so that to record takes no memory
    Index recorded_runs_ = 0;
    std::uint32_t timing_ = 0; // the ticket of times that are asked for
    bool recording_ = false;
    bool recordable_ = true;

    struct Asked
    {
        Take take;
        Buffer buffer;
        Index bytes = 0;
    };
    std::map<std::uint32_t, Asked> asked_; // by ticket
    std::vector<Buffer> reading_;          // free
    std::uint32_t last_ticket_ = 0;
    std::unique_ptr<GpuPlayer> player_; // last: it may answer until it is gone
};

} // namespace ringside::trainer
