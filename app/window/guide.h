// `ringside guide`: the user guide as Markdown, a page a view with its picture, formula, keys and lessons.
#pragma once

#include "app/commands.h"

namespace ringside
{

struct GuideOptions
{
    std::string folder; // to write into; made where it is missing
    bool light = false; // the pictures' theme
};

int run_guide(const CommonOptions& common, const GuideOptions& options);

} // namespace ringside
