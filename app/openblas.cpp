#include "app/openblas.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace ringside
{

namespace
{

constexpr int kSize = 1024;
constexpr int kRounds = 20;

// As in its cblas.h.
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                       float*, int);
using SetThreads = void (*)(int);
constexpr int kRowMajor = 101;
constexpr int kNotTransposed = 111;

template <class Function>
Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(::dlsym(library, name));
}

double seconds_of_a_product(Sgemm sgemm)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kElements = std::size_t{kSize} * kSize;
    const std::vector<float> a(kElements, 0.5F);
    const std::vector<float> b(kElements, 0.25F);
    std::vector<float> c(kElements);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kRounds; ++i)
    {
        const auto start = Clock::now();
        sgemm(kRowMajor, kNotTransposed, kNotTransposed, kSize, kSize, kSize, 1, a.data(), kSize, b.data(),
              kSize, 0, c.data(), kSize);
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

} // namespace

std::optional<double> openblas_sgemm_flops(std::size_t threads)
{
    // Never closed: its threads may not like that.
    void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
    {
        return std::nullopt;
    }
    const auto sgemm = symbol<Sgemm>(library, "cblas_sgemm");
    const auto set_threads = symbol<SetThreads>(library, "openblas_set_num_threads");
    if (sgemm == nullptr || set_threads == nullptr)
    {
        return std::nullopt;
    }
    set_threads(static_cast<int>(threads));
    return 2.0 * kSize * kSize * kSize / seconds_of_a_product(sgemm);
}

} // namespace ringside
