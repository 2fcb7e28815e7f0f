// cuBLASLt, loaded when the program runs: it is half a gigabyte that most machines do not have, and the
// program must start without it.
//
// Its 8-bit products (one scale per row) are taken where the chip has them.
#pragma once

#include "core/lab/trainer/operations.h"

#include <memory>
#include <string>

namespace ringside::trainer::cuda
{

class CublasLt
{
public:
    // Null, and why, where the library is not there or not whole.
    static std::unique_ptr<CublasLt> load(std::string& reason);
    ~CublasLt();

    // False where it does not take these formats or shapes.
    bool run(const Product& product, void* workspace, Index workspace_bytes, void* stream);

private:
    struct Library;
    struct Plans;
    explicit CublasLt(std::unique_ptr<Library> library);

    std::unique_ptr<Library> library_;
    std::unique_ptr<Plans> plans_;
};

} // namespace ringside::trainer::cuda
