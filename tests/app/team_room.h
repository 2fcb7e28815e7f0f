// A controller of the ranks with a model whose steps take milliseconds.
#pragma once

#include "app/session/controllers/team_controller.h"

namespace ringside::test
{

inline constexpr double kTeamPatience = 60; // [s]

inline TeamController::Setup team_setup_for_tests()
{
    TeamController::Setup setup;
    Model& m = setup.trainer.model;
    m.hidden = 32;
    m.head_dim = 4;
    m.ffn = 64;
    setup.trainer.training.sequence_length = 16;
    setup.request.steps_per_second = 0;
    setup.patience = 3;
    setup.compared_steps = 4;
    return setup;
}

} // namespace ringside::test
