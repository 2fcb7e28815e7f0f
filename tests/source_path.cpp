#include "tests/source_path.h"

namespace ringside::test
{

std::string source_path(std::string_view file)
{
    return std::string(RINGSIDE_SOURCE_DIR "/").append(file);
}

} // namespace ringside::test
