// What the picture says, beside it in the page: for who hears it, searches it or copies it.
#pragma once

#include "ui/draw/transcript.h"

namespace ringside::page
{

// What each frame writes into.
Transcript& transcript();
// After a frame: tells the page what is new, at most a few times a second; while the picture plays, its
// sentence is not read aloud. Returns the seconds after which the rest is due; below 0: nothing is.
double show_transcript(double now, bool plays);

} // namespace ringside::page
