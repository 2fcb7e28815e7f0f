// Wordings that nobody in the field would use, with what to write instead: assets/study/style.json
// (schema ringside.style/1). `ringside check` looks for them in lessons, questions and guide, a test in the
// program's own strings.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct StyleRule
{
    std::string avoid; // a phrase, in small letters
    std::string write;
    bool whole = false; // only as all of a label, written like this: "Continuous batching"
};

Result<std::vector<StyleRule>> read_style(const nlohmann::json& file);

// The first rule that a text breaks, whole words, capitals or not; null: none. As all of a label only
// where the text is one.
const StyleRule* find_breach(std::span<const StyleRule> rules, std::string_view text, bool label = false);

// Texts that no line could show: words of over 200 bytes, control characters. Paths are those in the
// document.
void check_texts(const nlohmann::json& value, const std::string& path, Issues& issues);

// Every line of the .json and .md files under a folder that has one: "guide/memory/zero.md:3".
Issues check_style(std::span<const StyleRule> rules, const std::filesystem::path& folder);

} // namespace ringside
