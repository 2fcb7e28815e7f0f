// A controller of the live lab with a model of some thousand parameters on one thread of the processor.
#pragma once

#include "tests/core/lab/trainer_support.h"
#include "tests/source_path.h"

#include "app/session/controllers/lab_controller.h"

#include <fstream>
#include <sstream>

namespace ringside::test
{

inline constexpr double kLabPatience = 60; // [s]

inline LabDevice::Open one_thread()
{
    return [] {
        return Result<trainer::Device>(
            trainer::Device{std::make_unique<trainer::CpuBackend>(1), "one thread"});
    };
}

inline LabController::Setup lab_setup_for_tests()
{
    LabController::Setup setup;
    setup.open = one_thread();
    setup.probe_seconds = 0.02;
    setup.config = tiny_config();
    setup.text = setup.config.data;
    return setup;
}

inline LabData shipped_text()
{
    std::ostringstream out;
    out << std::ifstream(test::source_path("assets/texts/genesis.txt")).rdbuf();
    LabData data;
    data.name = "genesis.txt";
    data.text = std::make_shared<const std::string>(out.str());
    return data;
}

} // namespace ringside::test
