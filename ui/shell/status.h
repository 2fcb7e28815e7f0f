// What the status strip says of the scenario, each number with its formula, source and convention.
#pragma once

#include "ui/shell/frame/frame.h"

#include <string>
#include <vector>

namespace ringside
{

struct StatusFact
{
    std::string words;
    std::string (*tip)(const Frame&) = nullptr; // made only when pointed at; null: none
};

std::vector<StatusFact> facts_of_scenario(const Frame& frame);
// The tooltip of "Fits 40.2 of 80 GB".
std::string memory_tip(const Frame& frame);

} // namespace ringside
