// A case is two files: NAME.stream, lists of commands, each after its length; NAME.expected, for each read
// that counts its ticket, a kind, how many numbers and the numbers. webgpu_test.py plays them in a browser.
#pragma once

#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/webgpu/webgpu_backend.h"

#include <fstream>
#include <iostream>

namespace ringside::test
{

using namespace ringside::trainer;

enum class Kind : std::uint32_t
{
    f32, // every number as expected, in the format it is stored in
    mean,
    f16,
    bf16,
    slope // a gradient; along the direction that is given it is half the difference of two means
};

class Case
{
public:
    // All through subgroups, or nothing.
    Case(const std::string& folder, const std::string& name, bool subgroups = false)
        : stream_(folder + "/" + name + ".stream", std::ios::binary),
          expected_(folder + "/" + name + ".expected", std::ios::binary)
    {
        auto player = std::make_unique<Player>(*this);
        player_ = player.get();
        backend_ = std::make_unique<WebGpuBackend>(
            GpuAdapter{.name = "test", .subgroups = subgroups, .through = {subgroups, subgroups}},
            std::move(player));
        std::cout << name << '\n';
    }
    WebGpuBackend& gpu() { return *backend_; }
    std::unique_ptr<Backend> take() { return std::move(backend_); }
    // Zeros to all that was asked, so that the next step finds the memory of this one.
    void answer()
    {
        for (const auto& [ticket, bytes] : std::exchange(asked_, {}))
        {
            player_->answer(ticket, std::vector<char>(bytes));
        }
    }

    void expect(Kind kind, std::uint32_t ticket, std::span<const float> values)
    {
        for (const std::uint32_t word :
             {ticket, static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(values.size())})
        {
            write(expected_, &word, 4);
        }
        write(expected_, values.data(), values.size() * 4);
    }
    // The losses read at `above` and `below` are of weights that are so much of the direction away.
    void expect_slope(std::uint32_t ticket, std::vector<float> direction, std::uint32_t above,
                      std::uint32_t below, float away)
    {
        direction.insert(direction.end(), {static_cast<float>(above), static_cast<float>(below), away});
        expect(Kind::slope, ticket, direction);
    }

private:
    struct Player final : GpuPlayer
    {
        explicit Player(Case& c) : of(c) {}
        void play(std::span<const std::uint32_t> commands) override
        {
            const auto count = static_cast<std::uint32_t>(commands.size());
            write(of.stream_, &count, 4);
            write(of.stream_, commands.data(), commands.size_bytes());
            for (; !commands.empty(); commands = commands.subspan(commands[1]))
            {
                if (commands[0] == static_cast<std::uint32_t>(GpuCommand::read))
                {
                    of.asked_.emplace_back(commands[2], commands[5]);
                }
            }
        }
        Case& of;
    };
    static void write(std::ofstream& file, const void* bytes, std::size_t count)
    {
        file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    }

    std::ofstream stream_;
    std::ofstream expected_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> asked_; // ticket, bytes
    GpuPlayer* player_ = nullptr;
    std::unique_ptr<WebGpuBackend> backend_;
};

// What webgpu_streams writes to a folder.
void write_kernels(const std::string& folder);
void write_steps(const std::string& folder);

} // namespace ringside::test
