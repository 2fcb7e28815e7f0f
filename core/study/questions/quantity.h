// Units of questions: which there are, and how a value with one is printed for people. Values are always in
// the base unit: bytes, seconds, fractions. Reading what people type is in answer.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside
{

enum class Dimension : std::uint8_t
{
    count, // a plain number, or of something: GPUs, tokens
    data,  // bytes or bits
    time,
    data_rate,
    work, // FLOP
    work_rate,
    money,
    share, // a fraction, printed in percent
    ratio, // "1.5x"
    other  // one over another: B/parameter
};

struct StudyUnit
{
    std::string_view name; // as in the files: "B/s"
    Dimension dimension = Dimension::count;
    std::string_view word; // behind a printed count: "parameters"
    double base = 1;       // in bytes, seconds ...: 0.125 for bits
};

// Every unit there is. To add one, add a row to the table at the top of quantity.cpp.
std::span<const StudyUnit> study_units();
const StudyUnit* find_study_unit(std::string_view name);

// A given number as people write it, with every digit it has, up to six: "70 B parameters", "1979 TFLOP/s",
// "16 MiB", "8192".
std::string given_text(double value, const StudyUnit& unit);
// A result, to three digits: "1.12 TB", "76.1 d", "18.2%", "14 GPUs". Whole counts below a million have all
// their digits.
std::string result_text(double value, const StudyUnit& unit);
// A number inside a working: "70e9", "0.9", "8".
std::string working_figure(double value);

} // namespace ringside
