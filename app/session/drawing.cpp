#include "app/session/drawing.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/base/text/xml.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

bool is_modifier(const ImGuiInputEvent& event)
{
    return event.Type == ImGuiInputEventType_Key && (event.Key.Key & ImGuiMod_Mask_) != 0;
}

// Ctrl let go in the same frame as the Q it was pressed with would hide the chord, so that release waits a
// frame.
ImVector<ImGuiInputEvent> after_first_chord(ImVector<ImGuiInputEvent>& queue)
{
    ImVector<ImGuiInputEvent> later;
    bool pressed = false;
    for (int i = 0; i < queue.Size; ++i)
    {
        const ImGuiInputEvent& event = queue[i];
        if (pressed && is_modifier(event))
        {
            for (int k = i; k < queue.Size; ++k)
            {
                later.push_back(queue[k]);
            }
            queue.resize(i);
            break;
        }
        pressed = pressed || (event.Type == ImGuiInputEventType_Key && event.Key.Down && !is_modifier(event));
    }
    return later;
}

// Type of a presenter is for the back row: it has the same share of any height above 1080 lines. In steps,
// or the fonts would be loaded again for every pixel that a window is dragged by.
float growth_of_projector(float display_scale)
{
    constexpr float kLines = 1080;
    constexpr float kSteps = 12; // of a doubling: 1440 lines are a whole number of them
    const float height = ImGui::GetIO().DisplaySize.y / (kLines * display_scale);
    return std::max(1.0F, std::floor(height * kSteps) / kSteps);
}

constexpr float kLargestType = 4; // times the design's: a larger atlas is more than renderers take

} // namespace

FontFiles find_fonts(const std::filesystem::path& assets)
{
    const auto file = [&](std::string_view name) { return find_font(assets, name).string(); };
    return {file("Inter-Regular.otf"), file("Inter-SemiBold.otf"), file("JetBrainsMono-Regular.ttf"),
            file("DejaVuSans.ttf"), file("DejaVuSansMono.ttf")};
}

namespace
{

// The mouse rests on what has a tip that does not show yet; without further frames it never would.
bool tip_is_due()
{
    return GImGui->HoverItemDelayId != 0 && GImGui->HoverItemDelayTimer < kTipDelay;
}

} // namespace

Drawing::Drawing(FontFiles fonts) : files_(std::move(fonts)), context_(ImGui::CreateContext())
{
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
}

Drawing::~Drawing()
{
    ImGui::DestroyContext(context_);
}

bool Drawing::prepare(const Preferences& preferences, float display_scale)
{
    const float chosen = std::clamp(preferences.text_scale, 0.75F, 2.5F) * display_scale;
    const float grown = preferences.presenter ? growth_of_projector(display_scale) : 1;
    const float type = std::max(chosen, std::min(chosen * grown, kLargestType));
    const float wanted = type * (preferences.presenter ? kPresenterScale : 1);
    if (wanted == scale_ && preferences.presenter == presenter_)
    {
        return false;
    }
    scale_ = wanted;
    presenter_ = preferences.presenter;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    fonts_ = load_fonts(atlas, files_, type, presenter_);
    atlas.Build();
    atlas.ClearInputData(); // ten megabytes of font files
    return true;
}

Look Drawing::look(const Preferences& preferences) const
{
    return {.theme = theme_of(preferences.light, preferences.high_contrast),
            .fonts = fonts_,
            .scale = scale_,
            .reduced_motion = preferences.reduced_motion,
            .unit = preferences.unit,
            .sketch = sketch_,
            .record = record_,
            .transcript = transcript_};
}

std::string Drawing::svg(const Sketch& sketch, const Session& session) const
{
    std::string svg = to_svg(sketch, *ImGui::GetDrawData(), look(session.preferences()));
    return svg.insert(svg.find('\n') + 1,
                      fmt::format("<metadata>{}</metadata>\n", escaped_xml(session.link_text())));
}

void Drawing::turn_page(Session& session)
{
    if (const std::string page = session.take_page(); !page.empty())
    {
        shell_.show(session.view(), page);
    }
    const View& view = shell_.view(session.view());
    session.note_place(view.page_on_show(), view.about_scenario());
}

Motion Drawing::motion(Session& session, double clock)
{
    turn_page(session);
    return shell_.motion(session.frame(clock));
}

bool Drawing::build(Session& session, double clock, double seconds)
{
    ImGui::GetIO().DeltaTime = std::max(1e-4F, static_cast<float>(seconds));
    const Preferences& preferences = session.preferences();
    const Look look = this->look(preferences);
    if (record_ != nullptr)
    {
        *record_ = {};
    }
    if (transcript_ != nullptr)
    {
        transcript_->begin();
    }
    ImGui::GetIO().FontDefault = fonts_.of(Type::small);
    apply_style(ImGui::GetStyle(), look);
    ImVector<ImGuiInputEvent>& queue = context_->InputEventsQueue;
    const ImVector<ImGuiInputEvent> later = after_first_chord(queue);
    ImGui::NewFrame();
    for (const ImGuiInputEvent& event : later)
    {
        queue.push_back(event);
    }
    if (!ImGui::IsMouseDown(0))
    {
        session.end_drag();
    }
    session.advance(seconds, motion(session, clock));
    Out out;
    bool acted = false;
    const auto settle = [&](Out& asked)
    {
        acted = acted || !asked.actions.empty();
        for (const Action& action : asked.actions)
        {
            session.apply(action);
        }
        asked.actions.clear();
        turn_page(session);
        return session.frame(clock);
    };
    shell_.draw(session.frame(clock), look, settle, out);
    ImGui::Render();
    if (transcript_ != nullptr)
    {
        transcript_->finish();
    }
    settle(out);
    return out.animating || session.playing() || session.works().busy() || acted || tip_is_due();
}

} // namespace ringside
