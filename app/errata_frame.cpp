#include "app/errata_frame.h"

namespace ringside
{

std::shared_ptr<const ErrataFrame> load_errata_frame(const std::filesystem::path& assets,
                                                     const QuestionBank& bank, Issues& issues)
{
    auto frame = std::make_shared<ErrataFrame>();
    frame->file = (assets / "study" / "errata.json").string();
    ErrataRead read = load_errata(assets);
    frame->errata = std::move(read.errata);
    issues.insert(issues.end(), read.issues.begin(), read.issues.end());
    for (const Erratum& erratum : frame->errata)
    {
        for (const QuestionFamily* family : questions_about(bank, erratum.id))
        {
            frame->questions[erratum.id].push_back(family->title);
        }
    }
    return frame;
}

} // namespace ringside
