// The commands that need no window. Each prints its answer on stdout, problems on stderr, and returns the
// exit status: 0 done, 1 the answer is no, 2 bad input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside
{

inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kBadInput = 2;

struct CommonOptions
{
    std::string assets; // --assets DIR
    bool json = false;
};

int run_validate(const CommonOptions& options, const std::vector<std::string>& files);
// Everything that ships, question families sampled with `seeds` seeds each, and the files named;
// with `concepts` what each concept has.
int run_check(const CommonOptions& options, const std::vector<std::string>& files, std::uint64_t seeds,
              bool concepts);

} // namespace ringside
