#include "core/lab/ranks/mpi/mpi_world.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ringside::parallel
{

namespace
{

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr Index kPiece = Index{1} << 30U; // [B] MPI counts in int, so longer messages go in pieces
constexpr int kReason = 0;                // tag of why a rank has given up
constexpr auto kPatience = std::chrono::seconds(5);
constexpr std::chrono::duration<double> kLongWait(10); // within a call, for one rank

void must(int status)
{
    if (status != MPI_SUCCESS)
    {
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        MPI_Error_string(status, text.data(), &length);
        throw std::runtime_error("MPI: " + std::string(text.data(), static_cast<std::size_t>(length)));
    }
}

// Looks again at once for some microseconds, then sleeps longer and longer.
class Patience
{
public:
    void wait()
    {
        if (++looks_ < kQuick)
        {
            std::this_thread::yield();
            return;
        }
        std::this_thread::sleep_for(microseconds(std::min(20 + 5 * (looks_ - kQuick), 500)));
    }
    bool now_and_then() const { return looks_ % 8 == 7; }

private:
    static constexpr int kQuick = 400;

    int looks_ = 0;
};

struct Piece
{
    Index offset = 0;
    int bytes = 0;
};

// One at least, so that an empty message is one too.
std::vector<Piece> pieces_of(Index bytes)
{
    std::vector<Piece> pieces;
    for (Index offset = 0; offset < bytes || pieces.empty(); offset += kPiece)
    {
        pieces.push_back({offset, static_cast<int>(std::min(kPiece, bytes - offset))});
    }
    return pieces;
}

// Every call of MPI is made under one mutex, so that MPI_THREAD_SERIALIZED is enough.
class Library final : public MpiWorld
{
public:
    Library(int* argc, char*** argv)
    {
        int provided = 0;
        must(MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided));
        if (provided < MPI_THREAD_SERIALIZED)
        {
            MPI_Finalize();
            throw std::runtime_error(
                "this MPI allows calls from one thread only; it needs MPI_THREAD_SERIALIZED");
        }
        for (MPI_Comm* comm : {&messages_, &reasons_})
        {
            must(MPI_Comm_dup(MPI_COMM_WORLD, comm));
            must(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
        }
        must(MPI_Comm_rank(messages_, &rank_));
        must(MPI_Comm_size(messages_, &ranks_));
        void* most = nullptr;
        int found = 0;
        must(MPI_Comm_get_attr(messages_, MPI_TAG_UB, &most, &found));
        most_tag_ = found != 0 ? *static_cast<int*>(most) : 32767;
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() override
    {
        if (why_)
        {
            meet_the_others();
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Comm_free(&messages_);
        MPI_Comm_free(&reasons_);
        MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    std::string library() const override
    {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
        int length = 0;
        MPI_Get_library_version(text.data(), &length);
        const std::string whole(text.data(), static_cast<std::size_t>(length));
        return whole.substr(0, whole.find_first_of(",\n"));
    }
    std::string host() const override
    {
        std::array<char, MPI_MAX_PROCESSOR_NAME> text{};
        int length = 0;
        MPI_Get_processor_name(text.data(), &length);
        return {text.data(), static_cast<std::size_t>(length)};
    }

    Index post(int to, Tag tag, const void* data, Index bytes) override
    {
        const std::scoped_lock lock(mutex_);
        check_reason();
        std::vector<MPI_Request> requests;
        for (const Piece& piece : pieces_of(bytes))
        {
            requests.emplace_back();
            must(MPI_Isend(static_cast<const char*>(data) + piece.offset, piece.bytes, MPI_BYTE, to,
                           tag_of(tag), messages_, &requests.back()));
        }
        posts_.emplace(next_, Post{to, std::move(requests)});
        return next_++;
    }

    void finish(Index posted) override
    {
        Post post;
        {
            const std::scoped_lock lock(mutex_);
            post = std::move(posts_.extract(posted).mapped());
        }
        wait(post.to,
             [&]
             {
                 int done = 0;
                 must(MPI_Testall(static_cast<int>(post.requests.size()), post.requests.data(), &done,
                                  MPI_STATUSES_IGNORE));
                 return done != 0;
             });
    }

    void receive(int from, Tag tag, void* landing, Index bytes, const Take& take) override
    {
        for (const Piece& piece : pieces_of(bytes))
        {
            receive_piece(from, tag_of(tag), static_cast<char*>(landing) + piece.offset, piece.bytes);
        }
        take(landing);
    }

    void check() override
    {
        const std::scoped_lock lock(mutex_);
        check_reason();
    }

    void tell_of_waits(std::function<void(int, double)> tell) override { tell_ = std::move(tell); }
    void abort(const std::string& why) override { give_up(fmt::format("rank {}: {}", rank_, why)); }

private:
    void give_up(const std::string& why)
    {
        const std::scoped_lock lock(mutex_);
        if (why_)
        {
            return;
        }
        const std::string& text = why_.emplace(why); // stays until the process ends
        for (int r = 0; r < ranks_; ++r)
        {
            MPI_Request request = MPI_REQUEST_NULL;
            if (r != rank_)
            {
                MPI_Isend(text.data(), static_cast<int>(text.size()), MPI_BYTE, r, kReason, reasons_,
                          &request);
                MPI_Request_free(&request);
            }
        }
    }

    int tag_of(Tag tag) const
    {
        if (tag < 0 || tag > most_tag_)
        {
            throw std::invalid_argument(
                fmt::format("tag {} is beyond what MPI takes, 0 to {}", tag, most_tag_));
        }
        return static_cast<int>(tag);
    }

    // With the mutex held. Throws once a rank has given up.
    void check_reason()
    {
        if (!why_)
        {
            hear();
        }
        if (why_)
        {
            throw Aborted(*why_);
        }
    }
    void hear()
    {
        int there = 0;
        MPI_Status status;
        must(MPI_Iprobe(MPI_ANY_SOURCE, kReason, reasons_, &there, &status));
        if (there != 0)
        {
            int bytes = 0;
            must(MPI_Get_count(&status, MPI_BYTE, &bytes));
            std::string text(static_cast<std::size_t>(bytes), ' ');
            must(MPI_Recv(text.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kReason, reasons_,
                          MPI_STATUS_IGNORE));
            why_ = std::move(text);
        }
    }

    // Until done() says true, or a rank has given up.
    template <class Done>
    void wait(int from, const Done& done)
    {
        Patience patience;
        const Clock::time_point start = Clock::now();
        bool told = false;
        for (;;)
        {
            {
                const std::scoped_lock lock(mutex_);
                if (done())
                {
                    return;
                }
                if (why_ || patience.now_and_then())
                {
                    check_reason();
                }
            }
            patience.wait();
            if (!told && tell_ && Clock::now() - start > kLongWait)
            {
                told = true;
                tell_(from, kLongWait.count());
            }
        }
    }

    void receive_piece(int from, int tag, void* into, int bytes)
    {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        wait(from,
             [&]
             {
                 int there = 0;
                 must(MPI_Improbe(from, tag, messages_, &there, &message, &status));
                 return there != 0;
             });
        int sent = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        {
            const std::scoped_lock lock(mutex_);
            must(MPI_Get_count(&status, MPI_BYTE, &sent));
        }
        if (sent != bytes)
        {
            give_up(
                fmt::format("rank {} expects {} B of rank {}, which sends {} B", rank_, bytes, from, sent));
            throw Aborted(*why_);
        }
        {
            const std::scoped_lock lock(mutex_);
            must(MPI_Imrecv(into, bytes, MPI_BYTE, &message, &request));
        }
        wait(from,
             [&]
             {
                 int done = 0;
                 must(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
                 return done != 0;
             });
    }

    // After an abort: until all ranks have come to their end, or for a while. What they have to say is said.
    void meet_the_others()
    {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(reasons_, &request);
        const auto until = Clock::now() + kPatience;
        Patience patience;
        int done = 0;
        while (done == 0 && Clock::now() < until)
        {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            patience.wait();
        }
    }

    MPI_Comm messages_ = MPI_COMM_NULL;
    MPI_Comm reasons_ = MPI_COMM_NULL;
    int rank_ = 0;
    int ranks_ = 0;
    int most_tag_ = 0;
    std::mutex mutex_;
    Index next_ = 0;
    struct Post
    {
        int to = 0;
        std::vector<MPI_Request> requests;
    };
    std::map<Index, Post> posts_;
    std::function<void(int, double)> tell_; // of long waits
    std::optional<std::string> why_;
};

} // namespace

std::unique_ptr<MpiWorld> MpiWorld::start(int* argc, char*** argv)
{
    return std::make_unique<Library>(argc, argv);
}

} // namespace ringside::parallel
