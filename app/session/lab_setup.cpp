#include "app/files/files.h"
#include "app/session/lab_desk.h"
#include "core/base/give_way.h"
#include "core/lab/corpus.h"

namespace ringside
{

LabDesk::Setup lab_setup(const std::filesystem::path& assets, const Presets& presets,
                         const std::string& device, bool beside_window)
{
    LabDesk::Setup setup;
    // Asked for on the thread that will train.
    setup.open = [device, beside_window]
    {
        if (beside_window)
        {
            give_way();
        }
        return trainer::open_device(device);
    };
    if (auto text = read_plain(assets / "texts/genesis.txt", kMostTextBytes))
    {
        setup.text.name = "genesis.txt";
        setup.text.text = std::make_shared<const std::string>(std::move(*text));
    }
    for (const GpuPreset& gpu : presets.gpus)
    {
        setup.data_sheets.push_back(gpu.gpu);
    }
    setup.checkpoint = config_folder() / "lab-run.checkpoint";
    return setup;
}

} // namespace ringside
