// JSON objects read and written by tables: a row for each field says its name, the member it goes to and what
// it may be. Every fault has its path, names the value and says what would work; unknown fields are faults.
//
//   const JsonTable<Skill> kSkillTable{{{"id", &Skill::id, {.needed = true}}, {"name", &Skill::name}}};
//
// What cannot be a row is a function: in place of a member, or at the end of a table for what must agree.
#pragma once

#include "core/base/json/json.h"
#include "core/base/json/json_text.h"
#include "core/base/json/json_value.h"
#include "core/base/names.h"
#include "core/base/ranges.h"

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ringside
{

// What a value may be. A field that may be left out keeps what it has.
struct JsonRule
{
    bool needed = false;
    bool may_be_empty = false; // a text that is needed
    // The range of a number; of the entries of a list.
    double least = std::numeric_limits<double>::lowest();
    double most = std::numeric_limits<double>::max();
    std::size_t words = 0; // a text has at most; 0: as many as it likes
    // Checks a text: a fault without a path, or nothing.
    std::optional<Issue> (*check)(std::string_view) = nullptr;
    bool expression = false;       // a number is kept as text
    bool by_number = false;        // an enum stands as its number
    bool unless_empty = false;     // written only where there is something
    const char* hint = "give one"; // where it is missing
};

inline constexpr JsonRule kNeeded{.needed = true};

// Limits of one document, for files that may come from anybody.
struct JsonLimits
{
    std::size_t letters = std::string::npos; // of a text
    std::size_t entries = std::string::npos; // of a list or an object
};

// A value and where it stands. All it refers to must outlive it.
struct JsonPlace
{
    const nlohmann::json& value;
    std::string path; // "" for a document
    Issues& issues;
    JsonLimits limits = {};

    bool has(const char* name) const { return value.is_object() && value.contains(name); }
    // Null where there is none of the name.
    JsonPlace member(std::string_view name) const;
    JsonPlace entry(std::size_t index) const;
    void fault(std::string message, std::string hint) const;
    void fault(std::string_view name, std::string message, std::string hint) const;
    void fault_if(bool wrong, std::string_view name, std::string message, std::string hint) const;
    // Whether it is a list, or an object, of bounded size; if not, that is a fault.
    bool is_list(const JsonRule& rule = {}) const;
    bool is_object(const char* hint = "use {...}") const;
    void refuse_others(const std::vector<std::string>& known) const;
};

// Words between spaces; a {placeholder} is one, however long its expression.
std::size_t count_words(std::string_view text);

void read_value(const JsonPlace& place, const JsonRule& rule, std::string& target);
void read_value(const JsonPlace& place, const JsonRule& rule, double& target);
void read_value(const JsonPlace& place, const JsonRule& rule, std::int64_t& target);
void read_value(const JsonPlace& place, const JsonRule& rule, std::uint64_t& target);
void read_value(const JsonPlace& place, const JsonRule& rule, int& target);
void read_value(const JsonPlace& place, const JsonRule& rule, bool& target);
void read_value(const JsonPlace& place, const JsonRule& rule, JsonValue& target); // an object
void read_schema(const JsonPlace& place, const char* id);
// The number of the name among these; nothing where it is none, which is a fault.
std::optional<std::size_t> read_choice(const JsonPlace& place, std::span<const std::string_view> names);

template <class E>
requires std::is_enum_v<E>
void read_value(const JsonPlace& place, const JsonRule& rule, E& target)
{
    if constexpr (Named<E>)
    {
        if (!rule.by_number)
        {
            const auto found = read_choice(place, kNamesOf<E>.all);
            target = found ? every<E>()[*found] : target;
            return;
        }
    }
    auto number = static_cast<std::int64_t>(target);
    read_value(place, rule, number);
    target = static_cast<E>(number);
}

template <class T>
void read_value(const JsonPlace& place, const JsonRule& rule, std::optional<T>& target)
{
    const std::size_t before = place.issues.size();
    T value{};
    read_value(place, rule, value);
    if (place.issues.size() == before)
    {
        target = std::move(value);
    }
}

template <class T>
void read_value(const JsonPlace& place, const JsonRule& rule, std::vector<T>& target)
{
    target.clear();
    for (std::size_t i = 0; place.is_list(rule) && i < place.value.size(); ++i)
    {
        read_value(place.entry(i), {.needed = true, .check = rule.check}, target.emplace_back());
    }
}

template <class T>
nlohmann::ordered_json value_of(const JsonRule& rule, const T& value)
{
    if constexpr (std::is_same_v<T, JsonValue>)
    {
        return value.get();
    }
    else if constexpr (Named<T>)
    {
        return rule.by_number ? nlohmann::ordered_json(static_cast<std::int64_t>(value))
                              : nlohmann::ordered_json(name_of(value));
    }
    else if constexpr (std::is_enum_v<T>)
    {
        return static_cast<std::int64_t>(value);
    }
    else
    {
        return value;
    }
}

template <class T>
nlohmann::ordered_json value_of(const JsonRule& rule, const std::optional<T>& value)
{
    return value ? value_of(rule, *value) : nlohmann::ordered_json();
}

template <class S>
class JsonTable;

template <class S>
struct JsonField
{
    const char* name;
    JsonRule rule;
    std::function<void(const JsonPlace&, S&)> read;
    std::function<nlohmann::ordered_json(const S&)> write = {}; // null: is left out

    // Known, and read elsewhere.
    JsonField(const char* n, JsonRule r = {}) : name(n), rule(r) {}
    // Read by a function (place, S&).
    template <class Read>
    requires std::is_invocable_v<Read, const JsonPlace&, S&> JsonField(const char* n, Read f, JsonRule r = {})
        : name(n), rule(r), read(std::move(f))
    {
    }
    // A member, or a function that gives the reference to one.
    template <class Get>
    requires std::is_invocable_v<Get, S&> JsonField(const char* n, Get get, JsonRule r = {})
        : name(n), rule(r),
          read([get, r](const JsonPlace& place, S& s) { read_value(place, r, std::invoke(get, s)); }),
          write([get, r](const S& s) { return value_of(r, std::invoke(get, s)); })
    {
    }
    // Objects with tables of their own, which must outlive this.
    template <class T>
    JsonField(const char* n, T S::*member, const JsonTable<T>& table, JsonRule r = {})
        : name(n), rule(r),
          read([member, &table](const JsonPlace& place, S& s) { table.read(place, s.*member); }),
          write([member, &table](const S& s) { return table.write(s.*member); })
    {
    }
    template <class T>
    JsonField(const char* n, std::optional<T> S::*member, const JsonTable<T>& table, JsonRule r = {})
        : name(n), rule(r),
          read([member, &table](const JsonPlace& place, S& s) { table.read(place, (s.*member).emplace()); })
    {
    }
    template <class T>
    JsonField(const char* n, std::vector<T> S::*member, const JsonTable<T>& table, JsonRule r = {})
        : name(n), rule(r), read(
                                [member, &table, r](const JsonPlace& place, S& s)
                                {
                                    for (std::size_t i = 0; place.is_list(r) && i < place.value.size(); ++i)
                                    {
                                        table.read(place.entry(i), (s.*member).emplace_back());
                                    }
                                })
    {
    }
};

template <class S>
class JsonTable
{
public:
    using Check = std::function<void(const JsonPlace&, S&)>;

    JsonTable(std::vector<JsonField<S>> fields, Check check = {})
        : fields_(std::move(fields)), check_(std::move(check))
    {
    }

    // Whether there was no fault.
    bool read(const JsonPlace& place, S& target) const
    {
        const bool good = take(place, target);
        const std::size_t before = place.issues.size();
        if (place.value.is_object())
        {
            place.refuse_others(names());
        }
        return good && place.issues.size() == before;
    }
    // Reads the object where other fields are read elsewhere.
    bool take(const JsonPlace& place, S& target) const
    {
        const std::size_t before = place.issues.size();
        if (!place.is_object())
        {
            return false;
        }
        for (const JsonField<S>& field : fields_)
        {
            if (!place.has(field.name))
            {
                if (field.rule.needed)
                {
                    place.fault(field.name, "is missing", field.rule.hint);
                }
            }
            else if (field.read)
            {
                field.read(place.member(field.name), target);
            }
        }
        if (check_)
        {
            check_(place, target);
        }
        return place.issues.size() == before;
    }

    nlohmann::ordered_json write(const S& source) const
    {
        nlohmann::ordered_json object;
        for (const JsonField<S>& field : fields_)
        {
            nlohmann::ordered_json value = field.write ? field.write(source) : nullptr;
            if (!value.is_null() && !(field.rule.unless_empty && value == ""))
            {
                object[field.name] = std::move(value);
            }
        }
        return object;
    }

    std::vector<std::string> names() const
    {
        return list_of<std::string>(fields_,
                                    [&](const JsonField<S>& field) { return std::string(field.name); });
    }

private:
    std::vector<JsonField<S>> fields_;
    Check check_;
};

// The field "schema" of a document.
template <class S>
JsonField<S> json_schema(const char* id)
{
    return {"schema",
            [id](const JsonPlace& place, S&) { read_schema(place, id); },
            {.needed = true, .hint = "name the schema"}};
}

// A document of one list: {"schema": id, name: [...]}.
template <class T>
std::vector<T> read_list(const nlohmann::json& file, const char* id, const char* name,
                         const JsonTable<T>& table, Issues& issues)
{
    struct Document
    {
        std::vector<T> entries;
    };
    const JsonTable<Document> whole{{json_schema<Document>(id), {name, &Document::entries, table, kNeeded}}};
    Document read;
    whole.read({file, "", issues}, read);
    return std::move(read.entries);
}

} // namespace ringside
