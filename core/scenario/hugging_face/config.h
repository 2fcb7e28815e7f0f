// One config.json while it is read: fields by any of their names, with the library's defaults, faults and
// notes by path. `null` is how the library writes "left out".
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// What a count may be, both ends included; the ranges of the Model's own fields.
struct HfRange
{
    std::int64_t least = 1;
    std::int64_t most = std::int64_t{1} << 20U;
};

// Whether a field says something of the shape, by the words of its name: widths, counts, patterns and
// switches, but no token, factor or routine.
bool bears_on_shape(std::string_view name, const nlohmann::json& value);

class HfConfig
{
public:
    using Names = std::initializer_list<const char*>; // the first that is there counts

    HfConfig(const nlohmann::json& object, std::string prefix) : object_(object), prefix_(std::move(prefix))
    {
    }

    // Whether the field is there and not null.
    bool has(const char* name) const;
    bool is_list(const char* name) const;
    bool is_text(const char* name) const;
    // Whether it is there and null, where that means something else than its default.
    bool is_null(const char* name) const;
    std::int64_t count(Names names, std::int64_t otherwise, HfRange range = {});
    std::optional<std::int64_t> maybe(Names names, HfRange range = {});
    double number(const char* name, double otherwise);
    bool flag(const char* name, bool otherwise);
    std::string word(const char* name, std::string_view otherwise);
    // Indices of layers; empty where it is left out.
    std::vector<std::int64_t> indices(const char* name);
    // A count of experts: 0 and null say that there are none.
    std::int64_t experts(Names names, std::int64_t otherwise);
    // Null where it is left out.
    const nlohmann::json* object(const char* name);
    const nlohmann::json* list(const char* name);
    // Texts of a list of layers; empty where it is left out.
    std::vector<std::string> words(const char* name);

    // What is said elsewhere, or bears on nothing.
    void pass_over(Names names) { asked_.insert(names.begin(), names.end()); }
    // Paths of fields that bear on the shape, by their names, and that nobody has read.
    std::vector<std::string> unread() const;
    // Faults, notes and unread fields of an object inside this one.
    void take(const HfConfig& inner);

    void fault(std::string_view name, std::string message, std::string hint);
    void note(std::string_view name, std::string message, std::string hint = {});

    bool no_experts = false; // said with a 0 or null: the others' fields mean nothing
    Issues issues;
    Issues notes;
    std::vector<std::string> defaults;

private:
    std::string at(std::string_view name) const { return prefix_ + std::string(name); }
    const nlohmann::json* find(Names names, const char*& found) const;

    const nlohmann::json& object_;
    std::string prefix_; // "text_config." or nothing
    mutable std::set<std::string, std::less<>> asked_;
    std::vector<std::string> unread_; // of objects inside
};

} // namespace ringside
