// `ringside animate`: a view's motion as a film, drawn with no display.
#pragma once

#include "app/window/film.h"
#include "app/window/picture.h"

namespace ringside
{

int run_animate(const CommonOptions& common, const PictureOptions& options, const FilmOptions& film);

} // namespace ringside
