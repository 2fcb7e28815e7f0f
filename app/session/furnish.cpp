#include "app/session/furnish.h"

#include "app/files/demo_script_file.h"
#include "app/files/lesson_files.h"
#include "app/files/measured_file.h"

namespace ringside
{

void furnish(Session& session, const std::filesystem::path& assets, const Presets& presets,
             LabDesk::Setup lab, Issues& issues)
{
    StudyDesk::Setup study = study_setup(assets, presets, issues);
    study.store = std::make_unique<StudyStore>();
    auto desk = std::make_unique<StudyDesk>(std::move(study));
    add_if(issues, !desk->message().empty(), {"study", desk->message(), ""});
    session.set_study(std::move(desk));
    session.set_lab(std::make_unique<LabDesk>(std::move(lab)));
    Course course = open_course(assets, issues);
    session.set_course(std::move(course), load_finished(issues));
    session.shipped_runs = [&session, &presets, file = (assets / "measured/llm-foundry-h100.json").string()]
    { return read_measured(file, session.scenario(), presets); };
    DemoScripts scripts = read_demo_scripts(assets, presets);
    append(issues, scripts.issues);
    session.set_scripts(std::move(scripts.scripts));
}

} // namespace ringside
