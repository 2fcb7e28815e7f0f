#include "ui/widgets/markdown.h"

#include <md4c.h>

#include "ui/draw/wrap.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ringside
{

namespace
{

struct MarkdownWord
{
    std::string text;
    Type type;
    bool space_before = false;
};

struct Block
{
    std::string mark; // of a list's item: a dot, or its number
    std::vector<MarkdownWord> words;
    std::string code; // lines between fences, as they stand
};

// Takes md4c's events; the one place that knows its C interface.
class Reader
{
public:
    explicit Reader(const MarkdownTypes& types) : types_(types) {}

    std::vector<Block> read(std::string_view text)
    {
        MD_PARSER parser{};
        parser.flags = MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self)
        { return static_cast<Reader*>(self)->enter(type, detail); };
        parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self)
        { return static_cast<Reader*>(self)->leave(type); };
        parser.enter_span = [](MD_SPANTYPE type, void*, void* self)
        { return static_cast<Reader*>(self)->span(type, 1); };
        parser.leave_span = [](MD_SPANTYPE type, void*, void* self)
        { return static_cast<Reader*>(self)->span(type, -1); };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* words, MD_SIZE size, void* self) {
            return static_cast<Reader*>(self)->add(type, {words, size});
        };
        md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
        return std::move(blocks_);
    }

private:
    int enter(MD_BLOCKTYPE type, void* detail)
    {
        if (type == MD_BLOCK_UL)
        {
            next_ = 0;
        }
        else if (type == MD_BLOCK_OL)
        {
            next_ = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start;
        }
        else if (type == MD_BLOCK_LI)
        {
            blocks_.push_back({next_ == 0 ? "\u2022" : std::to_string(next_) + ".", {}, {}});
            next_ += next_ == 0 ? 0U : 1U;
            item_ = true;
        }
        else if ((type == MD_BLOCK_P && !item_) || type == MD_BLOCK_CODE)
        {
            blocks_.emplace_back();
        }
        space_ = false;
        return 0;
    }
    int leave(MD_BLOCKTYPE type)
    {
        item_ = item_ && type != MD_BLOCK_LI;
        return 0;
    }
    int span(MD_SPANTYPE type, int by)
    {
        strong_ += type == MD_SPAN_STRONG || type == MD_SPAN_EM ? by : 0;
        code_ += type == MD_SPAN_CODE ? by : 0;
        return 0;
    }
    int add(MD_TEXTTYPE type, std::string_view text)
    {
        if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR)
        {
            space_ = true;
            return 0;
        }
        if (blocks_.empty())
        {
            blocks_.emplace_back();
        }
        if (type == MD_TEXT_CODE && code_ == 0)
        {
            blocks_.back().code += text;
            return 0;
        }
        const Type face = code_ > 0 ? types_.code : strong_ > 0 ? types_.strong : types_.plain;
        std::vector<MarkdownWord>& words = blocks_.back().words;
        bool inside = false;
        for (const char c : text)
        {
            if (c == ' ' || c == '\n')
            {
                space_ = true;
                inside = false;
                continue;
            }
            if (!inside)
            {
                words.push_back({"", face, space_});
                space_ = false;
                inside = true;
            }
            words.back().text += c;
        }
        return 0;
    }

    const MarkdownTypes& types_;
    std::vector<Block> blocks_;
    unsigned next_ = 0; // number of the next item; 0: dots
    bool item_ = false;
    bool space_ = false;
    int strong_ = 0;
    int code_ = 0;
};

float draw_block(const Painter& p, Rect area, Colour colour, const Block& block, const MarkdownTypes& types)
{
    const float line = std::round(p.height(types.plain) * 1.17F);
    const float space = p.width(types.plain, " ");
    float x = area.x;
    float middle = area.y + line / 2;
    for (std::size_t i = 0; i < block.words.size(); ++i)
    {
        const MarkdownWord& word = block.words[i];
        // What follows without a space (a full stop after a strong word) stays on its line.
        float w = p.width(word.type, word.text);
        for (std::size_t k = i + 1; k < block.words.size() && !block.words[k].space_before; ++k)
        {
            w += p.width(block.words[k].type, block.words[k].text);
        }
        const float gap = word.space_before && x > area.x ? space : 0;
        const bool breaks = word.space_before || p.width(word.type, word.text) > area.w;
        const bool wraps = breaks && x > area.x && x + gap + w > area.right();
        middle += wraps ? line : 0;
        x = wraps ? area.x : x + gap;
        std::string_view rest = word.text;
        for (std::size_t n = 0; (n = fitting(p, word.type, rest, area.w)) < rest.size();
             rest.remove_prefix(n))
        {
            p.text(area.x, middle, word.type, colour, rest.substr(0, n));
            x = area.x;
            middle += line;
        }
        x += p.text(x, middle, word.type, colour, rest);
    }
    return middle + line / 2 - area.y;
}

// Lines of code on a ground of their own; one too long for it goes on below, further in, from its last space
// that fits or else within a word.
float draw_code(const Painter& p, Rect area, Colour colour, std::string_view code, Type type)
{
    const float line = std::round(p.height(type) * 1.17F);
    const float space = p.width(type, " ");
    const auto lines = [&](bool drawn)
    {
        float y = p.px(6);
        for (std::size_t at = 0; at < code.size();)
        {
            const std::size_t end = std::min(code.find('\n', at), code.size());
            const std::size_t from = std::min(code.find_first_not_of(' ', at), end);
            float x = p.px(8) + space * static_cast<float>(from - at);
            std::string_view rest = code.substr(from, end - from);
            do
            {
                const float room = area.w - p.px(4) - x;
                std::size_t n = fitting(p, type, rest, room);
                for (std::size_t gap = n < rest.size() ? rest.find(' ') : std::string_view::npos;
                     gap != std::string_view::npos && p.width(type, rest.substr(0, gap)) <= room;
                     gap = rest.find(' ', gap + 1))
                {
                    n = gap + 1;
                }
                if (drawn)
                {
                    p.text(area.x + x, area.y + y + line / 2, type, colour, rest.substr(0, n));
                }
                rest.remove_prefix(n);
                x = p.px(8) + space * static_cast<float>(from - at + 2);
                y += line;
            } while (!rest.empty());
            at = end + 1;
        }
        return y + p.px(6);
    };
    const float height = lines(false);
    p.fill({area.x, area.y, area.w, height}, p.theme.control, p.px(4));
    return lines(true);
}

} // namespace

float markdown(const Painter& painter, Rect area, Colour colour, std::string_view text,
               const MarkdownTypes& types)
{
    const float top = area.y;
    bool item_before = false;
    for (const Block& block : Reader(types).read(text))
    {
        const bool item = !block.mark.empty();
        if (area.y > top)
        {
            area.y += painter.px(item && item_before ? 4 : 12);
        }
        Rect inside = area;
        if (item)
        {
            const float line = std::round(painter.height(types.plain) * 1.17F);
            painter.text(area.x, area.y + line / 2, types.plain, colour, block.mark);
            inside.cut_left(painter.px(20));
        }
        area.y += block.code.empty() ? draw_block(painter, inside, colour, block, types)
                                     : draw_code(painter, inside, colour, block.code, types.code);
        item_before = item;
    }
    return area.y - top;
}

} // namespace ringside
