// Trainings in workers beside the page, which stays smooth whatever the model.
#pragma once

#include "app/session/controllers/lab_controller.h"
#include "core/lab/trainer/remote.h"

namespace ringside::page
{

// A line to a worker of its own.
std::unique_ptr<trainer::Line> open_worker(trainer::RemoteRun::Receive receive,
                                           trainer::RemoteRun::LostLine lost);

// Graphics cards that the browser offers, found some frames after they are looked for.
void look_for_cards();
std::vector<LabCard> cards();
// That the next runs are made on, counted from 1; 0: on the processor.
void choose_card(std::size_t card, trainer::Subgroups through);

} // namespace ringside::page
