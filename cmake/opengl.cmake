# What draws on a screen or into a picture: GLFW, EGL, and glad 2's loader, generated at build time.
find_package(glfw3 3.3 REQUIRED)
pkg_check_modules(egl REQUIRED IMPORTED_TARGET egl)
find_program(RINGSIDE_GLAD glad PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT RINGSIDE_GLAD)
    find_program(RINGSIDE_GLAD glad REQUIRED)
endif()
set(glad_folder ${PROJECT_BINARY_DIR}/glad)
add_custom_command(OUTPUT ${glad_folder}/src/gl.c ${glad_folder}/include/glad/gl.h
    COMMAND ${RINGSIDE_GLAD} --quiet --reproducible --api gl:core=3.3 --extensions= --out-path ${glad_folder} c
    COMMENT "Generating the OpenGL 3.3 loader" VERBATIM)
add_library(glad STATIC ${glad_folder}/src/gl.c ${glad_folder}/include/glad/gl.h)
target_include_directories(glad SYSTEM PUBLIC ${glad_folder}/include)

add_library(imgui_opengl STATIC ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
target_include_directories(imgui_opengl SYSTEM PUBLIC ${imgui_SOURCE_DIR}/backends)
target_link_libraries(imgui_opengl PUBLIC imgui glfw ${CMAKE_DL_LIBS})
