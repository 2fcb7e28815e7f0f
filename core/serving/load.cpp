// One file, since it is one simulation: arrivals, engines and what both report.
#include "core/serving/load.h"

#include "core/base/index.h"
#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/serving/lengths.h"
#include "core/serving/speculation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <span>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostRequests = 20000; // that are asked for; a long run has up to twice as many
constexpr std::int64_t kMostEngines = 64;
constexpr std::int64_t kWarm = 3; // one in so many requests comes before an engine is in full swing
constexpr double kMostTokens = 1e6;
constexpr double kMostRate = 1e6;
constexpr double kMostSteps = 32; // of decoding that are taken at once while nothing else happens
constexpr double kQuantile = 0.9;

double within(double value, double least, double most, double otherwise)
{
    return std::isfinite(value) ? std::clamp(value, least, most) : otherwise;
}

// The setup of engines that only prefill.
LoadSetup prefilling(const Scenario& scenario, LoadSetup s)
{
    s.engine.ranks = s.prefill_ranks;
    s.engine = holding_setup(scenario, s.engine);
    return s;
}

LoadSetup legal(const Scenario& scenario, LoadSetup s)
{
    s.engine = holding_setup(scenario, s.engine);
    s.rate = within(s.rate, 1e-6, kMostRate, 1);
    s.engines = std::clamp<std::int64_t>(s.engines, 1, kMostEngines);
    s.prefill = std::clamp<std::int64_t>(s.prefill, 1, kMostEngines);
    s.prefill_ranks = prefilling(scenario, s).engine.ranks;
    s.requests = std::clamp<std::int64_t>(s.requests, 1, kMostRequests);
    s.spread = within(s.spread, 0, 2, 0);
    s.cached = within(s.cached, 0, 1, 0);
    s.budget = std::clamp<std::int64_t>(s.budget, 16, 1'000'000);
    s.drafted = std::clamp<std::int64_t>(s.drafted, 0, kMostDrafted);
    s.accepted = within(s.accepted, 0, 1, 0);
    s.draft_cost = within(s.draft_cost, 0, 1, 0);
    s.first_token = within(s.first_token, 0, 1e9, 1);
    s.each_token = within(s.each_token, 0, 1e9, 1);
    s.peak_reached = within(s.peak_reached, 0.01, 1, 1);
    s.memory_reached = within(s.memory_reached, 0.01, 1, 1);
    s.host_seconds = within(s.host_seconds, 0, 10, 0);
    return s;
}

// What does not depend on the rate.
struct Machine
{
    Machine(const Scenario& scenario, const LoadSetup& setup)
        : s(setup), report(serving_report(scenario, setup.engine)),
          clock(iteration_clock(scenario, setup.engine)), room((report.capacity - report.weights).value),
          tokens_per_step(expected_tokens(setup.accepted, setup.drafted)), peak(reached_peak(scenario, setup))
    {
    }

    double seconds(const Iteration& what) const
    {
        return clock(what).total(peak, s.memory_reached) + s.host_seconds;
    }
    // One step of decoding: drafts, if any, and the pass that checks them.
    double step(double decoding, double context, std::vector<PromptPiece> prompts = {}) const
    {
        const auto drafted = static_cast<double>(s.drafted);
        const double pass = seconds({decoding, context, 1 + drafted, std::move(prompts)});
        return drafted > 0 && decoding > 0
                   ? pass + drafted * s.draft_cost * seconds({decoding, context, 1, {}})
                   : pass;
    }
    double held(const ServedRequest& r) const
    {
        const auto blocks = std::ceil(static_cast<double>(r.prompt + r.answer) / real(kCacheBlock));
        return std::min(room, real(s.engine.cache_bits) / 8 * report.shape.local(blocks * real(kCacheBlock)));
    }
    double found(const ServedRequest& r) const // in the prefix cache; a token at least is computed
    {
        return std::min(s.cached * real(r.prompt), real(r.prompt) - 1);
    }

    const LoadSetup& s;
    ServingReport report;
    std::function<ServingTime(const Iteration&)> clock;
    double room;
    double tokens_per_step;
    double peak; // reached
};

// Which part of the work an engine has.
enum class Duty : std::uint8_t
{
    both,
    prefill,
    decode
};

// One engine and its queue.
class Engine
{
public:
    Engine(const Machine& machine, Duty duty) : m_(machine), duty_(duty) {}

    // `ready` is when each may begin, ascending. Fills in their times.
    void run(const std::vector<ServedRequest*>& requests, const std::vector<double>& ready)
    {
        std::size_t next = 0;
        while (next < requests.size() || !waiting_.empty() || !running_.empty())
        {
            for (; next < requests.size() && ready[next] <= now_; ++next)
            {
                waiting_.push_back({requests[next], 0});
            }
            if (waiting_.empty() && running_.empty())
            {
                now_ = ready[next];
                continue;
            }
            iterate(next < requests.size() ? ready[next] : std::numeric_limits<double>::infinity());
        }
    }

    const std::vector<EnginePass>& passes() const { return passes_; }

private:
    struct Waiting
    {
        ServedRequest* request;
        double done; // tokens of its prompt
    };
    struct Running
    {
        ServedRequest* request;
        double left; // tokens
        double context;
    };

    bool admits(const Waiting& w) const
    {
        return w.done > 0 || held_ + m_.held(*w.request) <= m_.room * (1 + 1e-12);
    }

    // The pieces of prompts that the next iteration takes.
    std::vector<PromptPiece> pieces()
    {
        const bool chunked = duty_ == Duty::both && m_.s.system == ServingSystem::chunked;
        double budget = real(m_.s.budget);
        budget -= chunked ? real(std::ssize(running_)) * real(1 + m_.s.drafted) : 0;
        std::vector<PromptPiece> taken;
        for (Waiting& w : waiting_)
        {
            if ((chunked && budget < 1) || !admits(w))
            {
                break;
            }
            const double known = m_.found(*w.request);
            const double left = real(w.request->prompt) - known - w.done;
            const double piece = chunked ? std::min(left, budget) : left;
            if (piece > budget && !taken.empty())
            {
                break;
            }
            if (w.done == 0)
            {
                w.request->start = now_;
                held_ += m_.held(*w.request);
            }
            taken.push_back({known + w.done, piece, piece >= left});
            w.done += piece;
            budget -= piece;
        }
        return taken;
    }

    double mean_context() const
    {
        return running_.empty() ? 0
                                : sum_over(running_, [](const Running& r) { return r.context; }) /
                                      real(std::ssize(running_));
    }

    void iterate(double next_arrival)
    {
        if (duty_ == Duty::decode)
        {
            for (; !waiting_.empty() && admits(waiting_.front()); waiting_.pop_front())
            {
                held_ += m_.held(*waiting_.front().request);
                begin_decoding(*waiting_.front().request);
            }
        }
        const std::vector<PromptPiece> prompts =
            duty_ == Duty::decode ? std::vector<PromptPiece>() : pieces();
        const bool stalls = m_.s.system == ServingSystem::prefill_first && !prompts.empty();
        const double decoding = stalls ? 0 : real(std::ssize(running_));
        const double context = mean_context();
        const double once = m_.step(decoding, context, prompts);
        const double steps = prompts.empty() ? free_steps(next_arrival, once) : 1;
        const double grown = (steps - 1) / 2 * m_.tokens_per_step;
        const double start = now_;
        now_ += steps > 1 ? steps * m_.step(decoding, context + grown) : once;
        passes_.push_back({start, now_, decoding, sum_over(prompts, &PromptPiece::tokens)});
        if (!stalls)
        {
            decoded(steps);
        }
        prefilled();
    }

    // Steps of decoding until something else happens.
    double free_steps(double next_arrival, double seconds) const
    {
        double steps = kMostSteps;
        for (const Running& r : running_)
        {
            steps = std::min(steps, std::ceil(r.left / m_.tokens_per_step));
        }
        return std::max(1.0, std::min(steps, std::ceil((next_arrival - now_) / seconds)));
    }

    void decoded(double steps)
    {
        for (Running& r : running_)
        {
            r.left -= steps * m_.tokens_per_step;
            r.context += steps * m_.tokens_per_step;
            if (r.left <= 1e-9)
            {
                r.request->end = now_;
                held_ -= m_.held(*r.request);
            }
        }
        std::erase_if(running_, [](const Running& r) { return r.left <= 1e-9; });
    }

    void prefilled()
    {
        while (!waiting_.empty() && waiting_.front().done > 0 &&
               m_.found(*waiting_.front().request) + waiting_.front().done >=
                   real(waiting_.front().request->prompt) - 1e-9)
        {
            ServedRequest& r = *waiting_.front().request;
            waiting_.pop_front();
            r.first = r.end = now_;
            if (duty_ == Duty::prefill)
            {
                held_ -= m_.held(r); // the cache moves on
            }
            else
            {
                begin_decoding(r);
            }
        }
    }

    void begin_decoding(ServedRequest& r)
    {
        if (r.answer <= 1)
        {
            r.end = std::max(r.first, now_);
            held_ -= m_.held(r);
            return;
        }
        running_.push_back({&r, real(r.answer - 1), real(r.prompt + 1)});
    }

    const Machine& m_;
    Duty duty_;
    std::deque<Waiting> waiting_;
    std::vector<Running> running_;
    std::vector<EnginePass> passes_;
    double now_ = 0;
    double held_ = 0; // [B]
};

using Queue = std::vector<ServedRequest*>;

// What an engine did that gets these, ready when `ready` says.
template <class Ready>
std::vector<EnginePass> run_engine(const Machine& machine, Duty duty, const Queue& requests, Ready ready)
{
    Engine engine(machine, duty);
    engine.run(requests, list_of<double>(requests, [&](const ServedRequest* q) { return ready(*q); }));
    return engine.passes();
}

// What one of so many gets that are dealt to in turn.
Queue dealt(const Queue& requests, std::int64_t engines, std::int64_t engine)
{
    Queue own;
    for (std::size_t i = at(engine); i < requests.size(); i += at(engines))
    {
        own.push_back(requests[i]);
    }
    return own;
}

double quantile(std::vector<double> values, double share)
{
    const auto place = at(static_cast<std::int64_t>(std::ceil(share * real(std::ssize(values)))) - 1);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
    return values[place];
}

// Replicas that are followed, and as many alike as pass by: where every engine does both, one is enough; else
// as many as keep the ratio of prefill to decoding.
struct Followed
{
    explicit Followed(const LoadSetup& s)
    {
        const bool apart = s.system == ServingSystem::disaggregated;
        alike = apart ? std::gcd(s.engine.ranks, s.prefill_ranks) : s.engines * s.engine.ranks;
        decode = s.engines * s.engine.ranks / alike;
        prefill = apart ? s.prefill * s.prefill_ranks / alike : 0;
    }

    std::int64_t alike = 1;
    std::int64_t decode = 1;
    std::int64_t prefill = 0;
};

// Lengths and arrivals, those in units of the mean gap at all engines; requests of those that are not
// followed only pass by.
struct Traffic
{
    Traffic(const LoadSetup& s, std::int64_t requests)
    {
        const Followed followed(s);
        const std::int64_t all = requests * followed.decode;
        const std::int64_t between = followed.alike;
        prompts = lognormal_lengths(all, real(s.engine.prompt), s.spread, kMostTokens);
        answers = lognormal_lengths(all, real(s.engine.output), s.spread, kMostTokens);
        SplitMix random(1);
        shuffle(prompts, random);
        shuffle(answers, random);
        double now = 0;
        for (std::int64_t i = 0; i < all; ++i)
        {
            for (std::int64_t k = 0; k < between; ++k)
            {
                now -= std::log1p(-random.uniform());
            }
            arrivals.push_back(now);
        }
        for (double& arrival : arrivals)
        {
            arrival *= real(all * between) / now; // so that the mean rate is the one asked for
        }
    }

    std::vector<double> prompts;
    std::vector<double> answers;
    std::vector<double> arrivals;
};

class Load
{
public:
    Load(const Scenario& scenario, const LoadSetup& setup)
        : scenario_(scenario), setup_(legal(scenario, setup)), prefill_setup_(prefilling(scenario, setup_)),
          machine_(scenario, setup_), prefill_machine_(scenario, prefill_setup_), followed_(setup_)
    {
    }
    Load(const Load&) = delete; // the machine looks at its setup
    Load& operator=(const Load&) = delete;

    LoadReport at_rate(double rate) const
    {
        LoadReport r;
        r.setup = setup_;
        r.setup.rate = rate;
        const bool apart = setup_.system == ServingSystem::disaggregated;
        r.gpus = setup_.engine.engine_gpus() * setup_.engines +
                 (apart ? prefill_setup_.engine.engine_gpus() * setup_.prefill : 0);
        if (machine_.report.most < 1 || (apart && prefill_machine_.report.most < 1))
        {
            return r;
        }
        const Traffic& traffic = traffic_at(rate);
        std::vector<ServedRequest> all(traffic.prompts.size());
        Queue queue;
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            ServedRequest& request = all[i];
            queue.push_back(&request);
            request.prompt = static_cast<std::int64_t>(traffic.prompts[i]);
            request.answer = static_cast<std::int64_t>(traffic.answers[i]);
            request.arrival = traffic.arrivals[i] / rate;
        }
        run(r, queue, apart);
        r.requests = list_of<ServedRequest>(queue, [](const ServedRequest* q) { return *q; });
        measure(r);
        return r;
    }

    // Seconds that serve a mean request alone.
    double service() const
    {
        const double prompt = real(setup_.engine.prompt);
        const double answer = real(setup_.engine.output);
        const bool apart = setup_.system == ServingSystem::disaggregated;
        return (apart ? prefill_machine_ : machine_).seconds({0, 0, 1, {{0, prompt, true}}}) +
               answer / machine_.tokens_per_step * machine_.step(1, prompt);
    }

private:
    // A queue that grows without end is seen only if the run is much longer than the objective.
    const Traffic& traffic_at(double rate) const
    {
        constexpr double kObjectives = 8;
        const double wanted =
            kObjectives * setup_.first_token * rate / real(setup_.engines * setup_.engine.ranks);
        std::int64_t requests = setup_.requests;
        while (real(requests) < std::min(wanted, real(kMostRequests)))
        {
            requests *= 2;
        }
        return traffic_.try_emplace(requests, setup_, requests).first->second;
    }

    // Leaves those that the engine had which is followed.
    void run(LoadReport& r, Queue& queue, bool apart) const
    {
        const auto arrival = [](const ServedRequest& q) { return q.arrival; };
        if (!apart)
        {
            r.passes = run_engine(machine_, Duty::both, queue, arrival);
            return;
        }
        for (std::int64_t e = followed_.prefill - 1; e >= 0; --e)
        {
            r.prefill_passes =
                run_engine(prefill_machine_, Duty::prefill, dealt(queue, followed_.prefill, e), arrival);
        }
        for (ServedRequest* request : queue)
        {
            request->moved = cache_transfer_seconds(scenario_, prefill_setup_.engine, real(request->prompt));
            request->first += request->moved;
        }
        std::ranges::stable_sort(queue, {}, [](const ServedRequest* q) { return q->first; });
        queue = dealt(queue, followed_.decode, 0);
        r.passes = run_engine(machine_, Duty::decode, queue, [](const ServedRequest& q) { return q.first; });
        std::ranges::stable_sort(queue, {}, [](const ServedRequest* q) { return q->arrival; });
    }

    static void measure(LoadReport& r)
    {
        const auto counted = std::span(r.requests).subspan(r.requests.size() / kWarm);
        const auto ttft = list_of<double>(counted, &ServedRequest::ttft);
        const auto tpot = list_of<double>(counted, &ServedRequest::tpot);
        r.ttft_50 = quantile(ttft, 0.5);
        r.ttft_90 = quantile(ttft, kQuantile);
        r.tpot_50 = quantile(tpot, 0.5);
        r.tpot_90 = quantile(tpot, kQuantile);
        r.attained = real(std::ranges::count_if(
                         counted, [&](const ServedRequest& q)
                         { return q.ttft() <= r.setup.first_token && q.tpot() <= r.setup.each_token; })) /
                     real(std::ssize(counted));
        r.seconds = largest_over(r.requests, &ServedRequest::end);
    }

    const Scenario& scenario_;
    LoadSetup setup_;
    LoadSetup prefill_setup_; // of engines that only prefill
    Machine machine_;
    Machine prefill_machine_;
    Followed followed_;
    mutable std::map<std::int64_t, Traffic> traffic_; // by requests
};

} // namespace

ServingSetup holding_setup(const Scenario& scenario, const ServingSetup& asked)
{
    const ServingSetup first = serving_report(scenario, asked).setup;
    for (const std::int64_t gpus : serving_gpus(scenario.model))
    {
        ServingSetup more = first;
        more.gpus = gpus;
        if (const ServingReport r = serving_report(scenario, more); gpus >= first.gpus && r.most > 0)
        {
            return r.setup;
        }
    }
    return first;
}

LoadReport serve(const Scenario& scenario, LoadSetup setup)
{
    setup.rate = within(setup.rate, 1e-6, kMostRate, 1);
    return Load(scenario, setup).at_rate(setup.rate);
}

std::vector<LoadReport> serve_at(const Scenario& scenario, const LoadSetup& setup,
                                 const std::vector<double>& rates)
{
    const Load load(scenario, setup);
    return list_of<LoadReport>(rates,
                               [&](double rate) { return load.at_rate(within(rate, 1e-6, kMostRate, 1)); });
}

double goodput(const Scenario& scenario, const LoadSetup& setup)
{
    const Load load(scenario, setup);
    double low = 0.01 * real(std::max<std::int64_t>(1, setup.engine.ranks)) / load.service();
    if (!load.at_rate(low).holds())
    {
        return 0;
    }
    double high = low;
    do
    {
        low = high;
        high *= 2;
    } while (high < kMostRate && load.at_rate(high).holds());
    while (high / low > 1.01)
    {
        const double middle = std::sqrt(low * high);
        (load.at_rate(middle).holds() ? low : high) = middle;
    }
    return low;
}

double reached_peak(const Scenario& scenario, const LoadSetup& setup)
{
    return setup.peak_reached *
           std::min(1.0, scenario.cluster.gpu.calibration.gemm_efficiency / kHopperProducts);
}

double request_seconds(const Scenario& scenario, const LoadSetup& setup)
{
    return Load(scenario, setup).service();
}

double md1_seconds(double rate, double service)
{
    const double busy = rate * service;
    return busy < 1 ? service + busy * service / (2 * (1 - busy)) : std::numeric_limits<double>::infinity();
}

double cache_transfer_seconds(const Scenario& scenario, const ServingSetup& setup, double tokens)
{
    const double bytes = real(setup.cache_bits) / 8 * cache_shape(scenario.model, setup.gpus).local(tokens);
    return bytes / (scenario.cluster.network_gb_per_s * 1e9);
}

} // namespace ringside
