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

// Iterators of a whole range; projections come last, as there.
template <class R>
using It = decltype(ranges::begin(std::declval<R&>()));

struct Find
{
    template <class R, class T, class P = identity>
    constexpr auto operator()(R&& r, const T& value, P p = {}) const
    {
        return std::find_if(ranges::begin(r), ranges::end(r),
                            [&](auto&& x) -> bool { return std::invoke(p, x) == value; });
    }
};
struct FindIf
{
    template <class R, class F, class P = identity>
    constexpr auto operator()(R&& r, F f, P p = {}) const
    {
        return std::find_if(ranges::begin(r), ranges::end(r),
                            [&](auto&& x) -> bool { return std::invoke(f, std::invoke(p, x)); });
    }
};
struct AnyOf
{
    template <class R, class F, class P = identity>
    constexpr bool operator()(R&& r, F f, P p = {}) const
    {
        return std::any_of(ranges::begin(r), ranges::end(r),
                           [&](auto&& x) -> bool { return std::invoke(f, std::invoke(p, x)); });
    }
};
struct AllOf
{
    template <class R, class F, class P = identity>
    constexpr bool operator()(R&& r, F f, P p = {}) const
    {
        return std::all_of(ranges::begin(r), ranges::end(r),
                           [&](auto&& x) -> bool { return std::invoke(f, std::invoke(p, x)); });
    }
};
struct NoneOf
{
    template <class R, class F, class P = identity>
    constexpr bool operator()(R&& r, F f, P p = {}) const
    {
        return !AnyOf{}(r, f, p);
    }
};
struct Count
{
    template <class R, class T, class P = identity>
    constexpr auto operator()(R&& r, const T& value, P p = {}) const
    {
        return std::count_if(ranges::begin(r), ranges::end(r),
                             [&](auto&& x) -> bool { return std::invoke(p, x) == value; });
    }
};
struct CountIf
{
    template <class R, class F, class P = identity>
    constexpr auto operator()(R&& r, F f, P p = {}) const
    {
        return std::count_if(ranges::begin(r), ranges::end(r),
                             [&](auto&& x) -> bool { return std::invoke(f, std::invoke(p, x)); });
    }
};
struct ForEach
{
    template <class R, class F, class P = identity>
    constexpr void operator()(R&& r, F f, P p = {}) const
    {
        for (auto&& x : r)
        {
            std::invoke(f, std::invoke(p, x));
        }
    }
};

template <class C, class P>
struct Projected
{
    C& less;
    P& of;
    template <class A, class B>
    constexpr bool operator()(A&& a, B&& b) const
    {
        return std::invoke(less, std::invoke(of, a), std::invoke(of, b));
    }
};

struct Sort
{
    template <class R, class C = less, class P = identity>
    constexpr void operator()(R&& r, C c = {}, P p = {}) const
    {
        std::sort(ranges::begin(r), ranges::end(r), Projected<C, P>{c, p});
    }
};
struct StableSort
{
    template <class R, class C = less, class P = identity>
    constexpr void operator()(R&& r, C c = {}, P p = {}) const
    {
        std::stable_sort(ranges::begin(r), ranges::end(r), Projected<C, P>{c, p});
    }
};
struct MinElement
{
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        return std::min_element(ranges::begin(r), ranges::end(r), Projected<C, P>{c, p});
    }
};
struct MaxElement
{
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        return std::max_element(ranges::begin(r), ranges::end(r), Projected<C, P>{c, p});
    }
};
// Of equals the last one is the largest here, the first one in max_element.
struct MinmaxElement
{
    template <class T>
    struct Found
    {
        T min, max;
    };
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        const auto both = std::minmax_element(ranges::begin(r), ranges::end(r), Projected<C, P>{c, p});
        return Found<It<R>>{both.first, both.second};
    }
};
struct Min
{
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        return *MinElement{}(r, c, p);
    }
};
struct Max
{
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        return *MaxElement{}(r, c, p);
    }
};
struct Minmax
{
    template <class R, class C = less, class P = identity>
    constexpr auto operator()(R&& r, C c = {}, P p = {}) const
    {
        const auto both = MinmaxElement{}(r, c, p);
        return MinmaxElement::Found<std::decay_t<decltype(*both.min)>>{*both.min, *both.max};
    }
};
struct LowerBound
{
    template <class R, class T, class C = less, class P = identity>
    constexpr auto operator()(R&& r, const T& value, C c = {}, P p = {}) const
    {
        return std::lower_bound(ranges::begin(r), ranges::end(r), value,
                                [&](auto&& x, const T& v) -> bool
                                { return std::invoke(c, std::invoke(p, x), v); });
    }
};
struct UpperBound
{
    template <class R, class T, class C = less, class P = identity>
    constexpr auto operator()(R&& r, const T& value, C c = {}, P p = {}) const
    {
        return std::upper_bound(ranges::begin(r), ranges::end(r), value,
                                [&](const T& v, auto&& x) -> bool
                                { return std::invoke(c, v, std::invoke(p, x)); });
    }
};
struct Transform
{
    template <class R, class O, class F>
    requires(!ranges::range<O>) constexpr void operator()(R&& r, O out, F f) const
    {
        for (auto&& x : r)
        {
            *out++ = std::invoke(f, x);
        }
    }
    template <class R, class S, class O, class F>
    requires ranges::range<S>
    constexpr void operator()(R&& r, S&& s, O out, F f) const
    {
        std::transform(ranges::begin(r), ranges::end(r), ranges::begin(s), out, f);
    }
};
struct Copy
{
    template <class R, class O>
    constexpr void operator()(R&& r, O out) const
    {
        std::copy(ranges::begin(r), ranges::end(r), out);
    }
};
struct CopyIf
{
    template <class R, class O, class F, class P = identity>
    constexpr void operator()(R&& r, O out, F f, P p = {}) const
    {
        std::copy_if(ranges::begin(r), ranges::end(r), out,
                     [&](auto&& x) -> bool { return std::invoke(f, std::invoke(p, x)); });
    }
};
struct Reverse
{
    template <class R>
    constexpr void operator()(R&& r) const
    {
        std::reverse(ranges::begin(r), ranges::end(r));
    }
};
struct Fill
{
    template <class R, class T>
    constexpr void operator()(R&& r, const T& value) const
    {
        std::fill(ranges::begin(r), ranges::end(r), value);
    }
};
struct Generate
{
    template <class R, class F>
    constexpr void operator()(R&& r, F f) const
    {
        std::generate(ranges::begin(r), ranges::end(r), f);
    }
};
struct Replace
{
    template <class R, class T, class U>
    constexpr void operator()(R&& r, const T& from, const U& to) const
    {
        std::replace(ranges::begin(r), ranges::end(r), from, to);
    }
};
struct ReplaceIf
{
    template <class R, class F, class U>
    constexpr void operator()(R&& r, F f, const U& to) const
    {
        std::replace_if(ranges::begin(r), ranges::end(r), f, to);
    }
};
struct Equal
{
    template <class R, class S, class F = equal_to, class P = identity, class Q = identity>
    constexpr bool operator()(R&& r, S&& s, F f = {}, P p = {}, Q q = {}) const
    {
        return std::equal(ranges::begin(r), ranges::end(r), ranges::begin(s), ranges::end(s),
                          [&](auto&& x, auto&& y) -> bool
                          { return std::invoke(f, std::invoke(p, x), std::invoke(q, y)); });
    }
};

inline constexpr Find find;
inline constexpr FindIf find_if;
inline constexpr AnyOf any_of;
inline constexpr AllOf all_of;
inline constexpr NoneOf none_of;
inline constexpr Count count;
inline constexpr CountIf count_if;
inline constexpr ForEach for_each;
inline constexpr Sort sort;
inline constexpr StableSort stable_sort;
inline constexpr MinElement min_element;
inline constexpr MaxElement max_element;
inline constexpr MinmaxElement minmax_element;
inline constexpr Min min;
inline constexpr Max max;
inline constexpr Minmax minmax;
inline constexpr LowerBound lower_bound;
inline constexpr UpperBound upper_bound;
inline constexpr Transform transform;
inline constexpr Copy copy;
inline constexpr CopyIf copy_if;
inline constexpr Reverse reverse;
inline constexpr Fill fill;
inline constexpr Generate generate;
inline constexpr Replace replace;
inline constexpr ReplaceIf replace_if;
inline constexpr Equal equal;

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
