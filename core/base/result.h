// What can go wrong with input, and a value that is either there or explained.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ringside
{

enum class Severity
{
    error,  // nothing can be computed from this
    warning // computed, but the user should know
};

// One problem with what a user gave: where, what, and what would work instead.
struct Issue
{
    std::string path;    // "parallel.tensor", or "file.json: parallel.tensor"
    std::string message; // names the value
    std::string hint;    // what would work; may be empty
    Severity severity = Severity::error;

    bool operator==(const Issue&) const = default;
};

using Issues = std::vector<Issue>;

inline bool has_errors(const Issues& issues)
{
    for (const Issue& issue : issues)
    {
        if (issue.severity == Severity::error)
        {
            return true;
        }
    }
    return false;
}

// Without the warnings.
inline Issues errors_of(Issues issues)
{
    std::erase_if(issues, [](const Issue& issue) { return issue.severity != Severity::error; });
    return issues;
}

inline void append(Issues& issues, const Issues& more)
{
    issues.insert(issues.end(), more.begin(), more.end());
}

// A row of a list of rules: the fault, where it is one.
inline void add_if(Issues& issues, bool wrong, Issue issue)
{
    if (wrong)
    {
        issues.push_back(std::move(issue));
    }
}

// Adds the faults of a part of something, or of a file: "part: path".
inline void add_below(Issues& issues, const Issues& more, const std::string& part)
{
    for (Issue issue : more)
    {
        issue.path = issue.path.empty() ? part : part + ": " + issue.path;
        issues.push_back(std::move(issue));
    }
}

// "path: message (hint)", the form every command prints.
inline std::string to_line(const Issue& issue)
{
    std::string line = issue.path.empty() ? issue.message : issue.path + ": " + issue.message;
    return issue.hint.empty() ? line : line + " (" + issue.hint + ")";
}

// A value, or every issue that kept it from being made.
template <class T>
class Result
{
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Issues issues) : content_(std::move(issues)) {}
    Result(Issue issue) : content_(Issues{std::move(issue)}) {}

    explicit operator bool() const { return std::holds_alternative<T>(content_); }
    const T& operator*() const { return std::get<T>(content_); }
    T& operator*() { return std::get<T>(content_); }
    const T* operator->() const { return &std::get<T>(content_); }
    T* operator->() { return &std::get<T>(content_); }
    // Only when there is no value.
    const Issues& issues() const { return std::get<Issues>(content_); }

private:
    std::variant<T, Issues> content_;
};

} // namespace ringside
