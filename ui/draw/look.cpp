#include "ui/draw/look.h"

namespace ringside
{

namespace
{

// ImGui sizes a font by ascent minus descent, not by the em: these are that ratio for the two families.
constexpr float kInterFactor = 1.2102F;
constexpr float kMonoFactor = 1.32F;

struct Face
{
    float em;
    bool strong;
    bool mono;
};
constexpr std::array<Face, kTypes> kFaces{{{14, false, false},
                                           {14, true, false},
                                           {17, false, false},
                                           {17, true, false},
                                           {22, true, false},
                                           {32, true, false},
                                           {14, false, true},
                                           {17, false, true},
                                           {22, false, true}}};

ImVec4 vec(Colour colour)
{
    return ImGui::ColorConvertU32ToFloat4(colour);
}

} // namespace

const ImWchar* glyph_ranges()
{
    // Only what people write: each of these is rendered nine times before the first frame.
    static constexpr std::array<ImWchar, 61> kRanges{0x0020, 0x017F, // Latin
                                                     0x0391, 0x03C9, // Greek
                                                     0x1D2C, 0x1D6A, // modifier letters
                                                     0x2009, 0x203A, // thin space, dashes, quotes
                                                     0x2044, 0x2044, // fraction slash, which people type
                                                     0x2070, 0x209C, // superscripts and subscripts
                                                     0x20AC, 0x20AC, // euro, which people type
                                                     0x2153, 0x215E, // fractions, which people type
                                                     0x2190, 0x2199, // arrows
                                                     0x21A6, 0x21A6, // maps to
                                                     0x21B0, 0x21B7, // arrows that turn
                                                     0x21D0, 0x21D5, // double arrows
                                                     0x2200, 0x220B, // for all, exists, in, nabla
                                                     0x220F, 0x221E, // products, sums, roots, infinity
                                                     0x2223, 0x222B, // divides, and, or, sets, integral
                                                     0x2234, 0x2237, // therefore, ratio
                                                     0x223C, 0x223C, // similar
                                                     0x2243, 0x2248, // about
                                                     0x2254, 0x2254, // is defined as
                                                     0x2260, 0x2265, // not equal, at most, at least
                                                     0x226A, 0x226B, // much less, much greater
                                                     0x2282, 0x2287, // subsets
                                                     0x2295, 0x2299, // circled operators
                                                     0x22A4, 0x22A5, // top, bottom
                                                     0x22C0, 0x22C6, // large operators, dot, star
                                                     0x22EE, 0x22EF, // dots
                                                     0x2308, 0x230B, // rounding up and down
                                                     0x25A0, 0x25CF, // shapes
                                                     0x2713, 0x2717, // ticks and crosses
                                                     0x2C7C, 0x2C7C, // subscript j
                                                     0};
    return kRanges.data();
}

namespace
{

float em_of(const Face& face, bool presenter)
{
    return !presenter      ? face.em
           : face.em <= 14 ? 22.0F
           : face.em <= 17 ? 28.0F
           : face.em <= 22 ? 40.0F
                           : 56.0F;
}

} // namespace

FaceStyle style_of(Type type)
{
    const Face& face = kFaces.at(static_cast<std::size_t>(type));
    return {face.strong, face.mono, face.mono ? kMonoFactor : kInterFactor};
}

Fonts load_fonts(ImFontAtlas& atlas, const FontFiles& files, float scale, bool presenter)
{
    atlas.Clear();
    Fonts fonts;
    for (std::size_t i = 0; i < kTypes; ++i)
    {
        const Face& face = kFaces[i];
        const std::string& file = face.mono ? files.figures : face.strong ? files.strong : files.words;
        const std::string& more = face.mono ? files.more_figures : files.more_words;
        const float size =
            std::round(em_of(face, presenter) * scale * (face.mono ? kMonoFactor : kInterFactor));
        if (!std::filesystem::exists(file))
        {
            ImFontConfig plain;
            plain.SizePixels = size;
            fonts.faces[i] = atlas.AddFontDefault(&plain);
            continue;
        }
        ImFontConfig config;
        config.OversampleH = config.OversampleV = 1;
        fonts.faces[i] = atlas.AddFontFromFileTTF(file.c_str(), size, &config, glyph_ranges());
        if (std::filesystem::exists(more))
        {
            config.MergeMode = true;
            atlas.AddFontFromFileTTF(more.c_str(), size, &config, glyph_ranges());
        }
    }
    return fonts;
}

void apply_style(ImGuiStyle& style, const Look& look)
{
    const Theme& t = look.theme;
    style = ImGuiStyle();
    style.WindowPadding = {0, 0};
    style.WindowBorderSize = 0;
    style.WindowRounding = 0;
    style.WindowMinSize = {1, 1};
    style.FramePadding = {look.px(8), look.px(6)};
    style.FrameRounding = look.px(6);
    style.FrameBorderSize = 1;
    style.ItemSpacing = {look.px(8), look.px(8)};
    style.ItemInnerSpacing = {look.px(8), look.px(4)};
    style.PopupRounding = look.px(8);
    style.PopupBorderSize = 1;
    style.ScrollbarSize = look.px(10);
    style.ScrollbarRounding = look.px(5);
    style.HoverDelayShort = kTipDelay;
    ImVec4* c = style.Colors;
    c[ImGuiCol_Text] = vec(t.text);
    c[ImGuiCol_TextDisabled] = vec(t.muted);
    c[ImGuiCol_WindowBg] = vec(t.window);
    c[ImGuiCol_ChildBg] = {0, 0, 0, 0};
    c[ImGuiCol_PopupBg] = vec(t.control);
    c[ImGuiCol_Border] = vec(t.line);
    c[ImGuiCol_FrameBg] = vec(t.control);
    c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_FrameBgActive] = vec(t.raised);
    c[ImGuiCol_Button] = vec(t.control);
    c[ImGuiCol_ButtonHovered] = c[ImGuiCol_ButtonActive] = vec(t.raised);
    c[ImGuiCol_Header] = vec(t.raised);
    c[ImGuiCol_HeaderHovered] = c[ImGuiCol_HeaderActive] = vec(t.raised);
    c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
    c[ImGuiCol_ScrollbarGrab] = vec(t.raised);
    c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = vec(t.line);
    c[ImGuiCol_TextSelectedBg] = vec(t.line);
    c[ImGuiCol_NavHighlight] = vec(t.text);
    c[ImGuiCol_ModalWindowDimBg] = vec(with_alpha(t.window, 0.7F));
    c[ImGuiCol_Separator] = vec(t.grid);
}

} // namespace ringside
