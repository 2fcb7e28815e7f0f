// Reads the members of one JSON object, naming every fault by its path. Not for scenarios: those have tables.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

class EntryReader
{
public:
    enum class Need
    {
        must,
        may
    };

    EntryReader(const nlohmann::json& object, std::string path, Issues& issues);

    void text(const char* name, std::string& target, Need need = Need::must);
    void whole(const char* name, std::int64_t& target, std::int64_t least, std::int64_t most,
               Need need = Need::must);
    void whole(const char* name, int& target, int least, int most, Need need = Need::must);
    void seed(const char* name, std::uint64_t& target);
    void number(const char* name, double& target, Need need = Need::must);
    void texts(const char* name, std::vector<std::string>& target);
    // The member, or null where there is none; counts as known.
    const nlohmann::json* member(const char* name);
    void fault(const char* name, std::string message, std::string hint);
    // Names what nobody asked for. Returns whether there was no fault at all.
    bool finish();

private:
    const nlohmann::json* seek(const char* name, Need need);

    const nlohmann::json& object_;
    std::string path_;
    Issues& issues_;
    std::size_t before_;
    std::vector<std::string> known_;
};

} // namespace ringside
