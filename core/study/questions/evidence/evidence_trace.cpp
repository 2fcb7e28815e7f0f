// Lanes of a profiler's trace without the names of its kernels: a step of one GPU, or of two beside each
// other, with one thing that makes it long.
#include <fmt/format.h>

#include "core/study/questions/evidence/evidence_scene.h"

namespace ringside
{

namespace
{

constexpr int kTraceLayers = 6;

// One GPU's stream of kernels and its stream of collectives, written from left to right [ms].
class TraceLanes
{
public:
    explicit TraceLanes(Scene& scene) : scene_(scene) {}

    void kernel(double length)
    {
        add(computing_, now_, now_ + length);
        now_ += length;
    }
    void wait(double length) { now_ += length; }
    // Beside what is computed next.
    void sends(double length) { add(traffic_, now_, now_ + length); }
    // Nothing is computed meanwhile.
    void waits_for(double length)
    {
        sends(length);
        wait(length);
    }
    double now() const { return now_; }

    void finish(const std::string& gpu)
    {
        for (EvidenceSeries* lane : {&computing_, &traffic_})
        {
            lane->name = fmt::format("{}{}", gpu, lane == &computing_ ? "stream 7" : "stream 20");
            lane->lane = true;
            scene_.out.series.push_back(std::move(*lane));
        }
    }

private:
    static void add(EvidenceSeries& lane, double from, double to)
    {
        lane.x.push_back(from);
        lane.y.push_back(to);
    }

    Scene& scene_;
    EvidenceSeries computing_;
    EvidenceSeries traffic_;
    double now_ = 0;
};

// Forwards, then backwards of twice the length.
void write_pass(Scene& s, TraceLanes& lanes, double layer, bool backward)
{
    const double length = (backward ? 2 : 1) * layer;
    for (int i = 0; i < kTraceLayers; ++i)
    {
        if (s.is("gathers"))
        {
            lanes.waits_for(0.7 * layer);
        }
        if (s.is("launch_gaps"))
        {
            for (int kernel = 0; kernel < 8; ++kernel)
            {
                lanes.kernel(length / 20);
                lanes.wait(length / 12);
            }
            continue;
        }
        if (backward && !s.is("late_reduction") && !s.is("gathers"))
        {
            lanes.sends(0.6 * length);
        }
        lanes.kernel(length * s.between(0.97, 1.03));
        lanes.wait(0.02 * layer);
    }
}

void write_step(Scene& s, TraceLanes& lanes, double layer)
{
    if (s.is("loader"))
    {
        lanes.wait(5 * layer);
    }
    write_pass(s, lanes, layer, false);
    write_pass(s, lanes, layer, true);
    if (s.is("late_reduction"))
    {
        lanes.waits_for(8 * layer);
    }
    lanes.kernel(0.5 * layer); // the optimizer
}

// The other GPU works longer before each collective, which is short on it and long on the one that waits.
void write_late_rank(Scene& s, double layer)
{
    TraceLanes waiting(s);
    TraceLanes late(s);
    for (int i = 0; i < 2 * kTraceLayers; ++i)
    {
        const double own = layer * s.between(0.97, 1.03);
        const double more = 0.4 * layer * s.between(0.9, 1.1);
        const double transfer = 0.15 * layer;
        waiting.kernel(own);
        late.kernel(own + more);
        waiting.waits_for(more + transfer);
        late.waits_for(transfer);
    }
    const bool first = s.rng.below(2) == 0;
    (first ? late : waiting).finish("GPU 0, ");
    (first ? waiting : late).finish("GPU 1, ");
}

} // namespace

void make_trace(Scene& s)
{
    s.out.x_unit = "ms";
    const double layer = s.between(4, 12);
    if (s.is("late_rank"))
    {
        write_late_rank(s, layer);
        return;
    }
    TraceLanes lanes(s);
    lanes.wait(0.3 * layer);
    write_step(s, lanes, layer);
    write_step(s, lanes, layer);
    lanes.finish("");
}

} // namespace ringside
