#include "app/window/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glad/gl.h>

#include "app/files/files.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#ifndef __clang_analyzer__ // which follows the calls into stb and reports what it does there
#define STB_IMAGE_WRITE_IMPLEMENTATION
#endif
#include <stb_image_write.h>

#include <algorithm>
#include <array>
#include <string>

namespace ringside
{

namespace
{

// An OpenGL context without a surface.
class EglContext
{
public:
    EglContext(EGLDisplay display, EGLContext context) : display_(display), context_(context) {}
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;
    ~EglContext()
    {
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }

private:
    EGLDisplay display_;
    EGLContext context_;
};

// A framebuffer in the OpenGL context that is current, and ImGui's renderer in ImGui's current context.
class Target final : public Offscreen
{
public:
    // In a context of its own where one is given.
    Target(int width, int height, std::unique_ptr<EglContext> context = nullptr)
        : context_(std::move(context)), width_(width), height_(height)
    {
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    ~Target() override
    {
        if (ready_)
        {
            ImGui_ImplOpenGL3_Shutdown();
        }
        glDeleteRenderbuffers(1, &colour_);
        glDeleteFramebuffers(1, &framebuffer_);
    }

    bool start()
    {
        glGenFramebuffers(1, &framebuffer_);
        glGenRenderbuffers(1, &colour_);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        glBindRenderbuffer(GL_RENDERBUFFER, colour_);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_, height_);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
        ready_ = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE &&
                 ImGui_ImplOpenGL3_Init("#version 330");
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        return ready_;
    }

    void upload_fonts() override { ringside::upload_fonts(); }

    void draw() override
    {
        ImGui_ImplOpenGL3_NewFrame();
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        paint_frame(width_, height_);
        glFinish();
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }

    Image read() override
    {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        Image image = read_frame(width_, height_);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        for (std::size_t i = 3; i < image.rgba.size(); i += 4)
        {
            image.rgba[i] = 255; // blending left its own alpha there
        }
        return image;
    }

private:
    std::unique_ptr<EglContext> context_; // first, so that it goes last
    int width_;
    int height_;
    GLuint framebuffer_ = 0;
    GLuint colour_ = 0;
    bool ready_ = false;
};

EGLDisplay surfaceless_display()
{
    const auto platform_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    EGLDisplay display = platform_display != nullptr
                             ? platform_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr)
                             : EGL_NO_DISPLAY;
    return display != EGL_NO_DISPLAY ? display : eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

} // namespace

Result<std::unique_ptr<Offscreen>> Offscreen::create(int width, int height)
{
    const Issue missing{"", "pictures need EGL with OpenGL 3.3, which this machine lacks",
                        "on Debian: apt-get install libegl1 libgl1-mesa-dri"};
    EGLDisplay display = surfaceless_display();
    EGLint major = 0;
    EGLint minor = 0;
    if (display == EGL_NO_DISPLAY || eglInitialize(display, &major, &minor) == EGL_FALSE ||
        eglBindAPI(EGL_OPENGL_API) == EGL_FALSE)
    {
        return missing;
    }
    constexpr std::array<EGLint, 5> kConfig{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                                            EGL_PBUFFER_BIT, EGL_NONE};
    constexpr std::array<EGLint, 7> kContext{EGL_CONTEXT_MAJOR_VERSION,
                                             3,
                                             EGL_CONTEXT_MINOR_VERSION,
                                             3,
                                             EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglChooseConfig(display, kConfig.data(), &config, 1, &count);
    EGLContext context =
        eglCreateContext(display, count > 0 ? config : nullptr, EGL_NO_CONTEXT, kContext.data());
    if (context == EGL_NO_CONTEXT ||
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_FALSE)
    {
        eglTerminate(display);
        return missing;
    }
    auto screen = std::make_unique<Target>(width, height, std::make_unique<EglContext>(display, context));
    if (gladLoadGL(eglGetProcAddress) == 0 || !screen->start())
    {
        return missing;
    }
    return std::unique_ptr<Offscreen>(std::move(screen));
}

std::unique_ptr<Offscreen> Offscreen::beside_window(int width, int height)
{
    auto target = std::make_unique<Target>(width, height);
    return target->start() ? std::move(target) : nullptr;
}

void upload_fonts()
{
    ImGui_ImplOpenGL3_DestroyDeviceObjects();
    ImGui_ImplOpenGL3_CreateDeviceObjects(); // the texture among them
    ImGui::GetIO().Fonts->ClearTexData();
}

// The shell's window has no ground of its own: to blend one over every pixel would cost a renderer in
// software more than all that stands on it.
void paint_frame(int width, int height)
{
    const ImVec4& ground = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    glViewport(0, 0, width, height);
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

Image read_frame(int width, int height)
{
    const auto row = static_cast<std::ptrdiff_t>(width) * 4;
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(row * height))};
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
    for (std::ptrdiff_t y = 0; y < height / 2; ++y)
    {
        const auto top = image.rgba.begin() + y * row;
        std::swap_ranges(top, top + row, image.rgba.begin() + (height - 1 - y) * row);
    }
    return image;
}

namespace
{

std::string big_endian(std::uint32_t value)
{
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U})
    {
        bytes += static_cast<char>(value >> shift & 0xFFU);
    }
    return bytes;
}

// The checksum of ISO 3309, as PNG has it behind each chunk (PNG specification, third edition, annex D).
std::uint32_t png_crc(std::string_view bytes)
{
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char byte : bytes)
    {
        crc ^= static_cast<std::uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
        {
            crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
    }
    return ~crc;
}

// A text chunk right behind the header, which is always of the same length.
void add_png_source(std::string& png, std::string_view text)
{
    constexpr std::size_t kHeaderEnd = 8 + 25;
    std::string chunk = "tEXtSource";
    chunk += '\0';
    chunk += text;
    png.insert(kHeaderEnd,
               big_endian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk + big_endian(png_crc(chunk)));
}

} // namespace

Issues save_png(const Image& image, const std::filesystem::path& path, std::string_view link)
{
    std::string bytes;
    const auto append = [](void* out, void* data, int size) {
        static_cast<std::string*>(out)->append(static_cast<const char*>(data),
                                               static_cast<std::size_t>(size));
    };
    if (stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.rgba.data(),
                               image.width * 4) == 0)
    {
        return {{path.string(), "the picture could not be encoded", "", Severity::error}};
    }
    if (!link.empty())
    {
        add_png_source(bytes, link);
    }
    return save_text(path, bytes);
}

} // namespace ringside
