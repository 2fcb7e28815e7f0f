// How often a prefix is found in a cache of a given size: an LRU cache under independent requests whose
// popularity follows Zipf's law, by Che's approximation.
//
// Prefixes are of one size. A prefix is in the cache when it was asked for within the last T_C requests, and
// T_C is such that as many are as fit (Che, Tung and Wang, IEEE JSAC 20 (2002) 1305, equations 6 and 7; why
// it is exact for many prefixes: Fricker, Robert and Roberts, ITC 24 (2012), arXiv 1202.3974). Real requests
// come in sessions, which find more than this.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside
{

struct PrefixTraffic
{
    std::int64_t prefixes = 10000; // different ones
    double skew = 0.8;             // Zipf's exponent

    bool operator==(const PrefixTraffic&) const = default;
};

// Probability of a hit with room for `room` prefixes: sum of q (1 - e^(-q T_C)), T_C such that the sum of 1 -
// e^(-q T_C) is `room`. 1 where all fit.
double prefix_hits(const PrefixTraffic& traffic, double room);

struct PrefixPoint
{
    double room = 0; // prefixes
    double hits = 0;
};
// The whole curve, from almost none to almost all: a point for each of many T_C, evenly spaced by logarithm.
std::vector<PrefixPoint> prefix_curve(const PrefixTraffic& traffic);

} // namespace ringside
