#pragma once

namespace ringside
{

// From now on the calling thread, and those it starts, let the others of this program and machine go first: a
// window keeps its frames while they compute, on few processors too. Nothing happens where the system
// refuses.
void give_way();

} // namespace ringside
