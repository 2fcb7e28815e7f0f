#include "core/scaling/budget.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <cmath>

namespace ringside
{

namespace
{

double& field(Budget& b, BudgetUnknown unknown)
{
    switch (unknown)
    {
    case BudgetUnknown::days:
        return b.days;
    case BudgetUnknown::gpus:
        return b.gpus;
    case BudgetUnknown::tokens:
        return b.tokens;
    case BudgetUnknown::parameters:
        return b.parameters;
    case BudgetUnknown::mfu:
        break;
    }
    return b.mfu;
}

bool is_needed(BudgetUnknown unknown)
{
    return unknown == BudgetUnknown::tokens || unknown == BudgetUnknown::parameters;
}

} // namespace

Budget solved(Budget b, BudgetUnknown unknown)
{
    double& x = field(b, unknown);
    x = 1;
    const double over = is_needed(unknown) ? b.delivered() : b.flops();
    const double under = is_needed(unknown) ? b.flops() : b.delivered();
    x = under > 0 && std::isfinite(over / under) ? over / under : 0;
    return b;
}

Term explain_budget(const Budget& b, BudgetUnknown unknown)
{
    const std::string six = figure(b.per_parameter(), 3);
    const std::string n = figure(b.parameters);
    const std::string d = figure(b.tokens);
    const std::string peak = figure(b.peak_tflops * 1e12);
    const std::string gpus = figure(b.gpus);
    const std::string mfu = figure(b.mfu);
    const std::string seconds = fmt::format("{} × 86400", figure(b.days));
    Term term{std::string(name_of(unknown)),
              0,
              "",
              "",
              "",
              "Kaplan et al. 2020, arXiv 2001.08361, section 2.1: 6 FLOPs per parameter and token"};
    switch (unknown)
    {
    case BudgetUnknown::days:
        term.value = b.days;
        term.formula = six + " N D / (n × peak × MFU × 86400)";
        term.working = fmt::format("{} × {} × {} / ({} × {} × {} × 86400)", six, n, d, gpus, peak, mfu);
        break;
    case BudgetUnknown::gpus:
        term.value = b.gpus;
        term.formula = six + " N D / (peak × MFU × time)";
        term.working = fmt::format("{} × {} × {} / ({} × {} × {})", six, n, d, peak, mfu, seconds);
        break;
    case BudgetUnknown::tokens:
        term.value = b.tokens;
        term.formula = "n × peak × MFU × time / (" + six + " N)";
        term.working = fmt::format("{} × {} × {} × {} / ({} × {})", gpus, peak, mfu, seconds, six, n);
        break;
    case BudgetUnknown::parameters:
        term.value = b.parameters;
        term.formula = "n × peak × MFU × time / (" + six + " D)";
        term.working = fmt::format("{} × {} × {} × {} / ({} × {})", gpus, peak, mfu, seconds, six, d);
        break;
    case BudgetUnknown::mfu:
        term.value = b.mfu;
        term.formula = six + " N D / (n × peak × time)";
        term.working = fmt::format("{} × {} × {} / ({} × {} × {})", six, n, d, gpus, peak, seconds);
        break;
    }
    return term;
}

} // namespace ringside
