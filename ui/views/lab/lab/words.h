// The lab's words: captions, facts and how its numbers are written.
#pragma once

#include "ui/shell/frame/lab_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

// "404 GFLOP/s"
std::string format_flops(double per_second);
// "541 k": tokens a second
std::string format_rate(double per_second);
// "0 B", "+4.0%"; in bytes where nothing was predicted
std::string off_by(std::int64_t predicted, std::int64_t measured);
// The batch in use against the noise scale as measured, or what it takes to measure it.
std::string noise_words(const TrainingSnapshot& run);
// "learning rate 4e-03 to 0.04 at step 640, back at step 760"; empty: nothing was turned
std::string change_words(const TrainingSnapshot& run);
// "2 layers of width 64, 106 k parameters, on genesis.txt: 8 x 64 tokens per step, AdamW, fp32"
std::string model_words(const LabRun& run);

Caption lab_caption(const LabFrame& lab);
std::vector<std::string> lab_facts(const LabFrame& lab, ByteUnit unit);

// Values of the step that is looked at, of one of the run's series; nothing where it was thinned out.
std::optional<double> at_step(const TrainingSnapshot& run, std::span<const float> series, std::int64_t step);

} // namespace ringside
