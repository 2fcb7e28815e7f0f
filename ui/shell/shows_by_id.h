// A view that can be asked to show one of its things, as the search does.
#pragma once

#include <string_view>

namespace ringside
{

class ShowsById
{
public:
    ShowsById() = default;
    ShowsById(const ShowsById&) = delete;
    ShowsById& operator=(const ShowsById&) = delete;
    virtual ~ShowsById() = default;

    virtual void show(std::string_view id) = 0;
};

} // namespace ringside
