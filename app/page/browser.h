// What the browser does for the page: it keeps the files of the program's own folders in its localStorage,
// hands out downloads, and has an address with a history.
#pragma once

#include <string>

namespace ringside::page
{

// Puts back what was kept. Before the first file is read.
void restore_files();
// Keeps the files that have changed; empty, or why the browser would not.
std::string keep_files();
// Takes in what another tab has kept since: its progress and the lessons it finished, which are then merged.
void take_in_changes();
// Gives the user a file.
void download(const std::string& name, const std::string& text);
// The canvas as a PNG, once it has been drawn.
void download_picture(const std::string& name);

// The address of the page alone, and what stands behind it, from the `#` on.
std::string page_address();
std::string page_fragment();
// Whether the page stands in another one.
bool is_framed();
// Another view is a step of the browser's history; other changes are not.
void show_address(const std::string& address, bool step);

} // namespace ringside::page
