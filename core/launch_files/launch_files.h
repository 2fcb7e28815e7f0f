// Launch files of training frameworks, read into scenarios: Megatron-LM's arguments, DeepSpeed's JSON,
// torchtitan, nanotron, NeMo, accelerate, Axolotl, LLaMA-Factory, MaxText. Which it is follows from what the
// file says, never from its name. The rules of each framework are in assets/frameworks, which export and
// search use as well; its reader, a file in frameworks/, has what is no rule.
#pragma once

#include "core/launch_files/reading.h"

#include <span>

namespace ringside
{

struct LaunchKind
{
    std::string_view id;   // "megatron", also of its file in assets/frameworks
    std::string_view name; // "Megatron-LM arguments", as people are told what a file is
    bool (*is)(const LaunchSource&);
    void (*read)(LaunchReader&); // what the table of rules does not say
};

// Every kind that is read. A new one is a file in frameworks/ and a row at the bottom of launch_files.cpp.
std::span<const LaunchKind> launch_kinds();
const LaunchKind* find_launch_kind(std::string_view id);
// The kind of file that this is; null where it is none of them.
const LaunchKind* launch_kind_of(const LaunchSource& source);

struct LaunchText
{
    std::string name; // of the file
    std::string text;
};
struct LaunchRequest
{
    std::vector<LaunchText> files; // the first that is a kind decides; the others are what it refers to
    std::vector<std::string> arguments = {}; // of a shell script
    std::string command = {};                // a command line beside the files
    std::string kind = {};                   // forces it; empty: by content
    std::string gpu = {};                    // its id; empty: as the files say, or guessed
    std::int64_t gpus = 0;                   // 0: as the files say, or guessed
};
Result<LaunchReading> read_launch_files(const LaunchRequest& request, const Presets& presets);

// What a text is, as a sentence says it: "a launch file of Megatron-LM", "a config.json of
// the Hugging Face hub"; empty where nothing here reads it.
std::string kind_of_text(std::string_view text);
// Whether read_launch_files() makes a scenario of it: a launch of a framework, or an adapter of PEFT.
bool is_launch_text(std::string_view text);
// One of those, a model's file, or a script that starts some program: read together with a launch file.
bool is_beside_launch(std::string_view text);

} // namespace ringside
