// What a page keeps: the files of the program's own folders, mirrored in the browser's localStorage.
#pragma once

#include <string>

namespace ringside::page
{

// Puts back what was kept. Before the first file is read.
void restore_files();
// Keeps the files that have changed; empty, or why the browser would not.
std::string keep_files();
// Gives the person a file.
void download(const std::string& name, const std::string& text);
// The canvas as a PNG, once it has been drawn.
void download_picture(const std::string& name);

} // namespace ringside::page
