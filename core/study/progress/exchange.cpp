#include "core/study/progress/exchange.h"

#include <fmt/format.h>

#include "core/base/text/csv.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <charconv>

namespace ringside
{

namespace
{

constexpr std::string_view kLogHeader = "card_id,review_time,review_rating,review_state,review_duration";
constexpr std::string_view kMoreHeader = ",seed,variant,hints,automatic_rating,mistake,answer";

std::string log_row(const Review& r)
{
    return fmt::format("{},{},{},{},{}", csv_cell(card_name(r.card, r.variant), ','), r.time_ms,
                       static_cast<int>(r.rating), static_cast<int>(r.state), r.duration_ms);
}

// The columns of one row by name, and what is wrong with them.
class RowReader
{
public:
    RowReader(const std::vector<std::string>& names, const CsvRow& row, Issues& issues)
        : names_(names), row_(row), issues_(issues)
    {
    }

    std::string_view text(std::string_view name) const
    {
        const auto at = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
        return at < row_.cells.size() ? std::string_view(row_.cells[at]) : std::string_view();
    }

    template <class T>
    T whole(std::string_view name, T least, T most, T otherwise)
    {
        const std::string_view cell = text(name);
        if (cell.empty())
        {
            return otherwise;
        }
        T value = otherwise;
        const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (error != std::errc() || end != cell.data() + cell.size() || value < least || value > most)
        {
            issues_.push_back({fmt::format("line {}: {}", row_.line, name),
                               fmt::format("\"{}\" is not a whole number in range", cell),
                               fmt::format("use {} to {}", least, most)});
            good_ = false;
        }
        return value;
    }

    void need(std::string_view name)
    {
        if (text(name).empty())
        {
            issues_.push_back({fmt::format("line {}: {}", row_.line, name), "is missing", ""});
            good_ = false;
        }
    }

    bool good() const { return good_; }

private:
    const std::vector<std::string>& names_;
    const CsvRow& row_;
    Issues& issues_;
    bool good_ = true;
};

// Takes the variant off the name of its card, "state/2"; another that the row names by itself stays.
void take_variant(Review& r, bool named)
{
    const std::size_t slash = std::min(r.card.rfind('/'), r.card.size());
    const std::string family = r.card.substr(0, slash);
    int variant = 0;
    std::from_chars(r.card.data() + std::min(slash + 1, r.card.size()), r.card.data() + r.card.size(),
                    variant);
    if (variant > 0 && card_name(family, variant) == r.card && (!named || variant == r.variant))
    {
        r.card = family;
        r.variant = variant;
    }
}

bool read_review(RowReader& row, Review& r)
{
    constexpr std::int64_t kLastMs = 32'503'680'000'000; // the year 3000
    row.need("card_id");
    row.need("review_time");
    row.need("review_rating");
    r.card = row.text("card_id");
    r.time_ms = row.whole<std::int64_t>("review_time", 0, kLastMs, 0);
    r.rating = static_cast<Grade>(row.whole("review_rating", 1, 4, 3));
    r.state = static_cast<CardPhase>(row.whole("review_state", 0, 3, 0));
    r.duration_ms = row.whole<std::int64_t>("review_duration", 0, kLastMs, 0);
    r.seed = row.whole<std::uint64_t>("seed", 0, ~std::uint64_t{0}, 0);
    r.variant = row.whole("variant", 0, 1'000'000, 0);
    take_variant(r, !row.text("variant").empty());
    r.hints = row.whole("hints", 0, 3, 0);
    const int automatic = row.whole("automatic_rating", 1, 4, 0);
    r.automatic = automatic == 0 ? std::nullopt : std::optional(static_cast<Grade>(automatic));
    r.mistake = row.text("mistake");
    r.answer = row.text("answer");
    return row.good();
}

} // namespace

std::string history_csv(const Progress& progress)
{
    std::string out = fmt::format("{}{}\n", kLogHeader, kMoreHeader);
    for (const Review& r : progress.reviews)
    {
        const std::string automatic =
            r.automatic ? std::to_string(static_cast<int>(*r.automatic)) : std::string();
        out += fmt::format("{},{},{},{},{},{},{}\n", log_row(r), r.seed, r.variant, r.hints, automatic,
                           csv_cell(r.mistake, ','), csv_cell(r.answer, ','));
    }
    return out;
}

Imported<Review> reviews_from_csv(std::string_view text)
{
    Imported<Review> read;
    const std::vector<CsvRow> rows = csv_rows(text, ',');
    const auto named = [&](const char* name)
    {
        const auto& cells = rows.front().cells;
        return std::ranges::find(cells, name) != cells.end();
    };
    if (rows.empty() || !named("card_id") || !named("review_time") || !named("review_rating"))
    {
        read.issues.push_back(
            {"line 1", "the first row does not name the columns", fmt::format("begin with {}", kLogHeader)});
        return read;
    }
    for (std::size_t i = 1; i < rows.size(); ++i)
    {
        Review review;
        RowReader row(rows.front().cells, rows[i], read.issues);
        if (rows[i].open)
        {
            read.issues.push_back(
                {fmt::format("line {}", rows[i].line), "a quote is not closed", "close it with \""});
        }
        else if (read_review(row, review))
        {
            read.entries.push_back(std::move(review));
        }
    }
    return read;
}

namespace
{

struct Missed
{
    std::string family;
    int times = 0;
    int slips = 0;
    std::string slip; // the last known one
};

std::vector<Missed> missed_in(const Progress& progress)
{
    std::vector<Missed> all;
    for (const Review& r : progress.reviews)
    {
        if (r.rating != Grade::again && r.mistake.empty())
        {
            continue;
        }
        auto found = std::ranges::find(all, r.card, &Missed::family);
        Missed& m = found == all.end() ? all.emplace_back(Missed{r.card, 0, 0, {}}) : *found;
        m.times += r.rating == Grade::again ? 1 : 0;
        m.slips += r.mistake.empty() ? 0 : 1;
        m.slip = r.mistake.empty() ? m.slip : r.mistake;
    }
    std::ranges::stable_sort(all, [](const Missed& a, const Missed& b)
                             { return std::pair(a.times, a.slips) > std::pair(b.times, b.slips); });
    return all;
}

std::string one_line(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string words_of(const Missed& m, std::span<const SheetWords> words, const Progress& progress)
{
    const auto found = std::ranges::find(words, m.family, &SheetWords::family);
    const bool known = found != words.end();
    std::string out = fmt::format("### {}\n\n", one_line(known ? found->question : m.family));
    if (known && !found->answer.empty())
    {
        out += found->answer + "\n\n";
    }
    out += fmt::format("Forgotten {} {}", m.times, m.times == 1 ? "time" : "times");
    out += m.slip.empty() ? ".\n" : fmt::format("; known mistake: `{}`.\n", m.slip);
    const auto note = progress.notes.find(m.family);
    return note == progress.notes.end() ? out + "\n"
                                        : out + fmt::format("\n> {}\n\n", one_line(note->second));
}

std::string topic_row(const HeatTopic& topic)
{
    const HeatCell& cell = topic.all;
    const std::string then = cell.then ? format_percent(*cell.then) : "";
    return fmt::format("| {} | {} | {} | {} of {} | {} |\n", topic.topic->name, format_percent(*cell.today),
                       then, cell.seen, cell.cards, cell.due);
}

} // namespace

std::string study_sheet(const StudyState& study, std::span<const SheetWords> words)
{
    constexpr std::size_t kMostTopics = 8;
    constexpr std::size_t kMostMissed = 40;
    const Progress& p = study.progress;
    std::string out = fmt::format("# Study sheet, {}\n\n", date_text(study.now.day()));
    out += fmt::format("{} reviews of {} questions.", p.reviews.size(), study.cards.size());
    out += p.interview ? fmt::format(" Interview on {}.\n\n", date_text(*p.interview)) : "\n\n";
    const auto heat = heat_map(study);
    const auto weak = weakest(heat, kMostTopics);
    if (weak.empty())
    {
        return out + "Nothing was asked yet.\n";
    }
    out += "## Weakest topics\n\n| topic | today | on the day | seen | due |\n|---|---:|---:|---:|---:|\n";
    for (const std::size_t i : weak)
    {
        out += topic_row(heat[i]);
    }
    const auto missed = missed_in(p);
    out += missed.empty() ? "\nNothing was missed yet.\n" : "\n## Missed\n\n";
    for (std::size_t i = 0; i < std::min(missed.size(), kMostMissed); ++i)
    {
        out += words_of(missed[i], words, p);
    }
    return out;
}

} // namespace ringside
