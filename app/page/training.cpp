#include "app/page/training.h"

#include <emscripten.h>
#include <fmt/format.h>

#include "app/page/canvas.h"
#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <cstdlib>
#include <deque>
#include <map>

// clang-format off
// One worker is kept ready, since to start one takes longer than anybody waits for a step.
EM_JS(void, start_worker, (int line, const char* preference, int through), {
    const start = () => {
        const worker = new Worker('train.js');
        worker.onerror = (event) => { worker.fault = event.message || 'its worker could not be loaded'; };
        worker.postMessage(Module.parts);
        return worker;
    };
    const lost = (why) => ccall('ringside_lost', null, ['number', 'string'], [line, String(why)]);
    Module.workers = Module.workers || new Map();
    try {
        const worker = Module.spareWorker || start();
        Module.spareWorker = null;
        if (worker.fault) throw new Error(worker.fault);
        worker.onerror = (event) => lost(event.message || 'its worker could not be loaded');
        worker.onmessage = ({ data }) => {
            const at = _malloc(data.length);
            HEAPU8.set(data, at);
            ccall('ringside_received', null, ['number', 'number', 'number'], [line, at, data.length]);
            _free(at);
        };
        if (UTF8ToString(preference)) worker.postMessage({ card: UTF8ToString(preference), through: through });
        worker.postMessage({ hidden: document.hidden });
        Module.workers.set(line, worker);
        Module.spareWorker = start();
    } catch (fault) {
        setTimeout(() => lost(fault.message));
    }
});
EM_JS(void, tell_worker, (int line, const char* bytes, int size), {
    const worker = Module.workers.get(line);
    if (worker) worker.postMessage(HEAPU8.slice(bytes, bytes + size));
});
EM_JS(void, end_worker, (int line), {
    const worker = Module.workers.get(line);
    if (worker) worker.terminate();
    Module.workers.delete(line);
});
// Both kinds of card a browser chooses between, once each. What describes them is fetched with the lab.
EM_JS(void, find_cards, (), {
    const script = document.createElement('script');
    script.src = 'webgpu.js';
    script.onload = async () => {
        const found = new Set();
        for (const preference of ['high-performance', 'low-power']) {
            try {
                const { name, software, bufferBytes, groupBytes, subgroups } = await openGpu(preference);
                if (found.has(name)) continue;
                found.add(name);
                ccall('ringside_found_card', null, ['string', 'string', 'number', 'number', 'number', 'number'],
                      [preference, name, software ? 1 : 0, bufferBytes, groupBytes, subgroups ? 1 : 0]);
            } catch (fault) {} // then there is none to choose
        }
    };
    document.head.append(script);
    document.addEventListener('visibilitychange', () => {
        for (const worker of (Module.workers || new Map()).values()) worker.postMessage({ hidden: document.hidden });
    });
});
EM_JS(void, play_on_card, (const unsigned* words, int count), {
    if (self.card) self.card.play(new Uint32Array(HEAPU8.buffer, words, count));
});
EM_JS(void, tell_page, (const char* bytes, int size), { postMessage(HEAPU8.slice(bytes, bytes + size)); });
// clang-format on

namespace ringside::page
{

namespace
{

constexpr double kWorkSeconds = 0.02; // [s] between two looks for commands

struct WorkerLine final : trainer::Line
{
    WorkerLine(trainer::RemoteRun::Receive receive, trainer::RemoteRun::LostLine lost);
    WorkerLine(const WorkerLine&) = delete;
    WorkerLine& operator=(const WorkerLine&) = delete;
    ~WorkerLine() override;
    void send(std::string bytes) override
    {
        tell_worker(number, bytes.data(), static_cast<int>(bytes.size()));
    }

    trainer::RemoteRun::Receive receive;
    trainer::RemoteRun::LostLine lost;
    int number;
};

std::map<int, WorkerLine*>& lines()
{
    static std::map<int, WorkerLine*> all;
    return all;
}

trainer::GpuAdapter adapter_of(const char* name, int software, double buffer_bytes, double group_bytes,
                               int subgroups)
{
    return {name,
            software != 0,
            static_cast<trainer::Index>(buffer_bytes),
            static_cast<trainer::Index>(group_bytes),
            subgroups != 0,
            {}};
}

// As JavaScript hands it on.
int number_of(trainer::Subgroups through)
{
    return (through.products ? 1 : 0) + (through.attention ? 2 : 0);
}
trainer::Subgroups through_of(int number)
{
    return {(number & 1) != 0, (number & 2) != 0};
}

struct FoundCard
{
    std::string preference; // that the browser finds it by
    trainer::GpuAdapter adapter;
};
std::deque<FoundCard>& found_cards()
{
    static std::deque<FoundCard> all;
    return all;
}
// That the next run is made on; null: the processor.
const FoundCard*& chosen()
{
    static const FoundCard* card = nullptr;
    return card;
}

WorkerLine::WorkerLine(trainer::RemoteRun::Receive r, trainer::RemoteRun::LostLine l)
    : receive(std::move(r)), lost(std::move(l))
{
    static int last = 0;
    number = ++last;
    lines()[number] = this;
    start_worker(number, chosen() ? chosen()->preference.c_str() : "",
                 chosen() ? number_of(chosen()->adapter.through) : 0);
}

WorkerLine::~WorkerLine()
{
    end_worker(number);
    lines().erase(number);
}

WorkerLine* line_of(int number)
{
    const auto found = lines().find(number);
    return found == lines().end() ? nullptr : found->second;
}

// The card that a worker's steps are made on.
struct WorkerCard
{
    std::optional<trainer::GpuAdapter> adapter; // none: the processor
    trainer::GpuPlayer* player = nullptr;
};
WorkerCard& worker_card()
{
    static WorkerCard one;
    return one;
}

// Hands lists to the worker's JavaScript.
struct PagePlayer final : trainer::GpuPlayer
{
    PagePlayer() { worker_card().player = this; }
    PagePlayer(const PagePlayer&) = delete;
    PagePlayer& operator=(const PagePlayer&) = delete;
    ~PagePlayer() override { worker_card().player = nullptr; }
    void play(std::span<const std::uint32_t> commands) override
    {
        play_on_card(commands.data(), static_cast<int>(commands.size()));
    }
};

// The host of a worker.
trainer::RunHost& host()
{
    static trainer::RunHost one(
        []() -> std::unique_ptr<trainer::Backend>
        {
            if (const auto& adapter = worker_card().adapter)
            {
                return std::make_unique<trainer::WebGpuBackend>(*adapter, std::make_unique<PagePlayer>());
            }
            auto device = trainer::open_device("cpu", 1);
            return device ? std::move(device->backend) : nullptr;
        },
        [](const std::string& bytes) { tell_page(bytes.data(), static_cast<int>(bytes.size())); });
    return one;
}

} // namespace

std::unique_ptr<trainer::Line> open_worker(trainer::RemoteRun::Receive receive,
                                           trainer::RemoteRun::LostLine lost)
{
    return std::make_unique<WorkerLine>(std::move(receive), std::move(lost));
}

std::vector<LabCard> cards()
{
    return list_of<LabCard>(
        found_cards(),
        [](const FoundCard& found)
        {
            const trainer::GpuAdapter& adapter = found.adapter;
            const auto bytes = [](trainer::Index count) { return format_bytes(Bytes(count)); };
            const auto way = [](bool subgroups) { return subgroups ? "subgroups" : "workgroup memory"; };
            return LabCard{
                {name_of(adapter),
                 fmt::format("{} in a buffer, {} in a workgroup; fp32, bf16, fp16; products through {}, "
                             "attention through {}",
                             bytes(adapter.buffer_bytes), bytes(adapter.group_bytes),
                             way(adapter.through.products), way(adapter.through.attention))},
                trainer::WebGpuBackend::kAbilities,
                trainer::WebGpuBackend::kFirstWorkspace,
                adapter.software};
        });
}

void look_for_cards()
{
    find_cards();
}

void choose_card(std::size_t card, trainer::Subgroups through)
{
    chosen() = nullptr;
    if (card > 0)
    {
        FoundCard& found = found_cards().at(card - 1);
        found.adapter.through = through;
        chosen() = &found;
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_found_card(const char* preference, const char* name,
                                                         int software, double buffer_bytes,
                                                         double group_bytes, int subgroups)
{
    found_cards().push_back({preference, adapter_of(name, software, buffer_bytes, group_bytes, subgroups)});
    wake();
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_received(int number, const char* bytes, int size)
{
    if (WorkerLine* line = line_of(number))
    {
        line->receive({bytes, static_cast<std::size_t>(size)});
        wake();
    }
}

extern "C" EMSCRIPTEN_KEEPALIVE void ringside_lost(int number, const char* why)
{
    if (WorkerLine* line = line_of(number))
    {
        line->lost(why);
        wake();
    }
}

// In a worker: a command has come, and what there is to do until the next may.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_asked(const char* bytes, int size)
{
    host().receive({bytes, static_cast<std::size_t>(size)});
}
// Its card; without a name there is none any more.
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_card(const char* name, int software, double buffer_bytes,
                                                   double group_bytes, int subgroups, int through)
{
    worker_card().adapter.reset();
    if (*name != 0)
    {
        worker_card().adapter = adapter_of(name, software, buffer_bytes, group_bytes, subgroups);
        worker_card().adapter->through = through_of(subgroups != 0 ? through : 0);
    }
}
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_card_answered(unsigned ticket, const char* bytes, int size)
{
    if (const trainer::GpuPlayer* player = worker_card().player)
    {
        player->answer(ticket, {bytes, static_cast<std::size_t>(size)});
    }
}
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_card_lost(const char* why)
{
    host().lose_device(why);
}
extern "C" EMSCRIPTEN_KEEPALIVE void ringside_card_says(const char* what)
{
    host().say(what);
}
extern "C" EMSCRIPTEN_KEEPALIVE int ringside_work()
{
    return host().work(kWorkSeconds) ? 1 : 0;
}

} // namespace ringside::page
