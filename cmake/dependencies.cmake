# Finds what the system has and fetches what it has not.
# Packages: GLFW, nlohmann/json, fmt, CLI11, muParser, md4c, yaml-cpp, toml++, zlib, stb, FreeType, EGL (installed by ./run).
# From source: Dear ImGui 1.90.1 and Catch2 3.7.1, because Debian 12 ships versions that do not serve (see CONTRIBUTING.md).
include(FetchContent)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
# Not by its CMake file, which asks for the HTML library that libmd4c-dev does not bring along.
pkg_check_modules(md4c REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(yaml-cpp REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

include(cmake/debian_source.cmake)
if(RINGSIDE_TESTS)
    ringside_prefer_debian_source(catch2 catch2)
endif()
FetchContent_Declare(catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2.git GIT_TAG v3.7.1 GIT_SHALLOW TRUE)
