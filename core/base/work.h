// Work that takes longer than a frame, done in slices: on threads beside a window, a slice a frame in a page
// without threads, all at once for pictures, films and tests. The result is the same each way, to the bit.
//
// A kind of work is a class W with
//   W::Request              what is asked for; compares with ==
//   W(request)              begins
//   W::kSlice               what takes a few milliseconds, in W's own measure
//   bool advance(kSlice)    works on; false: nothing is left
//   double progress()       0 to 1
//   result()                so far; without it the result is a copy of W
//   W::kKept                how many finished results are kept; kUsuallyKept without it
// and, where several threads can share one request,
//   W(request, part, parts), static merged(request, results of the parts, whether they are whole)
// What any of these throws, memory that ran out included, is a fault in the answer.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ringside
{

inline constexpr std::size_t kUsuallyKept = 2;

struct WorkStatus
{
    double progress = 0; // 1: over
    Issues faults = {};  // why it ended without a result; empty: it did not

    bool done() const { return progress >= 1; }
};

template <class Result>
struct WorkAnswer : WorkStatus
{
    std::shared_ptr<const Result> result; // so far; null after a fault

    explicit operator bool() const { return result != nullptr; }
    const Result& operator*() const { return *result; }
    const Result* operator->() const { return result.get(); }
};

template <class W>
auto result_of(const W& work)
{
    if constexpr (requires { work.result(); })
    {
        return work.result();
    }
    else
    {
        return work;
    }
}
template <class W>
using WorkResult = decltype(result_of(std::declval<const W&>()));

// Work of any kind, as its runner sees it. A part belongs to one thread at a time.
class AnyWork
{
public:
    AnyWork() = default;
    AnyWork(const AnyWork&) = delete;
    AnyWork& operator=(const AnyWork&) = delete;
    virtual ~AnyWork() = default;

    virtual std::size_t parts() const = 0;
    virtual bool advance(std::size_t part) = 0;
    virtual double progress(std::size_t part) const = 0;
    virtual std::shared_ptr<const void> result(std::size_t part) const = 0;
    // The result of all parts, some perhaps without a result yet. Looks at nothing that advance() changes.
    virtual std::shared_ptr<const void> merged(std::span<const std::shared_ptr<const void>> results,
                                               bool whole) const = 0;
};

template <class W>
class WorkOf final : public AnyWork
{
public:
    using Request = typename W::Request;
    using Result = WorkResult<W>;
    static constexpr bool kParts = requires(const Request& request) { W(request, 0U, 1U); };

    WorkOf(const Request& request, std::size_t parts) : request_(request)
    {
        if constexpr (kParts)
        {
            for (std::size_t part = 0; part < parts; ++part)
            {
                works_.push_back(std::make_unique<W>(request, part, parts));
            }
        }
        else
        {
            works_.push_back(std::make_unique<W>(request));
        }
    }

    std::size_t parts() const override { return works_.size(); }
    bool advance(std::size_t part) override { return works_[part]->advance(W::kSlice); }
    double progress(std::size_t part) const override { return works_[part]->progress(); }
    std::shared_ptr<const void> result(std::size_t part) const override
    {
        return std::make_shared<const Result>(result_of(*works_[part]));
    }
    std::shared_ptr<const void> merged(std::span<const std::shared_ptr<const void>> results,
                                       [[maybe_unused]] bool whole) const override
    {
        if constexpr (kParts)
        {
            std::vector<const Result*> there;
            for (const auto& result : results)
            {
                if (result != nullptr)
                {
                    there.push_back(static_cast<const Result*>(result.get()));
                }
            }
            return results.size() == 1 ? results.front()
                                       : std::make_shared<const Result>(W::merged(request_, there, whole));
        }
        return results.front();
    }

private:
    Request request_;
    std::vector<std::unique_ptr<W>> works_;
};

// How a kind of work is begun; its address tells kinds apart.
struct WorkKind
{
    std::shared_ptr<const void> (*copied)(const void* request);
    bool (*same)(const void* request, const void* other);
    std::unique_ptr<AnyWork> (*begun)(const void* request, std::size_t parts);
    std::size_t kept;
};

template <class W>
constexpr std::size_t kept_of()
{
    if constexpr (requires { W::kKept; })
    {
        return W::kKept;
    }
    return kUsuallyKept;
}

template <class W>
inline constexpr WorkKind kWorkKind{
    [](const void* request) -> std::shared_ptr<const void> {
        return std::make_shared<const typename W::Request>(*static_cast<const typename W::Request*>(request));
    },
    [](const void* request, const void* other)
    {
        return *static_cast<const typename W::Request*>(request) ==
               *static_cast<const typename W::Request*>(other);
    },
    [](const void* request, std::size_t parts) -> std::unique_ptr<AnyWork>
    { return std::make_unique<WorkOf<W>>(*static_cast<const typename W::Request*>(request), parts); },
    kept_of<W>()};

struct AnyAnswer : WorkStatus
{
    std::shared_ptr<const void> result;
};
// All of it, at once.
AnyAnswer finished_work(const WorkKind& kind, const void* request);
// Over, with what was thrown as its fault.
AnyAnswer failed_work(const std::exception_ptr& thrown);

template <class W>
WorkAnswer<WorkResult<W>> typed_answer(const AnyAnswer& any)
{
    return {{any.progress, any.faults}, std::static_pointer_cast<const WorkResult<W>>(any.result)};
}
template <class W>
WorkAnswer<WorkResult<W>> finished_work(const typename W::Request& request)
{
    return typed_answer<W>(finished_work(kWorkKind<W>, &request));
}

// Work that makes a list, one item a slice of each of List::entries(request).
template <class List>
class ListWork
{
public:
    using Request = typename List::Request;
    static constexpr int kSlice = 1;

    explicit ListWork(const Request& request) : request_(request), entries_(List::entries(request)) {}

    bool advance(int)
    {
        if (items_.size() < entries_.size())
        {
            items_.push_back(List::item(request_, entries_[items_.size()]));
        }
        return items_.size() < entries_.size();
    }
    double progress() const
    {
        return entries_.empty() ? 1
                                : static_cast<double>(items_.size()) / static_cast<double>(entries_.size());
    }
    const auto& result() const { return items_; }

private:
    Request request_;
    decltype(List::entries(std::declval<const Request&>())) entries_;
    std::vector<decltype(List::item(request_, entries_.front()))> items_;
};

// Answers requests for work.
class Works
{
public:
    Works() = default;
    Works(const Works&) = delete;
    Works& operator=(const Works&) = delete;
    virtual ~Works() = default;

    // What a request has come to. A new one is begun, with its first slice; a newer one of the same kind ends
    // those that nobody asks for any more.
    template <class W>
    WorkAnswer<WorkResult<W>> of(const typename W::Request& request)
    {
        return typed_answer<W>(ask(kWorkKind<W>, &request));
    }

private:
    virtual const AnyAnswer& ask(const WorkKind& kind, const void* request) = 0;
};
// The answer where there may be nobody who works: then all of it, at once.
template <class W>
WorkAnswer<WorkResult<W>> work_on(Works* works, const typename W::Request& request)
{
    return works != nullptr ? works->of<W>(request) : finished_work<W>(request);
}

} // namespace ringside
