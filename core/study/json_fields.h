// Reads one JSON object field by field: what is missing, of another kind, out of
// range or unknown becomes an Issue with its path.
#pragma once

#include "core/base/json_value.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

class JsonFields
{
public:
    // The object and the list must outlive this. `path` is the object's; "" for a document.
    JsonFields(const nlohmann::json& object, std::string path, Issues& issues);

    bool has(const char* name) const { return object_.is_object() && object_.contains(name); }
    const nlohmann::json& operator[](const char* name) const { return object_[name]; }
    std::string at(std::string_view name) const;
    void fault(std::string_view name, std::string message, std::string hint);

    // Each leaves its target as it is where the field is missing or faulty.
    void text(const char* name, std::string& target, bool needed, std::size_t most_words);
    void number(const char* name, double& target, double least, double most, bool needed = false);
    void flag(const char* name, bool& target);
    void texts(const char* name, std::vector<std::string>& target, bool needed = false);
    // Values by path, as --set takes them: {"parallel.tensor": 4}.
    void sets(const char* name, JsonValue& target, bool needed = false);
    // Whether a field of another kind is there; it is known from now on.
    bool ask(const char* name, bool needed, const char* hint);
    // Faults what nobody asked for. To be called last.
    void finish();

protected:
    const nlohmann::json& object_;
    Issues& issues_;
    std::vector<std::string> known_;

private:
    std::string path_;
};

// Words between spaces; a {placeholder} is one, however long its expression.
std::size_t count_words(std::string_view text);

} // namespace ringside
