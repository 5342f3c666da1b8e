// Text from outside: what is shown of it, and what errors repeat of it.
#include "base/text.hpp"
#include "error_of.hpp"

#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>
#include <boxwood/schema.hpp>

#include <gtest/gtest.h>

#include "small_models.hpp"

namespace boxwood {
namespace text_test {

TEST(Text, HiddenCharactersAreMadeVisible) {
  EXPECT_EQ(visible("credit amount, Größe, 金額"), "credit amount, Größe, 金額");
  EXPECT_EQ(visible("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(visible("a\nb", "\n"), "a\nb");
  EXPECT_EQ(visible("\x1b[31mred\x1b[0m\a"), "\\x1b[31mred\\x1b[0m\\x07");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\x7f\u0085\u009b"), "\\u007f\\u0085\\u009b");
  EXPECT_EQ(visible("\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028"),
            "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069\\u2028");
  EXPECT_EQ(visible("\xff\xc3(\xed\xa0\x80\xc0\xaf\xe2\x82"),
            "\\xff\\xc3(\\xed\\xa0\\x80\\xc0\\xaf\\xe2\\x82");
  for (const char* text : {"\x1b[0m\u202e", "\xff\n", "plain"}) {
    EXPECT_EQ(visible(visible(text)), visible(text));
    EXPECT_TRUE(is_utf8(visible(text)));
  }
}

TEST(Text, Utf8IsTold) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a ü € 😀"));
  for (const char* text : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf5\x80\x80\x80", "\xf4\x90\x80\x80", "a\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << visible(text);
  }
}

TEST(Text, ErrorsAreShortAndPrintable) {
  const std::string number(50 << 20, '7');
  const Error error(number, "\"" + number + "\x1b[2J\u202e\" is not a number", number,
                    number + "\n^");
  EXPECT_LT(std::string(error.what()).size(), 2800u);
  EXPECT_TRUE(error.reason().starts_with("\"777"));
  EXPECT_TRUE(error.reason().ends_with("7\\x1b[2J\\u202e\" is not a number")) << error.reason();
  EXPECT_TRUE(error.excerpt().ends_with("\n^"));
  EXPECT_EQ(cut_middle("short", 10), "short");
  EXPECT_EQ(cut_middle(std::string(40, 'a') + std::string(60, 'b'), 30),
            "aaaaaaaaaaaaaaaaaaaa … 70 bytes … bbbbbbbbbb");
  EXPECT_TRUE(
      is_utf8(cut_middle(std::string(1, 'x') + std::string("üüüüüüüüüüüüüüüüüüüüüüüü"), 20)));
}

/// What reading says; empty where it succeeds.
std::string complaint(const std::string& bytes) {
  return error_of([&] { read_model_bytes(bytes, "model"); }, {});
}

TEST(Text, NamesOfModelsAreUtf8) {
  const auto refused = [](const auto& change) {
    Ensemble model = duration_model();
    change(model);
    return error_of([&] { model.validate(); }, {});
  };
  EXPECT_EQ(refused([](Ensemble& m) { m.features[0].name = "a\xff"; }),
            "features[0]: \"a\\xff\" is not UTF-8 text. Save the model again with names in UTF-8; "
            "the file may be damaged");
  EXPECT_NE(refused([](Ensemble& m) { m.source = "\xff"; }), "");
  EXPECT_NE(refused([](Ensemble& m) { m.objective = "\xff"; }), "");
  EXPECT_NE(refused([](Ensemble& m) { m.notes = {"\xff"}; }), "");
  EXPECT_NE(refused([](Ensemble& m) { m.features[0].categories = {{0, "\xff"}}; }), "");
  EXPECT_EQ(refused([](Ensemble& m) { m.features[0].name = "größe"; }), "");
}

TEST(Text, DamagedTextOfEveryFormatIsAnError) {
  const std::string own = to_json(duration_model());
  std::string damaged = own;
  damaged.replace(damaged.find("\"name\":\"") + 8, 1, "\xff");
  EXPECT_NE(complaint(damaged), "");
  const Ensemble model = duration_model();
  for (const char* text :
       {"{\"features\": {\"\xff\": {}}}", "\xff\xfe{", "{\"subject\": \"\xc3\"}"}) {
    EXPECT_THROW(schema_from_json(text, "schema", model), Error);
  }
}

}  // namespace text_test
}  // namespace boxwood
