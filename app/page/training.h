// Trainings in workers beside the page, which stays smooth whatever the model.
#pragma once

#include "core/lab/trainer/remote.h"

namespace ringside::page
{

// A line to a worker of its own.
std::unique_ptr<trainer::Line> open_worker(trainer::RemoteRun::Receive receive,
                                           trainer::RemoteRun::LostLine lost);

} // namespace ringside::page
