// The CUDA backend for real: nvcc compiles the kernels here, on NVIDIA's runtime.
#include "core/lab/trainer/cuda/cublaslt.h"
#include "core/lab/trainer/cuda/cuda_backend_ops.h"
#include "core/lab/trainer/devices.h"

#include <cstdio>
#include <stdexcept>

namespace ringside::trainer
{

namespace cuda
{

namespace
{

// A fault of the device is not one of the input: the run ends with what the driver says.
void check(cudaError_t status)
{
    if (status != cudaSuccess)
    {
        throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
    }
}

class DeviceRuntime final : public Runtime
{
public:
    explicit DeviceRuntime(bool own_products)
    {
        check(cudaSetDevice(0));
        check(cudaGetDeviceProperties(&properties_, 0));
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        std::string reason = "as asked";
        products_ = own_products ? nullptr : CublasLt::load(reason);
        products_by_ = products_ ? "cuBLASLt" : "own products, " + reason;
    }
    ~DeviceRuntime() override
    {
        cudaStreamSynchronize(stream_);
        forget_recording();
        products_.reset();
        cudaStreamDestroy(stream_);
    }

    std::string name() const override
    {
        return std::string("CUDA, ") + properties_.name + ", " + products_by_;
    }
    Index capacity() const override { return static_cast<Index>(properties_.totalGlobalMem); }
    Stream stream() const override { return stream_; }

    void* allocate(Index bytes) override
    {
        void* memory = nullptr;
        const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
        if (status == cudaErrorMemoryAllocation)
        {
            cudaGetLastError(); // it is answered by the caller
            return nullptr;
        }
        check(status);
        return memory;
    }
    void release(void* memory) override { cudaFree(memory); }
    void upload(void* to, const void* from, Index bytes) override
    {
        move(to, from, bytes, cudaMemcpyHostToDevice);
    }
    void download(void* to, const void* from, Index bytes) override
    {
        move(to, from, bytes, cudaMemcpyDeviceToHost);
        wait();
    }
    void copy(void* to, const void* from, Index bytes) override
    {
        move(to, from, bytes, cudaMemcpyDeviceToDevice);
    }
    void clear(void* memory, Index bytes) override
    {
        check(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream_));
    }
    void wait() override
    {
        check(cudaStreamSynchronize(stream_));
        check(cudaGetLastError()); // launches that were refused
    }
    bool start_recording() override
    {
        forget_recording();
        const auto status = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
        cudaGetLastError();
        return status == cudaSuccess;
    }
    bool finish_recording() override
    {
        cudaGraph_t graph = nullptr;
        bool whole = cudaStreamEndCapture(stream_, &graph) == cudaSuccess && graph;
        whole = whole && cudaGraphInstantiate(&recording_, graph, 0) == cudaSuccess;
        if (graph)
        {
            cudaGraphDestroy(graph);
        }
        cudaGetLastError(); // what could not be recorded is done step by step
        return whole;
    }
    void replay() override { check(cudaGraphLaunch(recording_, stream_)); }
    void allow_shared(const void* kernel, Index bytes) override
    {
        constexpr Index kAlways = Index{48} << 10U;
        if (bytes > kAlways)
        {
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
        }
    }
    bool product(const Product& p, void* workspace, Index workspace_bytes) override
    {
        return products_ && products_->run(p, workspace, workspace_bytes, stream_);
    }

private:
    void forget_recording()
    {
        if (recording_)
        {
            cudaGraphExecDestroy(recording_);
            recording_ = nullptr;
        }
    }
    void move(void* to, const void* from, Index bytes, cudaMemcpyKind kind)
    {
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream_));
    }

    cudaDeviceProp properties_{};
    cudaStream_t stream_ = nullptr;
    cudaGraphExec_t recording_ = nullptr;
    std::unique_ptr<CublasLt> products_;
    std::string products_by_;
};

} // namespace

} // namespace cuda

CudaProbe open_cuda(bool own_products)
{
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
    {
        return {nullptr, "there is no NVIDIA driver"};
    }
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess || devices == 0)
    {
        cudaGetLastError();
        return {nullptr, status == cudaSuccess ? "there is no device" : cudaGetErrorString(status)};
    }
    try
    {
        return {std::make_unique<cuda::CudaBackend>(std::make_unique<cuda::DeviceRuntime>(own_products)), {}};
    }
    catch (const std::exception& fault)
    {
        return {nullptr, fault.what()};
    }
}

} // namespace ringside::trainer
