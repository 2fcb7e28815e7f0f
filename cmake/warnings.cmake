# One interface target that every target of ours links: warnings, floating-point rules, sanitizers.
add_library(ringside_options INTERFACE)
target_compile_features(ringside_options INTERFACE cxx_std_20)
target_include_directories(ringside_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ringside_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
    -Werror
    # Golden numbers must agree between compilers, so no fused multiply-add behind our back.
    -ffp-contract=off)

# GCC 12 sees an overlapping copy in std::string's operator+ where there is none (gcc.gnu.org/PR105651).
target_compile_options(ringside_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# clang 14 crashes on fmt 9's compile-time format check inside a template (github.com/fmtlib/fmt/issues/2455); GCC keeps it.
target_compile_definitions(ringside_options INTERFACE
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,15>>:FMT_CONSTEVAL=>)

option(RINGSIDE_FUZZ "Programs of libFuzzer for every reader (clang)" OFF)
if(RINGSIDE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(RINGSIDE_SANITIZE "" CACHE STRING "Sanitizers for every target, for example address,undefined or thread")
if(RINGSIDE_SANITIZE)
    add_compile_options(-fsanitize=${RINGSIDE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${RINGSIDE_SANITIZE})
    # GCC 12 then takes the automaton of std::regex for uninitialized (gcc.gnu.org/PR105562).
    target_compile_options(ringside_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
