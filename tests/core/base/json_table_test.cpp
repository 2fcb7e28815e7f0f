// Tables of fields, in and out; names of enums, there and back.
#include "core/base/json/json_table.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using nlohmann::json;

namespace
{

enum class Colour
{
    red,
    green
};

struct Wheel
{
    double width = 1;
};

struct Cart
{
    std::string name;
    std::int64_t places = 2;
    Colour colour = Colour::green;
    std::optional<double> price;
    std::vector<Wheel> wheels;
    std::string note;
};

} // namespace

namespace ringside
{

template <>
inline constexpr auto kNamesOf<Colour> = names<Colour>("red", "green");

} // namespace ringside

namespace
{

const JsonTable<Wheel> kWheelTable{{{"width", &Wheel::width, {.least = 0, .most = 9}}}};
const JsonTable<Cart> kCartTable{{
    {"name", &Cart::name, {.needed = true, .words = 2}},
    {"places", &Cart::places, {.least = 1, .most = 8}},
    {"colour", &Cart::colour},
    {"price", &Cart::price},
    {"wheels", &Cart::wheels, kWheelTable, {.least = 2, .most = 4}},
    {"note", &Cart::note, {.unless_empty = true}},
}};

Issues faults_of(const char* text)
{
    Issues issues;
    Cart cart;
    const json document = json::parse(text);
    const bool good = kCartTable.read({document, "cart", issues}, cart);
    CHECK(good == issues.empty());
    return issues;
}

} // namespace

TEST_CASE("a table reads what is there and keeps what is not")
{
    Issues issues;
    Cart cart;
    const json document =
        json::parse(R"({"name": "Red cart", "colour": "red", "wheels": [{"width": 2}, {}]})");
    REQUIRE(kCartTable.read({document, "", issues}, cart));
    CHECK(cart.name == "Red cart");
    CHECK(cart.places == 2);
    CHECK(cart.colour == Colour::red);
    CHECK(!cart.price);
    REQUIRE(cart.wheels.size() == 2);
    CHECK(cart.wheels[0].width == 2);
    CHECK(cart.wheels[1].width == 1);
}

TEST_CASE("faults of a table have a path, name the value and say what would work")
{
    CHECK(to_line(faults_of("[]").at(0)) == "cart: [] is not an object (use {...})");
    CHECK(to_line(faults_of("{}").at(0)) == "cart.name: is missing (give one)");
    CHECK(to_line(faults_of(R"({"name": "a b c"})").at(0)) ==
          "cart.name: has 3 words (shorten it to 2 or fewer)");
    CHECK(to_line(faults_of(R"({"name": "a", "places": 9})").at(0)) ==
          "cart.places: 9 is out of range (use 1 to 8)");
    CHECK(faults_of(R"({"name": "a", "places": 1.5})").at(0).message == "1.5 is not a whole number");
    CHECK(to_line(faults_of(R"({"name": "a", "colour": "blue"})").at(0)) ==
          "cart.colour: there is no \"blue\" (use one of red, green)");
    CHECK(to_line(faults_of(R"({"name": "a", "wheels": [{}]})").at(0)) ==
          "cart.wheels: there are 1 (give 2 to 4)");
    CHECK(faults_of(R"({"name": "a", "wheels": [{}, {"width": 10}]})").at(0).path == "cart.wheels[1].width");
    CHECK(to_line(faults_of(R"({"name": "a", "color": "red"})").at(0)) ==
          "cart.color: unknown field (did you mean \"colour\"?)");
    CHECK(faults_of(R"({"places": "x", "price": "y"})").size() == 3);
}

TEST_CASE("a table writes what it reads, in its order")
{
    Cart cart;
    cart.name = "A";
    cart.price = 2.5;
    CHECK(kCartTable.write(cart).dump() == R"({"name":"A","places":2,"colour":"green","price":2.5})");
}

TEST_CASE("names go both ways")
{
    CHECK(name_of(Colour::green) == "green");
    CHECK(kNamesOf<Colour>.find("red") == Colour::red);
    CHECK(!kNamesOf<Colour>.find("blue"));
    CHECK(every<Colour>() == std::array{Colour::red, Colour::green});
}
