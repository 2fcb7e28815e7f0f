#include "core/lab/trainer/checkpoint.h"

#include <fmt/format.h>

#include "core/base/text/read_text.h"
#include "core/lab/config_json.h"

#include <cstring>

namespace ringside::trainer
{

namespace
{

using nlohmann::json;

constexpr std::string_view kFirstLine = "ringside.checkpoint/1\n";

void append_number(std::string& text, std::uint64_t number)
{
    std::array<char, 8> bytes{};
    std::memcpy(bytes.data(), &number, 8);
    text.append(bytes.data(), bytes.size());
}

std::uint64_t take_number(std::string_view& text)
{
    std::uint64_t number = 0;
    std::memcpy(&number, text.data(), 8);
    text.remove_prefix(8);
    return number;
}

Issue damaged(std::string message)
{
    return {"checkpoint", std::move(message), "use a file that `ringside train --save` has written"};
}

// Whether a number of this format is infinite or none at all.
bool is_finite(DType type, const char* at)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(bytes_of(type)));
    const std::uint32_t exponent = type == DType::f32    ? 0x7F800000U
                                   : type == DType::bf16 ? 0x7F80U
                                                         : 0x7C00U; // f16
    return (bits & exponent) != exponent;
}

// Only weights may be of another format than FP32; with FP8 they are of several, and made of the master
// weights.
bool is_finite(const TrainerState::Part& part, Precision precision)
{
    const bool weights = part.name == "weights";
    if (weights && precision == Precision::fp8)
    {
        return true;
    }
    const DType type = !weights || precision == Precision::fp32 ? DType::f32
                       : precision == Precision::bf16           ? DType::bf16
                                                                : DType::f16;
    const auto size = static_cast<std::size_t>(bytes_of(type));
    for (std::size_t at = 0; at + size <= part.bytes.size(); at += size)
    {
        if (!is_finite(type, part.bytes.data() + at))
        {
            return false;
        }
    }
    return true;
}

// Whether the part is Adam's second moment, which is kept in fp32.
bool is_never_negative(const TrainerState::Part& part)
{
    for (std::size_t at = 0; at + sizeof(float) <= part.bytes.size(); at += sizeof(float))
    {
        float value = 0;
        std::memcpy(&value, part.bytes.data() + at, sizeof value);
        if (value < 0)
        {
            return false;
        }
    }
    return true;
}

constexpr double kMostSteps = 1e10; // of the quickest, 0.1 ms each, twelve days

// What no training could have come to, whatever the checksum says.
Issues check_state(const Checkpoint& checkpoint)
{
    const TrainerState& state = checkpoint.state;
    Issues issues;
    const auto check = [&](const char* name, double value, double least, double most)
    {
        add_if(issues, !(value >= least && value <= most),
               {name, fmt::format("{} is out of range", value), fmt::format("{} to {}", least, most)});
    };
    check("step", static_cast<double>(state.step), 0, kMostSteps);
    check("updates", static_cast<double>(state.updates), 0, static_cast<double>(state.step));
    check("good_steps", static_cast<double>(state.scale.good_steps), 0, static_cast<double>(state.step));
    check("loss_scale", state.scale.value, LossScaleRule().least, LossScaleRule().most);
    for (const TrainerState::Part& part : state.parts)
    {
        add_if(issues, !is_finite(part, checkpoint.config.training.precision),
               {part.name, "not all numbers are finite: the training had diverged",
                "resume from an earlier checkpoint"});
        add_if(issues, part.name.ends_with("variance") && !is_never_negative(part),
               {part.name, "a mean of squares is negative", "resume from an earlier checkpoint"});
    }
    return issues;
}

Result<Checkpoint> from_parts(const json& header, std::string_view bytes)
{
    auto config = trainer_config_from_json(header);
    if (!config)
    {
        return config.issues();
    }
    Checkpoint out{std::move(*config), {}};
    out.state.step = header.at("step").get<std::int64_t>();
    out.state.updates = header.at("updates").get<std::int64_t>();
    out.state.scale = {header.at("loss_scale").get<double>(), header.at("good_steps").get<std::int64_t>()};
    for (const json& part : header.at("parts"))
    {
        const auto size = part.at("bytes").get<std::uint64_t>();
        if (size > bytes.size())
        {
            return damaged("is cut short");
        }
        const auto name = part.at("name").get<std::string>();
        if (name == "text")
        {
            out.config.data.text = std::make_shared<std::string>(bytes.substr(0, size));
        }
        else
        {
            out.state.parts.push_back(
                {name, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}});
        }
        bytes.remove_prefix(size);
    }
    if (!bytes.empty())
    {
        return damaged(fmt::format("has {} bytes behind its last part", bytes.size()));
    }
    const Issues issues = check_state(out);
    return issues.empty() ? Result<Checkpoint>(std::move(out)) : Result<Checkpoint>(issues);
}

} // namespace

std::string checkpoint_text(const Checkpoint& checkpoint)
{
    const TrainerState& state = checkpoint.state;
    json header = to_json(checkpoint.config);
    header["step"] = state.step;
    header["updates"] = state.updates;
    header["loss_scale"] = state.scale.value;
    header["good_steps"] = state.scale.good_steps;
    header["parts"] = json::array();
    const auto& text = checkpoint.config.data.text;
    if (text)
    {
        header["parts"].push_back({{"name", "text"}, {"bytes", text->size()}});
    }
    for (const TrainerState::Part& part : state.parts)
    {
        header["parts"].push_back({{"name", part.name}, {"bytes", part.bytes.size()}});
    }
    std::string out(kFirstLine);
    const std::string words = header.dump();
    append_number(out, words.size());
    out += words;
    out += text ? *text : std::string();
    for (const TrainerState::Part& part : state.parts)
    {
        out.append(part.bytes.data(), part.bytes.size());
    }
    append_number(out, checksum(out));
    return out;
}

Result<Checkpoint> checkpoint_from_text(std::string_view text)
{
    if (!text.starts_with(kFirstLine))
    {
        return text.starts_with(kCheckpointBegins) ? damaged("is of another version")
                                                   : damaged("is no checkpoint");
    }
    if (text.size() < kFirstLine.size() + 16)
    {
        return damaged("is cut short");
    }
    std::string_view tail = text.substr(text.size() - 8);
    const std::uint64_t sum = take_number(tail);
    text.remove_suffix(8);
    if (checksum(text) != sum)
    {
        return damaged("is cut short, or its bytes have changed");
    }
    text.remove_prefix(kFirstLine.size());
    const std::uint64_t words = take_number(text);
    if (words > text.size())
    {
        return damaged("is cut short");
    }
    try
    {
        return from_parts(json::parse(text.substr(0, words)), text.substr(words));
    }
    catch (const json::exception& fault)
    {
        return damaged(fmt::format("has a header that cannot be read: {}", fault.what()));
    }
}

Issues Trainer::restore(const TrainerState& state)
{
    const auto parts = parameters_.parts();
    if (const Issues issues = state.check_parts(parts); !issues.empty())
    {
        return issues;
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        backend_->upload(parts[i].data, state.parts[i].bytes.data(), parts[i].bytes);
    }
    now_ = state;
    return {};
}

Issues Trainer::restore(const TrainerState& state, const TrainerConfig& of)
{
    if (of.training.precision == config_.training.precision)
    {
        return restore(state);
    }
    const auto named = [&state](std::string_view name) -> const TrainerState::Part*
    {
        const auto found = std::ranges::find(state.parts, name, &TrainerState::Part::name);
        return found == state.parts.end() ? nullptr : &*found;
    };
    const TrainerState::Part* full = named("master weights") ? named("master weights") : named("weights");
    auto parts = parameters_.parts();
    const bool rounds = config_.training.precision != Precision::fp32; // weights, from the master copy
    if (rounds)
    {
        std::erase_if(parts,
                      [](const auto& part) { return part.name == "scales" || part.name == "weights"; });
    }
    const auto source = [&](const Parameters::Part& part)
    { return part.name.ends_with("weights") ? full : named(part.name); };
    const bool fits = std::ranges::all_of(parts, [&](const auto& part)
                                          { return source(part) && source(part)->size() == part.bytes; });
    if (!fits || !same_weights(of, config_))
    {
        return {{"state", "belongs to another model or format",
                 "start a run with the state's own configuration"}};
    }
    for (const Parameters::Part& part : parts)
    {
        backend_->upload(part.data, source(part)->bytes.data(), part.bytes);
    }
    if (rounds)
    {
        parameters_.round_weights();
    }
    now_ = state;
    now_.scale = first_progress(config_).scale;
    return {};
}

} // namespace ringside::trainer
