// What a launch file says, whatever it is written in: its settings in order, each with where it stands.
// A shell script's are the arguments of the program that it starts; a TOML, YAML or JSON file's the leaves of
// its tree by their paths. Nothing is resolved against a framework here.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// Where something stands in a file; counted from 1, 0 where that is not known.
struct FilePlace
{
    std::string file;
    int line = 0;
    int column = 0;

    bool operator==(const FilePlace&) const = default;
};
// "train.sh:12:5"
std::string to_text(const FilePlace& place);

struct Setting
{
    std::string name;     // as it is written: "--num-layers"; in a tree the path: "parallelism.tp"
    nlohmann::json value; // true for a switch, a list where there are several; words of a shell are texts
    FilePlace place;
    std::string unknown = {}; // the variable whose value only a run knows; empty: the value is known
};
// "--num-layers 32", "parallelism.tp: 2"; cut off where it is long.
std::string to_text(const Setting& setting);

class SettingList
{
public:
    // The most that are read of one launch.
    static constexpr std::size_t kMost = 100'000;

    void add(Setting setting);
    void add(const SettingList& more);
    // The last of this name counts. Options are the same with - and with _.
    const Setting* find(std::string_view name) const;
    // Whether the tree has anything below "parallelism".
    bool has_below(std::string_view path) const;
    const std::vector<Setting>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

private:
    std::vector<Setting> all_;
    std::map<std::string, std::size_t, std::less<>> last_;
};

// A value as JSON of its own kind: "0.1" is a number, "True" a switch, "9_765_625" a whole number.
nlohmann::json typed(const nlohmann::json& value);
nlohmann::json typed(std::string_view word);
// A whole number; nothing where it is none. 1e4 and 1_000 are.
std::optional<std::int64_t> whole_number(const nlohmann::json& value);
std::optional<double> any_number(const nlohmann::json& value);
// The text of a value without quotes: "bf16", "32", "true".
std::string plain_text(const nlohmann::json& value);

} // namespace ringside
