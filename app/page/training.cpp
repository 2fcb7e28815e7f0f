#include "app/page/training.h"

#include <emscripten.h>

#include "app/page/canvas.h"
#include "core/lab/trainer/devices.h"

#include <cstdlib>
#include <map>

// clang-format off
// One worker is kept ready, since to start one takes longer than anybody waits for a step.
EM_JS(void, start_worker, (int line), {
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

WorkerLine::WorkerLine(trainer::RemoteRun::Receive r, trainer::RemoteRun::LostLine l)
    : receive(std::move(r)), lost(std::move(l))
{
    static int last = 0;
    number = ++last;
    lines()[number] = this;
    start_worker(number);
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

// Of a worker.
trainer::RunHost& host()
{
    static trainer::RunHost one(
        []() -> std::unique_ptr<trainer::Backend>
        {
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
extern "C" EMSCRIPTEN_KEEPALIVE int ringside_work()
{
    return host().work(kWorkSeconds) ? 1 : 0;
}

} // namespace ringside::page
