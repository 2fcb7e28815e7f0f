// What the user is told after an action: a line that the next action ends, or a fault, which stays until it
// is closed or something else succeeds.
#pragma once

#include "core/base/result.h"

#include <string>
#include <utility>
#include <vector>

namespace ringside
{

struct Notice
{
    std::string text;                // "Copied"; of a fault its title: "Not saved"
    std::vector<std::string> faults; // a line each; empty: it is no fault

    Notice() = default;
    Notice(const char* line) : text(line) {} // NOLINT(google-explicit-constructor): most are a line
    Notice(std::string line) : text(std::move(line)) {} // NOLINT(google-explicit-constructor)
    Notice(std::string title, std::vector<std::string> lines)
        : text(std::move(title)), faults(std::move(lines))
    {
    }
    Notice(std::string title, const Issues& issues);

    bool empty() const { return text.empty(); }
    bool is_fault() const { return !faults.empty(); }
    friend bool operator==(const Notice&, const Notice&) = default;
};

// The text, and of a fault its lines below.
std::string to_text(const Notice& notice);

} // namespace ringside
