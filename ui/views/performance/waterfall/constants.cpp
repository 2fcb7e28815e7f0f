#include "ui/views/performance/waterfall/constants.h"

#include <fmt/format.h>

#include "core/scenario/fields.h"
#include "ui/views/performance/waterfall/words.h"
#include "ui/widgets/table.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Upper case first, so that it reads as a sentence.
std::string sentence(std::string_view says)
{
    std::string text(says);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return text;
}

} // namespace

void draw_constants(const Frame& frame, const Painter& p, Rect area)
{
    using Constant = Field<Calibration>;
    const auto known = [&frame](const Constant& field) { return constant_words(frame, field.name); };
    const Table<Constant> table(
        {{frame.now.scenario.cluster.gpu.name, [](const Constant& field) { return field.name; }},
         {"", [known](const Constant& field)
          { return fmt::format("{} {}", known(field).value, field.unit == "us" ? "µs" : field.unit); }},
         Column<Constant>("what it is, and where the value comes from", [known](const Constant& field)
                          { return Cell(sentence(field.says), 0, known(field).source); })
             .words()
             .wide(60)},
        nullptr, nullptr, 48,
        [known](const Constant& field)
        {
            return fmt::format("{} = {} {}\n{}\n\n{}", field.name, known(field).value, field.unit,
                               sentence(field.says), known(field).source);
        });
    table.draw(p, area, fields_of(Calibration{}));
}

} // namespace ringside
