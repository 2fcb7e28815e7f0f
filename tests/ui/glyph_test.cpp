// Every character that may be drawn is in the fonts: a code point outside the glyph ranges would silently
// become a question mark.
#include "tests/source_path.h"
#include "tests/ui/harness.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/levers.h"
#include "core/memory/explain_memory.h"
#include "core/pipeline/schedule.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using namespace ringside;

namespace
{

constexpr std::array<const char*, kTypes> kTypeNames{
    "small", "small strong", "body", "body strong", "title", "display", "mono small", "mono", "mono title"};

// One window for all cases of this file: the faces are what is looked at.
class Faces
{
public:
    // "U+2713 (✓) is not in small, display", or empty.
    std::string missing_in(std::string_view text) const
    {
        const char* at = text.data();
        const char* end = text.data() + text.size();
        while (at < end)
        {
            unsigned code = 0;
            const int bytes = ImTextCharFromUtf8(&code, at, end);
            const std::string faces = code == '\n' || code == '\t' ? "" : faces_without(code);
            if (!faces.empty())
            {
                return fmt::format("U+{:04X} ({}) is not in {}, from \u201c{}\u201d", code,
                                   std::string(at, static_cast<std::size_t>(bytes)), faces, text);
            }
            at += std::max(1, bytes);
        }
        return {};
    }

    void check(std::string_view text) const
    {
        const std::string missing = missing_in(text);
        CHECK(missing == "");
    }

    // Without the packaged fonts ImGui's own is used, which is plain ASCII.
    bool ours() const { return window_.drawing.fonts().faces[0]->FindGlyphNoFallback(0x2208) != nullptr; }

private:
    std::string faces_without(unsigned code) const
    {
        std::string faces;
        for (std::size_t i = 0; i < kTypes; ++i)
        {
            const ImFont* font = window_.drawing.fonts().faces[i];
            if (code > IM_UNICODE_CODEPOINT_MAX ||
                font->FindGlyphNoFallback(static_cast<ImWchar>(code)) == nullptr)
            {
                faces += (faces.empty() ? "" : ", ") + std::string(kTypeNames[i]);
            }
        }
        return faces;
    }

    test::Window window_;
};

#define NEEDS_FONTS(faces)                                                                                   \
    if (!(faces).ours())                                                                                     \
    {                                                                                                        \
        SKIP("the packaged fonts are not installed");                                                        \
    }

void check_json(const Faces& faces, const nlohmann::json& value)
{
    if (value.is_string())
    {
        faces.check(value.get<std::string>());
    }
    for (const auto& item : value.items())
    {
        if (value.is_structured())
        {
            check_json(faces, item.value());
        }
    }
}

std::vector<fs::path> files_of(const char* folder, const std::set<std::string>& extensions)
{
    std::vector<fs::path> found;
    const fs::path root = fs::path(test::source_path(folder));
    if (!fs::is_directory(root))
    {
        return found;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root))
    {
        if (extensions.contains(entry.path().extension().string()))
        {
            found.push_back(entry.path());
        }
    }
    return found;
}

std::string content(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

std::string utf8(unsigned code)
{
    std::array<char, 5> buffer{};
    ImTextCharToUtf8(buffer.data(), code);
    return buffer.data();
}

// The plain literal that opens at `i`, which is left behind its end.
std::string string_at(const std::string& source, std::size_t& i)
{
    const auto at = [&](std::size_t k) { return k < source.size() ? source[k] : '\0'; };
    std::string text;
    for (++i; i < source.size() && at(i) != '"'; ++i)
    {
        if (at(i) != '\\')
        {
            text += at(i);
            continue;
        }
        const std::size_t digits = at(i + 1) == 'u' ? 4 : at(i + 1) == 'U' ? 8 : 0;
        if (digits > 0)
        {
            text += utf8(static_cast<unsigned>(std::stoul(source.substr(i + 2, digits), nullptr, 16)));
        }
        i += 1 + digits;
    }
    ++i;
    return text;
}

// The string literals of C++ source, comments left out and \u escapes turned into what they stand for.
std::vector<std::string> strings_of(const std::string& source)
{
    std::vector<std::string> all;
    std::size_t i = 0;
    const auto at = [&](std::size_t k) { return k < source.size() ? source[k] : '\0'; };
    while (i < source.size())
    {
        if (at(i) == '/' && at(i + 1) == '/')
        {
            i = std::min(source.find('\n', i), source.size());
        }
        else if (at(i) == '/' && at(i + 1) == '*')
        {
            i = std::min(source.find("*/", i + 2), source.size() - 2) + 2;
        }
        else if (at(i) == '\'')
        {
            // A character, or a separator inside a number.
            i += at(i + 1) == '\\' ? 4U : at(i + 2) == '\'' ? 3U : 1U;
        }
        else if (at(i) == 'R' && at(i + 1) == '"')
        {
            const std::size_t open = source.find('(', i);
            const std::string close = ")" + source.substr(i + 2, open - i - 2) + "\"";
            const std::size_t end = std::min(source.find(close, open), source.size());
            all.push_back(source.substr(open + 1, end - open - 1));
            i = end + close.size();
        }
        else if (at(i) == '"')
        {
            all.push_back(string_at(source, i));
        }
        else
        {
            ++i;
        }
    }
    return all;
}

template <class S>
void check_fields(const Faces& faces, const S& object)
{
    for (const auto& field : fields_of(object))
    {
        faces.check(field.name);
        faces.check(field.unit);
        faces.check(field.says);
        if (const auto* choice = std::get_if<Choice<S>>(&field.member))
        {
            for (const std::string_view name : choice->names)
            {
                faces.check(name);
            }
        }
    }
}

void check_term(const Faces& faces, const Term& term)
{
    for (const std::string* text : {&term.label, &term.unit, &term.formula, &term.working, &term.source})
    {
        faces.check(*text);
    }
}

void check_report(const Faces& faces, const Scenario& s)
{
    const auto report = evaluate(s);
    if (!report)
    {
        return;
    }
    for (std::size_t stage = 0; stage < report->memory.stages.size(); ++stage)
    {
        for (std::size_t i = 0; i < kComponents; ++i)
        {
            check_term(faces, explain(s, report->memory, stage, static_cast<Component>(i)));
        }
        check_term(faces, explain_total(report->memory, stage));
        for (const Term& term : explain_buffers(s, report->memory, stage))
        {
            check_term(faces, term);
        }
    }
    check_term(faces, explain_bubble_over_ideal(s, *report));
    check_term(faces, explain_bubble_of_total(s, *report));
    check_term(faces, explain_all_reduce(s, *report));
    check_term(faces, explain_sent_per_rank(s, *report));
    for (int zero = 0; zero <= 3; ++zero)
    {
        check_term(faces, explain_zero(s, zero, 0));
    }
    for (const Lever& lever : levers(s, *report))
    {
        faces.check(lever.name);
        faces.check(lever.cost);
    }
}

} // namespace

TEST_CASE("the reader of string literals finds escapes, raw bytes and raw strings, and leaves comments out")
{
    const auto found = strings_of("f(\"a\\u2713\"); // \"no\"\n/* \"no\" */ g(\"\xc3\xa9\\n\", '\"', 1'000, "
                                  "R\"x(b\")x\", \"c\\\"d\");");
    REQUIRE(found.size() == 4);
    CHECK(found[0] == "a\xe2\x9c\x93");
    CHECK(found[1] == "\xc3\xa9");
    CHECK(found[2] == "b\"");
    CHECK(found[3] == "cd");
}

TEST_CASE("a character no font has is found out")
{
    const Faces faces;
    NEEDS_FONTS(faces);
    CHECK(faces.missing_in("plain \u03a3 \u221a \u00d7 \u2248 \u2192 \u2080 \u00b2").empty());
    CHECK(!faces.missing_in("\u65e5").empty());
    CHECK(faces.missing_in("ok \u2603").starts_with("U+2603"));
}

TEST_CASE("every face has all characters of every preset")
{
    const Faces faces;
    NEEDS_FONTS(faces);
    const auto files = files_of("assets", {".json"});
    REQUIRE(files.size() > 50);
    for (const fs::path& file : files)
    {
        INFO(file.filename().string());
        check_json(faces, nlohmann::json::parse(content(file)));
    }
    for (const fs::path& file : files_of("lessons", {".json"}))
    {
        INFO(file.filename().string());
        check_json(faces, nlohmann::json::parse(content(file)));
    }
}

TEST_CASE("every face has all characters of schedules, views, commands, fields and metrics")
{
    const Faces faces;
    NEEDS_FONTS(faces);
    for (const ScheduleKind schedule : schedules())
    {
        for (const std::string_view text : {schedule->name, schedule->id, schedule->says, schedule->source})
        {
            faces.check(text);
        }
    }
    for (const ViewInfo* view : views())
    {
        for (const std::string_view text : {view->title, view->description, name_of(view->group), view->tab})
        {
            faces.check(text);
        }
        const auto made = view->make();
        for (const ViewKey& key : made->keys())
        {
            faces.check(key.key);
            faces.check(key.does);
        }
    }
    for (const CommandInfo& command : commands())
    {
        faces.check(command.name);
        faces.check(command.key);
    }
    for (const Metric& metric : metrics())
    {
        faces.check(metric.name);
        faces.check(metric.unit);
    }
    const Scenario s;
    check_fields(faces, s.model);
    check_fields(faces, s.cluster.gpu);
    check_fields(faces, s.cluster);
    check_fields(faces, s.parallel);
    check_fields(faces, s.training);
    check_fields(faces, s.stage_times);
    check_fields(faces, s.collective);
}

TEST_CASE("every face has all characters of every formula, working and lever of the example scenarios")
{
    const Faces faces;
    NEEDS_FONTS(faces);
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        INFO(preset.id);
        check_report(faces, preset.scenario);
        Scenario other = preset.scenario;
        other.training.recompute = Recompute::none;
        other.training.flash_attention = false;
        other.training.optimizer = Optimizer::adafactor;
        other.training.offload = Offload::optimizer_cpu;
        other.training.fragmentation = 0.1;
        other.parallel.zero = 3;
        other.stage_times.transfer = 0.5;
        if (!has_errors(validate(other)))
        {
            check_report(faces, other);
        }
    }
    // Experts and latent attention have formulas of their own.
    for (const ModelPreset& model : test::presets().models)
    {
        Scenario s = default_scenario(test::presets());
        s.model = model.model;
        s.parallel = Parallel();
        s.training.global_batch = s.cluster.gpus;
        s.training.sequence_length = std::min(s.training.sequence_length, model.model.max_sequence_length);
        INFO(model.model.preset);
        if (!has_errors(validate(s)))
        {
            check_report(faces, s);
        }
    }
}

TEST_CASE("every face has all characters written in the sources of window, program and engine")
{
    const Faces faces;
    NEEDS_FONTS(faces);
    std::size_t read = 0;
    for (const char* folder : {"ui", "app", "core"})
    {
        for (const fs::path& file : files_of(folder, {".cpp", ".h"}))
        {
            INFO(file.filename().string());
            if (file.filename() == "tokens.cpp")
            {
                continue; // signs that people type: no face need have them all
            }
            for (const std::string& text : strings_of(content(file)))
            {
                faces.check(text);
                ++read;
            }
        }
    }
    CHECK(read > 500);
}
