// A JSON value for structs in headers, which need not read the JSON library for it. Shared and never changed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>

namespace ringside
{

class JsonValue
{
public:
    JsonValue() = default; // null
    explicit JsonValue(const nlohmann::json& value);

    const nlohmann::json& get() const;

private:
    std::shared_ptr<const nlohmann::json> value_;
};

} // namespace ringside
