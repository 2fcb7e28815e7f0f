#include "ui/shell/panel.h"

#include <fmt/format.h>

#include "core/engine/family.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"
#include "ui/shell/scopes.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct KnobRow
{
    std::string_view id;   // as views name it
    std::string_view path; // of the field, for faults
    Knob knob;
    const char* label;
};
constexpr std::array<KnobRow, 8> kKnobs{
    {{"gpus", "cluster.gpus", Knob::gpus, "GPUs"},
     {"tensor", "parallel.tensor", Knob::tensor, "Tensor parallel"},
     {"context", "parallel.context", Knob::context, "Context parallel"},
     {"pipeline", "parallel.pipeline", Knob::pipeline, "Pipeline stages"},
     {"chunks", "parallel.chunks", Knob::chunks, "Chunks per stage"},
     {"expert", "parallel.expert", Knob::expert, "Expert parallel"},
     {"micro_batch", "training.micro_batch", Knob::micro_batch, "Micro-batch size"},
     {"micro_batches", "training.global_batch", Knob::micro_batches, "Micro-batches"}}};

// Fields that slide over a range; everything else is typed or chosen.
struct Slide
{
    std::string_view path;
    std::string_view label;
    double low;
    double high;
    bool logarithmic;
    double step;            // linear: what a drag snaps to
    bool zero_is_automatic; // 0 follows the layout
};
constexpr std::array<Slide, 10> kSlides{
    {{"parallel.zero", "ZeRO stage", 0, 3, false, 1, false},
     {"stage_times.forward", "Forward", 0.25, 4, false, 0.25, false},
     {"stage_times.backward_input", "Backward, input", 0.25, 4, false, 0.25, false},
     {"stage_times.backward_weight", "Backward, weight", 0.25, 4, false, 0.25, false},
     {"stage_times.transfer", "Transfer", 0, 2, false, 0.05, false},
     {"collective.ranks", "Ranks", 2, 16, false, 1, true},
     {"collective.message_gb", "Message", 0.001, 1000, true, 0, true},
     {"collective.latency_us", "Latency per hop", 0.1, 100, true, 0, false},
     {"cluster.node_link_gb_per_s", "Link in a node, one way", 10, 2000, true, 0, true},
     {"cluster.network_gb_per_s", "Network, one way", 1, 500, true, 0, false}}};

// Calls f(path, object, field) for every field of the scenario.
template <class S, class F>
void each_field(std::string_view prefix, S& object, F&& f)
{
    for (const auto& field : fields_of(object))
    {
        f(fmt::format("{}.{}", prefix, field.name), object, field);
    }
}

template <class F>
void each_field(Scenario& s, F&& f)
{
    each_field("parallel", s.parallel, f);
    each_field("training", s.training, f);
    each_field("cluster", s.cluster, f);
    each_field("cluster.gpu", s.cluster.gpu, f);
    each_field("model", s.model, f);
    each_field("stage_times", s.stage_times, f);
    each_field("collective", s.collective, f);
}

std::string in_words(std::string_view name, std::string_view unit)
{
    std::string words(name);
    for (const std::string_view suffix : {"_gb_per_s", "_gb", "_us", "_tflops", "_w"})
    {
        if (words.ends_with(suffix) && !unit.empty())
        {
            words.resize(words.size() - suffix.size());
            break;
        }
    }
    std::replace(words.begin(), words.end(), '_', ' ');
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    return words;
}

std::string with_unit(std::string number, std::string_view unit)
{
    return unit.empty() ? number : number + " " + std::string(unit);
}

// What a field that is 0 follows.
double followed(const Frame& frame, std::string_view path)
{
    const CollectiveReport& c = frame.now.report.collective;
    return path == "collective.ranks"        ? static_cast<double>(c.ranks)
           : path == "collective.message_gb" ? c.message.value / 1e9
                                             : node_link(frame.scenario.cluster);
}

float log_position(double value, double low, double high)
{
    return high > low && value > 0 ? static_cast<float>(std::log(value / low) / std::log(high / low)) : 0.0F;
}

std::size_t nearest_stop(const std::vector<std::int64_t>& stops, float position)
{
    const auto low = static_cast<double>(stops.front());
    const auto high = static_cast<double>(stops.back());
    std::size_t best = 0;
    for (std::size_t i = 1; i < stops.size(); ++i)
    {
        const auto distance = [&](std::size_t k)
        { return std::abs(log_position(static_cast<double>(stops[k]), low, high) - position); };
        best = distance(i) < distance(best) ? i : best;
    }
    return best;
}

// Where the arrow keys go from here.
std::int64_t neighbour(const std::vector<std::int64_t>& stops, std::int64_t value, int direction)
{
    if (direction > 0)
    {
        const auto next = std::upper_bound(stops.begin(), stops.end(), value);
        return next == stops.end() ? stops.back() : *next;
    }
    const auto next = std::lower_bound(stops.begin(), stops.end(), value);
    return next == stops.begin() ? stops.front() : *(next - 1);
}

} // namespace

namespace
{

ChangeScenario repaired_change(Scenario next, bool dragging)
{
    std::vector<std::string> changes;
    ChangeScenario change{repaired(std::move(next), changes), dragging, {}};
    if (!changes.empty())
    {
        change.notice = fmt::format("To suit the model: {}", fmt::join(changes, ", "));
    }
    return change;
}

} // namespace

ChangeScenario with_model(const Scenario& scenario, const Model& model)
{
    Scenario next = scenario;
    next.parallel.stage_layers.clear();
    next.model = model;
    return repaired_change(std::move(next), false);
}

ChangeScenario with_model_size(const Scenario& scenario, double parameters, bool dragging)
{
    Scenario next = scenario;
    next.parallel.stage_layers.clear();
    next.model =
        model_of_size(parameters, family_of(scenario.model),
                      scenario.parallel.pipeline * scenario.parallel.chunks, scenario.parallel.tensor);
    return repaired_change(std::move(next), dragging);
}

void Panel::change(Column& column, Scenario next, bool dragging)
{
    change(column, ChangeScenario{std::move(next), dragging, {}});
}

void Panel::change(Column& column, ChangeScenario next)
{
    refused_path_.clear();
    if (next.scenario != column.frame.scenario)
    {
        column.out.push(std::move(next));
    }
}

void Panel::refuse(std::string_view path, std::string message)
{
    refused_path_ = path;
    refused_ = std::move(message);
}

bool Panel::has_fault(const Frame& frame, std::string_view path) const
{
    return refused_path_ == path ||
           std::any_of(frame.issues.begin(), frame.issues.end(),
                       [path](const Issue& i) { return i.severity == Severity::error && i.path == path; });
}

void Panel::draw_faults(Column& column, std::string_view path)
{
    drawn_.emplace_back(path);
    const Painter& p = column.painter;
    const auto say = [&](std::string_view message, std::string_view hint, Colour colour)
    {
        const float first =
            p.paragraph({column.area.x, column.area.y, column.area.w, 0}, Type::small, colour, message);
        column.area.cut_top(first);
        if (!hint.empty())
        {
            column.area.cut_top(p.paragraph({column.area.x, column.area.y, column.area.w, 0}, Type::small,
                                            p.theme.muted, hint));
        }
        column.row(8);
    };
    if (refused_path_ == path)
    {
        say(refused_, "", p.theme.warning);
    }
    for (const Issue& issue : column.frame.issues)
    {
        if (issue.path == path && issue.severity == Severity::error)
        {
            say(issue.message, issue.hint, p.theme.warning);
        }
    }
}

void Panel::draw_other_faults(Column& column)
{
    std::vector<std::string> places;
    for (const Issue& issue : column.frame.issues)
    {
        if (issue.severity == Severity::error &&
            std::find(drawn_.begin(), drawn_.end(), issue.path) == drawn_.end())
        {
            places.push_back(issue.path);
        }
    }
    for (const std::string& path : places)
    {
        const Painter& p = column.painter;
        const Rect r = column.row(24);
        p.triangle(r.x, r.middle(), p.theme.warning);
        p.text(r.x + p.px(22), r.middle(), Type::mono_small, p.theme.warning, path);
        draw_faults(column, path);
    }
}

const std::vector<std::int64_t>& Panel::stops(const Scenario& scenario, Knob knob)
{
    if (scenario != stops_of_)
    {
        stops_.clear();
        stops_of_ = scenario;
    }
    auto found = stops_.find(knob);
    if (found == stops_.end())
    {
        found = stops_.emplace(knob, legal_values(scenario, knob)).first;
    }
    return found->second;
}

void Panel::draw_knob(Column& column, std::string_view path, Knob knob, const char* label)
{
    const Scenario& s = column.frame.scenario;
    const std::vector<std::int64_t>& legal = stops(s, knob);
    const std::int64_t value = value_of(s, knob);
    const auto low = static_cast<double>(legal.front());
    const auto high = static_cast<double>(legal.back());
    std::vector<float> ticks;
    for (const std::int64_t stop : legal)
    {
        ticks.push_back(log_position(static_cast<double>(stop), low, high));
    }
    const SliderText words{label, grouped(value), ticks, has_fault(column.frame, path)};
    const SliderChange c = slider(column.painter, column.row(48), words,
                                  log_position(static_cast<double>(value), low, high), entry_);
    if (c.kind == SliderChange::Kind::dragged)
    {
        const std::int64_t next = legal[nearest_stop(legal, c.position)];
        change(column, with(s, knob, next), true);
    }
    else if (c.kind == SliderChange::Kind::stepped)
    {
        change(column, with(s, knob, neighbour(legal, value, c.steps)));
    }
    else if (c.kind == SliderChange::Kind::typed)
    {
        const auto typed = parse_number(c.text);
        if (!typed || *typed < 1 || *typed > 1e9 || *typed != std::floor(*typed))
        {
            refuse(path, fmt::format("\u201c{}\u201d is not a whole number from 1 up", c.text));
        }
        else
        {
            change(column, with(s, knob, static_cast<std::int64_t>(*typed)));
        }
    }
    draw_faults(column, path);
}

void Panel::draw_model_size(Column& column)
{
    const Scenario& s = column.frame.scenario;
    const double size = column.frame.valid() ? static_cast<double>(column.frame.now.report.parameters.total)
                                             : static_cast<double>(count_parameters(s.model).total);
    const SliderText words{"Model size", format_count(size), {}, false};
    const SliderChange c = slider(column.painter, column.row(48), words,
                                  log_position(size, kLeastParameters, kMostParameters), entry_);
    std::optional<double> next;
    if (c.kind == SliderChange::Kind::dragged)
    {
        next =
            kLeastParameters * std::pow(kMostParameters / kLeastParameters, static_cast<double>(c.position));
    }
    else if (c.kind == SliderChange::Kind::stepped)
    {
        next = size * (c.steps > 0 ? 1.25 : 0.8);
    }
    else if (c.kind == SliderChange::Kind::typed)
    {
        next = parse_number(c.text);
        if (!next || *next < kLeastParameters || *next > kMostParameters)
        {
            refuse("model.size", fmt::format("\u201c{}\u201d is not a size from 100 M to 10 T", c.text));
            next.reset();
        }
    }
    if (next)
    {
        change(column, with_model_size(s, *next, c.kind == SliderChange::Kind::dragged));
    }
    draw_faults(column, "model.size");
}

std::optional<std::size_t> Panel::list_popup(const Painter& painter, const char* id,
                                             std::span<const TipLine> items, Rect under)
{
    std::optional<std::size_t> chosen;
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{painter.px(8), painter.px(8)});
    const bool filtered = items.size() > 8;
    const float wanted = painter.px(32) * static_cast<float>(items.size()) + painter.px(filtered ? 56 : 12);
    const ImVec2 size{std::max(under.w, painter.px(filtered ? 300 : 160)), std::min(painter.px(420), wanted)};
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const bool below = under.bottom() + size.y + painter.px(8) < display.y;
    ImGui::SetNextWindowPos(
        {std::max(0.0F, std::min(under.right() - size.x, display.x - size.x)),
         below ? under.bottom() + painter.px(4) : std::max(0.0F, under.y - size.y - painter.px(4))});
    ImGui::SetNextWindowSize(size);
    const PopupScope popup(id);
    if (!popup)
    {
        return chosen;
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
    }
    const std::string typed = filtered ? filter_.data() : "";
    const ChildScope list("###list", {0, 0});
    bool any = false;
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const auto same = [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
        };
        if (std::search(items[i].label.begin(), items[i].label.end(), typed.begin(), typed.end(), same) ==
                items[i].label.end() &&
            !typed.empty())
        {
            continue;
        }
        any = true;
        const IdScope scope(static_cast<int>(i));
        if (ImGui::Selectable(items[i].label.c_str(), false, 0, {0, painter.px(24)}) || take_first)
        {
            chosen = i;
            take_first = false;
        }
        const ImVec2 right = ImGui::GetItemRectMax();
        const float middle = (ImGui::GetItemRectMin().y + right.y) / 2;
        const Painter local(*ImGui::GetWindowDrawList(), painter.look);
        local.text(right.x - painter.px(4), middle, Type::mono_small, painter.theme.muted, items[i].value,
                   Align::right);
    }
    if (!any)
    {
        ImGui::TextDisabled("Nothing has that in its name.");
    }
    if (chosen)
    {
        ImGui::CloseCurrentPopup();
    }
    return chosen;
}

void Panel::draw_model_preset(Column& column)
{
    const Painter& p = column.painter;
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
    const Painter& p = column.painter;
    const Frame& f = column.frame;
    const Rect box = column.row(36);
    if (dropdown(p, box, "###gpu",
                 f.scenario.cluster.gpu.name.empty() ? "Own GPU" : f.scenario.cluster.gpu.name))
    {
        ImGui::OpenPopup("gpus");
    }
    column.row(12);
    std::vector<TipLine> items;
    if (ImGui::IsPopupOpen("gpus"))
    {
        for (const GpuPreset& preset : f.presets.gpus)
        {
            items.push_back({preset.gpu.name, three_digits(preset.gpu.memory_gb) + " GB", 0});
        }
    }
    if (const auto chosen = list_popup(p, "gpus", items, box))
    {
        Scenario next = f.scenario;
        next.cluster.gpu = f.presets.gpus[*chosen].gpu;
        next.cluster.node_link_gb_per_s = 0; // the new GPU's own
        change(column, std::move(next));
    }
}

namespace
{

// Reads a typed number into a field; the message when it cannot be.
template <class S>
std::string set_number(S& object, const Field<S>& field, std::string_view text)
{
    const auto typed = parse_number(text);
    const bool whole = std::holds_alternative<std::int64_t S::*>(field.member);
    if (!typed || (whole && *typed != std::floor(*typed)))
    {
        return fmt::format("\u201c{}\u201d is not a {}", text, whole ? "whole number" : "number");
    }
    if (*typed < field.least || *typed > field.most)
    {
        return fmt::format("{} is outside {} to {}", text, three_digits(field.least),
                           three_digits(field.most));
    }
    if (whole)
    {
        object.*std::get<std::int64_t S::*>(field.member) = static_cast<std::int64_t>(*typed);
    }
    else
    {
        object.*std::get<double S::*>(field.member) = *typed;
    }
    return {};
}

template <class S>
double number_of(const S& object, const Field<S>& field)
{
    if (const auto* whole = std::get_if<std::int64_t S::*>(&field.member))
    {
        return static_cast<double>(object.*(*whole));
    }
    const auto* real = std::get_if<double S::*>(&field.member);
    return real != nullptr ? object.*(*real) : 0;
}

template <class S>
std::string whole_or_three(const S& object, const Field<S>& field)
{
    const double value = number_of(object, field);
    return std::holds_alternative<std::int64_t S::*>(field.member) ? grouped(static_cast<std::int64_t>(value))
                                                                   : plain_number(value);
}

// Editing the shape makes it the person's own.
void own_shape(Scenario& s, std::string_view path)
{
    if (path.starts_with("model."))
    {
        s.model.preset.clear();
        s.model.name.clear();
    }
    if (path.starts_with("cluster.gpu."))
    {
        s.cluster.gpu.id.clear();
        s.cluster.gpu.name.clear();
    }
}

std::string list_text(const std::vector<std::int64_t>& values)
{
    return values.empty() ? "even" : fmt::format("{}", fmt::join(values, " "));
}

std::optional<std::vector<std::int64_t>> parse_list(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    std::vector<std::int64_t> values;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(' ', at)) != std::string::npos)
    {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const auto value = parse_number(text.substr(at, end - at));
        if (!value || *value < 0 || *value > 1e6 || *value != std::floor(*value))
        {
            return text == "even" ? std::optional(std::vector<std::int64_t>{}) : std::nullopt;
        }
        values.push_back(static_cast<std::int64_t>(*value));
        at = end;
    }
    return values;
}

} // namespace

void Panel::draw_real(Column& column, std::string_view path)
{
    const auto slide =
        std::find_if(kSlides.begin(), kSlides.end(), [path](const Slide& s) { return s.path == path; });
    Scenario next = column.frame.scenario;
    each_field(next,
               [&](const std::string& at, auto& object, const auto& field)
               {
                   if (at != path)
                   {
                       return;
                   }
                   const bool automatic = number_of(object, field) == 0 && slide->zero_is_automatic;
                   const double value = automatic ? followed(column.frame, path) : number_of(object, field);
                   const std::string shown =
                       (automatic ? "auto  " : "") + with_unit(plain_number(value), field.unit == "units" ? ""
                                                                                    : field.unit == "us"
                                                                                        ? "\u00b5s"
                                                                                        : field.unit);
                   const float position =
                       slide->logarithmic
                           ? log_position(value, slide->low, slide->high)
                           : static_cast<float>((value - slide->low) / (slide->high - slide->low));
                   const SliderText words{slide->label.data(), shown, {}, has_fault(column.frame, path)};
                   const SliderChange c = slider(column.painter, column.row(48), words, position, entry_);
                   const double share = std::clamp(static_cast<double>(c.position), 0.0, 1.0);
                   std::string typed;
                   if (c.kind == SliderChange::Kind::dragged)
                   {
                       const double to =
                           slide->logarithmic
                               ? slide->low * std::pow(slide->high / slide->low, share)
                               : slide->low + std::round((slide->high - slide->low) * share / slide->step) *
                                                  slide->step;
                       typed = fmt::format("{:.3g}", to);
                   }
                   else if (c.kind == SliderChange::Kind::stepped)
                   {
                       const double to = slide->logarithmic ? value * (c.steps > 0 ? 1.25 : 0.8)
                                                            : value + c.steps * slide->step;
                       typed = fmt::format("{:.3g}", std::clamp(to, slide->low, slide->high));
                   }
                   else if (c.kind == SliderChange::Kind::typed)
                   {
                       typed = c.text;
                   }
                   if (!typed.empty())
                   {
                       const std::string message = set_number(object, field, typed);
                       message.empty() ? change(column, next, c.kind == SliderChange::Kind::dragged)
                                       : refuse(path, message);
                   }
               });
    draw_faults(column, path);
}

void Panel::draw_field(Column& column, std::string_view path)
{
    const Painter& p = column.painter;
    Scenario next = column.frame.scenario;
    each_field(next,
               [&](const std::string& at, auto& object, const auto& field)
               {
                   using S = std::remove_reference_t<decltype(object)>;
                   if (at != path)
                   {
                       return;
                   }
                   const std::string label = in_words(field.name, field.unit) + "###" + at;
                   const Rect r = column.row(36);
                   if (const auto* on = std::get_if<bool S::*>(&field.member))
                   {
                       if (toggle(p, r, label.c_str(), object.*(*on)))
                       {
                           object.*(*on) = !(object.*(*on));
                           own_shape(next, at);
                           const bool schedule = at == "training.schedule";
                           change(column, schedule ? with_schedule(next, next.training.schedule) : next);
                       }
                       column.row(4);
                   }
                   else if (const auto* choice = std::get_if<Choice<S>>(&field.member))
                   {
                       p.text_within(r.x, r.middle(), r.w * 0.45F, Type::small, p.theme.muted,
                                     in_words(field.name, field.unit));
                       const Rect box{r.x + r.w * 0.45F, r.y + p.px(2), r.w * 0.55F, r.h - p.px(4)};
                       const std::string popup = "choose " + at;
                       if (dropdown(p, box, ("###" + at).c_str(),
                                    choice->names[static_cast<std::size_t>(choice->get(object))]))
                       {
                           ImGui::OpenPopup(popup.c_str());
                       }
                       std::vector<TipLine> items;
                       for (const std::string_view name : choice->names)
                       {
                           items.push_back({std::string(name), "", 0});
                       }
                       if (const auto chosen = list_popup(p, popup.c_str(), items, box))
                       {
                           choice->set(object, static_cast<int>(*chosen));
                           own_shape(next, at);
                           const bool schedule = at == "training.schedule";
                           change(column, schedule ? with_schedule(next, next.training.schedule) : next);
                       }
                       column.row(4);
                   }
                   else
                   {
                       const auto* list = std::get_if<std::vector<std::int64_t> S::*>(&field.member);
                       const std::string shown = list != nullptr
                                                     ? list_text(object.*(*list))
                                                     : with_unit(whole_or_three(object, field), field.unit);
                       const SliderChange c = typed_number(
                           p, r, {label.c_str(), shown, {}, has_fault(column.frame, path)}, entry_);
                       if (c.kind == SliderChange::Kind::typed)
                       {
                           std::string message;
                           if (list != nullptr)
                           {
                               const auto values = parse_list(c.text);
                               message = values ? "" : "give the layers of each stage, like 21 20 20 19";
                               object.*(*list) = values.value_or(object.*(*list));
                           }
                           else
                           {
                               std::string number = c.text;
                               if (!field.unit.empty() && number.ends_with(field.unit))
                               {
                                   number.resize(number.size() - field.unit.size());
                               }
                               message = set_number(object, field, number);
                           }
                           own_shape(next, at);
                           message.empty() ? change(column, next) : refuse(path, message);
                       }
                   }
                   tooltip(p, field.says);
               });
    draw_faults(column, path);
}

void Panel::draw_control(Column& column, std::string_view id)
{
    const auto knob =
        std::find_if(kKnobs.begin(), kKnobs.end(), [id](const KnobRow& row) { return row.id == id; });
    if (knob != kKnobs.end())
    {
        draw_knob(column, knob->path, knob->knob, knob->label);
    }
    else if (id == "model")
    {
        draw_model_preset(column);
    }
    else if (id == "model_size")
    {
        draw_model_size(column);
    }
    else if (id == "gpu")
    {
        draw_gpu_preset(column);
    }
    else if (std::any_of(kSlides.begin(), kSlides.end(), [id](const Slide& s) { return s.path == id; }))
    {
        draw_real(column, id);
    }
    else
    {
        draw_field(column, id);
    }
}

void Panel::draw_more(Column& column)
{
    const Painter& p = column.painter;
    constexpr std::array<std::pair<const char*, std::string_view>, 7> kSections{
        {{"Layout", "parallel"},
         {"Training", "training"},
         {"Cluster", "cluster"},
         {"GPU", "cluster.gpu"},
         {"Model shape", "model"},
         {"Pipeline times", "stage_times"},
         {"Collective", "collective"}}};
    for (const auto& [title, prefix] : kSections)
    {
        bool& open = open_sections_.try_emplace(title, std::string_view(title) == "Training").first->second;
        const Rect r = column.row(32);
        const Press pressed = press(p, r, (std::string(title) + "###section " + title).c_str());
        p.text(r.x, r.middle(), Type::small_strong, p.theme.text,
               fmt::format("{}  {}", open ? "\u25bc" : "\u25b6", title));
        open = pressed.clicked ? !open : open;
        if (!open)
        {
            continue;
        }
        if (prefix == "cluster.gpu")
        {
            draw_gpu_preset(column);
        }
        std::vector<std::string> paths;
        Scenario copy = column.frame.scenario;
        each_field(copy,
                   [&](const std::string& path, auto&, const auto&)
                   {
                       const std::string_view rest =
                           std::string_view(path).substr(std::min(path.size(), prefix.size()));
                       if (path.starts_with(prefix) && rest.starts_with('.') &&
                           rest.find('.', 1) == std::string_view::npos)
                       {
                           paths.push_back(path);
                       }
                   });
        for (const std::string& path : paths)
        {
            if (std::find(drawn_.begin(), drawn_.end(), path) == drawn_.end())
            {
                draw_field(column, path);
            }
        }
    }
}

void Panel::draw_menu(Column& column)
{
    const Painter& p = column.painter;
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{p.px(8), p.px(8)});
    const PopupScope popup("scenario menu");
    if (!popup)
    {
        return;
    }
    const FontScope font(p.look.fonts.of(Type::small));
    struct Entry
    {
        const char* label;
        const char* key;
        Command command;
        bool enabled;
    };
    const std::array entries{Entry{"Undo", "Ctrl+Z", Command::undo, column.frame.can_undo},
                             Entry{"Redo", "Ctrl+Y", Command::redo, column.frame.can_redo},
                             Entry{"Copy as text", "Ctrl+C", Command::copy, true},
                             Entry{"Paste", "Ctrl+V", Command::paste, true},
                             Entry{"Reset to the default", "Ctrl+0", Command::reset, true}};
    for (const Entry& entry : entries)
    {
        if (ImGui::MenuItem(entry.label, entry.key, false, entry.enabled))
        {
            column.out.push(entry.command);
        }
    }
    ImGui::Separator();
    for (const ScenarioPreset& preset : column.frame.presets.scenarios)
    {
        if (ImGui::MenuItem(preset.name.c_str()))
        {
            column.out.push(LoadScenario{preset.id});
        }
        tooltip(p, preset.about);
    }
}

void Panel::draw_heading(Column& column)
{
    const Painter& p = column.painter;
    Rect r = column.row(32);
    const Rect menu = r.cut_right(p.px(32));
    r.cut_right(p.px(4));
    const Rect redo = r.cut_right(p.px(32));
    const Rect undo = r.cut_right(p.px(32));
    p.text_within(r.x, r.middle(), r.w, Type::body_strong, p.theme.text, "Scenario");
    const auto icon =
        [&](Rect box, const char* id, std::string_view glyph, bool enabled, std::string_view says)
    {
        const Press pressed = press(p, box, id);
        if (pressed.hovered)
        {
            p.fill(box, p.theme.raised, p.px(6));
        }
        p.text(box.centre(), box.middle(), Type::body, enabled ? p.theme.text : p.theme.line, glyph,
               Align::centre);
        tooltip(p, says);
        return pressed.clicked;
    };
    if (icon(undo, "Undo", "\u21b6", column.frame.can_undo, "Undo (Ctrl+Z)"))
    {
        column.out.push(Command::undo);
    }
    if (icon(redo, "Redo", "\u21b7", column.frame.can_redo, "Redo (Ctrl+Y)"))
    {
        column.out.push(Command::redo);
    }
    if (icon(menu, "Scenario menu", "\u22ef", true, "Copy, paste, reset, examples"))
    {
        ImGui::OpenPopup("scenario menu");
    }
    draw_menu(column);
    column.row(8);
}

void Panel::draw_costs(Column& column)
{
    const Painter& p = column.painter;
    const Frame& f = column.frame;
    const MemoryReport& memory = f.now.report.memory;
    const double total = memory.worst().total().value;
    const double capacity = memory.capacity.value;
    Rect r = column.row(32);
    p.text(r.x, r.middle(), Type::body_strong, p.theme.text, "What it costs");
    r = column.row(48);
    const std::string unit(p.look.gigabyte());
    p.text(r.x, r.middle(), Type::display, memory.fits() ? p.theme.text : p.theme.warning,
           format_gigabytes(Bytes(total), p.look.unit) + " " + unit);
    r = column.row(24);
    p.text_within(r.x, r.middle(), r.w, Type::small, p.theme.muted,
                  fmt::format("of {} {} on the fullest GPU",
                              plain_number(in_gigabytes(Bytes(capacity), p.look.unit)), unit));
    r = column.row(24);
    p.meter({r.x, r.middle() - p.px(4), r.w, p.px(8)}, total, capacity, std::max(total, capacity * 1.15));
    column.row(8);
    const auto line = [&](std::string_view label, std::string value, std::string before)
    {
        const Rect row = column.row(28);
        p.text(row.x, row.middle(), Type::small, p.theme.muted, label);
        const float w =
            p.text(row.right(), row.middle(), Type::mono_small, p.theme.text, value, Align::right);
        if (!before.empty() && before != value)
        {
            p.text(row.right() - w - p.px(8), row.middle(), Type::mono_small, p.theme.muted,
                   before + " \u2192", Align::right);
        }
    };
    const Evaluated* a = f.before;
    const auto both = [&](std::string_view label, auto&& value)
    { line(label, value(f.now), a != nullptr ? value(*a) : std::string()); };
    if (a != nullptr)
    {
        both("Memory", [&](const Evaluated& e)
             { return format_gigabytes(e.report.memory.worst().total(), p.look.unit); });
    }
    both("Parameters",
         [](const Evaluated& e) { return format_count(static_cast<double>(e.report.parameters.total)); });
    both("Data parallel", [](const Evaluated& e) { return grouped(data_parallel(e.scenario)); });
    both("Micro-batches", [](const Evaluated& e) { return grouped(micro_batches(e.scenario)); });
    both("Bubble of total",
         [](const Evaluated& e) { return format_percent(e.report.pipeline.timeline.bubble_of_total()); });
    both("EFLOP a step",
         [](const Evaluated& e) { return three_digits(e.report.compute.model_step.value / 1e18); });
    both("All-reduce", [](const Evaluated& e) { return format_seconds(e.report.collective.cost.total()); });
}

void Panel::draw(const Frame& frame, const Painter& window, Rect area, const ViewInfo& info, View& view,
                 Out& out)
{
    window.fill(area, window.theme.panel);
    window.line(area.x, area.y, area.x, area.bottom(), window.theme.grid);
    ImGui::SetCursorScreenPos(area.min());
    const ChildScope child("###panel", {area.w, area.h});
    const Painter painter(*ImGui::GetWindowDrawList(), window.look);
    const float margin = painter.px(24);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    Column column{frame, painter, {top.x + margin, top.y + painter.px(16), area.w - 2 * margin, 1e6F}, out};
    drawn_.clear();
    draw_heading(column);
    for (const std::string_view id : info.controls)
    {
        draw_control(column, id);
    }
    Rect r = column.row(24);
    const Scenario& s = frame.scenario;
    painter.text_within(r.x, r.middle(), r.w, Type::small, painter.theme.muted,
                        fmt::format("DP {}, {} micro-batch{}", grouped(data_parallel(s)),
                                    grouped(micro_batches(s)), micro_batches(s) == 1 ? "" : "es"));
    r = column.row(28);
    const Press pressed = press(painter, r, "More###more");
    painter.text(r.x, r.middle(), Type::small_strong, painter.theme.text,
                 more_ ? "Less  \u25b2" : "More  \u25bc");
    tooltip(painter, "Every field of the scenario (M)");
    more_ = pressed.clicked ? !more_ : more_;
    if (more_)
    {
        draw_more(column);
    }
    draw_other_faults(column);
    r = column.row(24);
    painter.line(r.x, r.middle(), r.right(), r.middle(), painter.theme.grid);
    const float left = std::max(top.y + area.h - column.area.y, painter.px(300));
    Rect own{column.area.x, column.area.y, column.area.w, left};
    if (!view.draw_panel(frame, painter, own, out))
    {
        draw_costs(column);
    }
    else
    {
        column.area.y = own.y + painter.px(300);
    }
    ImGui::SetCursorScreenPos({top.x, column.area.y + painter.px(8)});
    ImGui::Dummy({1, 1}); // so that the child knows how far it scrolls
}

} // namespace ringside
