// A real training run: opened, kept beside another, and made a software of one's own.
#include <fmt/format.h>

#include "app/session/session.h"
#include "core/base/place.h"
#include "core/base/text/text.h"
#include "core/evaluate/own_software.h"
#include "core/scenario/evidence.h"

namespace ringside
{

namespace
{

std::string name_of_run(const RunReading& run)
{
    const std::string& first = run.files.front();
    const std::size_t folder = first.find_last_of('/');
    return run.files.size() > 1 ? counted(std::ssize(run.files), "file")
                                : first.substr(folder == std::string::npos ? 0 : folder + 1);
}

// Where its files are shown: dumps and tables of nccl-tests have views of their own.
ViewRole role_of(const RunReading& run)
{
    return run.kind == "flight-recorder" ? ViewRole::hangs
           : run.kind == "nccl-tests"    ? ViewRole::message
                                         : ViewRole::run;
}

} // namespace

void Session::take_run(const std::vector<RunFile>& files, bool example)
{
    opening_.reset();
    if (bytes_of(files) <= kReadAtOnce)
    {
        show_run(read_run(files), files, example);
        return;
    }
    opening_ = std::make_unique<RunBeingOpened>(++runs_, files, example);
    if (const std::string view = id_of(ViewRole::run); view != scene_.view)
    {
        show_place(view);
    }
    read_on();
}

void Session::read_on()
{
    if (!opening_)
    {
        return;
    }
    const auto answer = works_->of<RunReadingWork>(opening_->request());
    if (!answer.done())
    {
        return;
    }
    const std::unique_ptr<RunBeingOpened> opened = std::move(opening_);
    show_run(answer ? **answer : Result<RunReading>(answer.faults), *opened->request().files,
             opened->example());
}

void Session::show_run(const Result<RunReading>& read, const std::vector<RunFile>& files, bool example)
{
    if (!read)
    {
        fail("Not read", read.issues());
        return;
    }
    RunFrame next{.number = ++runs_, .name = name_of_run(*read), .example = example, .other = kept_run_};
    auto launch = scenario_of_run(*read, launches_of(*read, files), presets_);
    if (launch && *launch)
    {
        next.launch = std::move(**launch);
        next.stated = is_stated(*next.launch);
    }
    next.run = *read;
    run_ = std::move(next);
    if (run_->stated)
    {
        change(run_->launch->scenario, false);
    }
    if (const std::string view = id_of(role_of(run_->run)); view != scene_.view)
    {
        show_place(view);
    }
    say(run_->stated ? fmt::format("Read {}, with its scenario; Undo takes that back", run_->name)
                     : fmt::format("Read {}", run_->name));
}

void Session::work_with_run(RunCommand command)
{
    switch (command)
    {
    case RunCommand::example:
        take_run(example_run(), true);
        break;
    case RunCommand::keep:
        kept_run_ = run_ ? std::make_shared<const RunFrame>(*run_) : nullptr;
        notice_ = kept_run_ ? "Kept: the next run is compared with it" : "";
        break;
    case RunCommand::forget:
        kept_run_.reset();
        if (run_)
        {
            run_->other.reset();
            run_->number = ++runs_;
        }
        break;
    case RunCommand::software:
        keep_run_as_software();
        break;
    case RunCommand::close:
        run_.reset();
        kept_run_.reset();
        break;
    case RunCommand::stop:
        opening_.reset();
        break;
    }
}

void Session::keep_run_as_software()
{
    if (!run_ || measured_step_seconds(run_->run) <= 0)
    {
        notice_ = "No run with a step time is open";
        return;
    }
    MeasuredSet set;
    set.name = "own-run";
    set.title = run_->name;
    set.rows.push_back({run_->name, run_->name, scene_.now.scenario, measured_step_seconds(run_->run)});
    keep_measured(set, "own-run-" + std::string(accelerator_kind(scene_.now.scenario.cluster.gpu.id)));
}

} // namespace ringside
