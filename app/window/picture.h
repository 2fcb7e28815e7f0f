// `ringside picture`: the real view, drawn with no display.
//
// A picture of the lab trains on the processor for as many steps as --steps says, from a fixed seed; speeds
// in it are the machine's. One of the ranks makes a third of its steps data parallel, a third with ZeRO-2
// and a third as a pipeline.
#pragma once

#include "app/commands/commands.h"
#include "ui/shell/view.h"

#include <optional>
#include <set>

namespace ringside
{

struct PictureOptions : CommonOptions
{
    std::string view;
    std::string scenario; // file; empty: the default
    std::string compare;  // file of scenario A
    std::string progress; // file of the study mode; empty: nothing was studied yet
    std::string question; // family or family/variant that a drill asks; empty: no drill is on
    std::string answer;   // to it, as typed
    std::uint64_t seed = 1;
    int hints = 0; // opened
    std::string output;
    std::string size = "1280x800";
    std::optional<double> time; // in the view's units; where the view rests without it
    bool light = false;
    bool high_contrast = false;
    double text_scale = 1;
    bool presenter = false;
    bool list = false;
    bool svg = false;   // whatever the file is called
    std::string lesson; // id; empty: no lesson
    std::string script; // of a demonstration, a file or name; empty: none
    int step = 1;       // of the lesson, or scene of the demonstration
    bool reveal = false;
    std::string press;            // letters and digits, pressed in the view before it is drawn
    std::int64_t steps = 120;     // of the live lab or its ranks; 0: before the first start
    std::string term;             // of the glossary, by id
    std::string find;             // typed into the palette
    bool guide = false;           // the view's page of the guide beside it
    int tour = 0;                 // the stop, from 1; 0: no tour
    std::string watch;            // file of a training elsewhere; empty: none
    std::string measured;         // steps, a table or cases; empty: none
    std::vector<std::string> run; // files and folders of a real run
    std::string demo;             // of the lab, by id; empty: none
    std::set<std::string, std::less<>> typed = {}; // the options that were given: "--step"
};

// Writes the picture, or ends the command; the caption below it.
Caption draw_picture(const PictureOptions& options);

// What both pictures and films are told: which view, of what, and how it looks.
void add_what_is_drawn(CLI::App& app, PictureOptions& options);

} // namespace ringside
