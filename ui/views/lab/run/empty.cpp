// Before a run: what can be dropped or pasted, an example, and the engine's own step, which waits for it.
#include <fmt/format.h>

#include "ui/views/lab/run/pages.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/sheet.h"

#include <array>

namespace ringside
{

namespace
{

struct RunKindWords
{
    std::string_view what;
    std::string_view how;
};
constexpr std::array<RunKindWords, 6> kRunKinds{{
    {"A log", "of Megatron-LM, Megatron-Bridge, torchtitan, DeepSpeed, NeMo, Primus, Hugging Face Trainer, "
              "nanotron, MaxText, OLMo-core, llm.c, nanoGPT: step times, spikes, NaN"},
    {"A trace", "of PyTorch\u2019s profiler, .json or .json.gz, of one rank or several: where the time goes"},
    {"A memory snapshot", "torch.cuda.memory._dump_snapshot(): what fills the GPU, tensor by tensor"},
    {"Flight-recorder dumps", "TORCH_NCCL_DUMP_ON_TIMEOUT: which rank hung, and in what"},
    {"Tables", "of nsys stats (cuda_gpu_trace, CSV) and of nccl-tests"},
    {"The launch file", "beside them, or a folder with all of it: then the scenario is filled in"},
}};

} // namespace

void draw_opening(const RunRoom& r, Rect& area)
{
    const RunOpening* opening = r.frame.opening;
    if (opening == nullptr)
    {
        return;
    }
    Rect row = area.cut_top(r.p.px(44));
    area.cut_top(r.p.px(12));
    r.p.part("reading", row);
    const Rect stop = row.cut_right(r.p.px(90));
    row.cut_right(r.p.px(12));
    if (button(r.p, stop, "Stop###run stop"))
    {
        r.out.push(RunCommand::stop);
    }
    const Rect words = progress_line(r.p, row, opening->progress);
    r.p.text_within(words.x, words.middle(), words.w, Type::body, r.p.theme.text,
                    fmt::format("Reading {}: {:.0f}%", opening->name, opening->progress * 100));
}

void draw_no_run(const RunRoom& r)
{
    const Painter& p = r.p;
    Rect area = r.area;
    draw_opening(r, area);
    if (r.frame.lesson != nullptr) // it has words of its own
    {
        draw_run_lanes(r, area, r.state.picture(r.frame));
        return;
    }
    Rect words = area;
    words.w = std::min(words.w, p.px(860));
    Sheet sheet(p, words);
    sheet.title("Drop a real run here");
    sheet.gap(6);
    for (const RunKindWords& kind : kRunKinds)
    {
        sheet.text(std::string("**") + std::string(kind.what) + "** " + std::string(kind.how));
        sheet.gap(2);
    }
    sheet.note("Nothing is executed of what they say, and nothing leaves this computer.");
    sheet.gap(10);
    const std::array open{KeyButton{"Open the example###run example", "E",
                                    [&] { r.out.push(RunCommand::example); }, ImGuiKey_None,
                                    ButtonStyle::primary}};
    sheet.buttons(open);
    sheet.gap(18);
    area.cut_top(sheet.y() - area.y);
    if (area.h > p.px(150))
    {
        draw_run_lanes(r, area, r.state.picture(r.frame));
    }
}

} // namespace ringside
