#include "core/base/result.h"
#include "core/base/text/text.h"
#include "core/base/units.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <type_traits>

using namespace ringside;
using namespace ringside::literals;

template <class A, class B>
concept Addable = requires(A a, B b)
{
    a + b;
};

TEST_CASE("bytes divided by a rate are seconds, and bytes plus FLOPs does not compile")
{
    const auto time = Bytes(9e9) / BytesPerSecond(450e9);
    STATIC_REQUIRE(std::is_same_v<decltype(time), const Seconds>);
    CHECK(time.value == 0.02);
    STATIC_REQUIRE(Addable<Bytes, Bytes>);
    STATIC_REQUIRE_FALSE(Addable<Bytes, Flops>);
}

TEST_CASE("GB and GiB literals differ by 7.4 percent")
{
    CHECK((1_GB).value == 1e9);
    CHECK((1_GiB).value == 1073741824.0);
    CHECK((0.5_GB).value == 5e8);
}

TEST_CASE("bytes print with three digits and the unit that suits the size")
{
    CHECK(format_bytes(Bytes(84.3e9)) == "84.3 GB");
    CHECK(format_bytes(Bytes(84.3e9), ByteUnit::binary) == "78.5 GiB");
    CHECK(format_bytes(Bytes(1.12e12)) == "1.12 TB");
    CHECK(format_bytes(Bytes(999.7e9)) == "1.00 TB");
    CHECK(format_bytes(Bytes(512.0)) == "512 B");
    CHECK(format_bytes(Bytes(0.0)) == "0 B");
    CHECK(format_gigabytes(Bytes(16.06e9)) == "16.1");
}

TEST_CASE("a table's unit is gigabytes until its largest entry takes too many digits")
{
    CHECK(byte_scale(Bytes(80e9)).name == "GB");
    CHECK(byte_scale(Bytes(80e9), ByteUnit::binary).name == "GiB");
    CHECK(byte_scale(Bytes(0.0)).name == "GB");
    CHECK(byte_scale(Bytes(1.2e6)).name == "MB");
    CHECK(byte_scale(Bytes(1.2e6)).words(Bytes(0.5e6)) == "0.500");
    CHECK(byte_scale(Bytes(3.2e14)).name == "TB");
    CHECK(byte_scale(Bytes(3.2e14)).words(Bytes(3.2e14)) == "320");
}

TEST_CASE("counts, seconds and shares print with units")
{
    CHECK(format_count(70553706496.0) == "70.6 B");
    CHECK(format_count(124439808.0) == "124 M");
    CHECK(format_count(12.0) == "12.0");
    CHECK(grouped(70553706496) == "70,553,706,496");
    CHECK(format_seconds(Seconds(0.0625)) == "62.5 ms");
    CHECK(format_seconds(Seconds(6.57e6)) == "76.0 d");
    CHECK(format_dollars(2.5) == "$2.50");
    CHECK(format_dollars(456789) == "$457k");
    CHECK(format_dollars(-1.234e6) == "-$1.23M");
    CHECK(format_percent(2.0 / 9) == "22.2%");
}

TEST_CASE("times print in the unit a user says, ticks of an axis in one")
{
    const auto says = [](double seconds) { return format_seconds(Seconds(seconds)); };
    CHECK(says(0) == "0 s");
    CHECK(says(8.2749) == "8.27 s");
    CHECK(says(59.94) == "59.9 s");
    CHECK(says(59.96) == "1 min");
    CHECK(says(85.3) == "1 min 25 s");
    CHECK(says(3599.6) == "1 h");
    CHECK(says(4560) == "1 h 16 min");
    CHECK(says(28.3 * 3600) == "28 h 18 min");
    CHECK(says(2 * 86400 - 20) == "2 d");
    CHECK(says(3 * 86400 + 4.2 * 3600) == "3 d 4 h");
    CHECK(says(12.5 * 86400) == "12.5 d");
    CHECK(says(5.6 * 365.25 * 86400) == "5.60 years");
    CHECK(says(-4560) == "-1 h 16 min");
    CHECK(tick_seconds(0) == "0 s");
    CHECK(tick_seconds(0.01) == "10 ms");
    CHECK(tick_seconds(0.5) == "500 ms");
    CHECK(tick_seconds(100) == "100 s");
    CHECK(tick_seconds(1800) == "30 min");
    CHECK(tick_seconds(7200) == "2 h");
    CHECK(tick_seconds(1e4) == "10,000 s");
    CHECK(tick_seconds(5.184e6) == "60 d");
    CHECK(tick_seconds(1e9) == "31.7 years");
}

TEST_CASE("no unit leaves a power of ten to read")
{
    CHECK(format_count(1e18) == "1.00 E");
    CHECK(format_count(2.5e15) == "2.50 P");
    CHECK(format_count(3.2e-12) == "<0.001");
    CHECK(format_bytes(Bytes(3e18)) == "3.00 EB");
    CHECK(format_gigabytes(Bytes(230e3)) == "0.000230");
    CHECK(format_gigabytes(Bytes(5e15)) == "5,000,000");
    CHECK(format_seconds(Seconds(7.46e8 * 86400)) == "2.04 M years");
    CHECK(plain_number(4194304) == "4,194,304");
    CHECK(parse_number("1.5 E") == 1.5e18);
    CHECK(time_unit_of(Seconds(17722341.0)).name == "d");
    CHECK(time_unit_of(Seconds(6.05)).name == "s");
    CHECK(time_unit_of(Seconds(0.0065)).name == "ms");
}

TEST_CASE("a number that is none says so instead of printing nan")
{
    CHECK(three_digits(std::numeric_limits<double>::quiet_NaN()) == "not a number");
    CHECK(three_digits(std::numeric_limits<double>::infinity()) == "not a number");
}

TEST_CASE("a near miss finds the word that was meant")
{
    CHECK(nearest_word("tensr", {"tensor", "pipeline"}) == "tensor");
    CHECK(nearest_word("out", {"tour", "output"}) == "output");
    CHECK(nearest_word("xyzzy", {"tensor", "pipeline"}).empty());
}

TEST_CASE("a sentence begins with a capital where its first letter has one")
{
    CHECK(capitalized("rank 3 is missing") == "Rank 3 is missing");
    CHECK(capitalized("8 GPUs") == "8 GPUs");
    CHECK(capitalized("\u03b1 waits") == "\u03b1 waits");
    CHECK(capitalized("").empty());
}

TEST_CASE("an issue prints as path, message and hint")
{
    CHECK(to_line({"parallel.tensor", "7 does not divide 64 heads", "use 1, 2, 4 or 8"}) ==
          "parallel.tensor: 7 does not divide 64 heads (use 1, 2, 4 or 8)");
}

TEST_CASE("text is UTF-8 where every byte belongs to a character")
{
    for (const std::string_view text : {"", "plain",
                                        "Gr\xC3\xB6\xC3\x9F"
                                        "e",
                                        "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    {
        CHECK(is_utf8(text));
    }
    // A lone byte, a cut character, one too long for its value, a surrogate, one beyond the last.
    for (const std::string_view text :
         {"\xFF", "a\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    {
        CHECK_FALSE(is_utf8(text));
    }
}
