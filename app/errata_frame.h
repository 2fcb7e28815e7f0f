// Loads what the gallery of errata shows.
#pragma once

#include "ui/shell/errata_frame.h"

#include <filesystem>
#include <memory>

namespace ringside
{

// The errata of the assets with the questions about them; empty where there is no file. Faults are added.
std::shared_ptr<const ErrataFrame> load_errata_frame(const std::filesystem::path& assets,
                                                     const QuestionBank& bank, Issues& issues);

} // namespace ringside
