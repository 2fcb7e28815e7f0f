// The study mode's side effects: owns progress, its file and the session that is running, and the clock that
// all of them are told. What to ask and how it is graded is the core's.
//
// A session that is interrupted by "Quiz me" is kept and comes back paused, with the view. Looking at the
// picture before answering costs what a hint costs, since the numbers are there.
#pragma once

#include "app/files/study_store.h"
#include "core/base/notice.h"
#include "core/study/progress/imports.h"
#include "core/study/sessions/asking.h"
#include "ui/shell/frame/study_frame.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace ringside
{

// Now, where the user is. A day of study begins at four in the morning, so the offset is four hours less.
StudyTime wall_clock();

class StudyController
{
public:
    struct Setup
    {
        std::vector<FamilyInfo> families;
        std::string questions; // the folder they come from, for the user
        StudyPlan plan;
        std::function<StudyTime()> clock = wall_clock;
        Progress progress;                         // to start with, where there is no store
        std::unique_ptr<StudyStore> store;         // null: nothing is kept
        std::shared_ptr<Asking> asking;            // draws the families' questions; null: none can be drawn
        std::string message;                       // about the questions, for the user
        std::shared_ptr<const ErrataFrame> errata; // null: none
    };

    explicit StudyController(Setup setup);
    StudyController(const StudyController&) = delete;
    StudyController& operator=(const StudyController&) = delete;

    struct Answer
    {
        Notice notice;         // may be empty
        std::string view = {}; // id of the view to go to, where there is one
        std::string file = {}; // name of a file to save; empty: none
        std::string text = {}; // of that file
    };
    Answer apply(const StudyAction& action);
    // Looks at the clock: questions fall due, days turn, a mock's bell rings.
    void tick();
    // Valid until the next apply() or tick().
    const StudyFrame& frame() const { return frame_; }
    // Draws the questions; null where there are none.
    const Asking* asking() const { return setup_.asking.get(); }
    // About the questions and the file that were loaded; empty when all was well.
    const std::string& message() const { return message_; }

private:
    Answer start(const StartDrill& action);
    Answer start(const StartMock& action);
    Answer start(const StartSpoken& action);
    Answer start(const QuizView& action);
    Answer check(const AnswerQuestion& action);
    Answer step(const StudyStep& action);
    Answer end();
    Answer change(const ProgressChange& change);
    Answer send(const ExportStudy& action);
    Answer look_into(const ImportStudy& action);
    Answer answer(const AnswerImport& action);
    Answer remove(const RemoveImport& action);
    Answer restore(const RestoreBackup& action);
    void list_imports();
    void finish_task();
    void begin(StudySession session);
    StudySession pause_for_aside() const;
    // The question on show and the verdict on its last answer, made again where either changed.
    void show_question();
    Result<Question> draw(const DeckCard& card);
    std::optional<Verdict> verdict_on(const std::string& answer) const;
    // After the progress changed: saved, and everything that follows from it made again.
    Notice changed();
    void update_frame();
    void read_clock();
    void list_families();
    // What is under way, to go on with after a restart.
    void keep_session();
    void resume();

    Setup setup_;
    Progress progress_;
    std::vector<FamilyInfo> families_;
    Cards cards_;
    StudySession session_;
    StudySession aside_;               // kept while one question is asked
    std::optional<StudyImport> found_; // waits to be taken
    std::vector<TakenImport> taken_;   // since the program started, newest first
    std::string kept_session_;         // its text on disk
    std::optional<DeckCard> drawn_for_;
    std::optional<Question> question_;
    std::string judged_; // answer that the verdict is on
    std::optional<Verdict> verdict_;
    StudyFrame frame_;
    std::int64_t next_look_ms_ = 0;
    std::string message_;
};

// assets/study/plan.json; an empty plan where there is none or it has faults.
StudyPlan load_plan(const std::filesystem::path& assets, Issues& issues);
// The errata of the assets with the questions about them; empty where there is no file. Faults are added.
std::shared_ptr<const ErrataFrame> load_errata_frame(const std::filesystem::path& assets,
                                                     const QuestionBank& bank, Issues& issues);
// What the assets hold for a controller: the plan and the questions. No store. The presets outlive the
// controller.
StudyController::Setup study_setup(const std::filesystem::path& assets, const Presets& presets,
                                   Issues& issues);

} // namespace ringside
