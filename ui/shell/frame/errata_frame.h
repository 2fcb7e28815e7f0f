// What the gallery of errata is given: loaded once by the app, never changed.
#pragma once

#include "core/study/library/errata.h"

#include <map>
#include <string>
#include <vector>

namespace ringside
{

struct ErrataFrame
{
    std::vector<Erratum> errata;
    std::map<std::string, std::vector<std::string>> questions; // titles of the families, by id of the erratum
    std::string file;                                          // where errata were looked for
};

} // namespace ringside
