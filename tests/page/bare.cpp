// ImGui alone in a page: what the program's first frame is compared with.
#include <GLES3/gl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>

#include <imgui.h>
#include <imgui_impl_opengl3.h>

namespace
{

void frame()
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    ImGui::Begin("Bare");
    ImGui::TextUnformatted("ImGui alone");
    ImGui::End();
    ImGui::Render();
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace

int main()
{
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    emscripten_webgl_make_context_current(emscripten_webgl_create_context("#canvas", &wanted));
    ImGui::CreateContext();
    ImGui::GetIO().DisplaySize = {1280, 800};
    ImGui::GetIO().DeltaTime = 0.016F;
    ImGui_ImplOpenGL3_Init("#version 300 es");
    frame();
    frame();
    EM_ASM({
        requestAnimationFrame(function() {
            requestAnimationFrame(function() { document.body.dataset.drawn = performance.now(); });
        });
    });
    emscripten_exit_with_live_runtime();
}
