// Files: finding the assets, saving so that a crash never leaves half a file.
#pragma once

#include "core/base/text/read_text.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace ringside
{

// Where the presets are: --assets DIR, $RINGSIDE_ASSETS, <exe>/../share/ringside, the source tree of a
// development build.
Result<std::filesystem::path> find_assets(const std::string& asked);
// Where the fonts are: assets/../fonts of an installation, or the system's fonts.
std::filesystem::path find_font(const std::filesystem::path& assets, std::string_view file_name);

// "-", and the name the system has for it. A command that writes a file there prints nothing else there.
bool is_standard_output(std::string_view file);

// Writes beside the file, flushes to disk, renames over it. The old file stays until the new one is whole.
// A link stays and what it leads to is saved; a file that was there keeps its rights; a device or a pipe is
// written into; "-" is standard output.
Issues save_text(const std::filesystem::path& path, std::string_view text);
// Whether save_text() would get as far as writing, before hours of work depend on it. Nothing is left behind;
// a device or a pipe is not opened, as its reader would notice.
Issues check_can_save(const std::filesystem::path& path);
// save_text() without the flushing: for what is written many times a second and need not outlast a power cut.
Issues show_text(const std::filesystem::path& path, std::string_view text);

// Saves in the folder for downloads, under this name or with a number behind it, never over another file;
// returns where, or why not.
Result<std::filesystem::path> save_new(std::string_view name, std::string_view text);
// A name of that kind that is free, and so is the same with `beside` in place of its extension.
std::filesystem::path free_name(std::string_view name, std::string_view beside = {});

// Here and now: "2026-11-28".
std::string date_today();

// $XDG_DOWNLOAD_DIR or ~/Downloads; where there is none, the folder the program was started in.
std::filesystem::path downloads_folder();
std::filesystem::path cache_folder();  // $XDG_CACHE_HOME/ringside or ~/.cache/ringside
std::filesystem::path config_folder(); // $XDG_CONFIG_HOME/ringside or ~/.config/ringside
std::filesystem::path data_folder();   // $XDG_DATA_HOME/ringside or ~/.local/share/ringside

} // namespace ringside
