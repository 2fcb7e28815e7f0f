// Real pixels with no display: an EGL context without a surface, a framebuffer, and PNG files.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace ringside
{

struct Image
{
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba; // top row first
};

class Offscreen
{
public:
    // The issue says what is missing when there is no EGL.
    static Result<std::unique_ptr<Offscreen>> create(int width, int height);
    // In the OpenGL context of a window that is current, for ImGui's current context; null when it cannot be.
    static std::unique_ptr<Offscreen> beside_window(int width, int height);
    virtual ~Offscreen() = default;
    // Draws ImGui's last frame.
    virtual void draw() = 0;
    virtual Image read() = 0;
    // The font atlas changed.
    virtual void upload_fonts() = 0;
};

// For ImGui's current context and the OpenGL that is current. The atlas keeps no copy of its pixels.
void upload_fonts();
// ImGui's last frame, on the window's colour, into what is bound.
void paint_frame(int width, int height);

// What is bound, as it stands.
Image read_frame(int width, int height);

// With a link to what it shows, where one is given.
Issues save_png(const Image& image, const std::filesystem::path& path, std::string_view link = {});

} // namespace ringside
