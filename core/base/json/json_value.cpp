#include "core/base/json/json_value.h"

#include "core/base/json/json.h"
namespace ringside
{

JsonValue::JsonValue(const nlohmann::json& value) : value_(std::make_shared<const nlohmann::json>(value)) {}

const nlohmann::json& JsonValue::get() const
{
    static const nlohmann::json kNull;
    return value_ ? *value_ : kNull;
}

} // namespace ringside
