#include "app/page/browser.h"

#include <emscripten.h>

#include "app/files/files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

// clang-format off
EM_JS(int, is_in_frame, (), { return window.parent !== window; });
EM_JS(int, kept_count, (), { try { return localStorage.length; } catch (e) { return 0; } });
EM_JS(char*, kept_entry, (int place, int whole), {
    const name = localStorage.key(place);
    const text = whole ? localStorage.getItem(name) : name;
    const size = lengthBytesUTF8(text) + 1;
    const at = _malloc(size);
    stringToUTF8(text, at, size);
    return at;
});
EM_JS(char*, address_part, (int behind), {
    const text = behind ? location.hash : location.href.split('#')[0];
    const size = lengthBytesUTF8(text) + 1;
    const at = _malloc(size);
    stringToUTF8(text, at, size);
    return at;
});
EM_JS(void, go_to_address, (const char* text, int step), {
    const address = UTF8ToString(text);
    if (location.href === address) return;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
});
EM_JS(int, keep_text, (const char* name, const char* text), {
    try { localStorage.setItem(UTF8ToString(name), UTF8ToString(text)); return 1; } catch (e) { return 0; }
});
EM_JS(void, drop_text, (const char* name), { try { localStorage.removeItem(UTF8ToString(name)); } catch (e) {} });
EM_JS(void, download_text, (const char* name, const char* text, int size), {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([HEAPU8.slice(text, text + size)]));
    a.download = UTF8ToString(name);
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60000);
});
EM_JS(void, download_canvas, (const char* name), {
    const a = document.createElement('a');
    a.download = UTF8ToString(name);
    a.href = document.getElementById('canvas').toDataURL('image/png');
    a.click();
});
// clang-format on

namespace ringside::page
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kMark = "ringside:"; // before the path of a file

std::string taken(char* text)
{
    std::string all(text);
    std::free(text);
    return all;
}

// A lock, and what is not whole yet, are of no use to anybody.
bool is_worth_keeping(const fs::path& file)
{
    return file.extension() == ".json";
}

// A file of ours. Whatever shares the page's origin can write into the same storage, so other names are not
// believed, and left.
bool is_own(const fs::path& file)
{
    return is_worth_keeping(file) && file == file.lexically_normal() &&
           (file.parent_path() == config_folder() || file.parent_path() == data_folder());
}

// By path, as last seen in the browser.
std::map<std::string, std::string>& kept()
{
    static std::map<std::string, std::string> files;
    return files;
}

// Calls take(path, text) for each file that the browser keeps for this page.
template <class Take>
void each_kept(const Take& take)
{
    for (int i = 0; i < kept_count(); ++i)
    {
        const std::string name = taken(kept_entry(i, 0));
        const std::string path = name.substr(std::min(kMark.size(), name.size()));
        if (name.starts_with(kMark) && is_own(path))
        {
            take(path, taken(kept_entry(i, 1)));
        }
    }
}

} // namespace

void restore_files()
{
    each_kept(
        [](const std::string& path, std::string text)
        {
            show_text(path, text);
            kept()[path] = std::move(text);
        });
}

void take_in_changes()
{
    each_kept(
        [](const std::string& path, std::string text)
        {
            const std::string name = fs::path(path).filename().string();
            if ((name == "progress.json" || name == "lessons.json") && kept()[path] != text)
            {
                show_text(path, text);
                kept()[path] = std::move(text);
            }
        });
}

std::string keep_files()
{
    std::map<std::string, std::string> now;
    std::error_code none;
    for (const fs::path& folder : {config_folder(), data_folder()})
    {
        for (const auto& entry : fs::directory_iterator(folder, none))
        {
            auto text = is_worth_keeping(entry.path()) ? read_plain(entry.path(), 64U << 20U)
                                                       : Result<std::string>(Issues{{"", "", ""}});
            if (text)
            {
                now[entry.path().string()] = std::move(*text);
            }
        }
    }
    bool whole = true;
    for (const auto& [path, text] : now)
    {
        if (!kept().contains(path) || kept()[path] != text)
        {
            whole = keep_text((std::string(kMark) + path).c_str(), text.c_str()) != 0 && whole;
        }
    }
    for (const auto& [path, text] : kept())
    {
        if (!now.contains(path))
        {
            drop_text((std::string(kMark) + path).c_str());
        }
    }
    kept() = std::move(now);
    return whole ? "" : "The browser keeps nothing here (private window, or its storage is full)";
}

void download(const std::string& name, const std::string& text)
{
    download_text(name.c_str(), text.data(), static_cast<int>(text.size()));
}

void download_picture(const std::string& name)
{
    download_canvas(name.c_str());
}

std::string page_address()
{
    return taken(address_part(0));
}

std::string page_fragment()
{
    return taken(address_part(1));
}

bool is_framed()
{
    return is_in_frame() != 0;
}

void show_address(const std::string& address, bool step)
{
    go_to_address(address.c_str(), step ? 1 : 0);
}

} // namespace ringside::page
