#include "core/evaluate/accuracy.h"

#include "core/base/minimize.h"
#include "core/base/ranges.h"
#include "core/performance/step_time.h"
#include "core/scenario/evidence.h"
#include "core/scenario/fields.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

namespace ringside
{

namespace
{

constexpr double kFarthest = 2; // shares of the way
constexpr double kPull = 1e-3;  // on shares that no row says anything about

// A constant that the source left out had a part in, and what it is without that source and others like it.
struct Constant
{
    double Software::*of_software = nullptr;
    double Calibration::*of_accelerator = nullptr;
    double start = 0;
    double least = 0;
    double most = 0;
};

// How far each constant goes from its start to its own value.
using Shares = std::vector<double>;

// Whether the text says that this source had a part, as a whole word: dgxc-h100, not dgxc-h1000.
bool names_source(std::string_view text, std::string_view source)
{
    const auto part_of_word = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-');
    };
    for (std::size_t at = text.find(source); at != std::string_view::npos; at = text.find(source, at + 1))
    {
        if (!part_of_word(at + source.size()) && (at == 0 || !part_of_word(at - 1)))
        {
            return true;
        }
    }
    return false;
}

// The geometric mean of what the constant is where `is_like` says that a preset is alike and fitted to
// others; `usual` where there is none.
template <class List, class Value>
double start_of(const List& presets, double usual, const Value& value)
{
    double sum = 0;
    double count = 0;
    for (const auto& preset : presets)
    {
        if (const std::optional<double> x = value(preset); x && *x > 0)
        {
            sum += std::log(*x);
            count += 1;
        }
    }
    return count > 0 ? std::exp(sum / count) : usual;
}

std::string_view text_of(const std::map<std::string, std::string>& texts, std::string_view name)
{
    const auto found = texts.find(std::string(name));
    return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

// The constants of a software that the source had a part in: other releases' of it, else eager software's.
void add_software_constants(const Presets& presets, const Software& software, const std::string& source,
                            std::vector<Constant>& out)
{
    const SoftwarePreset* preset = presets.software_of(software.id);
    for (const Field<Software>& field : fields_of(Software{}))
    {
        const auto* member = std::get_if<double Software::*>(&field.member);
        if (member == nullptr || preset == nullptr ||
            !names_source(text_of(preset->fitted, field.name), source))
        {
            continue;
        }
        const auto of_release = [&](const SoftwarePreset& other) -> std::optional<double>
        {
            const bool alike = software_kind(other.software.id) == software_kind(software.id) &&
                               !names_source(text_of(other.fitted, field.name), source);
            return alike ? std::optional(other.software.**member) : std::nullopt;
        };
        out.push_back({*member, nullptr, start_of(presets.software, Software{}.**member, of_release),
                       field.least, field.most});
    }
}

// The constants of an accelerator that the source had a part in: what others of its vendor were fitted to.
void add_accelerator_constants(const Presets& presets, const Gpu& gpu, const std::string& source,
                               std::vector<Constant>& out)
{
    const GpuPreset* preset = presets.gpu(gpu.id);
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        const auto* member = std::get_if<double Calibration::*>(&field.member);
        if (member == nullptr || preset == nullptr ||
            !names_source(text_of(preset->calibration_sources, field.name), source))
        {
            continue;
        }
        const auto of_other = [&](const GpuPreset& other) -> std::optional<double>
        {
            const std::string_view text = text_of(other.calibration_sources, field.name);
            const bool alike =
                other.vendor == preset->vendor && text.starts_with("fitted") && !names_source(text, source);
            return alike ? std::optional(other.gpu.calibration.**member) : std::nullopt;
        };
        out.push_back({nullptr, *member, start_of(presets.gpus, Calibration{}.**member, of_other),
                       field.least, field.most});
    }
}

// The row's scenario with those constants that are its own so far of the way.
Scenario at_shares(Scenario s, const MeasuredRow& left_out, const std::vector<Constant>& constants,
                   const Shares& shares)
{
    const bool software = s.software.id == left_out.scenario.software.id;
    const bool accelerator = s.cluster.gpu.id == left_out.scenario.cluster.gpu.id;
    for (std::size_t i = 0; i < constants.size(); ++i)
    {
        const Constant& c = constants[i];
        if (c.of_software != nullptr ? !software : !accelerator)
        {
            continue;
        }
        double& value = c.of_software != nullptr ? s.software.*c.of_software
                                                 : s.cluster.gpu.calibration.*c.of_accelerator;
        value =
            std::clamp(c.start + std::clamp(shares[i], 0.0, kFarthest) * (value - c.start), c.least, c.most);
    }
    return s;
}

double error_of(const MeasuredRow& row, const Scenario& scenario)
{
    return step_time(scenario).total() / row.seconds - 1;
}

// Fitted to these rows; nothing of the way where there are none.
Shares shares_from(const std::vector<const MeasuredRow*>& rows, const MeasuredRow& left_out,
                   const std::vector<Constant>& constants)
{
    Shares start(constants.size(), 0.0);
    if (rows.empty() || constants.empty())
    {
        return start;
    }
    const auto loss = [&](const Shares& shares)
    {
        double sum = 0;
        for (const MeasuredRow* row : rows)
        {
            sum +=
                std::abs(std::log1p(error_of(*row, at_shares(row->scenario, left_out, constants, shares))));
        }
        const double far = std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0);
        return sum / static_cast<double>(rows.size()) + kPull * far;
    };
    constexpr double kEdge = 0.5;
    constexpr int kSteps = 150;
    // Begun anew where it stopped, since a simplex that has shrunk in a corner stays there.
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round)
    {
        start = minimize(loss, start, kEdge, kSteps, 1e-4).at;
    }
    return start;
}

// What other sources measured that these constants have a part in.
std::vector<const MeasuredRow*> rows_elsewhere(const std::vector<MeasuredSet>& sources,
                                               const MeasuredSet& but, const MeasuredRow& left_out,
                                               const std::vector<Constant>& constants)
{
    const bool software = std::ranges::any_of(constants, [](const Constant& c) { return c.of_software; });
    const bool accelerator =
        std::ranges::any_of(constants, [](const Constant& c) { return c.of_accelerator; });
    std::vector<const MeasuredRow*> rows;
    for (const MeasuredSet& source : sources)
    {
        for (const MeasuredRow& row : source.rows)
        {
            const bool same =
                (software && row.scenario.software.id == left_out.scenario.software.id) ||
                (accelerator && row.scenario.cluster.gpu.id == left_out.scenario.cluster.gpu.id);
            if (&source != &but && same)
            {
                rows.push_back(&row);
            }
        }
    }
    return rows;
}

AccuracyRow accuracy_row(const MeasuredRow& row)
{
    const double error = error_of(row, row.scenario);
    return {row.name, row.group,   row.scenario.software.id, row.scenario.cluster.gpu.id, row.seconds, error,
            error,    row.scenario};
}

void add_means(SourceAccuracy& one)
{
    const auto rows = list_of<const AccuracyRow*>(one.rows, [](const AccuracyRow& row) { return &row; });
    one.mean = mean_by_group(rows, &AccuracyRow::error);
    one.left_out = mean_by_group(rows, &AccuracyRow::left_out);
}

// What is known of a software and an accelerator without the source.
struct LeftOut
{
    std::vector<Constant> constants;
    Shares shares;
};

LeftOut without(const std::vector<MeasuredSet>& sources, const MeasuredSet& source, const MeasuredRow& row,
                const Presets& presets)
{
    LeftOut out;
    add_software_constants(presets, row.scenario.software, source.name, out.constants);
    add_accelerator_constants(presets, row.scenario.cluster.gpu, source.name, out.constants);
    out.shares = shares_from(rows_elsewhere(sources, source, row, out.constants), row, out.constants);
    return out;
}

} // namespace

SourceAccuracy source_accuracy(const std::vector<MeasuredSet>& sources, std::size_t which,
                               const Presets& presets)
{
    const MeasuredSet& source = sources[which];
    SourceAccuracy one{source.name, source.title, source.source, {}, 0, 0};
    std::map<std::pair<std::string, std::string>, LeftOut> known; // by software and accelerator
    for (const MeasuredRow& row : source.rows)
    {
        const auto [at, fresh] = known.try_emplace({row.scenario.software.id, row.scenario.cluster.gpu.id});
        at->second = fresh ? without(sources, source, row, presets) : at->second;
        const auto& [constants, shares] = at->second;
        one.rows.push_back(accuracy_row(row));
        if (!constants.empty())
        {
            one.rows.back().left_out = error_of(row, at_shares(row.scenario, row, constants, shares));
        }
    }
    add_means(one);
    return one;
}

SourceAccuracy known_accuracy(const MeasuredSet& source, const Presets& presets)
{
    SourceAccuracy one{source.name, source.title, source.source, {}, 0, 0};
    const BandTable none;
    const BandTable& table = presets.evidence != nullptr ? *presets.evidence : none;
    const auto known = table.left_out.find(source.name);
    const bool same = known != table.left_out.end() && known->second.size() == source.rows.size();
    for (std::size_t i = 0; i < source.rows.size(); ++i)
    {
        one.rows.push_back(accuracy_row(source.rows[i]));
        one.rows.back().left_out = same ? known->second[i] : one.rows.back().error;
    }
    add_means(one);
    return one;
}

double mean_by_group(const std::vector<const AccuracyRow*>& rows, double AccuracyRow::*error)
{
    std::map<std::string_view, std::pair<double, double>> groups; // sum, count
    for (const AccuracyRow* row : rows)
    {
        auto& [sum, count] = groups[row->group];
        sum += std::abs(row->*error);
        count += 1;
    }
    double all = 0;
    for (const auto& [_, group] : groups)
    {
        all += group.first / group.second;
    }
    return groups.empty() ? 0 : all / static_cast<double>(groups.size());
}

const AccuracyRow& worst_of(const SourceAccuracy& source)
{
    assert(!source.rows.empty());
    return *std::ranges::max_element(source.rows, {},
                                     [](const AccuracyRow& row) { return std::abs(row.error); });
}

double mean_of(const std::vector<SourceAccuracy>& sources, double SourceAccuracy::*error)
{
    double sum = 0;
    for (const SourceAccuracy& source : sources)
    {
        sum += source.*error;
    }
    return sources.empty() ? 0 : sum / static_cast<double>(sources.size());
}

double spread_in_groups(const std::vector<SourceAccuracy>& sources)
{
    std::vector<double> differences;
    for (const SourceAccuracy& source : sources)
    {
        for (std::size_t i = 0; i < source.rows.size(); ++i)
        {
            for (std::size_t j = 0; j < i; ++j)
            {
                const AccuracyRow& a = source.rows[i];
                const AccuracyRow& b = source.rows[j];
                if (a.group == b.group)
                {
                    differences.push_back(std::abs(std::log1p(a.left_out) - std::log1p(b.left_out)));
                }
            }
        }
    }
    if (differences.empty())
    {
        return 0;
    }
    const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
    std::nth_element(differences.begin(), middle, differences.end());
    return std::expm1(*middle);
}

nlohmann::json firm_cases(const nlohmann::json& cases)
{
    nlohmann::json firm = cases;
    firm["cases"] = nlohmann::json::array();
    for (const nlohmann::json& entry : cases.value("cases", nlohmann::json::array()))
    {
        const nlohmann::json note =
            entry.is_object() ? entry.value("note", nlohmann::json()) : nlohmann::json();
        if (!note.is_string() || !note.get_ref<const std::string&>().starts_with("[C]"))
        {
            firm["cases"].push_back(entry);
        }
    }
    return firm;
}

} // namespace ringside
