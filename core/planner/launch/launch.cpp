#include "core/planner/launch/launch.h"

#include "core/base/text/find_by.h"
#include "core/planner/launch/draft.h"

#include <algorithm>
#include <array>

namespace ringside
{

const NotExpressed* Launch::missed(const LaunchFlag& flag) const
{
    const auto found = std::ranges::find(not_expressed, flag.field, &NotExpressed::field);
    return flag.field.empty() || found == not_expressed.end() ? nullptr : &*found;
}

std::string text_of(const Launch& launch, const LaunchFile& file)
{
    constexpr std::size_t kMostColumn = 56; // explanations stand below each other up to here
    std::size_t column = 0;
    for (const LaunchLine& line : file.lines)
    {
        column =
            line.flag >= 0 && line.text.size() <= kMostColumn ? std::max(column, line.text.size()) : column;
    }
    std::string text;
    for (const LaunchLine& line : file.lines)
    {
        text += line.text;
        if (line.flag >= 0 && !file.comment.empty())
        {
            text.append(line.text.size() < column ? column - line.text.size() : 0, ' ');
            const LaunchFlag& flag = launch.flags[static_cast<std::size_t>(line.flag)];
            text += "  " + file.comment + flag.explains +
                    (launch.missed(flag) != nullptr ? "; NOT HONORED, see above" : "");
        }
        text += '\n';
    }
    return text;
}

namespace
{

constexpr std::array kTools{LaunchTool{"megatron", write_megatron}, LaunchTool{"deepspeed", write_deepspeed}};

} // namespace

std::span<const LaunchTool> launch_tools()
{
    return kTools;
}

const LaunchTool* find_launch_tool(std::string_view id)
{
    return find_by(kTools, id, &LaunchTool::id);
}

} // namespace ringside
