# Ringside as a page: `./run web` configures with emscripten. The same core and ui, the part of app that has no window,
# and app/page. What Debian has no WebAssembly library of is compiled from Debian's source packages.
option(RINGSIDE_PAGE_QUICK "Built and linked in less time, into build/web-quick: for tests" OFF)
set(page_folder ${PROJECT_SOURCE_DIR}/build/web)
set(link_optimization -Os)
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
if(RINGSIDE_PAGE_QUICK)
    set(page_folder ${PROJECT_SOURCE_DIR}/build/web-quick)
    set(link_optimization -O1) # without Binaryen's optimizer
    # Objects a third as large in a fifth less time, so the browser compiles less, too.
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG -mllvm -inline-threshold=25")
endif()
add_compile_options(-fwasm-exceptions $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
add_link_options(-fwasm-exceptions)

# Headers alone, apart from the system's others, which are not of this target.
set(page_headers ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${page_headers})
foreach(folder nlohmann fmt toml++)
    file(CREATE_LINK /usr/include/${folder} ${page_headers}/${folder} SYMBOLIC)
endforeach()
foreach(library nlohmann_json::nlohmann_json fmt::fmt PkgConfig::tomlplusplus Threads::Threads)
    add_library(${library} INTERFACE IMPORTED)
    target_include_directories(${library} SYSTEM INTERFACE ${page_headers})
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)

# ringside_page_library(NAME SOURCE_PACKAGE INCLUDES): of Debian 12, all of src/ but what has a main of its own.
function(ringside_page_library name package includes)
    set(folder ${PROJECT_SOURCE_DIR}/build/_sources/${package})
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/fetch_debian_source.sh ${package} ${folder} bookworm
                    COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
    file(GLOB sources ${folder}/src/*.cpp ${folder}/src/${package}.c)
    list(FILTER sources EXCLUDE REGEX "DLL|Test") # for Windows, and their own
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} SYSTEM PUBLIC ${folder}/${includes})
    target_compile_options(${name} PRIVATE -w)
    add_library(PkgConfig::${name} ALIAS ${name})
endfunction()
ringside_page_library(muparser muparser include)
ringside_page_library(md4c md4c src)
ringside_page_library(yaml-cpp yaml-cpp include)
target_compile_definitions(muparser PUBLIC MUPARSER_STATIC)
# What inflates of zlib, whose sources lie at the root of its package.
set(zlib_folder ${PROJECT_SOURCE_DIR}/build/_sources/zlib)
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/fetch_debian_source.sh zlib ${zlib_folder} bookworm
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
foreach(source adler32 crc32 inffast inflate inftrees zutil)
    list(APPEND zlib_sources ${zlib_folder}/${source}.c)
endforeach()
add_library(zlib STATIC ${zlib_sources})
target_include_directories(zlib SYSTEM PUBLIC ${zlib_folder})
target_compile_options(zlib PRIVATE -w)
add_library(ZLIB::ZLIB ALIAS zlib)

include(FetchContent)
include(cmake/debian_source.cmake)
ringside_prefer_debian_source(imgui imgui)
FetchContent_Declare(imgui GIT_REPOSITORY https://github.com/ocornut/imgui.git GIT_TAG v1.90.1 GIT_SHALLOW TRUE)
FetchContent_MakeAvailable(imgui)
add_library(imgui_headers INTERFACE)
target_include_directories(imgui_headers SYSTEM INTERFACE ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends)
# WebGL cannot begin at a vertex, so indices have 32 bits.
target_compile_definitions(imgui_headers INTERFACE IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS
    IMGUI_IMPL_OPENGL_ES3 "ImDrawIdx=unsigned int")
add_library(imgui STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
find_path(RINGSIDE_STB stb_truetype.h PATHS /usr/include/stb NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
file(COPY ${RINGSIDE_STB}/ DESTINATION ${page_headers}/stb) # Debian's imgui leaves its copies out
target_include_directories(imgui SYSTEM PRIVATE ${page_headers}/stb)
target_link_libraries(imgui PUBLIC imgui_headers)

# Sizes and places in a list have 32 bits there.
target_compile_options(ringside_options INTERFACE -include ${PROJECT_SOURCE_DIR}/app/page/libcxx.h -Wno-shorten-64-to-32)
set(RINGSIDE_KERNEL_OPTIONS -msimd128)
add_subdirectory(core)
add_subdirectory(ui)
file(GLOB page_sources CONFIGURE_DEPENDS app/page/*.cpp app/files/*.cpp app/session/*.cpp
     app/session/controllers/*.cpp app/sound/*.cpp)
add_executable(page ${page_sources} app/commands/console/input.cpp)
target_compile_definitions(page PRIVATE RINGSIDE_SOURCE_ASSETS="/ringside")
target_link_libraries(page PRIVATE ringside_ui ringside_parallel imgui)
ringside_quick_build(page)

# What it reads, in one file beside it; of the fonts only what the window can write.
set(share ${PROJECT_BINARY_DIR}/share)
find_program(RINGSIDE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED) # with fonttools
add_custom_command(OUTPUT ${share}/fonts/.complete
    COMMAND ${RINGSIDE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/subset_fonts.py ${PROJECT_SOURCE_DIR}/ui/draw/look.cpp ${share}/fonts
    COMMAND ${CMAKE_COMMAND} -E touch ${share}/fonts/.complete
    DEPENDS cmake/subset_fonts.py ui/draw/look.cpp VERBATIM)
add_custom_target(page_fonts DEPENDS ${share}/fonts/.complete)
add_dependencies(page page_fonts)
set(linked ${PROJECT_BINARY_DIR}/linked)
set_target_properties(page PROPERTIES SUFFIX .js OUTPUT_NAME ringside RUNTIME_OUTPUT_DIRECTORY ${linked})
set(first_assets)
set(rest_assets ${PROJECT_SOURCE_DIR}/lessons=/ringside/lessons)
file(GLOB folders RELATIVE ${PROJECT_SOURCE_DIR}/assets assets/*)
foreach(folder ${folders})
    if(folder MATCHES "^(questions|study|measured|recordings|runs)$")
        list(APPEND rest_assets ${PROJECT_SOURCE_DIR}/assets/${folder}=/ringside/${folder})
    elseif(NOT folder STREQUAL "films") # which only a program draws
        list(APPEND first_assets "SHELL:--preload-file ${PROJECT_SOURCE_DIR}/assets/${folder}@/ringside/${folder}")
    endif()
endforeach()
# With the functions' names, by which the module is split.
target_link_options(page PRIVATE --profiling-funcs -Wl,--no-demangle
    ${first_assets} "SHELL:--preload-file ${share}/fonts@/ringside/fonts" "SHELL:--exclude-file *.complete"
    "SHELL:-s ALLOW_MEMORY_GROWTH=1" "SHELL:-s MAXIMUM_MEMORY=4gb" "SHELL:-s TOTAL_STACK=4194304" "SHELL:-s ENVIRONMENT=web,worker"
    "SHELL:-s MIN_WEBGL_VERSION=2" "SHELL:-s MAX_WEBGL_VERSION=2" "SHELL:-s FILESYSTEM=1"
    "SHELL:-s EXPORTED_RUNTIME_METHODS=ccall" "SHELL:-s EXPORTED_FUNCTIONS=_main,_malloc,_free" ${link_optimization})
set(libraries)
foreach(library ringside_ui ringside_core ringside_study ringside_trainer ringside_parallel imgui muparser md4c yaml-cpp zlib)
    list(APPEND libraries $<TARGET_FILE:${library}>)
endforeach()
file(MAKE_DIRECTORY ${page_folder})
add_custom_command(TARGET page POST_BUILD
    COMMAND ${RINGSIDE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/split_page.py ${linked}/ringside.wasm ${page_folder} ${libraries}
        $<TARGET_OBJECTS:page> -- ${rest_assets}
    COMMAND ${CMAKE_COMMAND} -E copy ${linked}/ringside.js ${linked}/ringside.data ${page_folder}
    VERBATIM COMMAND_EXPAND_LISTS)
# What is only read is a part of the page too.
file(GLOB_RECURSE read_files CONFIGURE_DEPENDS assets/*.json assets/*.jsonl assets/*.md assets/*.txt lessons/*.json)
set_property(TARGET page APPEND PROPERTY LINK_DEPENDS ${read_files} ${PROJECT_SOURCE_DIR}/cmake/split_page.py)
foreach(file train.js webgpu.js mirror.js manifest.webmanifest)
    configure_file(app/page/${file} ${page_folder}/${file} COPYONLY)
endforeach()
configure_file(app/desktop/org.ringside.Ringside.svg ${page_folder}/icon.svg COPYONLY)
configure_file(docs/pictures/pipelines.png ${page_folder}/preview.png COPYONLY) # what a chat shows beside a link
# The kernels' text, {name: text}, which the lab fetches when a card is chosen.
file(GLOB kernels CONFIGURE_DEPENDS core/lab/trainer/webgpu/kernels/*.wgsl)
add_custom_command(OUTPUT ${page_folder}/kernels.json
    COMMAND ${RINGSIDE_PYTHON} -c "import json, pathlib, sys; print(json.dumps({p.stem: p.read_text() for p in map(pathlib.Path, sys.argv[2:])}), file=open(sys.argv[1], 'w'))"
        ${page_folder}/kernels.json ${kernels} DEPENDS ${kernels} VERBATIM)
add_custom_target(page_kernels DEPENDS ${page_folder}/kernels.json)
add_dependencies(page page_kernels)
# Last, as it names the build after all that is in it.
add_custom_target(web ALL ${RINGSIDE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/name_build.py ${PROJECT_SOURCE_DIR}/app/page ${page_folder}
    ringside.js ringside.wasm ringside.data rest.wasm rest.json train.js webgpu.js mirror.js manifest.webmanifest kernels.json
    icon.svg VERBATIM)
add_dependencies(web page)

# ImGui alone, whose first frame the page's test reports beside the program's.
add_executable(bare tests/page/bare.cpp)
add_dependencies(page bare)
target_link_libraries(bare PRIVATE imgui)
set_target_properties(bare PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bare)
target_link_options(bare PRIVATE "SHELL:-s MIN_WEBGL_VERSION=2" "SHELL:-s MAX_WEBGL_VERSION=2" "SHELL:-s ALLOW_MEMORY_GROWTH=1" -Os)
file(WRITE ${PROJECT_BINARY_DIR}/bare/index.html
    "<!doctype html><body><canvas id=canvas width=1280 height=800></canvas><script src=bare.js></script></body>")
