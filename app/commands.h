// The commands that need no window. Each prints its answer on stdout, problems on stderr, and returns the
// exit status: 0 done, 1 the answer is no, 2 bad input.
#pragma once

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

int run_evaluate(const CommonOptions& options, const std::string& file, const std::vector<std::string>& sets,
                 const std::string& convention);
int run_validate(const CommonOptions& options, const std::vector<std::string>& files);
int run_check(const CommonOptions& options, const std::vector<std::string>& files);

} // namespace ringside
