#include "app/npm/engine.h"

#include <emscripten.h>

#include "app/commands/serve/served_command.h"

// The answer stays until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* ringside_answer(const char* line)
{
    static const ringside::Program program{.commands = ringside::npm::commands(),
                                           .version = RINGSIDE_VERSION};
    static std::string answer;
    ringside::serve_line(program, line, answer);
    return answer.c_str();
}
