// What to ask next, and how well each topic stands: decks, the 24 topics' recall today and on the interview's
// day, the reviews of the coming days. Which questions there are is given as plain data.
//
// Every variant is a card of its own. Once one of a family was answered, the others wait until the next day;
// one never asked counts as new, easy ones first. Topics show the mean of what was first seen on an earlier
// day; a topic without such questions has no recall, which is not zero.
#pragma once

#include "core/study/progress/progress.h"
#include "core/study/questions/family.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace ringside
{

// What a deck has to know of one variant.
struct VariantInfo
{
    std::string kind;
    std::string name;    // "state/easy"
    std::string view;    // or one of its pages; may be empty
    double target_s = 0; // [s]
    int follow_ups = 0;  // written ones
    bool draws = true;   // other numbers with another seed
};

// A family of questions: each of its variants is the same question with new numbers each time, and one card
// of the memory model.
struct FamilyInfo
{
    std::string id;
    std::string topic;                  // id of a StudyTopic
    std::string concept_id;             // "model-state"
    std::string kind;                   // numeric, recall, comparison, ordering, diagnosis, design
    std::string difficulty;             // easy, medium, hard
    std::vector<std::string> questions; // its variants: "state/easy"
    double target_s = 0;                // [s] in which it should be answered; 0: no time is asked for
    std::string title = {};
    std::vector<VariantInfo> variants = {}; // easy ones first; none: only one, like the family
    bool interview = true;                  // an interviewer might ask it
};

struct StudyTopic
{
    std::string_view id;   // "ep/moe"
    std::string_view name; // "Experts", two words at most
};
// The 24 topics, in the order in which they build on each other and are shown.
std::span<const StudyTopic> study_topics();
const StudyTopic* find_topic(std::string_view id);
// The fault of a topic that is not there.
std::optional<Issue> no_topic(std::string_view id);

// The three columns of a topic: what is known by heart, what is computed, what is designed or diagnosed.
enum class KindGroup : std::uint8_t
{
    recall,  // recall, comparison
    numeric, // numeric, ordering
    design   // design, diagnosis
};
inline constexpr std::size_t kKindGroups = 3;
template <>
inline constexpr auto kNamesOf<KindGroup> = names<KindGroup>("recall", "numeric", "design");
KindGroup group_of(std::string_view kind);
KindGroup group_of(const FamilyInfo& family);

// Everything decks and views are made from. Families, cards and progress outlive it.
struct StudyState
{
    std::span<const FamilyInfo> families;
    const Progress& progress;
    const Cards& cards; // replay() of the progress
    StudyTime now;
};

// The families of topic, kind and name that are wanted; all where nothing is said.
struct DeckFilter
{
    std::vector<std::string> topics;
    std::vector<std::string> questions; // any of them: "state/easy", or "state" for all of a family
    std::optional<KindGroup> kind;
    bool flagged = false;  // only those flagged
    std::string view = {}; // only those that have their picture in this view; empty: any

    bool operator==(const DeckFilter&) const = default;
};

enum class DeckKind : std::uint8_t
{
    due,   // what is due, then some new ones
    weak,  // what was seen, least likely remembered first, due or not; then some new ones
    wrong, // what went wrong when it was last asked
    all    // everything the filter lets through, in its order
};

struct DeckRequest
{
    DeckKind kind = DeckKind::due;
    DeckFilter filter;
    int most = 60;       // questions
    int most_new = 8;    // of them never seen
    double minutes = 20; // for all of them; at least one is asked
    std::uint64_t seed = 0;

    bool operator==(const DeckRequest&) const = default;
};

struct DeckCard
{
    std::string family;
    std::uint64_t seed = 0; // for the family's numbers
    bool fresh = false;     // never seen
    double target_s = 0;    // [s]
    int variant = 0;
    // Parameters that are given instead of drawn, for parts and follow-ups.
    std::map<std::string, DrawnValue, std::less<>> set = {};
    std::string lead = {}; // said before the question: "Now with 512 GPUs."

    bool operator==(const DeckCard&) const = default;
};

// Due ones first, least remembered first with topics interleaved; then new ones, easy before medium before
// hard and in the order of their topics. No family twice. Suspended ones are left out.
std::vector<DeckCard> make_deck(const StudyState& study, const DeckRequest& request);
// Its variants that the filter lets through; all where it lets none through.
std::vector<int> variants_for(const FamilyInfo& family, const DeckFilter& filter);
// The one to ask whatever is due: the first that was never asked, else the least remembered.
int next_variant(const StudyState& study, const FamilyInfo& family, const DeckFilter& filter = {});
// The least remembered of those that are due; nothing where none is, or another was answered today.
std::optional<int> due_variant(const StudyState& study, const FamilyInfo& family,
                               const DeckFilter& filter = {});
// The cards of its variants, in their order.
std::vector<const Card*> cards_of(const Cards& cards, const FamilyInfo& family);
// The card that was answered last; a fresh one where none was.
const Card& latest_card(const Cards& cards, const FamilyInfo& family);
double target_of(const FamilyInfo& family, int variant); // [s]
// The families a filter lets through, suspended ones left out.
std::vector<const FamilyInfo*> families_of(const StudyState& study, const DeckFilter& filter);

// A cell of the heat map.
struct HeatCell
{
    int cards = 0; // of its families, one a variant
    int seen = 0;
    int settled = 0;  // of those seen, first on an earlier day: what is learnt today says nothing of tomorrow
    int right = 0;    // of those seen, when last asked: at the first try, unaided and in time
    int attempts = 0; // reviews
    int due = 0;      // families
    // Mean predicted recall of those settled, 0 to 1; nothing while none is.
    std::optional<double> today;
    std::optional<double> then; // on the interview's day, if nothing is reviewed until then

    bool operator==(const HeatCell&) const = default;
};
struct HeatTopic
{
    const StudyTopic* topic = nullptr;
    HeatCell all;
    std::array<HeatCell, kKindGroups> kinds;
};
// One for each of study_topics().
std::vector<HeatTopic> heat_map(const StudyState& study);
// Indices into a heat map: where most went wrong when last asked comes first, equals by recall, on the
// interview's day when there is one, else today. Only topics of which something was seen.
std::vector<std::size_t> weakest(const std::vector<HeatTopic>& heat, std::size_t count);

// Reviews on each of the coming days, today first; overdue ones count today. If every answer is Good.
std::vector<int> forecast(const StudyState& study, int days);

inline constexpr int kLeechLapses = 6;
// A question that keeps being forgotten. It is asked on until the user suspends it.
struct Leech
{
    std::string family;
    int lapses;
    std::string says; // for the user
};
std::vector<Leech> leeches(const StudyState& study);

// A personal card as a family; its topic is the first of its tags that is one, else "design".
FamilyInfo family_of(const PersonalCard& card);

} // namespace ringside
