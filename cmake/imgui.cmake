# Dear ImGui, built from source twice: once for the window, once with its test hooks for the headless tests.
# ui/ compiles against the headers only, so both programs draw with the very same object files.
ringside_prefer_debian_source(imgui imgui)
FetchContent_Declare(imgui GIT_REPOSITORY https://github.com/ocornut/imgui.git GIT_TAG v1.90.1 GIT_SHALLOW TRUE)
FetchContent_MakeAvailable(imgui)
find_package(Freetype REQUIRED)
find_path(RINGSIDE_STB stb_image_write.h PATH_SUFFIXES stb REQUIRED)

add_library(imgui_headers INTERFACE)
target_include_directories(imgui_headers SYSTEM INTERFACE ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/misc/freetype)
target_compile_definitions(imgui_headers INTERFACE IMGUI_ENABLE_FREETYPE IMGUI_DISABLE_OBSOLETE_FUNCTIONS)

foreach(library imgui imgui_testable)
    add_library(${library} STATIC
        ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
        ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp)
    target_link_libraries(${library} PUBLIC imgui_headers Freetype::Freetype)
    target_include_directories(${library} SYSTEM PRIVATE ${RINGSIDE_STB}) # Debian's source leaves its stb copies out
endforeach()
target_sources(imgui PRIVATE ${imgui_SOURCE_DIR}/imgui_demo.cpp) # `bench frame` compares with the demo window
target_compile_definitions(imgui_testable PRIVATE IMGUI_ENABLE_TEST_ENGINE IMGUI_DISABLE_DEMO_WINDOWS)
