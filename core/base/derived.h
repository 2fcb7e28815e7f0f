// A value that is worked out of another, and kept until that changes.
#pragma once

#include <optional>

namespace ringside
{

template <class From, class Value>
class Derived
{
public:
    template <class Make>
    const Value& of(const From& from, Make make) const
    {
        if (!from_ || !(*from_ == from))
        {
            value_.emplace(make(from));
            from_ = from;
            ++made_;
        }
        return *value_;
    }

    // How often it has been.
    int made() const { return made_; }

private:
    mutable int made_ = 0;
    mutable std::optional<From> from_;
    mutable std::optional<Value> value_;
};

} // namespace ringside
