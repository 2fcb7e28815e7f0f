// A view of one kind of session: what to begin with while none is on, then the session, then how it went. Esc
// leaves.
#pragma once

#include "ui/shell/frame/study_frame.h"
#include "ui/views/study/drill/parts.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/scrolled_sheet.h"

namespace ringside
{

template <class Session>
class SessionView : public View
{
public:
    bool about_scenario() const final { return false; }

    void draw(const Frame& frame, const Painter& p, Rect area, Out& out) final
    {
        const Session* s = session_of(frame);
        if (s != nullptr)
        {
            is_over(*s) ? draw_over(frame, *s, p, area, out) : draw_session(frame, *s, p, area, out);
        }
        else if (!draw_no_questions(p, area, *frame.study))
        {
            ScrolledSheet sheet(p, area, "###start");
            sheet.page_keys();
            draw_start(*sheet, *frame.study, out);
        }
        home_.draw(frame, p, out);
    }

    bool draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out) final
    {
        const Session* s = session_of(frame);
        return (s != nullptr && draw_session_panel(frame, *s, p, area, out)) ||
               home_.draw_panel(frame, p, area, out);
    }

    void on_keys(const Frame& frame, Out& out) final
    {
        const Session* s = session_of(frame);
        if (s == nullptr)
        {
            frame.study->families.empty() ? void() : start_keys(*frame.study, out);
        }
        else if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
        {
            leave(frame, *s, out);
        }
        else
        {
            session_keys(frame, *s, out);
        }
    }

    void typing_keys(const Frame& frame, Out& out) final
    {
        const Session* s = session_of(frame);
        if (s != nullptr && !is_over(*s))
        {
            ImGui::IsKeyPressed(ImGuiKey_Escape, false) ? leave(frame, *s, out)
                                                        : session_typing(frame, *s, out);
        }
    }

protected:
    static const Session* session_of(const Frame& frame)
    {
        return std::get_if<Session>(frame.study->session);
    }
    static bool is_over(const Session& s) { return s.stage == decltype(s.stage)::over; }

    virtual void draw_start(Sheet& sheet, const StudyFrame& study, Out& out) = 0;
    virtual void start_keys(const StudyFrame& study, Out& out) = 0;
    virtual void draw_session(const Frame& frame, const Session& s, const Painter& p, Rect area,
                              Out& out) = 0;
    virtual void draw_over(const Frame& frame, const Session& s, const Painter& p, Rect area, Out& out) = 0;
    // False: the panel says how far it is to ready.
    virtual bool draw_session_panel(const Frame&, const Session&, const Painter&, Rect, Out&)
    {
        return false;
    }
    virtual void session_keys(const Frame& frame, const Session& s, Out& out) = 0;
    virtual void session_typing(const Frame&, const Session&, Out&) {}
    virtual void leave(const Frame& frame, const Session& s, Out& out) = 0;

private:
    StudyPopups home_;
};

} // namespace ringside
