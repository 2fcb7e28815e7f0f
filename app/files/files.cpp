#include "app/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/streams.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

namespace ringside
{

namespace fs = std::filesystem;

namespace
{

fs::path executable_folder()
{
    std::error_code none;
    const fs::path self = fs::read_symlink("/proc/self/exe", none);
    return none ? fs::path(".") : self.parent_path();
}

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

// Never a folder that others may write to: there links of others would be followed.
fs::path home_folder()
{
    const std::string home = variable("HOME");
    const passwd* user = home.empty() ? ::getpwuid(::getuid()) : nullptr;
    const std::string known = user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "/nonexistent";
    return home.empty() ? known : home;
}

fs::path user_folder(const char* xdg, const char* fallback)
{
    const std::string base = variable(xdg);
    if (!base.empty() && fs::path(base).is_absolute())
    {
        return fs::path(base) / "ringside";
    }
    return home_folder() / fallback / "ringside";
}

Issue is_a_folder(const fs::path& path)
{
    return {path.string(), "is a folder", "give the name of a file"};
}

Issue failed(const fs::path& path, const char* doing)
{
    return {path.string(), fmt::format("could not be {}: {}", doing, std::strerror(errno)),
            "check the folder, its permissions and free space"};
}

} // namespace

Result<fs::path> find_assets(const std::string& asked)
{
    const auto good = [](const fs::path& folder)
    {
        std::error_code none;
        return fs::is_directory(folder / "models", none);
    };
    for (const auto& [name, folder] :
         {std::pair{"--assets", asked}, {"RINGSIDE_ASSETS", variable("RINGSIDE_ASSETS")}})
    {
        if (!folder.empty())
        {
            return good(folder)
                       ? Result<fs::path>(folder)
                       : Result<fs::path>(Issue{name, folder + " has no folder models",
                                                "give the folder that holds models, gpus and clusters"});
        }
    }
    for (const fs::path& folder :
         {executable_folder() / "../share/ringside", fs::path(RINGSIDE_SOURCE_ASSETS)})
    {
        if (good(folder))
        {
            return folder;
        }
    }
    return Issue{"assets", "the presets were not found", "give --assets DIR or set RINGSIDE_ASSETS"};
}

fs::path find_font(const fs::path& assets, std::string_view file_name)
{
    static constexpr std::array<const char*, 5> kSystem{
        "/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/jetbrains-mono",
        "/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/inter", "/usr/share/fonts/TTF"};
    std::vector<fs::path> folders{assets / "fonts", executable_folder() / "share/ringside/fonts"};
    folders.insert(folders.end(), kSystem.begin(), kSystem.end());
    std::error_code none;
    const auto found = std::ranges::find_if(folders, [&](const fs::path& folder)
                                            { return fs::exists(folder / file_name, none); });
    return found == folders.end() ? fs::path() : *found / file_name;
}

namespace
{

// So that a new name outlives a loss of power. Not every file system can; the file itself is safe by then.
void sync_folder(const fs::path& folder)
{
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0)
    {
        ::fsync(file);
        ::close(file);
    }
}

// What is written before it takes the name of the file.
fs::path part_of(fs::path path)
{
    return path += fmt::format(".{}.part", ::getpid());
}

// Whether this is such a file of a program that is gone. One that still writes holds the lock, on whichever
// host it runs.
bool is_left_over(const fs::path& part, const std::string& of)
{
    const std::string name = part.filename().string();
    int process = 0;
    char rest = 0;
    if (!name.starts_with(of) || !name.ends_with(".part") ||
        std::sscanf(name.c_str() + of.size(), ".%d.par%c", &process, &rest) != 2 || process <= 0 ||
        process == ::getpid() || ::kill(process, 0) == 0 || errno == EPERM)
    {
        return false;
    }
    const int file = ::open(part.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_free = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0;
    ::close(file);
    return is_free;
}

// What programs that were killed have left beside the file.
void remove_left_over(const fs::path& target)
{
    std::error_code none;
    std::vector<fs::path> old;
    const fs::path folder = target.parent_path();
    for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, none))
    {
        if (is_left_over(entry.path(), target.filename().string()))
        {
            old.push_back(entry.path());
        }
    }
    std::ranges::for_each(old, [&](const fs::path& part) { fs::remove(part, none); });
}

// Stops at the first call that fails; errno says why.
bool write_all(int file, std::string_view text)
{
    std::size_t written = 0;
    while (written < text.size())
    {
        const ssize_t n = ::write(file, text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR)
        {
            continue;
        }
        if (n <= 0)
        {
            return false;
        }
        written += static_cast<std::size_t>(n);
    }
    return true;
}

Issues put_on_standard_output(std::string_view text)
{
    if (Capture::on())
    {
        put_raw(text);
        return {};
    }
    std::fflush(stdout); // what was printed before comes before
    return write_all(STDOUT_FILENO, text) ? Issues{} : Issues{failed("-", "written to standard output")};
}

// A device or a pipe is there for more than one file, so it stays and takes the text as it is.
bool is_put_into(const struct stat& there)
{
    return !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

Issues put_into(const fs::path& path, std::string_view text)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
    {
        return {failed(path, "saved")};
    }
    const bool whole = write_all(file, text);
    const int reason = errno;
    const bool closed = ::close(file) == 0;
    if (whole && closed)
    {
        return {};
    }
    errno = whole ? errno : reason;
    return {failed(path, "saved")};
}

// Where links lead in the end, whether something is there or not; nothing when they lead in a circle.
std::optional<fs::path> followed(fs::path path)
{
    constexpr int kMostLinks = 40;
    std::error_code none;
    for (int i = 0; i < kMostLinks; ++i)
    {
        const fs::path next = fs::read_symlink(path, none);
        if (none)
        {
            return path;
        }
        path = path.parent_path() / next; // next alone where it is absolute
    }
    errno = ELOOP;
    return std::nullopt;
}

// A file that takes the place of another has its rights; they are narrow until they are known to be that.
int open_part(const fs::path& part, const std::optional<mode_t>& mode)
{
    constexpr mode_t kUsual = 0644;
    constexpr mode_t kPrivate = 0600;
    const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode ? kPrivate : kUsual);
    if (file >= 0)
    {
        (void)::flock(file, LOCK_EX | LOCK_NB); // while it is written, nobody takes it for left over
    }
    if (file >= 0 && mode)
    {
        (void)::fchmod(file, *mode); // a file system without rights has none to keep
    }
    return file;
}

Issues put_beside(const fs::path& path, const fs::path& target, const std::optional<mode_t>& mode,
                  std::string_view text, bool to_disk)
{
    std::error_code fault;
    if (target.has_parent_path())
    {
        fs::create_directories(target.parent_path(), fault);
    }
    if (fault)
    {
        errno = fault.value();
        return {failed(path, "saved")};
    }
    if (to_disk)
    {
        remove_left_over(target);
    }
    const fs::path part = part_of(target);
    const int file = open_part(part, mode);
    if (file < 0)
    {
        return {failed(path, "saved")};
    }
    const bool whole = write_all(file, text) && (!to_disk || ::fsync(file) == 0);
    const int reason = errno;
    if (::close(file) != 0 || !whole || ::rename(part.c_str(), target.c_str()) != 0)
    {
        errno = whole ? errno : reason;
        const Issue issue = failed(path, "saved");
        ::unlink(part.c_str());
        return {issue};
    }
    if (to_disk)
    {
        sync_folder(target.parent_path());
    }
    return {};
}

Issues put_text(const fs::path& path, std::string_view text, bool to_disk)
{
    if (is_standard_output(path.string()))
    {
        return put_on_standard_output(text);
    }
    struct stat there = {};
    const bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && is_put_into(there))
    {
        return put_into(path, text);
    }
    if (exists && S_ISDIR(there.st_mode))
    {
        return {is_a_folder(path)};
    }
    const auto target = followed(path);
    if (!target)
    {
        return {failed(path, "saved")};
    }
    constexpr mode_t kRights = 0777;
    const bool file = exists && S_ISREG(there.st_mode);
    return put_beside(path, *target, file ? std::optional<mode_t>(there.st_mode & kRights) : std::nullopt,
                      text, to_disk);
}

// Without opening it: that waits for the reader of a pipe, or ends what it reads.
Issues check_can_put_into(const fs::path& path, const struct stat& there)
{
    if (S_ISSOCK(there.st_mode))
    {
        return {{path.string(), "is a socket", "give the name of a file"}};
    }
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 ? Issues{}
                                                                      : Issues{failed(path, "saved")};
}

Issues check_can_put_beside(const fs::path& path, const fs::path& target)
{
    std::error_code none;
    // Folders that are missing will be made, so what counts is the first that is there.
    fs::path folder = target.parent_path();
    while (!folder.empty() && folder.has_relative_path() && !fs::exists(folder, none))
    {
        folder = folder.parent_path();
    }
    const fs::path probe = part_of(folder == target.parent_path() ? target : folder / "ringside");
    const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
    {
        return errno == EEXIST ? Issues{} : Issues{failed(path, "saved")};
    }
    ::close(file);
    ::unlink(probe.c_str());
    return {};
}

} // namespace

bool is_standard_output(std::string_view file)
{
    return file == "-" || file == "/dev/stdout";
}

Issues save_text(const fs::path& path, std::string_view text)
{
    return put_text(path, text, true);
}

Issues check_can_save(const fs::path& path)
{
    if (is_standard_output(path.string()))
    {
        return {};
    }
    struct stat there = {};
    const bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && is_put_into(there))
    {
        return check_can_put_into(path, there);
    }
    const auto target = followed(path);
    if (!target)
    {
        return {failed(path, "saved")};
    }
    if (exists && S_ISDIR(there.st_mode))
    {
        return {is_a_folder(path)};
    }
    if (!target->has_filename())
    {
        return {{path.string(), "is not a plain file", "give the name of a file"}};
    }
    return check_can_put_beside(path, *target);
}

Issues show_text(const fs::path& path, std::string_view text)
{
    return put_text(path, text, false);
}

std::string date_today()
{
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 16> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &local);
    return text.data();
}

fs::path cache_folder()
{
    return user_folder("XDG_CACHE_HOME", ".cache");
}

fs::path config_folder()
{
    return user_folder("XDG_CONFIG_HOME", ".config");
}

fs::path data_folder()
{
    return user_folder("XDG_DATA_HOME", ".local/share");
}

// As browsers do: nobody looks for what a window saved where its program was started.
std::filesystem::path downloads_folder()
{
    std::error_code none;
    const fs::path chosen = variable("XDG_DOWNLOAD_DIR");
    const fs::path usual = fs::path(variable("HOME")) / "Downloads";
    return chosen.is_absolute() && fs::is_directory(chosen, none) ? chosen
           : usual.is_absolute() && fs::is_directory(usual, none) ? usual
                                                                  : fs::current_path(none);
}

std::filesystem::path free_name(std::string_view name, std::string_view beside)
{
    std::error_code error;
    const std::filesystem::path folder = downloads_folder();
    const std::filesystem::path asked(name);
    // A link counts too, wherever it points.
    const auto taken = [&](const fs::path& path) { return fs::exists(fs::symlink_status(path, error)); };
    fs::path stem = folder / asked.stem();
    const auto with = [&](const auto& end) { return fs::path(stem) += end; };
    for (int number = 2; taken(with(asked.extension())) || (!beside.empty() && taken(with(beside))); ++number)
    {
        stem = folder / asked.stem();
        stem += "-" + std::to_string(number);
    }
    return with(asked.extension());
}

Result<std::filesystem::path> save_new(std::string_view name, std::string_view text)
{
    std::filesystem::path path = free_name(name);
    const Issues issues = save_text(path, text);
    return has_errors(issues) ? Result<std::filesystem::path>(issues) : Result<std::filesystem::path>(path);
}

} // namespace ringside
