#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace ringside
{

// Issues for names nobody knows. A file of nothing else is answered with the first hundred.
class UnknownFields
{
public:
    explicit UnknownFields(std::vector<std::string> known) : known_(std::move(known)) {}

    // `path` is where `name` stands, and ends with it.
    void add(Issues& issues, const std::string& path, const std::string& name);

private:
    std::vector<std::string> known_;
    std::size_t count_ = 0;
};

} // namespace ringside
