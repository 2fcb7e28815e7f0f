// Dear ImGui's configuration in the tests: its assertions are on in every build, and are reported, not fatal.
#pragma once

void ringside_imgui_assertion_failed(const char* expression, const char* file, int line);

#define IM_ASSERT(expression)                                                                                \
    ((expression) ? static_cast<void>(0) : ringside_imgui_assertion_failed(#expression, __FILE__, __LINE__))
