// The constants that turn the data sheet into times, each with its source.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/fields.h"
#include "ui/views/performance/waterfall/pages.h"

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

void draw_constants(const WaterfallRoom& r)
{
    const Frame& frame = r.frame;
    using Constant = Field<Calibration>;
    const auto known = [&frame](const Constant& field) { return constant_words(frame, field.name); };
    Table<Constant> table(
        {{frame.now.scenario.cluster.gpu.name, [](const Constant& field) { return field.name; }},
         {"", [known](const Constant& field)
          { return fmt::format("{} {}", known(field).value, field.unit == "us" ? "µs" : field.unit); }},
         Column<Constant>("what it is, and where the value comes from", [known](const Constant& field)
                          { return Cell(sentence(field.says), 0, known(field).source); })
             .words()
             .wide(60)},
        nullptr, nullptr, 40,
        [known](const Constant& field)
        {
            return fmt::format("{} = {} {}\n{}\n\n{}", field.name, known(field).value, field.unit,
                               sentence(field.says), known(field).source);
        });
    table.scroll = &r.state.constants; // sources stay readable where not all rows fit
    table.draw(r.p, r.area, fields_of(Calibration{}));
}

Caption caption_constants(const Frame& frame, WaterfallState&)
{
    const Gpu& gpu = frame.now.scenario.cluster.gpu;
    return {
        fmt::format(
            "**{} constants** turn the data sheet into times, the same for every scenario on this GPU.",
            fields_of(Calibration{}).size()),
        fmt::format(
            "GEMM \u2265 FLOPs / ({} \u00d7 {} TFLOP/s);  ring = start + hops + bytes / ({} \u00d7 {} GB/s)",
            constant_words(frame, "gemm_efficiency").value, plain_number(gpu.bf16_tflops),
            constant_words(frame, "link_efficiency").value,
            plain_number(node_link(frame.now.scenario.cluster))),
        "docs/accuracy.md lists how far predicted steps are from measured ones."};
}

} // namespace

const Page<WaterfallState> constants_page{"Constants",       draw_constants, panel_waterfall,
                                          caption_constants, nullptr,        "Constants"};

} // namespace ringside
