// The panel's rows for fields that do not slide, and its lists of presets.
#include "ui/shell/panel/panel_fields.h"

#include "core/base/text/find.h"
#include "core/model/weights.h"
#include "core/scenario/based_on.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/shell/panel/panel.h"
#include "ui/widgets/choice.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringside
{

namespace
{

template <class S>
std::string whole_or_three(const S& object, const Field<S>& field)
{
    const double value = number_of(object, field);
    if (std::holds_alternative<std::int64_t S::*>(field.member))
    {
        return grouped(static_cast<std::int64_t>(value));
    }
    return field.unit == "tokens" ? format_count(value) : plain_number(value);
}

// What a list of this name says where it is empty.
std::string_view when_empty(std::string_view field)
{
    return field == "stage_layers" ? "even" : "all";
}

std::string list_text(std::string_view field, const std::vector<std::int64_t>& values)
{
    std::vector<std::string> words;
    for (const std::int64_t value : values)
    {
        words.push_back(value < 0 ? std::string(name_of(layer_attention(value))) : std::to_string(value));
    }
    return words.empty() ? std::string(when_empty(field)) : fmt::format("{}", fmt::join(words, " "));
}

// What stands between spaces, commas and semicolons.
std::vector<std::string> words_of_list(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    std::vector<std::string> words;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(' ', at)) != std::string::npos)
    {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::optional<std::vector<std::int64_t>> parse_list(std::string_view field, const std::string& text)
{
    std::vector<std::int64_t> values;
    for (const std::string& word : words_of_list(text))
    {
        const auto kind = field == "attention_per_layer" ? kNamesOf<LayerAttention>.find(word) : std::nullopt;
        const auto value = kind ? std::optional(static_cast<double>(entry_of(*kind))) : parse_number(word);
        if (!value || (*value < 0 && !kind) || *value > 1e6 || *value != std::floor(*value))
        {
            return text == when_empty(field) ? std::optional(std::vector<std::int64_t>{}) : std::nullopt;
        }
        values.push_back(static_cast<std::int64_t>(*value));
    }
    return values;
}

// Below `under`, or above it where there is no room below.
void place_popup(const Painter& painter, std::size_t items, bool filtered, Rect under)
{
    const float wanted = painter.px(32) * static_cast<float>(items) + painter.px(filtered ? 56 : 12);
    const ImVec2 size{std::max(under.w, painter.px(filtered ? 300 : 160)), std::min(painter.px(420), wanted)};
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const bool below = under.bottom() + size.y + painter.px(8) < display.y;
    ImGui::SetNextWindowPos(
        {std::max(0.0F, std::min(under.right() - size.x, display.x - size.x)),
         below ? under.bottom() + painter.px(4) : std::max(0.0F, under.y - size.y - painter.px(4))});
    ImGui::SetNextWindowSize(size);
}

// The items that fit what was typed: exact names first, then those that begin with it, then those that have
// it as a word; of equals the shorter name, so that "V3" is DeepSeek-V3 before V3.2.
std::vector<std::size_t> fitting_items(std::span<const TipLine> items, std::string_view typed)
{
    const std::string query = folded(typed);
    std::vector<Closeness> fits;
    for (const TipLine& item : items)
    {
        const std::array<std::string_view, 1> name{item.label};
        fits.push_back(fit_of(findable(name, ""), query));
    }
    std::vector<std::size_t> found = closest_first(fits);
    if (!query.empty())
    {
        std::ranges::stable_sort(found, {},
                                 [&](std::size_t i) { return std::pair(fits[i], items[i].label.size()); });
    }
    return found;
}

// The items that fit what was typed; returns the one chosen, the first of them at once if `take_first`.
std::optional<std::size_t> draw_items(const Painter& painter, std::span<const TipLine> items, bool filtered,
                                      std::string_view typed, bool take_first)
{
    std::optional<std::size_t> chosen;
    std::vector<std::string_view> names;
    for (const TipLine& item : items)
    {
        names.push_back(item.label);
    }
    const ChildScope list("###list", {0, 0});
    const auto lettered = filtered ? std::nullopt : letters_choose(names);
    const std::vector<std::size_t> fitting = fitting_items(items, typed);
    for (const std::size_t i : fitting)
    {
        const IdScope scope(static_cast<int>(i));
        if (ImGui::Selectable(items[i].label.c_str(), false, 0, {0, painter.px(24)}) || take_first)
        {
            chosen = i;
            take_first = false;
        }
        if (lettered == i)
        {
            focus_last_item();
        }
        const ImVec2 left = ImGui::GetItemRectMin();
        const ImVec2 right = ImGui::GetItemRectMax();
        const float middle = (left.y + right.y) / 2;
        const Painter local(*ImGui::GetWindowDrawList(), painter.look);
        read_item(local, {left.x, left.y, right.x - left.x, right.y - left.y}, items[i].label,
                  {.value = items[i].value});
        local.text(right.x - painter.px(4), middle, Type::mono_small, painter.theme.muted, items[i].value,
                   Align::right);
    }
    if (fitting.empty())
    {
        ImGui::TextDisabled("Nothing has that in its name.");
    }
    return chosen;
}

} // namespace

void own_shape(Scenario& s, std::string_view path, const Presets& presets)
{
    if (path.starts_with("model."))
    {
        s.model.preset.clear();
        s.model.name.clear();
    }
    if (path.starts_with("cluster.gpu."))
    {
        Gpu& gpu = s.cluster.gpu;
        gpu.name = presets.gpu(gpu.id) != nullptr ? name_by_preset(gpu, presets) : "";
        s.software = s.software.inferred ? presets.usual_software(gpu) : s.software;
    }
}

std::vector<std::string> fields_in(const Scenario& scenario, std::string_view section)
{
    std::vector<std::string> paths;
    Scenario copy = scenario; // fields are visited to be changed
    each_field(copy,
               [&](const std::string& path, auto&, const auto&)
               {
                   if (path.size() > section.size() && path.starts_with(section) &&
                       path.rfind('.') == section.size())
                   {
                       paths.push_back(path);
                   }
               });
    return paths;
}

std::optional<std::size_t> Panel::list_popup(const Painter& painter, const char* id,
                                             std::span<const TipLine> items, Rect under)
{
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{painter.px(8), painter.px(8)});
    const bool filtered = items.size() > 8;
    place_popup(painter, items.size(), filtered, under);
    const PopupScope popup(id);
    if (!popup)
    {
        return std::nullopt;
    }
    const FontScope font(painter.look.fonts.of(Type::small));
    const StyleScope align(ImGuiStyleVar_SelectableTextAlign, ImVec2{0, 0.5F});
    bool take_first = false;
    if (filtered)
    {
        if (ImGui::IsWindowAppearing())
        {
            filter_ = {};
            ImGui::SetKeyboardFocusHere();
        }
        ImGui::SetNextItemWidth(-FLT_MIN);
        take_first = ImGui::InputTextWithHint("###filter", "Type to find", filter_.data(), filter_.size(),
                                              ImGuiInputTextFlags_EnterReturnsTrue);
        read_field(painter, "Type to find", filter_.data());
    }
    const auto chosen = draw_items(painter, items, filtered, filtered ? filter_.data() : "", take_first);
    if (chosen)
    {
        ImGui::CloseCurrentPopup();
    }
    return chosen;
}

void Panel::draw_model_preset(Column& column)
{
    const Painter& p = column.p;
    const Frame& f = column.frame;
    const std::string shown = f.scenario.model.name.empty() ? "Own shape" : f.scenario.model.name;
    const Rect box = column.row(36);
    if (dropdown(p, box, "###model", shown))
    {
        ImGui::OpenPopup("models");
    }
    column.row(12);
    std::vector<TipLine> items;
    if (ImGui::IsPopupOpen("models"))
    {
        for (const ModelPreset& preset : f.presets.models)
        {
            items.push_back({preset.model.name,
                             format_count(static_cast<double>(count_parameters(preset.model).total)), 0});
        }
    }
    if (const auto chosen = list_popup(p, "models", items, box))
    {
        change(column, with_model(f.scenario, f.presets.models[*chosen].model));
    }
}

void Panel::draw_gpu_preset(Column& column)
{
    const Painter& p = column.p;
    const Frame& f = column.frame;
    const Rect box = column.row(36);
    if (dropdown(p, box, "###gpu",
                 f.scenario.cluster.gpu.name.empty() ? "Own GPU" : f.scenario.cluster.gpu.name))
    {
        ImGui::OpenPopup("gpus");
    }
    column.row(12);
    draw_faults(column, "cluster.gpu");
    std::vector<TipLine> items;
    const auto machines = f.lab == nullptr ? std::span<const Machine>() : std::span(f.lab->machines);
    if (ImGui::IsPopupOpen("gpus"))
    {
        for (const GpuPreset& preset : f.presets.gpus)
        {
            items.push_back({preset.gpu.name, three_digits(preset.gpu.memory_gb) + " GB", 0});
        }
        for (const Machine& machine : machines)
        {
            items.push_back({machine.name, "measured", 0});
        }
    }
    if (const auto chosen = list_popup(p, "gpus", items, box))
    {
        const std::size_t known = f.presets.gpus.size();
        const Gpu gpu = *chosen < known ? f.presets.gpus[*chosen].gpu : gpu_of(machines[*chosen - known]);
        change(column, with_gpu(f.scenario, gpu, f.presets));
    }
}

// What the GPUs run, beside them: the accelerator's usual one first, then every preset by its name.
void Panel::draw_software(Column& column)
{
    const Painter& p = column.p;
    const Frame& f = column.frame;
    const Rect box = column.row(36);
    if (dropdown(p, box, "###software", f.scenario.software.name))
    {
        ImGui::OpenPopup("software");
    }
    column.row(12);
    draw_faults(column, "software");
    const Software usual = f.presets.usual_software(f.scenario.cluster.gpu);
    std::vector<TipLine> items{{"Usual for this GPU", usual.name, 0}};
    for (const SoftwarePreset& preset : f.presets.software)
    {
        items.push_back({preset.software.name, "", 0});
    }
    if (const auto chosen = list_popup(p, "software", items, box))
    {
        Scenario next = f.scenario;
        next.software = *chosen == 0 ? usual : f.presets.software[*chosen - 1].software;
        change(column, std::move(next));
    }
}

void Panel::change_field(Column& column, std::string_view path, Scenario next)
{
    own_shape(next, path, column.frame.presets);
    change(column, path == "training.schedule" ? with_schedule(next, next.training.schedule) : next);
}

namespace
{

// A choice's name as people write it.
std::string_view shown_name(std::string_view path, std::string_view name)
{
    const ScheduleKind kind = path == "training.schedule" ? find_schedule(name) : nullptr;
    return kind != nullptr ? kind->name : name;
}

} // namespace

template <class S>
void Panel::draw_toggle(Column& column, const std::string& path, Scenario& next, S& object,
                        const Field<S>& field)
{
    bool& on = object.*std::get<bool S::*>(field.member);
    const std::string label = std::string(field.label) + "###" + path;
    if (toggle(column.p, column.row(36), label.c_str(), on))
    {
        on = !on;
        change_field(column, path, next);
    }
    column.row(4);
}

template <class S>
void Panel::draw_choice(Column& column, const std::string& path, Scenario& next, S& object,
                        const Field<S>& field)
{
    const Painter& p = column.p;
    const auto& choice = std::get<Choice<S>>(field.member);
    const Rect r = column.row(36);
    p.text_within(r.x, r.middle(), r.w * 0.45F, Type::small, p.theme.muted, field.label);
    const Rect box{r.x + r.w * 0.45F, r.y + p.px(2), r.w * 0.55F, r.h - p.px(4)};
    const std::string popup = "choose " + path;
    if (dropdown(p, box, ("###" + path).c_str(),
                 shown_name(path, choice.names[static_cast<std::size_t>(choice.get(object))])))
    {
        ImGui::OpenPopup(popup.c_str());
    }
    std::vector<TipLine> items;
    for (const std::string_view name : choice.names)
    {
        items.push_back({std::string(shown_name(path, name)), "", 0});
    }
    if (const auto chosen = list_popup(p, popup.c_str(), items, box))
    {
        choice.set(object, static_cast<int>(*chosen));
        change_field(column, path, next);
    }
    column.row(4);
}

namespace
{

// The chosen names as a text; what none and all of them are called.
template <class S>
std::string selection_text(const Selection<S>& some, const S& object)
{
    const std::vector<std::string> names = names_in(some, object);
    return names.empty()                     ? "none"
           : names.size() == some.all.size() ? "all"
                                             : fmt::format("{}", fmt::join(names, " "));
}

template <class S>
std::string set_selection(S& object, const Selection<S>& some, const std::string& text)
{
    const std::vector<std::string> words = words_of_list(text);
    const auto chosen = [&](std::string_view name)
    { return std::ranges::find(words, name) != words.end() || (words.size() == 1 && words[0] == "all"); };
    for (const std::string& word : words)
    {
        if (word != "none" && word != "all" && std::ranges::find(some.all, word) == some.all.end())
        {
            return fmt::format("\u201c{}\u201d is none of {}", word, fmt::join(some.all, ", "));
        }
    }
    for (std::size_t i = 0; i < some.all.size(); ++i)
    {
        some.set(object, i, chosen(some.all[i]));
    }
    return {};
}

// Reads what was typed into a list or a number; the message when it cannot be.
template <class S>
std::string set_typed(S& object, const Field<S>& field, std::string text)
{
    if (const auto* some = std::get_if<Selection<S>>(&field.member))
    {
        return set_selection(object, *some, text);
    }
    if (const auto* list = std::get_if<std::vector<std::int64_t> S::*>(&field.member))
    {
        auto values = parse_list(field.name, text);
        if (!values)
        {
            return field.name == "stage_layers"
                       ? "give the layers of each stage, like 21 20 20 19"
                       : "give the window of each layer, like 128 0, or all; or sparse, csa, hca, linear";
        }
        object.*(*list) = std::move(*values);
        return {};
    }
    for (const std::string_view unit : {std::string_view(field.unit), of_one(field.unit)})
    {
        if (!unit.empty() && text.ends_with(unit))
        {
            text.resize(text.size() - unit.size());
        }
    }
    return set_number(object, field, text);
}

} // namespace

template <class S>
void Panel::draw_typed(Column& column, const std::string& path, Scenario& next, S& object,
                       const Field<S>& field)
{
    const auto* list = std::get_if<std::vector<std::int64_t> S::*>(&field.member);
    const std::string label = std::string(field.label) + "###" + path;
    const auto* some = std::get_if<Selection<S>>(&field.member);
    const std::string shown = some != nullptr   ? selection_text(*some, object)
                              : list != nullptr ? list_text(field.name, object.*(*list))
                                                : with_unit(whole_or_three(object, field), field.unit);
    const SliderText words{label.c_str(), shown, {}, has_fault(column.frame, path)};
    const SliderChange c = typed_number(column.p, column.row(36), words);
    if (c.kind == SliderChange::Kind::typed)
    {
        const std::string message = set_typed(object, field, c.text);
        message.empty() ? change_field(column, path, next) : refuse(path, message);
    }
}

void Panel::draw_field(Column& column, std::string_view path)
{
    Scenario next = column.frame.scenario;
    const std::string at(path);
    with_field(next, path,
               [&](auto& object, const auto& field)
               {
                   using S = std::remove_reference_t<decltype(object)>;
                   if (std::holds_alternative<bool S::*>(field.member))
                   {
                       draw_toggle(column, at, next, object, field);
                   }
                   else if (std::holds_alternative<Choice<S>>(field.member))
                   {
                       draw_choice(column, at, next, object, field);
                   }
                   else
                   {
                       draw_typed(column, at, next, object, field);
                   }
                   tooltip(column.p, field.says);
               });
    draw_faults(column, path);
}

} // namespace ringside
