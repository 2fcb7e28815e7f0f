// What the C++ library of Debian's emscripten (libc++ 15) lacks of C++20: the algorithms of <ranges> that are
// used here, std::bit_cast, and from_chars of floating-point numbers. Included before everything else of a
// page; goes when the library has them.
#pragma once

#ifdef __cplusplus

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

#ifndef __cpp_lib_ranges
namespace std
{
namespace ranges
{

// Each over a whole range, with predicates and projections last, as there.
template <class F, class P>
constexpr auto after(F& f, P& p)
{
    return [&](auto&&... x) -> decltype(auto) { return std::invoke(f, std::invoke(p, x)...); };
}

inline constexpr auto find_if = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::find_if(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto find_if_not = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::find_if_not(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto adjacent_find =
    []<class R, class F = equal_to, class P = identity>(R && r, F f = {}, P p = {})
{
    return std::adjacent_find(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto nth_element =
    []<class R, class I, class C = less, class P = identity>(R && r, I nth, C c = {}, P p = {})
{
    std::nth_element(ranges::begin(r), nth, ranges::end(r), after(c, p));
};
inline constexpr auto any_of = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::any_of(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto all_of = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::all_of(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto none_of = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::none_of(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto count_if = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    return std::count_if(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto find = []<class R, class T, class P = identity>(R && r, const T& value, P p = {})
{
    return std::find_if(ranges::begin(r), ranges::end(r),
                        [&](auto&& x) -> bool { return std::invoke(p, x) == value; });
};
inline constexpr auto count = []<class R, class T, class P = identity>(R && r, const T& value, P p = {})
{
    return std::count_if(ranges::begin(r), ranges::end(r),
                         [&](auto&& x) -> bool { return std::invoke(p, x) == value; });
};
inline constexpr auto for_each = []<class R, class F, class P = identity>(R && r, F f, P p = {})
{
    std::for_each(ranges::begin(r), ranges::end(r), after(f, p));
};
inline constexpr auto sort = []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return std::sort(ranges::begin(r), ranges::end(r), after(c, p));
};
inline constexpr auto stable_sort =
    []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return std::stable_sort(ranges::begin(r), ranges::end(r), after(c, p));
};
inline constexpr auto min_element =
    []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return std::min_element(ranges::begin(r), ranges::end(r), after(c, p));
};
inline constexpr auto max_element =
    []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return std::max_element(ranges::begin(r), ranges::end(r), after(c, p));
};
inline constexpr auto is_sorted = []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return std::is_sorted(ranges::begin(r), ranges::end(r), after(c, p));
};
template <class T>
struct minmax_result
{
    T min, max;
};
inline constexpr auto minmax_element =
    []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    const auto found = std::minmax_element(ranges::begin(r), ranges::end(r), after(c, p));
    return minmax_result<decltype(found.first)>{found.first, found.second};
};
inline constexpr auto min = []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return *min_element(r, c, p);
};
inline constexpr auto max = []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    return *max_element(r, c, p);
};
inline constexpr auto minmax = []<class R, class C = less, class P = identity>(R && r, C c = {}, P p = {})
{
    const auto found = minmax_element(r, c, p);
    return minmax_result<std::decay_t<decltype(*found.min)>>{*found.min, *found.max};
};
inline constexpr auto lower_bound =
    []<class R, class T, class C = less, class P = identity>(R && r, const T& value, C c = {}, P p = {})
{
    return std::lower_bound(ranges::begin(r), ranges::end(r), value,
                            [&](auto&& x, const T& v) -> bool
                            { return std::invoke(c, std::invoke(p, x), v); });
};
inline constexpr auto upper_bound =
    []<class R, class T, class C = less, class P = identity>(R && r, const T& value, C c = {}, P p = {})
{
    return std::upper_bound(ranges::begin(r), ranges::end(r), value,
                            [&](const T& v, auto&& x) -> bool
                            { return std::invoke(c, v, std::invoke(p, x)); });
};
inline constexpr auto transform = []<class R, class O, class... F>(R&& r, O&& out, F... f)
{
    if constexpr (sizeof...(F) == 2)
    {
        const auto to_second = [&]<class I, class G>(I to, G g)
        { std::transform(ranges::begin(r), ranges::end(r), ranges::begin(out), to, g); };
        to_second(f...);
    }
    else
    {
        const auto of = [&](auto&& x) { return std::invoke(f..., x); };
        std::transform(ranges::begin(r), ranges::end(r), out, of);
    }
};
inline constexpr auto copy = []<class R, class O>(R&& r, O out)
{ std::copy(ranges::begin(r), ranges::end(r), out); };
inline constexpr auto move = []<class R, class O>(R&& r, O out)
{ std::move(ranges::begin(r), ranges::end(r), out); };
inline constexpr auto copy_if =
    []<class R, class O, class F, class P = identity>(R && r, O out, F f, P p = {})
{
    std::copy_if(ranges::begin(r), ranges::end(r), out, after(f, p));
};
inline constexpr auto reverse = []<class R>(R&& r) { std::reverse(ranges::begin(r), ranges::end(r)); };
inline constexpr auto fill = []<class R, class T>(R&& r, const T& value)
{ std::fill(ranges::begin(r), ranges::end(r), value); };
inline constexpr auto generate = []<class R, class F>(R&& r, F f)
{ std::generate(ranges::begin(r), ranges::end(r), f); };
inline constexpr auto replace = []<class R, class T, class U>(R&& r, const T& from, const U& to)
{ std::replace(ranges::begin(r), ranges::end(r), from, to); };
inline constexpr auto replace_if = []<class R, class F, class U>(R&& r, F f, const U& to)
{ std::replace_if(ranges::begin(r), ranges::end(r), f, to); };
inline constexpr auto equal =
    []<class R, class S, class F = equal_to, class P = identity, class Q = identity>(R && r, S&& s, F f = {},
                                                                                     P p = {}, Q q = {})
{
    return std::equal(ranges::begin(r), ranges::end(r), ranges::begin(s), ranges::end(s),
                      [&](auto&& x, auto&& y) -> bool
                      { return std::invoke(f, std::invoke(p, x), std::invoke(q, y)); });
};

} // namespace ranges

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept
{
    return __builtin_bit_cast(To, from);
}
#endif

// The digits are copied, as strtod reads to a zero. It also takes what from_chars refuses: space, a plus, 0x,
// nan(...).
inline from_chars_result from_chars(const char* first, const char* last, double& value)
{
    const char* digits = first != last && *first == '-' ? first + 1 : first;
    const bool hex = last - digits > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (digits == last || !(isalnum(static_cast<unsigned char>(*digits)) != 0 || *digits == '.'))
    {
        return {first, errc::invalid_argument};
    }
    const std::string text(first, hex ? digits + 1 : last);
    char* end = nullptr;
    errno = 0;
    const double read = strtod(text.c_str(), &end);
    if (end == text.c_str())
    {
        return {first, errc::invalid_argument};
    }
    const char* past = first + (end - text.c_str());
    if (errno == ERANGE && (read > 1 || read < -1 || read == 0))
    {
        return {past, errc::result_out_of_range};
    }
    value = read;
    return {past, errc{}};
}

} // namespace std
#endif
#endif
