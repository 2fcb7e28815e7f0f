// The page, which `./run web` builds, handed to a browser of this computer alone.
#pragma once

#include "app/process/child.h"
#include "core/base/result.h"

#include <filesystem>
#include <functional>

namespace ringside
{

class PageServer
{
public:
    // The source's folder, which has build/web and cmake/serve.py.
    explicit PageServer(std::filesystem::path source) : source_(std::move(source)) {}

    // Where the page is, "http://127.0.0.1:8471/"; one of the next where that one is taken. The first call
    // starts the server and waits for it, at most 10 s. It ends with this object, and with this program
    // however that ends.
    Result<std::string> address();

private:
    std::filesystem::path source_;
    Descriptor line_; // its input and output; it ends when this is closed
    Child server_;
    std::string address_;
};

// Opens an address in the user's browser; waits at most 2 s to hear that there is none.
Issues open_in_browser(const std::string& address);

// Starts the server, once, opens the page at a place ("#v=lab") and returns what to tell the user; takes
// seconds. The server lives as long as the function.
std::function<Notice()> page_opener(std::filesystem::path source, std::string place);

} // namespace ringside
