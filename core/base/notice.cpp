#include "core/base/notice.h"

namespace ringside
{

Notice::Notice(std::string title, const Issues& issues) : text(std::move(title))
{
    for (const Issue& issue : issues)
    {
        faults.push_back(to_line(issue));
    }
}

std::string to_text(const Notice& notice)
{
    std::string text = notice.text;
    for (const std::string& fault : notice.faults)
    {
        text += "\n" + fault;
    }
    return text;
}

} // namespace ringside
