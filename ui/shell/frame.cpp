#include "ui/shell/frame.h"

namespace ringside
{

void Out::push(Action action)
{
    actions.push_back(std::move(action));
}

} // namespace ringside
