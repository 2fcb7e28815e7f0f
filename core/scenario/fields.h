// Every field of a scenario, described once: name, label, unit, range, slider, meaning and where it lives.
// The JSON reader and writer, --set, range checks, the window's sliders and the help texts all walk these
// tables.
#pragma once

#include "core/scenario/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <variant>

namespace ringside
{

// An enum member, seen as an index into its names.
template <class S>
struct Choice
{
    std::span<const std::string_view> names;
    int (*get)(const S&);
    void (*set)(S&, int);
};

// Some of several names, in files a list of them.
template <class S>
struct Selection
{
    std::span<const std::string_view> all;
    std::span<const bool> (*get)(const S&); // one for each name
    void (*set)(S&, std::size_t, bool);
};

// The names that are on.
template <class S>
std::vector<std::string> names_in(const Selection<S>& member, const S& source)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < member.all.size(); ++i)
    {
        if (member.get(source)[i])
        {
            names.emplace_back(member.all[i]);
        }
    }
    return names;
}

template <class S>
using Member = std::variant<std::int64_t S::*, double S::*, bool S::*, std::vector<std::int64_t> S::*,
                            Choice<S>, Selection<S>>;

// What a slider of a field covers, which is less than what may be typed.
struct FieldSlide
{
    double low = 0;
    double high = 0;
    double step = 0; // what a drag snaps to; kLogarithmic: nothing, and the scale is logarithmic
    bool zero_is_automatic = false; // 0 follows the layout
};
inline constexpr double kLogarithmic = 0;

template <class S>
struct Field
{
    std::string_view name;  // in files and --set
    std::string_view label; // on screen
    std::string_view unit;  // empty for pure counts and switches
    std::string_view says;  // one line for tooltips and --help
    Member<S> member;
    double least = 0; // inclusive; ignored for switches and choices
    double most = 0;
    std::string_view alias = {}; // another name in common use, accepted when read
    std::optional<FieldSlide> slide = {};
};

std::span<const Field<Model>> fields_of(const Model&);
std::span<const Field<Gpu>> fields_of(const Gpu&);
std::span<const Field<Calibration>> fields_of(const Calibration&);
std::span<const Field<Software>> fields_of(const Software&);
std::span<const Field<Cluster>> fields_of(const Cluster&);
std::span<const Field<Parallel>> fields_of(const Parallel&);
std::span<const Field<Training>> fields_of(const Training&);
std::span<const Field<Lora>> fields_of(const Lora&);
std::span<const Field<PipelineTimes>> fields_of(const PipelineTimes&);
std::span<const Field<CollectiveSettings>> fields_of(const CollectiveSettings&);

std::string_view name_of(ScheduleKind value);

// Calls f(section, object) for every part of a scenario that has such a table: ("cluster.gpu",
// s.cluster.gpu).
template <class S, class F>
void each_section(S& s, const F& f)
{
    f("parallel", s.parallel);
    f("training", s.training);
    f("training.lora", s.training.lora);
    f("cluster", s.cluster);
    f("cluster.gpu", s.cluster.gpu);
    f("model", s.model);
    f("stage_times", s.stage_times);
    f("collective", s.collective);
}

} // namespace ringside
