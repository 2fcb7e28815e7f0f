# The npm package, build/npm: `./run npm` builds the target npm. Two modules of WebAssembly on the page's libraries: the
# engine alone, and one that draws views as SVG, too. Their commands need the run-time types of CLI11's faults.
set(package ${PROJECT_SOURCE_DIR}/build/npm)
file(MAKE_DIRECTORY ${package})
file(CREATE_LINK /usr/include/CLI ${page_headers}/CLI SYMBOLIC)
file(GLOB npm_console app/commands/console/*.cpp)
list(FILTER npm_console EXCLUDE REGEX "replayed|/input\\.cpp")
set(npm_commands ${npm_console} app/commands/console/input.cpp app/npm/engine.cpp app/commands/evaluate_command.cpp
    app/commands/schedule_command.cpp app/commands/collective_command.cpp app/commands/link_command.cpp
    app/commands/serve/served_command.cpp app/commands/serve/serve_command.cpp app/commands/serve/line_reader.cpp)
file(GLOB npm_search app/commands/search/*.cpp)
list(TRANSFORM npm_commands REPLACE "^app/" "${PROJECT_SOURCE_DIR}/app/")

add_library(npm_commands OBJECT EXCLUDE_FROM_ALL ${npm_commands} ${npm_search})
target_link_libraries(npm_commands PRIVATE ringside_core ringside_study imgui_headers)
ringside_quick_build(npm_commands)
# The engine alone reads no files but its own.
add_executable(npm_engine EXCLUDE_FROM_ALL app/npm/commands.cpp app/npm/absent.cpp app/files/files.cpp app/files/streams.cpp
    app/session/work_runner.cpp $<TARGET_OBJECTS:npm_commands>)
target_link_libraries(npm_engine PRIVATE ringside_core imgui_headers)
# The page's session and files, without what has a canvas.
add_executable(npm_drawing EXCLUDE_FROM_ALL app/npm/drawing_commands.cpp app/npm/fields.cpp app/window/picture.cpp app/window/stage.cpp
    app/commands/console/replayed.cpp app/commands/explain_command.cpp app/commands/rent_command.cpp
    app/commands/study/question_command.cpp $<TARGET_OBJECTS:npm_commands>
    $<FILTER:$<TARGET_OBJECTS:page>,EXCLUDE,app_page|app_commands|console/input>)
target_link_libraries(npm_drawing PRIVATE ringside_ui ringside_parallel imgui)
foreach(target npm_commands npm_engine npm_drawing)
    target_compile_definitions(${target} PRIVATE RINGSIDE_SOURCE_ASSETS="/ringside" RINGSIDE_VERSION="${PROJECT_VERSION}")
    target_include_directories(${target} SYSTEM PRIVATE ${page_headers})
endforeach()
foreach(target npm_commands npm_drawing)
    target_compile_options(${target} PRIVATE -frtti)
endforeach()
foreach(module engine drawing)
    set_target_properties(npm_${module} PROPERTIES SUFFIX .mjs OUTPUT_NAME ${module} RUNTIME_OUTPUT_DIRECTORY ${package})
    target_link_options(npm_${module} PRIVATE --no-entry "SHELL:-s MODULARIZE=1" "SHELL:-s EXPORT_ES6=1"
        "SHELL:-s ENVIRONMENT=web,worker" "SHELL:-s ALLOW_MEMORY_GROWTH=1" "SHELL:-s MAXIMUM_MEMORY=4gb"
        "SHELL:-s TOTAL_STACK=4194304" "SHELL:-s FORCE_FILESYSTEM=1"
        "SHELL:-s EXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8"
        "SHELL:-s EXPORTED_FUNCTIONS=_malloc,_free,_ringside_answer" -Oz)
endforeach()
file(GLOB npm_sources CONFIGURE_DEPENDS app/npm/*)
add_custom_target(npm ${RINGSIDE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/npm_files.py ${PROJECT_SOURCE_DIR} ${package} ${share}/fonts
    DEPENDS ${npm_sources} cmake/npm_files.py VERBATIM)
add_dependencies(npm npm_engine npm_drawing page_fonts)
