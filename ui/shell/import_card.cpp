#include "ui/shell/import_card.h"

#include <fmt/format.h>

#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "ui/draw/scopes.h"
#include "ui/shell/frame/import_frame.h"
#include "ui/shell/overlay.h"
#include "ui/shell/panel/panel_fields.h"
#include "ui/widgets/scrolled_sheet.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr float kCardWide = 640; // [design px]
constexpr float kCardPad = 16;

using nlohmann::json;

std::vector<ImportGuess> guesses_of(const LaunchReading& reading)
{
    const auto guessed = [](const ReadField& field) { return field.from == Basis::guessed; };
    const bool model = std::ranges::any_of(reading.fields, [&](const ReadField& field)
                                           { return guessed(field) && field.field == "model.layers"; });
    std::vector<ImportGuess> guesses;
    for (const ReadField& field : reading.fields)
    {
        if (!guessed(field))
        {
            continue;
        }
        const bool of_model = model && field.field.starts_with("model.");
        if (!of_model || guesses.empty() || guesses.back().path != "model")
        {
            guesses.push_back({of_model ? "model" : field.field, field.by});
        }
    }
    return guesses;
}

// A stranger's words, as a line or a short paragraph.
std::string line_of(std::string_view text)
{
    return printable(shortened(text, 400));
}

std::string label_of(const Scenario& scenario, std::string_view path)
{
    std::string label = path == "model"         ? "Model"
                        : path == "cluster.gpu" ? "GPU"
                        : path == "software"    ? "Software"
                                                : std::string(path);
    with_field(scenario, path, [&](const auto&, const auto& field) { label = field.label; });
    return label;
}

std::string value_text(const json& value)
{
    if (value.is_boolean())
    {
        return value.get<bool>() ? "on" : "off";
    }
    if (value.is_number_integer())
    {
        return grouped(value.get<std::int64_t>());
    }
    if (value.is_number())
    {
        return std::abs(value.get<double>()) < 1e6 ? plain_number(value.get<double>())
                                                   : format_count(value.get<double>());
    }
    return plain_text(value);
}

std::string value_of_path(const Scenario& scenario, std::string_view path)
{
    return path == "model"         ? scenario.model.name
           : path == "cluster.gpu" ? scenario.cluster.gpu.name
           : path == "software"    ? scenario.software.name
                                   : value_text(field_value(scenario, path));
}

// Empty where no formula says it.
std::string price_text(const UnsayableSetting& setting)
{
    const double bytes = setting.bytes.value_or(0);
    return !setting.bytes ? ""
           : bytes == 0
               ? "0 B"
               : fmt::format("{} {}", format_bytes(Bytes(std::abs(bytes))), bytes > 0 ? "more" : "less");
}

// No room for what stands side by side elsewhere.
bool is_narrow(const Painter& p, float width)
{
    return width < p.px(360);
}

std::string heading_of(Basis from, const LaunchReading& reading)
{
    return from == Basis::stated ? "Stated by a setting"
                                 : fmt::format("Follows from defaults of {}", reading.name);
}

} // namespace

void ImportCard::follow(const Frame& frame)
{
    if (frame.imported != nullptr && frame.imported->number != number_)
    {
        number_ = frame.imported->number;
        open_ = true;
        confirmed_.clear();
        unfolded_.clear();
    }
}

bool ImportCard::on(const Frame& frame) const
{
    return frame.imported != nullptr && (open_ || frame.imported->number != number_);
}

// Confirmed, or no longer what was guessed.
bool ImportCard::is_settled(const Frame& frame, const ImportGuess& guess) const
{
    const Scenario& read = frame.imported->reading.scenario;
    return confirmed_.contains(guess.path) ||
           (guess.path == "model" ? frame.scenario.model != read.model
                                  : field_value(frame.scenario, guess.path) != field_value(read, guess.path));
}

std::int64_t ImportCard::left(const Frame& frame) const
{
    const auto guesses = guesses_of(frame.imported->reading);
    return std::ranges::count_if(guesses,
                                 [&](const ImportGuess& guess) { return !is_settled(frame, guess); });
}

void ImportCard::draw_head(const Frame& frame, const Painter& p, Rect head, Out& out)
{
    const LaunchReading& reading = frame.imported->reading;
    const bool narrow = is_narrow(p, head.w); // the title rather than the keys
    const auto wide = [&](std::string_view label, std::string_view key)
    {
        return p.width(Type::small_strong, label) +
               (narrow ? p.px(16) : p.width(Type::mono_small, key) + p.px(40));
    };
    if (button(p, head.cut_right(wide("Close", "Esc")), "Close###close import", "Esc"))
    {
        close();
        out.animating = true;
    }
    head.cut_right(p.px(8));
    if (frame.can_undo && button(p, head.cut_right(wide("Undo", "Ctrl Z")), "Undo###undo import", "Ctrl Z"))
    {
        out.push(Command::undo);
    }
    head.cut_right(p.px(12));
    const std::string& name = frame.imported->name;
    const std::string whole = fmt::format("{}: {}", reading.name, name);
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text,
                  name.empty() || (narrow && p.width(Type::body_strong, whole) > head.w) ? reading.name
                                                                                         : whole);
}

void ImportCard::draw_messages(const Frame& frame, Sheet& sheet)
{
    const LaunchReading& reading = frame.imported->reading;
    const auto is_refusal = [&](const std::string& message)
    { return std::ranges::find(reading.refusals, message) != reading.refusals.end(); };
    if (!reading.starts())
    {
        sheet.gap(4);
        const Rect r = sheet.words(Type::small_strong, sheet.p.theme.text, "It cannot run as it is written",
                                   sheet.p.px(24));
        sheet.p.triangle(sheet.x(), r.y + sheet.p.height(Type::small_strong) / 2, sheet.p.theme.warning);
        sheet.gap(4);
    }
    for (const std::string& refusal : reading.refusals)
    {
        sheet.point(line_of(refusal), sheet.p.theme.warning);
    }
    for (const Issue& issue : reading.issues)
    {
        sheet.point(line_of(to_line(issue)),
                    issue.severity == Severity::error ? sheet.p.theme.warning : sheet.p.theme.text);
    }
    for (const std::string& message : reading.messages)
    {
        if (!is_refusal(message))
        {
            sheet.point(line_of(message), sheet.p.theme.text);
        }
    }
}

void ImportCard::draw_settled(const Frame& frame, Sheet& sheet, const ImportGuess& guess)
{
    const Rect r = sheet.row(28);
    const Painter& p = sheet.p;
    p.tick(r.x, r.middle(), p.theme.ok);
    const float w = p.text(r.right(), r.middle(), Type::mono_small, p.theme.text,
                           value_of_path(frame.scenario, guess.path), Align::right);
    p.text_within(r.x + p.px(24), r.middle(), r.w - w - p.px(32), Type::small, p.theme.muted,
                  label_of(frame.scenario, guess.path));
}

void ImportCard::draw_guess(const Frame& frame, Sheet& sheet, const ImportGuess& guess, Out& out)
{
    const Painter& p = sheet.p;
    const float wide = p.width(Type::small, "Confirm") + p.px(32);
    const bool stacked = is_narrow(p, sheet.width());
    const Rect box{sheet.x(), sheet.y(), sheet.width() - (stacked ? 0 : wide + p.px(16)), 0};
    const bool named = guess.path == "model" || guess.path == "cluster.gpu" || guess.path == "software";
    if (named) // whose list has no label of its own
    {
        sheet.note(label_of(frame.scenario, guess.path));
    }
    const float top = sheet.y();
    const float height = panel_.draw_field(frame, p, {box.x, top, box.w, 1e6F}, guess.path, out);
    const Rect beside = sheet.take(std::max(height, p.px(32)));
    const Rect row = stacked ? sheet.row(40) : beside;
    const std::string label = fmt::format("Confirm###confirm {}", guess.path);
    if (button(p, {row.right() - wide, row.y + p.px(2), wide, p.px(32)}, label.c_str()))
    {
        confirmed_.insert(guess.path);
        out.animating = true;
    }
    sheet.note(line_of(guess.why));
    sheet.gap(12);
}

void ImportCard::draw_guesses(const Frame& frame, Sheet& sheet, Out& out)
{
    const auto guesses = guesses_of(frame.imported->reading);
    if (guesses.empty())
    {
        return;
    }
    const std::int64_t open = left(frame);
    sheet.gap(8);
    sheet.words(Type::small_strong, sheet.p.theme.text,
                open > 0 ? fmt::format("Guessed: {} to confirm or change", open)
                         : "Guessed, and all confirmed or changed");
    sheet.gap(4);
    for (const ImportGuess& guess : guesses)
    {
        is_settled(frame, guess) ? draw_settled(frame, sheet, guess) : draw_guess(frame, sheet, guess, out);
    }
}

void ImportCard::draw_not_modeled(const Frame& frame, Sheet& sheet)
{
    const auto& all = frame.imported->reading.unsayable;
    if (all.empty())
    {
        return;
    }
    sheet.gap(8);
    sheet.heading("Not modeled", "on the first stage\u2019s GPU", Type::small_strong);
    for (const UnsayableSetting& setting : all)
    {
        const Painter& p = sheet.p;
        const std::string name = printable(setting.setting);
        const std::string price = price_text(setting);
        const float w = p.width(Type::mono_small, price);
        const bool beside = p.width(Type::mono_small, name) + p.px(12) + w <= sheet.width();
        if (beside)
        {
            const Rect r = sheet.row(24);
            p.text(r.x, r.middle(), Type::mono_small, p.theme.text, name);
            p.text(r.right(), r.middle(), Type::mono_small, p.theme.text, price, Align::right);
        }
        else
        {
            sheet.figures(name);
            sheet.text(price);
        }
        sheet.note(line_of(setting.changes));
        sheet.gap(6);
    }
}

void ImportCard::draw_fields(const Frame& frame, Sheet& sheet, Basis from)
{
    const LaunchReading& reading = frame.imported->reading;
    const auto count = std::ranges::count(reading.fields, from, &ReadField::from);
    if (count == 0)
    {
        return;
    }
    const Painter& p = sheet.p;
    const bool open = unfolded_.contains(from);
    Rect r = sheet.row(32);
    const std::string heading = fmt::format("{}  {}: {}", open ? "\u25bc" : "\u25b6",
                                            heading_of(from, reading), counted(count, "field"));
    if (press(p, r, fmt::format("{}###fields {}", heading, name_of(from)).c_str()).clicked)
    {
        open ? void(unfolded_.erase(from)) : void(unfolded_.insert(from));
    }
    p.text_within(r.x, r.middle(), r.w, Type::small_strong, p.theme.text, heading);
    for (const ReadField& field : reading.fields)
    {
        if (!open || field.from != from)
        {
            continue;
        }
        if (is_narrow(p, sheet.width()))
        {
            sheet.fact(label_of(reading.scenario, field.field), line_of(value_text(field.value)));
            sheet.note(line_of(field.by));
            sheet.gap(6);
            continue;
        }
        r = sheet.row(24);
        const float label = r.w * 0.28F;
        const float value = r.w * 0.2F;
        const std::string by = line_of(field.by);
        p.text_within(r.x, r.middle(), label - p.px(8), Type::small, p.theme.muted,
                      label_of(reading.scenario, field.field));
        p.text_within(r.x + label, r.middle(), value - p.px(8), Type::mono_small, p.theme.text,
                      line_of(value_text(field.value)));
        p.text_within(r.x + label + value, r.middle(), r.w - label - value, Type::mono_small, p.theme.muted,
                      by);
        press(p, r, fmt::format("###{} {}", name_of(from), field.field).c_str(), 2);
        tooltip(p, field.place.line > 0 ? fmt::format("{}\n{}", by, printable(to_text(field.place))) : by);
    }
}

void ImportCard::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    follow(frame);
    if (!on(frame))
    {
        return;
    }
    const float pad = painter.px(kCardPad);
    const float room =
        ImGui::GetIO().DisplaySize.x - pad; // a narrow picture's card lies over what is beside it
    const float wide = std::min({std::max(area.w, painter.px(300)), painter.px(kCardWide), room});
    // A low picture's card lies over what is above it, in a low window over all of it.
    const float floor = ImGui::GetIO().DisplaySize.y;
    const float most = std::min(std::max(area.h - painter.px(16), painter.px(320)), floor);
    const float head = painter.px(32);
    const float high = std::min(height_ + head + 3 * pad, most);
    ImGui::SetNextWindowPos({std::max(0.0F, std::min(area.x, room - wide)),
                             std::max(0.0F, std::min(area.y + painter.px(8), floor - high))});
    ImGui::SetNextWindowSize({wide, high});
    push_overlay_style(painter);
    ImGui::Begin("###import", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoScrollbar);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Painter own(*ImGui::GetWindowDrawList(), painter.look);
    draw_head(frame, own, {at.x, at.y, wide - 2 * pad, head}, out);
    {
        const Rect body{at.x, at.y + head + pad / 2, wide - 2 * pad, high - head - 2.5F * pad};
        ScrolledSheet sheet(own, body, "###import sheet", std::to_string(number_));
        const float top = sheet->y();
        draw_messages(frame, *sheet);
        draw_guesses(frame, *sheet, out);
        draw_not_modeled(frame, *sheet);
        sheet->gap(8);
        draw_fields(frame, *sheet, Basis::stated);
        draw_fields(frame, *sheet, Basis::follows);
        const float height = sheet->y() - top + painter.px(8);
        // Frames until the window has it, and no bar that the one before needed.
        ImGuiStorage& kept = *ImGui::GetStateStorage();
        const bool changed =
            height != height_ || std::exchange(*kept.GetFloatRef(ImGui::GetID("high")), high) != high;
        int& settling = *kept.GetIntRef(ImGui::GetID("settling"));
        settling = changed ? 3 : std::max(0, settling - 1);
        out.animating = out.animating || settling > 0;
        height_ = height;
    }
    ImGui::End();
    pop_overlay_style();
}

void ImportCard::draw_chip(const Frame& frame, const Painter& p, Rect& strip)
{
    if (frame.imported == nullptr || on(frame))
    {
        return;
    }
    const std::int64_t open = left(frame);
    const std::string words = fmt::format("{} to confirm", counted(open, "guess"));
    const float w = p.width(Type::small, words) + p.px(32);
    if (open == 0 || w > strip.w)
    {
        return;
    }
    const Rect r = strip.cut_right(w);
    strip.cut_right(p.px(12));
    if (button(p, {r.x, r.middle() - p.px(14), r.w, p.px(28)}, (words + "###import chip").c_str()))
    {
        open_ = true;
    }
    tooltip(p, "What the launch file does not say");
}

} // namespace ringside
