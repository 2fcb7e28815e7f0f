#include "app/drawing.h"

#include "app/files.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kPresenterScale = 1.6F; // 14, 17, 22, 32 become 22, 28, 35, 52

}

FontFiles find_fonts(const std::filesystem::path& assets)
{
    const auto file = [&](std::string_view name) { return find_font(assets, name).string(); };
    return {file("Inter-Regular.otf"), file("Inter-SemiBold.otf"), file("JetBrainsMono-Regular.ttf"),
            file("DejaVuSans.ttf"), file("DejaVuSansMono.ttf")};
}

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
    const float wanted = std::clamp(preferences.text_scale, 0.75F, 2.5F) *
                         (preferences.presenter ? kPresenterScale : 1) * display_scale;
    if (wanted == scale_)
    {
        return false;
    }
    scale_ = wanted;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    fonts_ = load_fonts(atlas, files_, scale_);
    atlas.Build();
    return true;
}

bool Drawing::build(Session& session, double clock, double seconds)
{
    ImGui::GetIO().DeltaTime = std::max(1e-4F, static_cast<float>(seconds));
    const Preferences& preferences = session.preferences();
    const Look look{preferences.light ? light_theme() : dark_theme(), fonts_, scale_,
                    preferences.reduced_motion, preferences.unit};
    ImGui::GetIO().FontDefault = fonts_.of(Type::small);
    apply_style(ImGui::GetStyle(), look);
    ImGui::NewFrame();
    if (!ImGui::IsMouseDown(0))
    {
        session.end_drag();
    }
    session.advance(seconds, shell_.motion(session.frame(clock)));
    Out out;
    shell_.draw(session.frame(clock), look, out);
    ImGui::Render();
    for (const Action& action : out.actions)
    {
        session.apply(action);
    }
    return out.animating || session.playing() || !out.actions.empty();
}

} // namespace ringside
