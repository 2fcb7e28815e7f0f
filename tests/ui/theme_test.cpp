// The colours keep apart for everybody: CIEDE2000 between those that share a picture, also as seen with each
// kind of colour blindness (Machado, Oliveira and Fernandes 2009, severity 1), and WCAG contrast for text.
#include "core/memory/memory.h"
#include "ui/draw/theme.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

using namespace ringside;

namespace
{

struct Lab
{
    double l, a, b;
};

using Linear = std::array<double, 3>; // red, green, blue, 0 to 1

double degrees(double radians)
{
    return radians * 180 / std::numbers::pi;
}

double radians(double degrees)
{
    return degrees * std::numbers::pi / 180;
}

// Sharma, Wu and Dalal 2005, "The CIEDE2000 color-difference formula", equations 2 to 22.
double ciede2000(const Lab& x, const Lab& y)
{
    const double mean_c = (std::hypot(x.a, x.b) + std::hypot(y.a, y.b)) / 2;
    const double c7 = std::pow(mean_c, 7);
    const double g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
    const double a1 = (1 + g) * x.a;
    const double a2 = (1 + g) * y.a;
    const double c1 = std::hypot(a1, x.b);
    const double c2 = std::hypot(a2, y.b);
    const auto hue = [](double a, double b)
    {
        const double h = a == 0 && b == 0 ? 0 : degrees(std::atan2(b, a));
        return h < 0 ? h + 360 : h;
    };
    const double h1 = hue(a1, x.b);
    const double h2 = hue(a2, y.b);
    const bool grey = c1 * c2 == 0;
    double dh = grey ? 0 : h2 - h1;
    dh += dh > 180 ? -360 : dh < -180 ? 360 : 0;
    const double delta_h = 2 * std::sqrt(c1 * c2) * std::sin(radians(dh / 2));
    double h = h1 + h2;
    if (!grey)
    {
        h = std::abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
    }
    const double l = (x.l + y.l) / 2;
    const double c = (c1 + c2) / 2;
    const double t = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) +
                     0.32 * std::cos(radians(3 * h + 6)) - 0.20 * std::cos(radians(4 * h - 63));
    const double rotation = 30 * std::exp(-std::pow((h - 275) / 25, 2));
    const double cc7 = std::pow(c, 7);
    const double rc = 2 * std::sqrt(cc7 / (cc7 + std::pow(25.0, 7)));
    const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50));
    const double sc = 1 + 0.045 * c;
    const double sh = 1 + 0.015 * c * t;
    const double rt = -std::sin(radians(2 * rotation)) * rc;
    const double dl = (y.l - x.l) / sl;
    const double dc = (c2 - c1) / sc;
    const double dhh = delta_h / sh;
    return std::sqrt(dl * dl + dc * dc + dhh * dhh + rt * dc * dhh);
}

Linear linear(Colour colour)
{
    Linear out{};
    for (std::size_t i = 0; i < 3; ++i)
    {
        const double v = static_cast<double>((colour >> (8 * i)) & 0xFFU) / 255;
        out[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    }
    return out;
}

Lab lab(const Linear& rgb)
{
    const auto [r, g, b] = rgb;
    const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
    const double y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
    const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
    const auto f = [](double v) { return v > 216.0 / 24389 ? std::cbrt(v) : (24389.0 / 27 * v + 16) / 116; };
    return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

using Matrix = std::array<Linear, 3>;

struct Eyes
{
    const char* name;
    Matrix seen;
};
// Machado et al. 2009, table of simulation matrices, severity 1.0, for linear red, green and blue.
constexpr std::array<Eyes, 4> kEyes{
    {{"normal", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
     {"protanopia",
      {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
     {"deuteranopia",
      {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
     {"tritanopia",
      {{{1.255528, -0.076749, -0.178779},
        {-0.078411, 0.930809, 0.147602},
        {0.004733, 0.691367, 0.303900}}}}}};

Linear seen_by(const Eyes& eyes, const Linear& rgb)
{
    Linear out{};
    for (std::size_t row = 0; row < 3; ++row)
    {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
        {
            sum += eyes.seen[row][i] * rgb[i];
        }
        out[row] = std::clamp(sum, 0.0, 1.0);
    }
    return out;
}

struct NamedFill
{
    std::string name;
    Colour colour;
};

void must_keep_apart(const std::vector<NamedFill>& set, const std::array<double, 4>& published)
{
    for (std::size_t e = 0; e < kEyes.size(); ++e)
    {
        double least = 1e9;
        std::string closest;
        for (std::size_t i = 0; i < set.size(); ++i)
        {
            for (std::size_t k = i + 1; k < set.size(); ++k)
            {
                const double difference = ciede2000(lab(seen_by(kEyes[e], linear(set[i].colour))),
                                                    lab(seen_by(kEyes[e], linear(set[k].colour))));
                if (difference < least)
                {
                    least = difference;
                    closest = set[i].name + " and " + set[k].name;
                }
            }
        }
        INFO(kEyes[e].name << ": closest are " << closest);
        CHECK(least >= published[e] - 0.3);
    }
}

std::vector<NamedFill> memory_set(const Theme& t)
{
    std::vector<NamedFill> set{{"warning", t.warning}};
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        set.push_back({std::string(name_of(static_cast<Component>(i))), t.component[i].fill});
    }
    return set;
}

std::vector<NamedFill> pipeline_set(const Theme& t)
{
    return {{"forward", t.forward.fill},
            {"backward, input", t.backward_input.fill},
            {"backward, weight", t.backward_weight.fill},
            {"activations", t.of(Component::activations).fill}};
}

std::vector<NamedFill> lane_set(const Theme& t)
{
    std::vector<NamedFill> set = pipeline_set(t);
    set.insert(set.end(), {{"tensor", t.tensor.fill},
                           {"pipeline", t.pipeline.fill},
                           {"data", t.data.fill},
                           {"context", t.context.fill},
                           {"expert", t.expert.fill},
                           {"warning", t.warning}});
    return set;
}

std::vector<NamedFill> ramp_set(const Theme& t, std::size_t stages)
{
    std::vector<NamedFill> set;
    for (std::size_t i = 0; i < stages; ++i)
    {
        set.push_back({"stage " + std::to_string(i), stage_colour(t, i, stages)});
    }
    return set;
}

// WCAG 2.1, relative luminance and contrast ratio.
double contrast(Colour a, Colour b)
{
    const auto luminance = [](Colour colour)
    {
        const auto [r, g, blue] = linear(colour);
        return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
    };
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

} // namespace

TEST_CASE("CIEDE2000 agrees with the pairs published by Sharma, Wu and Dalal 2005")
{
    struct Pair
    {
        Lab x, y;
        double difference;
    };
    const std::vector<Pair> published{{{50, 2.6772, -79.7751}, {50, 0, -82.7485}, 2.0425},
                                      {{50, 3.1571, -77.2803}, {50, 0, -82.7485}, 2.8615},
                                      {{50, -1.3802, -84.2814}, {50, 0, -82.7485}, 1.0000},
                                      {{50, 0, 0}, {50, -1, 2}, 2.3669},
                                      {{50, 2.4900, -0.0010}, {50, -2.4900, 0.0009}, 7.1792},
                                      {{50, 2.4900, -0.0010}, {50, -2.4900, 0.0011}, 7.2195},
                                      {{50, -0.0010, 2.4900}, {50, 0.0011, -2.4900}, 4.7461},
                                      {{50, 2.5, 0}, {50, 0, -2.5}, 4.3065},
                                      {{50, 2.5, 0}, {73, 25, -18}, 27.1492},
                                      {{50, 2.5, 0}, {56, -27, -3}, 31.9030},
                                      {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
                                      {{63.0109, -31.0961, -5.8663}, {62.8187, -29.7946, -4.0864}, 1.2630},
                                      {{22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}, 2.0373},
                                      {{90.8027, -2.0831, 1.4410}, {91.1528, -1.6435, 0.0447}, 1.4441},
                                      {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082}};
    for (const Pair& pair : published)
    {
        INFO(pair.x.l << " " << pair.x.a << " " << pair.x.b);
        CHECK(ciede2000(pair.x, pair.y) == Catch::Approx(pair.difference).margin(1e-4));
        CHECK(ciede2000(pair.y, pair.x) == Catch::Approx(pair.difference).margin(1e-4));
    }
}

TEST_CASE("white, black and red have the Lab values they are known by")
{
    const auto is = [](Colour colour, const Lab& known)
    {
        const Lab got = lab(linear(colour));
        CHECK(got.l == Catch::Approx(known.l).margin(0.01));
        CHECK(got.a == Catch::Approx(known.a).margin(0.02));
        CHECK(got.b == Catch::Approx(known.b).margin(0.02));
    };
    is(rgb(0xFFFFFF), {100, 0, 0});
    is(rgb(0x000000), {0, 0, 0});
    is(rgb(0xFF0000), {53.24, 80.09, 67.20});
}

TEST_CASE("colours of the memory board keep apart, the warning among them")
{
    must_keep_apart(memory_set(dark_theme()), {18.1, 11.8, 12.6, 12.8});
    must_keep_apart(memory_set(light_theme()), {17.6, 15.2, 14.8, 16.7});
}

TEST_CASE("colours of a pipeline and its stash keep apart")
{
    must_keep_apart(pipeline_set(dark_theme()), {30.5, 15.2, 20.4, 19.3});
    must_keep_apart(pipeline_set(light_theme()), {31.8, 17.7, 19.2, 19.2});
}

TEST_CASE("all lane colours keep apart, activations and the warning among them")
{
    must_keep_apart(lane_set(dark_theme()), {20.6, 11.5, 11.7, 11.8});
    must_keep_apart(lane_set(light_theme()), {21.5, 12.9, 11.9, 13.4});
}

TEST_CASE("fits and does not fit keep apart")
{
    must_keep_apart({{"warning", dark_theme().warning}, {"ok", dark_theme().ok}}, {71.2, 27.7, 17.5, 74.5});
    must_keep_apart({{"warning", light_theme().warning}, {"ok", light_theme().ok}}, {61.0, 18.5, 17.9, 58.4});
}

TEST_CASE("the ramp of stages keeps four and eight stages apart")
{
    must_keep_apart(ramp_set(dark_theme(), 4), {18.7, 13.4, 16.4, 14.5});
    must_keep_apart(ramp_set(dark_theme(), 8), {7.9, 5.8, 6.9, 6.1});
    must_keep_apart(ramp_set(light_theme(), 4), {23.6, 17.7, 19.6, 19.6});
    must_keep_apart(ramp_set(light_theme(), 8), {10.1, 7.1, 7.5, 8.2});
}

TEST_CASE("colours of what is compared keep apart, from one another and from those of data")
{
    for (const Theme* t : {&dark_theme(), &light_theme()})
    {
        INFO((t->light ? "light" : "dark"));
        std::vector<NamedFill> set;
        for (const Ink& ink : t->series)
        {
            set.push_back({"series " + std::to_string(set.size()), ink.fill});
        }
        must_keep_apart(set, {29.5, 17.5, 18.4, 17.7});
        for (const NamedFill& data : lane_set(*t))
        {
            for (const NamedFill& one : set)
            {
                INFO(one.name << " and " << data.name);
                CHECK(ciede2000(lab(linear(one.colour)), lab(linear(data.colour))) >= 9);
            }
        }
    }
}

TEST_CASE("the name of a line has a contrast of 4.5, or of 7, in whatever colour the line is")
{
    for (const Theme* t : {&dark_theme(), &light_theme(), &theme_of(false, true), &theme_of(true, true)})
    {
        std::vector<Ink> inks(t->component.begin(), t->component.end());
        inks.insert(inks.end(), t->series.begin(), t->series.end());
        inks.insert(inks.end(), {t->forward, t->backward_input, t->backward_weight, t->tensor, t->pipeline,
                                 t->data, t->context, t->expert, Ink{t->line}, Ink{t->muted}, Ink{t->text},
                                 Ink{with_alpha(t->forward.fill, 0.5F)}});
        for (const Ink& ink : inks)
        {
            INFO((t->light ? "light " : "dark ") << std::hex << ink.fill);
            CHECK(contrast(words_in(*t, ink), t->window) >= (t->least_contrast > 7 ? 7 : 4.5));
        }
    }
}

TEST_CASE("words have a contrast of 4.5 on every surface they stand on")
{
    for (const Theme* t : {&dark_theme(), &light_theme()})
    {
        INFO((t->light ? "light" : "dark"));
        for (const Colour surface : {t->window, t->panel, t->control, t->raised})
        {
            CHECK(contrast(t->text, surface) >= 4.5);
            CHECK(contrast(t->muted, surface) >= 4.5);
        }
        for (const Colour surface : {t->window, t->panel, t->control})
        {
            CHECK(contrast(t->warning, surface) >= 4.5);
        }
        // On the verdict's pill, and on what is chosen.
        CHECK(contrast(t->warning, t->light ? rgb(0xFFFFFF) : rgb(0x000000)) >= 4.5);
        CHECK(contrast(t->window, t->text) >= 4.5);
    }
}

TEST_CASE("in high contrast words have a contrast of 7 on every surface, lines one of 3")
{
    for (const bool light : {false, true})
    {
        const Theme& t = theme_of(light, true);
        INFO((light ? "light" : "dark"));
        CHECK(t.light == light);
        for (const Colour surface : {t.window, t.panel, t.control, t.raised})
        {
            CHECK(contrast(t.text, surface) >= 7);
            CHECK(contrast(t.muted, surface) >= 7);
            CHECK(contrast(t.line, surface) >= 3);
        }
        for (const Colour words : {t.warning, t.ok})
        {
            CHECK(contrast(words, t.window) >= 7);
        }
        CHECK(contrast(t.grid, t.window) >= 3);
    }
}

TEST_CASE("labels have a contrast of 4.5 on their fills")
{
    for (const Theme* t : {&dark_theme(), &light_theme()})
    {
        INFO((t->light ? "light" : "dark"));
        std::vector<Ink> inks(t->component.begin(), t->component.end());
        inks.insert(inks.end(), {t->forward, t->backward_input, t->backward_weight, t->tensor, t->pipeline,
                                 t->data, t->context, t->expert});
        inks.insert(inks.end(), t->series.begin(), t->series.end());
        for (const Ink& ink : inks)
        {
            INFO("fill " << std::hex << ink.fill);
            CHECK(contrast(ink.label, ink.fill) >= 4.5);
            // A block's edge is what tells it from the light window: 3, as for any part of a picture.
            CHECK((!t->light || contrast(ink.edge, t->window) >= 3));
        }
    }
}

TEST_CASE("both themes have one colour for one thing: no two fills of a theme are equal")
{
    for (const Theme* t : {&dark_theme(), &light_theme()})
    {
        std::vector<Colour> fills;
        for (const NamedFill& named : lane_set(*t))
        {
            fills.push_back(named.colour);
        }
        std::sort(fills.begin(), fills.end());
        CHECK(std::adjacent_find(fills.begin(), fills.end()) == fills.end());
    }
}
