// The two overlays: Ctrl+K finds anything, ? shows every key.
#include <fmt/format.h>

#include "ui/shell/lesson_frame.h"
#include "ui/shell/scopes.h"
#include "ui/shell/shell.h"

#include <algorithm>
#include <cctype>

namespace ringside
{

namespace
{

struct Found
{
    std::string kind;
    std::string label;
    std::string says;
    std::vector<Action> actions;
    const CommandInfo* command = nullptr;
};

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return out;
}

// Every word typed stands somewhere in the entry.
bool matches(const Found& entry, const std::string& query)
{
    const std::string text = lower(entry.kind + " " + entry.label + " " + entry.says);
    std::size_t at = 0;
    while ((at = query.find_first_not_of(' ', at)) != std::string::npos)
    {
        const std::size_t end = std::min(query.find(' ', at), query.size());
        if (text.find(query.substr(at, end - at)) == std::string::npos)
        {
            return false;
        }
        at = end;
    }
    return true;
}

std::vector<Found> everything(const Frame& frame)
{
    std::vector<Found> all;
    for (const ViewInfo* info : views())
    {
        all.push_back({"View",
                       fmt::format("{}: {}", info->tab, info->title),
                       std::string(info->description),
                       {OpenView{std::string(info->id)}},
                       nullptr});
    }
    for (const CommandInfo& command : commands())
    {
        all.push_back({"Command", std::string(command.name), std::string(command.key), {}, &command});
    }
    for (std::size_t i = 0; frame.course != nullptr && i < frame.course->course.lessons.size(); ++i)
    {
        const Lesson& lesson = frame.course->course.lessons[i];
        all.push_back({"Lesson", lesson.title, lesson.about, {StartLesson{lesson.id}}, nullptr});
    }
    for (const ScenarioPreset& preset : frame.presets.scenarios)
    {
        all.push_back({"Example", preset.name, preset.about, {LoadScenario{preset.id}}, nullptr});
    }
    for (const ModelPreset& preset : frame.presets.models)
    {
        all.push_back(
            {"Model", preset.model.name, preset.family, {with_model(frame.scenario, preset.model)}, nullptr});
    }
    for (const GpuPreset& preset : frame.presets.gpus)
    {
        Scenario next = frame.scenario;
        next.cluster.gpu = preset.gpu;
        next.cluster.node_link_gb_per_s = 0;
        all.push_back({"GPU",
                       preset.gpu.name,
                       fmt::format("{} GB", three_digits(preset.gpu.memory_gb)),
                       {ChangeScenario{std::move(next), false}},
                       nullptr});
    }
    return all;
}

void run(const Found& entry, const Frame& frame, Out& out)
{
    if (entry.command != nullptr)
    {
        entry.command->run(frame, out);
    }
    out.actions.insert(out.actions.end(), entry.actions.begin(), entry.actions.end());
}

// A window over everything. Scopes inside it (a font, an id) end before it does, as ImGui insists.
class OverlayScope
{
public:
    OverlayScope(const Painter& painter, const char* id, ImVec2 size)
    {
        const ImVec2 display = ImGui::GetIO().DisplaySize;
        ImGui::SetNextWindowPos(
            {(display.x - size.x) / 2, std::min(painter.px(88), (display.y - size.y) / 2)});
        ImGui::SetNextWindowSize(size);
        ImGui::SetNextWindowFocus();
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {painter.px(16), painter.px(16)});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, painter.px(8));
        ImGui::PushStyleColor(ImGuiCol_WindowBg, painter.theme.control);
        ImGui::Begin(id, nullptr,
                     ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoSavedSettings);
    }
    ~OverlayScope()
    {
        ImGui::End();
        ImGui::PopStyleColor();
        ImGui::PopStyleVar(3);
    }
    OverlayScope(const OverlayScope&) = delete;
    OverlayScope& operator=(const OverlayScope&) = delete;
};

// What was found, a row each; the one clicked.
std::optional<std::size_t> draw_found(const Painter& painter, const std::vector<Found>& found,
                                      std::size_t row, bool moved)
{
    std::optional<std::size_t> clicked;
    const ChildScope list("###found", {0, 0});
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        const IdScope id(static_cast<int>(i));
        if (ImGui::Selectable(("###row " + found[i].label).c_str(), i == row, 0, {0, painter.px(28)}))
        {
            clicked = i;
        }
        if (i == row && moved)
        {
            ImGui::SetScrollHereY();
        }
        const Painter p(*ImGui::GetWindowDrawList(), painter.look);
        const ImVec2 a = ImGui::GetItemRectMin();
        const ImVec2 b = ImGui::GetItemRectMax();
        const float middle = (a.y + b.y) / 2;
        p.text(a.x + p.px(4), middle, Type::small, p.theme.muted, found[i].kind);
        const float used = p.text_within(a.x + p.px(84), middle, b.x - a.x - p.px(90), Type::small_strong,
                                         p.theme.text, found[i].label);
        const float from = a.x + p.px(100) + used;
        p.text(b.x - p.px(4), middle, Type::small, p.theme.muted,
               p.shortened(Type::small, found[i].says, b.x - from), Align::right);
    }
    return clicked;
}

} // namespace

void Shell::draw_palette(const Frame& frame, const Painter& painter, Out& out)
{
    if (!palette_open_)
    {
        query_ = {};
        palette_row_ = 0;
        return;
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const OverlayScope overlay(
        painter, "###palette",
        {std::min(painter.px(640), display.x * 0.95F), std::min(painter.px(480), display.y * 0.85F)});
    {
        const FontScope font(painter.look.fonts.of(Type::body));
        ImGui::SetKeyboardFocusHere();
        ImGui::SetNextItemWidth(-FLT_MIN);
        if (ImGui::InputTextWithHint("###query", "Find a view, command, model, GPU or example", query_.data(),
                                     query_.size()))
        {
            palette_row_ = 0;
        }
    }
    std::vector<Found> found = everything(frame);
    const std::string query = lower(query_.data());
    std::erase_if(found, [&](const Found& entry) { return !matches(entry, query); });
    // Names that begin with what was typed come first.
    std::stable_partition(found.begin(), found.end(),
                          [&](const Found& entry) { return lower(entry.label).starts_with(query); });
    const FontScope font(painter.look.fonts.of(Type::small));
    if (found.empty())
    {
        ImGui::TextDisabled("Nothing has all of these words. Try fewer letters.");
    }
    const int move =
        (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
    const auto rows = static_cast<std::ptrdiff_t>(found.size());
    palette_row_ = rows == 0 ? 0
                             : static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                                   static_cast<std::ptrdiff_t>(palette_row_) + move, 0, rows - 1));
    std::optional<std::size_t> chosen;
    if (rows > 0 &&
        (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)))
    {
        chosen = palette_row_;
    }
    if (const auto clicked = draw_found(painter, found, palette_row_, move != 0))
    {
        chosen = clicked;
    }
    if (chosen)
    {
        run(found[*chosen], frame, out);
        palette_open_ = false;
    }
}

void Shell::draw_help(const Frame& frame, const Painter& painter, const ViewInfo& info)
{
    if (!help_open_)
    {
        return;
    }
    std::vector<KeyHelp> rows(info.keys.begin(), info.keys.end());
    if (frame.lesson != nullptr)
    {
        rows.assign({{"PgDn", "Lesson: on; in presenter it reveals"},
                     {"PgUp", "Lesson: back"},
                     {"Enter", "Lesson: lock in, then on"},
                     {"\u2190 \u2192 0 \u2026 9", "Lesson: move the guess, or type it"},
                     {"S", "Lesson: show the truth, or a solution"},
                     {"R", "Lesson: predict or repair again"},
                     {"H", "Lesson: a hint"},
                     {"F", "Lesson: freeze the picture, or let it go on"},
                     {"L", "Lesson: controls locked, hidden, free"}});
    }
    const std::array general{KeyHelp{"Space", "Play or pause"},
                             KeyHelp{", .", "One step back, one step on"},
                             KeyHelp{"Home End", "To the start, to the end"},
                             KeyHelp{"Tab", "Next control; arrow keys move it, Enter types a value"},
                             KeyHelp{"M", "Every field of the scenario"},
                             KeyHelp{"\\", "Scenario panel, where it is hidden"},
                             KeyHelp{"Ctrl K", "Find anything"},
                             KeyHelp{"?", "These keys"},
                             KeyHelp{"Esc", "Close"}};
    rows.insert(rows.end(), general.begin(), general.end());
    for (const CommandInfo& command : commands())
    {
        if (!command.key.empty())
        {
            rows.push_back({command.key, command.name});
        }
    }
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const std::size_t half = (rows.size() + 1) / 2;
    const bool two = display.x > painter.px(900);
    const std::size_t lines = two ? half : rows.size();
    const float row_height = painter.px(32);
    const ImVec2 size{std::min(painter.px(two ? 880.0F : 460.0F), display.x * 0.95F),
                      std::min(row_height * static_cast<float>(lines) + painter.px(88), display.y * 0.9F)};
    const OverlayScope overlay(painter, "###help window", size);
    const Painter p(*ImGui::GetWindowDrawList(), painter.look);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    p.text(top.x, top.y + p.px(12), Type::body_strong, p.theme.text, "Keys");
    const float column = (size.x - p.px(32)) / (two ? 2.0F : 1.0F);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const bool right = two && i >= half;
        const float x = top.x + (right ? column : 0);
        const float y = top.y + p.px(48) + row_height * static_cast<float>(right ? i - half : i);
        const Rect cap = p.keycap(x, y, rows[i].key);
        p.text_within(std::max(cap.right() + p.px(12), x + p.px(92)), y, column - p.px(110), Type::small,
                      p.theme.text, rows[i].does);
    }
    ImGui::Dummy({1, row_height * static_cast<float>(lines) + p.px(32)});
    const bool outside = ImGui::IsMouseClicked(0) &&
                         !ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                         !ImGui::IsWindowAppearing();
    if (outside)
    {
        help_open_ = false;
    }
}

} // namespace ringside
