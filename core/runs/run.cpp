#include "core/runs/run.h"

#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/base/text/text.h"

#include <algorithm>
#include <charconv>

namespace ringside
{

namespace
{

enum class RunKind : std::uint8_t
{
    none,
    trace,
    pickle,
    json_dump,
    nsys,
    nccl_tests,
    log
};

RunKind kind_of_head(std::string_view head)
{
    return is_pickle(head)     ? RunKind::pickle
           : is_kineto(head)   ? RunKind::trace
           : is_nsys_csv(head) ? RunKind::nsys
           : head.find_first_not_of(" \r\n\t") != std::string_view::npos &&
                   head[head.find_first_not_of(" \r\n\t")] == '{' &&
                   (head.find("\"pg_config\"") != std::string_view::npos ||
                    head.find("\"collective_seq_id\"") != std::string_view::npos)
               ? RunKind::json_dump
           : is_nccl_test(head)    ? RunKind::nccl_tests
           : is_training_log(head) ? RunKind::log
                                   : RunKind::none;
}

class OwnedText final : public ByteSource
{
public:
    explicit OwnedText(std::shared_ptr<const std::string> text) : text_(std::move(text)), bytes_(*text_) {}
    std::size_t read(char* to, std::size_t most) override { return bytes_.read(to, most); }

private:
    std::shared_ptr<const std::string> text_;
    TextBytes bytes_;
};

std::unique_ptr<ByteSource> opened(const RunFile& file)
{
    char head[2] = {};
    auto probe = file.open();
    const std::size_t count = probe->read(head, sizeof head);
    return is_gzip({head, count}) ? inflated(file.open()) : file.open();
}

class RunReader
{
public:
    Issues read(const RunFile& file)
    {
        const WholeBytes head = take_all(*opened(file), kRunHead);
        const RunKind kind = kind_of_head(head.text);
        if (kind == RunKind::trace)
        {
            return take(read_kineto(*opened(file)), file);
        }
        // A log may begin with more than that of other programs' words.
        const bool may_be_log = kind == RunKind::none && head.more;
        if (kind == RunKind::none && !may_be_log)
        {
            run_.passed.push_back(file.name);
            return {};
        }
        const std::size_t most = kind == RunKind::pickle ? kMostPickleBytes : kMostLogBytes;
        const WholeBytes whole = take_all(*opened(file), most);
        if (whole.more)
        {
            return {Issue{"", fmt::format("is larger than {} bytes", most), "give a smaller file"}};
        }
        return read_whole(kind, whole.text, file);
    }

    RunReading run(std::size_t files)
    {
        if (run_.traces.size() > 1 && !run_.by_device)
        {
            std::ranges::stable_sort(run_.traces, {}, &GpuTrace::rank);
            run_.join = join_traces(run_.traces);
        }
        if (!run_.dumps.empty())
        {
            run_.hang = join_dumps(run_.dumps);
        }
        run_.kind = kinds_.size() == 1 ? *kinds_.begin() : files == 0 ? "" : "folder";
        return std::move(run_);
    }

private:
    Issues read_whole(RunKind kind, const std::string& text, const RunFile& file)
    {
        if (kind == RunKind::pickle)
        {
            auto tree = tree_of_pickle(text);
            return tree ? read_tree(*tree, file) : tree.issues();
        }
        if (kind == RunKind::json_dump)
        {
            auto document = parse_json(text);
            return document ? read_tree(tree_of_json(*document), file) : document.issues();
        }
        if (kind == RunKind::nsys)
        {
            auto traces = read_nsys_csv(text);
            if (!traces)
            {
                return traces.issues();
            }
            run_.by_device = true;
            std::ranges::move(*traces, std::back_inserter(run_.traces));
            return done("nsys", file);
        }
        if (kind == RunKind::nccl_tests)
        {
            auto test = read_nccl_test(text);
            run_.nccl = test ? std::optional(std::move(*test)) : std::nullopt;
            return test ? done("nccl-tests", file) : test.issues();
        }
        auto log = read_log(text);
        if (!log)
        {
            run_.passed.push_back(file.name);
            return kind == RunKind::none ? Issues() : log.issues();
        }
        if (!run_.log || log->steps.size() > run_.log->steps.size())
        {
            run_.software = log->format->id;
            run_.log = std::move(*log);
        }
        return done("log", file);
    }

    Issues read_tree(const DataTree& tree, const RunFile& file)
    {
        if (is_snapshot(tree))
        {
            auto snapshot = read_snapshot(tree);
            if (!snapshot)
            {
                return snapshot.issues();
            }
            if (!run_.snapshot || snapshot->peak > run_.snapshot->peak)
            {
                run_.snapshot = std::move(*snapshot);
            }
            return done("snapshot", file);
        }
        auto dump = read_recorder_dump(tree, rank_of_name(file.name));
        if (!dump)
        {
            return {
                Issue{"", "is a pickle of neither a memory snapshot nor a flight recorder's dump",
                      "give what torch.cuda.memory._dump_snapshot() or TORCH_NCCL_DUMP_ON_TIMEOUT writes"}};
        }
        if (dump->rank < 0)
        {
            dump->rank = static_cast<std::int64_t>(run_.dumps.size());
            run_.messages.push_back(
                fmt::format("{}: its name says no rank, taken as {}", file.name, dump->rank));
        }
        run_.dumps.push_back(std::move(*dump));
        return done("flight-recorder", file);
    }

    Issues take(Result<GpuTrace> trace, const RunFile& file)
    {
        if (!trace)
        {
            return trace.issues();
        }
        trace->rank = trace->rank >= 0 ? trace->rank : rank_of_name(file.name);
        for (const std::string& message : trace->messages)
        {
            run_.messages.push_back(fmt::format("{}: {}", file.name, message));
        }
        run_.traces.push_back(std::move(*trace));
        return done("trace", file);
    }

    Issues done(const char* kind, const RunFile& file)
    {
        kinds_.insert(kind);
        run_.files.push_back(file.name);
        return {};
    }

    RunReading run_;
    std::set<std::string> kinds_;
};

} // namespace

RunFile run_file(std::string name, std::string text)
{
    const auto owned = std::make_shared<const std::string>(std::move(text));
    return {std::move(name), [owned] { return std::make_unique<OwnedText>(owned); }, std::ssize(*owned)};
}

std::int64_t rank_of_name(std::string_view name)
{
    name.remove_prefix(name.find_last_of('/') == std::string_view::npos ? 0 : name.find_last_of('/') + 1);
    const std::string small = small_letters(name);
    for (const std::string_view word : {"rank", "dump"})
    {
        const std::size_t at = small.find(word);
        const std::size_t from =
            at == std::string::npos ? at : small.find_first_not_of("-_=", at + word.size());
        std::int64_t rank = -1;
        if (from != std::string::npos)
        {
            std::from_chars(small.data() + from, small.data() + small.size(), rank);
        }
        if (rank >= 0)
        {
            return rank;
        }
    }
    return -1;
}

std::string kind_of_run(std::string_view bytes)
{
    std::string head(bytes.substr(0, kRunHead));
    if (is_gzip(bytes))
    {
        head = take_all(*inflated(std::make_unique<TextBytes>(bytes)), kRunHead).text;
    }
    switch (kind_of_head(head))
    {
    case RunKind::trace:
        return "a trace of PyTorch's profiler";
    case RunKind::pickle:
        return "a pickle, as of PyTorch's memory snapshots and flight recorder";
    case RunKind::json_dump:
        return "a dump of PyTorch's flight recorder";
    case RunKind::nsys:
        return "a table of nsys stats";
    case RunKind::nccl_tests:
        return "a table of nccl-tests";
    case RunKind::log:
        return "a log of a training run";
    case RunKind::none:
        break;
    }
    return {};
}

Result<RunReading> read_run(const std::vector<RunFile>& files)
{
    RunReader reader;
    Issues issues;
    for (const RunFile& file : files)
    {
        add_below(issues, reader.read(file), file.name);
    }
    RunReading run = reader.run(files.size());
    if (run.files.empty() && issues.empty())
    {
        return Issue{
            files.empty() ? "FILE" : files.front().name, "is no file of a training run",
            "logs, traces (.json, .json.gz), memory snapshots and flight-recorder dumps (pickle), nsys "
            "stats as CSV and tables of nccl-tests are read"};
    }
    if (run.files.empty())
    {
        return issues;
    }
    for (const Issue& issue : issues)
    {
        run.messages.push_back("not read: " + to_line(issue));
    }
    return run;
}

} // namespace ringside
