#include "core/lab/trainer/cuda/cublaslt.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace ringside::trainer::cuda
{

struct CublasLt::Library
{
    void* handle = nullptr;
    cublasLtHandle_t lt = nullptr;
    decltype(&cublasLtCreate) create = nullptr;
    decltype(&cublasLtDestroy) destroy = nullptr;
    decltype(&cublasLtMatmul) matmul = nullptr;
    decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
    decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;

    ~Library()
    {
        if (lt)
        {
            destroy(lt);
        }
        if (handle)
        {
            dlclose(handle);
        }
    }
};

namespace
{

cudaDataType_t data_type(DType type)
{
    switch (type)
    {
    case DType::f32:
        return CUDA_R_32F;
    case DType::bf16:
        return CUDA_R_16BF;
    case DType::f16:
        return CUDA_R_16F;
    case DType::e4m3:
        return CUDA_R_8F_E4M3;
    case DType::e5m2:
        return CUDA_R_8F_E5M2;
    }
    return CUDA_R_32F;
}

// What decides which algorithm runs. Alignment is part of it: an algorithm that loads 16 bytes at a time
// cannot be kept for an operand that starts elsewhere.
using Key = std::tuple<Index, Index, Index, Index, Index, Index, int, int>;

int alignment_bits(const Product& p)
{
    int bits = 0;
    for (const void* start : {p.a.data, p.b.data, p.c.data, p.add.data, static_cast<void*>(p.a.scales),
                              static_cast<void*>(p.b.scales)})
    {
        bits = bits * 2 + (reinterpret_cast<std::uintptr_t>(start) % 16 == 0 ? 1 : 0);
    }
    return bits;
}

Key key_of(const Product& p)
{
    const int flags = (p.a_transposed ? 1 : 0) + (p.b_transposed ? 2 : 0) + (p.accumulate ? 4 : 0) +
                      (p.bias ? 8 : 0) + (p.add ? 16 : 0) + 32 * static_cast<int>(p.a.type) +
                      256 * static_cast<int>(p.b.type) + 2048 * static_cast<int>(p.c.type);
    return {p.m(), p.n(), p.k(), p.a.stride, p.b.stride, p.c.stride, flags, alignment_bits(p)};
}

} // namespace

struct CublasLt::Plans
{
    // One for each kind of product; nothing where there is no algorithm.
    std::map<Key, std::optional<cublasLtMatmulAlgo_t>> algorithms;
};

namespace
{

// The descriptors of one product. cuBLASLt counts columns first, so row-major c = a b is its c^T = b^T a^T.
class Call
{
public:
    template <class Library>
    Call(const Library& lib, const Product& p)
        : destroy_desc_(lib.desc_destroy), destroy_layout_(lib.layout_destroy)
    {
        good_ = lib.desc_create(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
        const cublasOperation_t first = p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        const cublasOperation_t second = p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
        set(lib, CUBLASLT_MATMUL_DESC_TRANSA, first);
        set(lib, CUBLASLT_MATMUL_DESC_TRANSB, second);
        if (p.bias)
        {
            set(lib, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
            set(lib, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias.data);
            set(lib, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, data_type(p.bias.type));
        }
        if (p.a.scales)
        {
            set_scales(lib, p);
        }
        layout(lib, left, p.b);
        layout(lib, right, p.a);
        layout(lib, added, p.add ? p.add : p.c);
        layout(lib, result, p.c);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call()
    {
        for (cublasLtMatrixLayout_t one : {left, right, added, result})
        {
            if (one)
            {
                destroy_layout_(one);
            }
        }
        if (desc)
        {
            destroy_desc_(desc);
        }
    }
    bool good() const { return good_; }

    cublasLtMatmulDesc_t desc = nullptr;
    cublasLtMatrixLayout_t left = nullptr;
    cublasLtMatrixLayout_t right = nullptr;
    cublasLtMatrixLayout_t added = nullptr;
    cublasLtMatrixLayout_t result = nullptr;

private:
    template <class Library, class Value>
    void set(const Library& lib, cublasLtMatmulDescAttributes_t attribute, const Value& value)
    {
        good_ = good_ && lib.desc_set(desc, attribute, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
    }
    // One scale for each row of the operands as they are stored: what is scaled is a row or column of c. Only
    // some chips take that (Hopper does); on others there is no algorithm.
    template <class Library>
    void set_scales(const Library& lib, const Product& p)
    {
        set(lib, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
        set(lib, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
        set(lib, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, p.b.scales);
        set(lib, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, p.a.scales);
    }
    template <class Library>
    void layout(const Library& lib, cublasLtMatrixLayout_t& to, const Tensor& t)
    {
        good_ =
            good_ && lib.layout_create(&to, data_type(t.type), static_cast<std::uint64_t>(t.cols),
                                       static_cast<std::uint64_t>(t.rows), t.stride) == CUBLAS_STATUS_SUCCESS;
    }

    decltype(&cublasLtMatmulDescDestroy) destroy_desc_;
    decltype(&cublasLtMatrixLayoutDestroy) destroy_layout_;
    bool good_ = false;
};

template <class Library>
std::optional<cublasLtMatmulAlgo_t> best_algorithm(const Library& lib, const Call& call,
                                                   Index workspace_bytes)
{
    cublasLtMatmulPreference_t preference = nullptr;
    if (lib.preference_create(&preference) != CUBLAS_STATUS_SUCCESS)
    {
        return {};
    }
    const auto bytes = static_cast<std::uint64_t>(workspace_bytes);
    lib.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    const auto status = lib.heuristic(lib.lt, call.desc, call.left, call.right, call.added, call.result,
                                      preference, 1, &found, &count);
    lib.preference_destroy(preference);
    if (status != CUBLAS_STATUS_SUCCESS || count == 0)
    {
        return {};
    }
    return found.algo;
}

} // namespace

CublasLt::CublasLt(std::unique_ptr<Library> library)
    : library_(std::move(library)), plans_(std::make_unique<Plans>())
{
}
CublasLt::~CublasLt() = default;

std::unique_ptr<CublasLt> CublasLt::load(std::string& reason)
{
    auto lib = std::make_unique<Library>();
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"})
    {
        lib->handle = lib->handle ? lib->handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!lib->handle)
    {
        reason = "libcublasLt is not installed";
        return nullptr;
    }
    bool whole = true;
    const auto find = [&](auto& function, const char* name)
    {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(lib->handle, name));
        whole = whole && function;
    };
    find(lib->create, "cublasLtCreate");
    find(lib->destroy, "cublasLtDestroy");
    find(lib->matmul, "cublasLtMatmul");
    find(lib->desc_create, "cublasLtMatmulDescCreate");
    find(lib->desc_destroy, "cublasLtMatmulDescDestroy");
    find(lib->desc_set, "cublasLtMatmulDescSetAttribute");
    find(lib->layout_create, "cublasLtMatrixLayoutCreate");
    find(lib->layout_destroy, "cublasLtMatrixLayoutDestroy");
    find(lib->preference_create, "cublasLtMatmulPreferenceCreate");
    find(lib->preference_destroy, "cublasLtMatmulPreferenceDestroy");
    find(lib->preference_set, "cublasLtMatmulPreferenceSetAttribute");
    find(lib->heuristic, "cublasLtMatmulAlgoGetHeuristic");
    if (!whole || lib->create(&lib->lt) != CUBLAS_STATUS_SUCCESS)
    {
        lib->lt = nullptr;
        reason = "libcublasLt is another version, or does not start";
        return nullptr;
    }
    return std::unique_ptr<CublasLt>(new CublasLt(std::move(lib)));
}

bool CublasLt::run(const Product& p, void* workspace, Index workspace_bytes, void* stream)
{
    const Call call(*library_, p);
    if (!call.good())
    {
        return false;
    }
    const Key key = key_of(p);
    auto plan = plans_->algorithms.find(key);
    if (plan == plans_->algorithms.end())
    {
        plan = plans_->algorithms.emplace(key, best_algorithm(*library_, call, workspace_bytes)).first;
    }
    if (!plan->second)
    {
        return false;
    }
    const float alpha = 1;
    const float beta = p.accumulate || p.add ? 1.0F : 0.0F;
    const void* added = p.add ? p.add.data : p.c.data;
    return library_->matmul(library_->lt, call.desc, &alpha, p.b.data, call.left, p.a.data, call.right, &beta,
                            added, call.added, p.c.data, call.result, &*plan->second, workspace,
                            static_cast<std::size_t>(workspace_bytes),
                            static_cast<cudaStream_t>(stream)) == CUBLAS_STATUS_SUCCESS;
}

} // namespace ringside::trainer::cuda
