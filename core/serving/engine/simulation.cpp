// One file, since it is one simulation: a replica's ranks, their queues, and the engines that share requests.
#include "core/serving/engine/simulation.h"

#include "core/base/index.h"
#include "core/base/ranges.h"
#include "core/serving/speculation.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>

namespace ringside
{

namespace
{

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostTogether = 64; // steps of decoding
constexpr std::size_t kMostKeptSteps = 200'000;

// What an engine is for.
enum class EngineRole : std::uint8_t
{
    both,
    prefill,
    decode
};

// What all engines of one role have in common.
struct EngineKind
{
    EngineKind(const Scenario& scenario, const Serving& s, const ServingLayout& layout, EngineRole what,
               std::int64_t followed)
        : clock(scenario, s, layout), role(what), engine(s.engine), drafted(real(s.speculative.tokens)),
          draft_cost(s.speculative.cost),
          answer(expected_tokens(s.speculative.acceptance, s.speculative.tokens)),
          seqs(s.max_num_seqs > 0 ? s.max_num_seqs : s.engine.max_num_seqs),
          budget(real(s.max_num_batched_tokens > 0 ? s.max_num_batched_tokens
                                                   : s.engine.max_num_batched_tokens)),
          mixed(s.scheduler == BatchScheduler::mixed), chunked(s.engine.chunked_prefill),
          ranks(std::min(layout.data, followed)), alike(real(layout.data) / real(ranks)), room(clock.room())
    {
    }

    EngineClock clock;
    EngineRole role;
    ServingEngine engine;
    double drafted;
    double draft_cost;
    double answer; // tokens of a step
    std::int64_t seqs;
    double budget;
    bool mixed;
    bool chunked;
    std::int64_t ranks;
    double alike; // attention replicas that each followed one stands for
    double room;

    bool reserves() const { return engine.admission == Admission::reserving; }
};

// A request on a rank: what it has of the cache when nothing is decoded, and what is left.
struct OnRank
{
    std::size_t request = 0;
    double prompt = 0; // tokens to have in the cache before it decodes, answered ones included
    double left = 0;   // tokens to answer from there on
    double done = 0;   // of the prompt
    double reserved = 0;
    double joined = 0; // steps of the rank when it began to decode
    bool running = false;
    double since = 0; // [s] when it came
};

class EngineRank
{
public:
    explicit EngineRank(const EngineKind& kind) : k_(kind) {}

    void take(std::size_t request, double prompt, double cached, double left, double when)
    {
        waiting_.push_back({request, prompt, left, cached, 0, 0, false, when});
    }
    // One whose cache has come from elsewhere.
    void join(std::size_t request, double prompt, double left)
    {
        waiting_.push_back({request, prompt, left, prompt, 0, 0, false, 0});
    }
    double load() const { return real(std::ssize(waiting_) + running_); }
    double waiting() const { return real(std::ssize(waiting_)); }
    double running() const { return real(running_); }
    double decoding() const { return k_.mixed || pieces_.empty() ? real(running_) : 0; }
    double context() const { return running_ > 0 ? offset_ / real(running_) + steps_ * k_.answer : 0; }
    bool idle() const { return waiting_.empty() && running_ == 0; }
    // Whether a request waits that came by then, and whether one that came later.
    bool has_prompt(double known) const { return !waiting_.empty() && waiting_.front().since <= known; }
    bool has_later(double known) const { return !waiting_.empty() && waiting_.back().since > known; }
    const std::vector<PromptPiece>& none()
    {
        pieces_.clear();
        return pieces_;
    }

    // The pieces of prompts that the next iteration computes, of requests that had come at `known`; those
    // that start now get their time.
    const std::vector<PromptPiece>& choose(double now, double known, std::vector<EngineRequest>& all)
    {
        pieces_.clear();
        double budget = k_.budget - (k_.mixed ? real(running_) * (1 + k_.drafted) : 0);
        for (OnRank& r : waiting_)
        {
            const double left = r.prompt - r.done;
            const bool whole = k_.chunked || pieces_.empty() || left <= budget || left > k_.budget;
            if (r.since > known || !whole || !admit(r))
            {
                break;
            }
            EngineRequest& request = all[r.request];
            request.start = request.start < 0 ? now : request.start;
            const double piece = std::min(left, std::floor(budget));
            if (left > 0 && piece < 1)
            {
                break;
            }
            pieces_.push_back({r.done, piece, piece >= left});
            r.done += piece;
            budget -= piece;
        }
        return pieces_;
    }
    // Those that only decode join without an iteration.
    void admit_ready()
    {
        while (!waiting_.empty() && waiting_.front().done >= waiting_.front().prompt &&
               admit(waiting_.front()))
        {
            start_decoding();
        }
    }
    // Steps of decoding until one ends or the cache is full; at least 1.
    double free_steps() const
    {
        double steps = kMostTogether;
        if (!ends_.empty())
        {
            steps = std::min(steps, ends_.top().first - steps_);
        }
        if (!k_.reserves() && running_ > 0)
        {
            steps = std::min(steps, std::floor((k_.room - used()) / (real(running_) * k_.answer)));
        }
        return std::max(1.0, steps);
    }
    // Gives up those that came last until each of the others can have its next token.
    std::int64_t preempt(std::vector<EngineRequest>& all)
    {
        std::int64_t given_up = 0;
        while (!k_.reserves() && running_ > 1 && used() + real(running_) * k_.answer > k_.room)
        {
            const std::size_t slot = youngest();
            OnRank r = slots_[slot];
            const double answered = (steps_ - r.joined) * k_.answer;
            leave(slot);
            all[r.request].preempted += 1;
            waiting_.insert(
                waiting_.begin() + admitted_,
                {r.request, r.prompt + answered, std::max(1.0, r.left - answered), 0, 0, 0, false, 0});
            given_up += 1;
            blocked_ = true;
        }
        return given_up;
    }
    // Calls ended(request) for each that has its last token.
    template <class Ended>
    void decode(double steps, const Ended& ended)
    {
        if (decoding() <= 0)
        {
            return;
        }
        steps_ += steps;
        while (!ends_.empty() && ends_.top().first <= steps_ + 1e-9)
        {
            const auto [_, slot] = ends_.top();
            ends_.pop();
            if (slots_[slot.first].running && generation_[slot.first] == slot.second)
            {
                const std::size_t request = slots_[slot.first].request;
                leave(slot.first);
                blocked_ = false;
                ended(request);
            }
        }
    }
    // Calls began(request) for each whose prompt is computed; it says whether the request decodes here.
    template <class Began>
    void prefilled(const Began& began)
    {
        while (!waiting_.empty() && waiting_.front().reserved > 0 &&
               waiting_.front().done >= waiting_.front().prompt)
        {
            if (began(waiting_.front().request, waiting_.front().left))
            {
                start_decoding();
            }
            else
            {
                held_ -= waiting_.front().reserved;
                admitted_ -= 1;
                waiting_.pop_front();
            }
        }
    }

private:
    // [tokens] that are taken: promised ones, and what has been answered since.
    double used() const
    {
        return held_ + (k_.reserves() ? 0 : offset_ - base_ + real(running_) * steps_ * k_.answer);
    }

    bool admit(OnRank& r)
    {
        if (r.reserved > 0)
        {
            return true;
        }
        const double needs =
            std::min(k_.room, r.prompt + (k_.reserves() && k_.role != EngineRole::prefill ? r.left : 1));
        const bool alone = running_ == 0 && admitted_ == 0;
        if ((blocked_ && running_ > 0) || running_ + admitted_ >= k_.seqs ||
            (used() + needs > k_.room && !alone))
        {
            return false;
        }
        r.reserved = std::max(1.0, needs);
        held_ += r.reserved;
        admitted_ += 1;
        return true;
    }
    void start_decoding()
    {
        OnRank r = waiting_.front();
        waiting_.pop_front();
        admitted_ -= 1;
        r.running = true;
        r.joined = steps_;
        std::size_t slot = slots_.size();
        if (free_.empty())
        {
            slots_.push_back(r);
            generation_.push_back(0);
        }
        else
        {
            slot = free_.back();
            free_.pop_back();
            slots_[slot] = r;
        }
        generation_[slot] += 1;
        running_ += 1;
        offset_ += r.prompt - steps_ * k_.answer;
        base_ += r.prompt;
        youngest_.push_back({slot, generation_[slot]});
        ends_.push({steps_ + std::ceil(r.left / k_.answer), {slot, generation_[slot]}});
    }
    void leave(std::size_t slot)
    {
        OnRank& r = slots_[slot];
        r.running = false;
        running_ -= 1;
        offset_ -= r.prompt - r.joined * k_.answer;
        base_ -= r.prompt;
        held_ -= r.reserved;
        free_.push_back(slot);
        if (running_ == 0) // no error adds up
        {
            offset_ = base_ = 0;
            youngest_.clear();
        }
    }
    std::size_t youngest()
    {
        while (!slots_[youngest_.back().first].running ||
               generation_[youngest_.back().first] != youngest_.back().second)
        {
            youngest_.pop_back();
        }
        return youngest_.back().first;
    }

    using Slot = std::pair<std::size_t, std::uint32_t>; // and its generation: slots are used again
    using End = std::pair<double, Slot>;

    const EngineKind& k_;
    std::deque<OnRank> waiting_;
    std::vector<OnRank> slots_;
    std::vector<std::uint32_t> generation_;
    std::vector<std::size_t> free_;
    std::vector<Slot> youngest_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::vector<PromptPiece> pieces_;
    bool blocked_ = false; // since something was preempted, until something ends
    std::int64_t running_ = 0;
    std::int64_t admitted_ = 0; // of those that wait
    double steps_ = 0;
    double offset_ = 0; // sum over what runs: prompt minus what the rank had answered when it joined
    double base_ = 0;   // sum of their prompts
    double held_ = 0;   // promised
};

// What an engine tells those that share its requests.
struct EngineNews
{
    std::size_t request = 0;
    double when = 0;
    double left = 0; // to be decoded elsewhere; 0: answered
};

class OneEngine
{
public:
    explicit OneEngine(const EngineKind& kind) : k_(kind), ranks_(at(kind.ranks), EngineRank(kind)) {}

    double now() const { return now_; }
    bool idle() const
    {
        return std::ranges::all_of(ranks_, [](const EngineRank& r) { return r.idle(); });
    }
    double load() const
    {
        return sum_over(ranks_, [](const EngineRank& r) { return r.load(); });
    }
    // A request that is there at `when`; of one to be decoded only, `left` tokens.
    void take(std::size_t i, const EngineRequest& r, double when, double left)
    {
        if (idle())
        {
            now_ = begun_ = known_ = std::max(now_, when);
        }
        EngineRank& rank =
            *std::ranges::min_element(ranks_, {}, [](const EngineRank& o) { return o.load(); });
        if (k_.role == EngineRole::decode)
        {
            rank.join(i, real(r.prompt) + 1, left);
            return;
        }
        rank.take(i, real(r.prompt), real(r.cached), real(r.output) - 1, when);
    }

    // One iteration, or steps until `horizon`.
    void iterate(std::vector<EngineRequest>& all, double horizon, std::vector<EngineNews>& news,
                 std::vector<EngineStep>* kept)
    {
        EngineWork work;
        double prompts = 0;
        double decoding = 0;
        double most = 0;
        for (EngineRank& rank : ranks_)
        {
            rank.admit_ready();
            preemptions_ += rank.preempt(all);
        }
        poll();
        const bool held = balances();
        for (EngineRank& rank : ranks_)
        {
            const auto& pieces = held ? rank.none() : rank.choose(now_, known_, all);
            const double tokens = sum_over(pieces, &PromptPiece::tokens);
            const double n = rank.decoding();
            prompts += tokens;
            decoding += n;
            if (tokens > most)
            {
                most = tokens;
                work.prompts = pieces;
            }
            if (n * rank.context() > work.decoding * work.context)
            {
                work.decoding = n;
                work.context = rank.context();
            }
        }
        work.drafted = k_.drafted;
        work.everywhere = (decoding * (1 + k_.drafted) + prompts) * k_.alike;
        advance(all, horizon, work, prompts, news, kept);
    }
    std::int64_t preemptions() const { return preemptions_; }

private:
    bool later() const
    {
        return std::ranges::any_of(ranks_, [this](const EngineRank& r) { return r.has_later(known_); });
    }
    // Which requests the iteration that begins now was chosen from.
    void poll()
    {
        const auto works = [this](const EngineRank& r) { return r.running() > 0 || r.has_prompt(known_); };
        if (std::ranges::none_of(ranks_, works)) // nothing to plan beside
        {
            known_ = now_;
            unseen_ = 0;
        }
        else if (unseen_ >= real(k_.engine.scheduler_recv_interval))
        {
            known_ = k_.engine.plans_ahead ? std::max(known_, begun_) : now_;
            unseen_ = 0;
        }
    }
    // Whether prompts wait for those of other attention replicas.
    bool balances()
    {
        const auto waits = [this](const EngineRank& r) { return r.has_prompt(known_); };
        const auto decodes = [](const EngineRank& r) { return r.running() > 0; };
        const bool some = std::ranges::any_of(ranks_, waits) && !std::ranges::all_of(ranks_, waits) &&
                          std::ranges::all_of(ranks_, decodes);
        held_ = some && k_.engine.balance_iters > 0 ? held_ + 1 : 0;
        return held_ > 0 && held_ <= real(k_.engine.balance_iters);
    }
    double seconds(const EngineWork& work) const
    {
        const double pass = k_.clock.time(work).total();
        if (k_.drafted <= 0 || work.decoding <= 0)
        {
            return pass;
        }
        EngineWork draft = work;
        draft.prompts = {};
        draft.drafted = 0;
        return pass + k_.drafted * k_.draft_cost * k_.clock.time(draft).total();
    }
    void advance(std::vector<EngineRequest>& all, double horizon, EngineWork& work, double prompts,
                 std::vector<EngineNews>& news, std::vector<EngineStep>* kept)
    {
        const double start = now_;
        double once = seconds(work);
        double steps = 1;
        if (prompts == 0 && work.decoding > 0)
        {
            steps = kMostTogether;
            for (const EngineRank& rank : ranks_)
            {
                steps = std::min(steps, rank.running() > 0 ? rank.free_steps() : steps);
            }
            const double until_poll =
                later() ? std::max(1.0, real(k_.engine.scheduler_recv_interval) - unseen_) : steps;
            steps = held_ > 0
                        ? 1
                        : std::max(1.0, std::min({steps, until_poll, std::ceil((horizon - now_) / once)}));
            work.context += (steps - 1) / 2 * k_.answer;
            once = steps > 1 ? seconds(work) : once;
        }
        now_ += steps * once;
        begun_ = now_ - once;
        const double interval = real(k_.engine.scheduler_recv_interval);
        unseen_ = prompts > 0 ? interval : std::fmod(unseen_ + steps - 1, interval) + 1;
        if (kept != nullptr && kept->size() < kMostKeptSteps)
        {
            kept->push_back({start, now_, work.decoding, prompts,
                             sum_over(ranks_, [](const EngineRank& r) { return r.waiting(); })});
        }
        for (EngineRank& rank : ranks_)
        {
            settle(rank, all, steps, news);
        }
    }
    void settle(EngineRank& rank, std::vector<EngineRequest>& all, double steps,
                std::vector<EngineNews>& news)
    {
        rank.decode(steps,
                    [&](std::size_t i)
                    {
                        all[i].end = now_;
                        news.push_back({i, now_, 0});
                    });
        rank.prefilled(
            [&](std::size_t i, double left)
            {
                all[i].first = all[i].first > 0 ? all[i].first : now_;
                all[i].end = now_;
                const bool decodes = left > 0 && k_.role != EngineRole::prefill;
                if (!decodes)
                {
                    news.push_back({i, now_, left});
                }
                return decodes;
            });
    }

    const EngineKind& k_;
    std::vector<EngineRank> ranks_;
    double now_ = 0;
    double begun_ = 0;  // [s] the latest iteration
    double known_ = 0;  // [s] when the scheduler last looked for requests
    double unseen_ = 0; // decoding steps since
    double held_ = 0;   // iterations that prompts have waited for those of other replicas
    std::int64_t preemptions_ = 0;
};

// All engines, and the requests between them.
class EngineFleet
{
public:
    EngineFleet(const Scenario& scenario, const Serving& s, const EngineCount& count)
        : apart_(s.disaggregated),
          front_kind_(scenario, s, apart_ ? s.prefill : s.layout,
                      apart_ ? EngineRole::prefill : EngineRole::both, count.followed),
          back_kind_(scenario, s, s.layout, EngineRole::decode, count.followed), engine_(s.engine),
          moved_(move_seconds(scenario, s)), front_(at(count.front), OneEngine(front_kind_)),
          back_(apart_ ? at(count.back) : 0, OneEngine(back_kind_))
    {
    }
    EngineFleet(const EngineFleet&) = delete; // engines look at their kinds
    EngineFleet& operator=(const EngineFleet&) = delete;

    void run(EngineRun& run, std::int64_t waiting, bool keep_steps)
    {
        std::vector<EngineRequest>& all = run.requests;
        const bool closed = waiting > 0;
        std::size_t next = closed ? std::min(at(waiting), all.size()) : 0;
        for (std::size_t i = 0; i < next; ++i)
        {
            all[i].arrival = 0;
            events_.push({before(all[i]), i, -1});
        }
        for (;;)
        {
            const double sent = !closed && next < all.size() ? all[next].arrival + before(all[next]) : kNever;
            const double event = events_.empty() ? kNever : events_.top().when;
            OneEngine* busy = earliest();
            const double now = busy != nullptr ? busy->now() : kNever;
            if (std::min(sent, event) <= now && std::min(sent, event) < kNever)
            {
                if (sent <= event)
                {
                    give(front_, all, next, sent, 0);
                    ++next;
                    continue;
                }
                deliver(all);
                continue;
            }
            if (busy == nullptr)
            {
                break;
            }
            news_.clear();
            busy->iterate(all, std::min({sent, event, others(busy)}), news_,
                          keep_steps ? kept_by(busy, run) : nullptr);
            spread_news(all, closed, next);
        }
        finish(run);
    }
    double room() const { return (apart_ ? back_kind_ : front_kind_).room; }
    double smallest_room() const { return apart_ ? std::min(back_kind_.room, front_kind_.room) : room(); }

private:
    struct Event
    {
        double when = 0;
        std::size_t request = 0;
        double left = -1; // tokens that are decoded elsewhere; below 0: the request is new
        bool operator>(const Event& o) const { return when > o.when; }
    };

    // [s] for each token of the cache: every GPU of a decoding engine receives its part.
    static double move_seconds(const Scenario& scenario, const Serving& s)
    {
        const double rate =
            (s.kv_link_gb_per_s > 0 ? s.kv_link_gb_per_s : scenario.cluster.network_gb_per_s) * 1e9;
        return s.disaggregated ? EngineClock(scenario, s, s.layout).token().value / rate : 0;
    }
    OneEngine* earliest()
    {
        OneEngine* best = nullptr;
        for (auto* engines : {&front_, &back_})
        {
            for (OneEngine& e : *engines)
            {
                best = !e.idle() && (best == nullptr || e.now() < best->now()) ? &e : best;
            }
        }
        return best;
    }
    // When another engine could send something here.
    double others(const OneEngine* self) const
    {
        double soonest = kNever;
        for (const OneEngine& e : front_)
        {
            soonest = apart_ && &e != self && !e.idle() ? std::min(soonest, e.now()) : soonest;
        }
        return soonest;
    }
    // [s] of a request before it is with an engine
    double before(const EngineRequest& r) const
    {
        return engine_.prompt_ms * 1e-3 + engine_.token_us * 1e-6 * real(r.prompt);
    }
    // To the engine with the fewest.
    static void give(std::vector<OneEngine>& engines, std::vector<EngineRequest>& all, std::size_t request,
                     double when, double left)
    {
        const auto least = std::ranges::min_element(engines, {}, [](const OneEngine& e) { return e.load(); });
        all[request].engine = least - engines.begin();
        least->take(request, all[request], when, left);
    }
    std::vector<EngineStep>* kept_by(const OneEngine* engine, EngineRun& run) const
    {
        return !apart_ && engine == &front_.front()  ? &run.steps
               : apart_ && engine == &front_.front() ? &run.prefill_steps
               : apart_ && engine == &back_.front()  ? &run.steps
                                                     : nullptr;
    }
    void deliver(std::vector<EngineRequest>& all)
    {
        const Event e = events_.top();
        events_.pop();
        give(e.left >= 0 ? back_ : front_, all, e.request, e.when, e.left);
    }
    void spread_news(std::vector<EngineRequest>& all, bool closed, std::size_t& next)
    {
        for (const EngineNews& n : news_)
        {
            if (n.left > 0)
            {
                EngineRequest& request = all[n.request];
                request.moved = moved_ * real(request.prompt);
                const double there = n.when + request.moved;
                request.first = request.end = there; // the decoding engine passes it on
                events_.push({there, n.request, n.left});
            }
            else if (closed && next < all.size())
            {
                all[next].arrival = n.when;
                events_.push({n.when + before(all[next]), next, -1});
                ++next;
            }
        }
    }
    void finish(EngineRun& run) const
    {
        double begin = kNever;
        double end = 0;
        for (const EngineRequest& r : run.requests)
        {
            begin = std::min(begin, r.arrival);
            end = std::max(end, r.end);
        }
        run.seconds = run.requests.empty() ? 0 : end - begin;
        for (const auto* engines : {&front_, &back_})
        {
            run.preemptions += sum_over<std::int64_t>(*engines, &OneEngine::preemptions);
        }
    }

    bool apart_;
    EngineKind front_kind_;
    EngineKind back_kind_;
    ServingEngine engine_;
    double moved_;
    std::vector<OneEngine> front_;
    std::vector<OneEngine> back_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<EngineNews> news_;
};

} // namespace

EngineRun run_engines(const Scenario& scenario, const Serving& serving, std::vector<EngineRequest> requests,
                      const EngineCount& count)
{
    EngineRun run;
    run.requests = std::move(requests);
    EngineFleet fleet(scenario, serving, count);
    run.room = std::max(0.0, fleet.room());
    const double largest =
        largest_over(run.requests, [](const EngineRequest& r) { return real(r.prompt + r.output); });
    run.fits = fleet.smallest_room() >= largest;
    if (run.fits)
    {
        fleet.run(run, count.waiting, count.keep_steps);
    }
    return run;
}

} // namespace ringside
