#include "core/study/entry.h"

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

using nlohmann::json;

std::string shown(const json& value)
{
    constexpr std::size_t kLongest = 60;
    std::string text =
        value.dump(-1, ' ', true, json::error_handler_t::replace); // ASCII, so it cuts anywhere
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

} // namespace

EntryReader::EntryReader(const json& object, std::string path, Issues& issues)
    : object_(object), path_(std::move(path)), issues_(issues), before_(issues.size())
{
    if (!object.is_object())
    {
        issues_.push_back({path_, shown(object) + " is not an object", "use {...}"});
    }
}

void EntryReader::fault(const char* name, std::string message, std::string hint)
{
    issues_.push_back({path_.empty() ? name : path_ + "." + name, std::move(message), std::move(hint)});
}

const json* EntryReader::member(const char* name)
{
    known_.emplace_back(name);
    if (!object_.is_object())
    {
        return nullptr;
    }
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
}

const json* EntryReader::seek(const char* name, Need need)
{
    const json* found = member(name);
    if (found == nullptr && need == Need::must && object_.is_object())
    {
        fault(name, "is missing", "");
    }
    return found;
}

void EntryReader::text(const char* name, std::string& target, Need need)
{
    const json* found = seek(name, need);
    if (found == nullptr)
    {
        return;
    }
    if (!found->is_string() || (need == Need::must && found->get_ref<const std::string&>().empty()))
    {
        fault(name, shown(*found) + " is not text", "use \"...\"");
        return;
    }
    target = found->get<std::string>();
}

void EntryReader::whole(const char* name, std::int64_t& target, std::int64_t least, std::int64_t most,
                        Need need)
{
    const json* found = seek(name, need);
    if (found == nullptr)
    {
        return;
    }
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    const bool integer = found->is_number_integer();
    const bool huge = found->is_number_unsigned() && found->get<std::uint64_t>() > kMost;
    if (!integer || huge || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
    {
        fault(name, shown(*found) + (integer ? " is out of range" : " is not a whole number"),
              fmt::format("use {} to {}", least, most));
        return;
    }
    target = found->get<std::int64_t>();
}

void EntryReader::whole(const char* name, int& target, int least, int most, Need need)
{
    std::int64_t value = target;
    whole(name, value, least, most, need);
    target = static_cast<int>(value);
}

void EntryReader::seed(const char* name, std::uint64_t& target)
{
    const json* found = seek(name, Need::may);
    if (found == nullptr)
    {
        return;
    }
    if (!found->is_number_unsigned())
    {
        fault(name, shown(*found) + " is not a whole number", "use 0 to 18446744073709551615");
        return;
    }
    target = found->get<std::uint64_t>();
}

void EntryReader::number(const char* name, double& target, Need need)
{
    const json* found = seek(name, need);
    if (found == nullptr)
    {
        return;
    }
    if (!found->is_number() || !std::isfinite(found->get<double>()))
    {
        fault(name, shown(*found) + " is not a number", "");
        return;
    }
    target = found->get<double>();
}

void EntryReader::texts(const char* name, std::vector<std::string>& target)
{
    const json* found = seek(name, Need::may);
    if (found == nullptr)
    {
        return;
    }
    const bool good = found->is_array() &&
                      std::all_of(found->begin(), found->end(), [](const json& e) { return e.is_string(); });
    if (!good)
    {
        fault(name, shown(*found) + " is not a list of texts", "use [\"...\"]");
        return;
    }
    target = found->get<std::vector<std::string>>();
}

bool EntryReader::finish()
{
    for (auto it = object_.begin(); object_.is_object() && it != object_.end(); ++it)
    {
        if (std::find(known_.begin(), known_.end(), it.key()) == known_.end())
        {
            const std::string near = nearest_word(it.key(), known_);
            fault(shortened(it.key()).c_str(), "unknown field",
                  near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
        }
    }
    return issues_.size() == before_;
}

} // namespace ringside
