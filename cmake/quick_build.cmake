# What keeps a first build short: nearly all of a source's time goes into parsing the headers that every source includes.
# So each target has those precompiled, and the sources of one topic (core/memory, ui/widgets, a view's folder) compile
# together, a few at a time (a unity build); names in unnamed namespaces are therefore unique within it. Batches of views
# are small, so that building anew after an edit takes seconds. RINGSIDE_UNITY=OFF compiles each source by itself, which is how clang-tidy reads them.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG") # -O3 is for the trainer's kernels, which ask for it
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g") # what the sanitizers build: CMake's own would switch assertions off
option(RINGSIDE_UNITY "Compile the sources of a topic together" ON)
set(RINGSIDE_BATCH_BYTES 131072) # most source that is compiled together

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC collects garbage from 128 MB on by default, a tenth of its time in sources of this size.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()

# ringside_quick_build(TARGET HEADER... | REUSE_FROM TARGET): what is precompiled. A view's file belongs to the folder of
# its parts.
function(ringside_quick_build target)
    if(ARGV1 STREQUAL REUSE_FROM)
        target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    elseif(ARGN)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
    if(NOT RINGSIDE_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
    set(keyed "")
    foreach(source ${sources})
        string(REGEX REPLACE "_view\\.cpp$" "/" folder ${source})
        string(REGEX REPLACE "/[^/]*$" "" folder ${folder})
        string(REGEX REPLACE "^(${PROJECT_SOURCE_DIR}/((core|app)/[^/]*|ui/shell|ui/widgets))/.*" "\\1" folder ${folder})
        list(APPEND keyed "${folder}|${source}")
    endforeach()
    list(SORT keyed)
    set(last "")
    foreach(entry ${keyed})
        string(REPLACE "|" ";" entry ${entry})
        list(GET entry 0 folder)
        list(GET entry 1 source)
        file(SIZE ${source} bytes)
        math(EXPR filled "${filled} + ${bytes}")
        if(NOT folder STREQUAL last OR filled GREATER RINGSIDE_BATCH_BYTES)
            if(NOT folder STREQUAL last)
                set(batch 0)
            endif()
            math(EXPR batch "${batch} + 1")
            set(filled ${bytes})
            set(last ${folder})
            file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
            string(REPLACE "/" "_" name ${name})
        endif()
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
    endforeach()
endfunction()

# ringside_inline_less(TARGET): for readers, commands and views, whose time is not in their own loops. Inlining
# nlohmann/json and containers everywhere takes clang a third of its time there.
function(ringside_inline_less target)
    if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT EMSCRIPTEN)
        target_compile_options(${target} PRIVATE -O1 "SHELL:-mllvm -inline-threshold=25")
    endif()
endfunction()
