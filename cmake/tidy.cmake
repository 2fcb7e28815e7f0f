# clang-tidy beside the compiler, and clang-format as targets. Included after the dependencies, so that only targets of
# ours are looked at; tests/CMakeLists.txt switches it off again before Catch2 is built.
option(RINGSIDE_TIDY "Run clang-tidy on every source of core, ui and app while compiling" OFF)
if(RINGSIDE_TIDY)
    find_program(RINGSIDE_CLANG_TIDY NAMES clang-tidy clang-tidy-14 REQUIRED)
    set(CMAKE_CXX_CLANG_TIDY ${RINGSIDE_CLANG_TIDY} --quiet)
endif()

# `format` rewrites our sources in the house format, `format-check` fails where one is not in it.
find_program(RINGSIDE_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(RINGSIDE_CLANG_FORMAT)
    file(GLOB_RECURSE ringside_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${PROJECT_SOURCE_DIR}/core/*.cpp ${PROJECT_SOURCE_DIR}/core/*.h ${PROJECT_SOURCE_DIR}/core/*.cu
         ${PROJECT_SOURCE_DIR}/ui/*.cpp ${PROJECT_SOURCE_DIR}/ui/*.h
         ${PROJECT_SOURCE_DIR}/app/*.cpp ${PROJECT_SOURCE_DIR}/app/*.h
         ${PROJECT_SOURCE_DIR}/tests/*.cpp ${PROJECT_SOURCE_DIR}/tests/*.h)
    add_custom_target(format COMMAND ${RINGSIDE_CLANG_FORMAT} -i ${ringside_sources}
                      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "clang-format over our sources" VERBATIM)
    add_custom_target(format-check COMMAND ${RINGSIDE_CLANG_FORMAT} --dry-run -Werror ${ringside_sources}
                      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "clang-format, looking only" VERBATIM)
endif()
