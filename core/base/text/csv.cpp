#include "core/base/text/csv.h"

namespace ringside
{

namespace
{

class CsvReader
{
public:
    CsvReader(std::string_view text, char separator)
        : text_(text), separator_(separator),
          line_end_(text.find('\n') == std::string_view::npos ? '\r' : '\n')
    {
    }

    std::vector<CsvRow> rows()
    {
        std::vector<CsvRow> all;
        while (at_ < text_.size())
        {
            CsvRow row = next_row();
            if (row.cells.size() > 1 || !row.cells.front().empty())
            {
                all.push_back(std::move(row));
            }
        }
        return all;
    }

private:
    CsvRow next_row()
    {
        CsvRow row;
        row.line = line_;
        bool more = true;
        while (more)
        {
            row.cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted(row.open) : plain());
            more = at_ < text_.size() && text_[at_] == separator_;
            at_ += more ? 1U : 0U;
        }
        at_ += text_.substr(at_).starts_with("\r\n") ? 1U : 0U;
        if (at_ < text_.size() && text_[at_] == line_end_)
        {
            ++at_;
            ++line_;
        }
        return row;
    }

    bool at_end() const
    {
        return at_ >= text_.size() || text_[at_] == separator_ || text_[at_] == line_end_ ||
               text_.substr(at_).starts_with("\r\n");
    }

    std::string plain()
    {
        const std::size_t start = at_;
        while (!at_end())
        {
            ++at_;
        }
        return std::string(text_.substr(start, at_ - start));
    }

    // What follows the closing quote, up to the separator, belongs to the cell, too.
    std::string quoted(bool& open)
    {
        std::string cell;
        for (++at_; at_ < text_.size(); ++at_)
        {
            if (text_[at_] == '"')
            {
                if (!text_.substr(at_ + 1).starts_with('"'))
                {
                    ++at_;
                    return cell + plain();
                }
                ++at_;
            }
            line_ += text_[at_] == line_end_ ? 1 : 0;
            cell += text_[at_];
        }
        open = true;
        return cell;
    }

    std::string_view text_;
    char separator_;
    char line_end_; // '\r' only in texts that end no line otherwise, as Excel for Macintosh writes them
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
};

} // namespace

std::vector<CsvRow> csv_rows(std::string_view text, char separator)
{
    if (text.starts_with("\xEF\xBB\xBF"))
    {
        text.remove_prefix(3); // a byte order mark
    }
    return CsvReader(text, separator).rows();
}

std::string csv_cell(std::string_view text, char separator)
{
    const std::string special{separator, '"', '\n', '\r'};
    if (text.find_first_of(special) == std::string_view::npos)
    {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text)
    {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}

} // namespace ringside
