// Everything that can be found by name: views, commands, the glossary's terms, lessons, questions, fields of
// the scenario, examples, models and GPUs.
#pragma once

#include "core/base/text/find.h"
#include "ui/shell/frame/frame.h"

#include <functional>
#include <string>
#include <vector>

namespace ringside
{

// What only the window itself can do, after the actions.
enum class ShellRequest : std::uint8_t
{
    none,
    field, // gives the control of this field the keyboard
    term,  // shows this term in the glossary
    tour,
    guide, // opens or closes the page about the view
    keys   // shows them
};

struct PaletteEntry
{
    std::string_view kind; // "View"
    std::string label;
    std::string says;
    Findable words;
    std::function<void(const Frame&, Out&)> run;
    ShellRequest request = ShellRequest::none;
    std::string which = {}; // view, field, term or command
};

// In the order in which equals are listed: views first.
std::vector<PaletteEntry> palette_entries(const Frame& frame);

// Indices of the entries that fit, the closest first; all of them for nothing typed. Words that only make a
// sentence ("how do I") do not count; where nothing has all of the others, those with most of them.
std::vector<std::size_t> matching_entries(const std::vector<PaletteEntry>& entries, std::string_view query);

} // namespace ringside
