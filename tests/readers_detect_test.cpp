// What people hand over instead of a model that can be read: each gets told what it is.
#include <boxwood/ensemble.hpp>
#include <boxwood/error.hpp>
#include <boxwood/read.hpp>

#include "error_of.hpp"
#include "xgboost_model_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace readers_detect_test {

std::string complaint(std::string_view bytes) {
  return error_of([&] { boxwood::read_model_bytes(bytes, "m"); }, "it was read");
}

std::string file_complaint(const std::filesystem::path& file) {
  return error_of([&] { boxwood::read_model(file); }, "it was read");
}

constexpr const char* readable =
    ". Boxwood reads its own JSON, XGBoost's JSON and UBJSON, LightGBM's text, CatBoost's JSON and "
    "binary files, and ONNX";
constexpr const char* save_again =
    ". Load it with XGBoost and save it with save_model(\"model.json\") or \"model.ubj\"";

TEST(Detection, names_files_that_are_no_models) {
  EXPECT_EQ(complaint(""),
            "m: the file is empty. Save the model again, and check that the saving ended");
  EXPECT_EQ(complaint(" \n"),
            "m: the file contains only whitespace. Save the model again, and check that the saving "
            "ended");
  EXPECT_EQ(complaint("hello"), std::string("m: this is not a supported model file") + readable);
  EXPECT_EQ(complaint("{}"), std::string("m: this is an empty object, not a model") + readable);
  EXPECT_EQ(complaint("{\"a\": 1, \"b\": [2]}"),
            std::string("m: this is JSON without a model; its keys are \"a\", \"b\"") + readable);
  EXPECT_EQ(complaint("{\"a\": 1,, \"b\": [2]}"),
            "m: byte 9: not well formed: unexpected ','; expected string literal. The file is "
            "damaged or truncated; save the model again");
}

TEST(Detection, names_other_kinds_of_models) {
  EXPECT_EQ(complaint("tree\nversion=v4\nnum_class=1\n"),
            "m: the file ends after 0 trees, without \"end of trees\". The file is truncated; save "
            "it again with save_model");
  EXPECT_EQ(
      complaint("{\"name\": \"tree\", \"version\": \"v4\", \"tree_info\": []}"),
      "m: this is a dump by LightGBM's dump_model, which is not supported. Save the model with "
      "save_model(\"model.txt\") instead of dump_model");
  EXPECT_EQ(complaint("CBM1"),
            "m: it ends at byte 4 of 8 and more. The file is damaged or cut off: save the model "
            "again");
  EXPECT_EQ(
      complaint("\x80\x04\x95"),
      "m: this is a Python pickle; pickles can run arbitrary code when loaded and are not "
      "supported. Load it in Python and write it with boxwood.save_model(model, \"model.json\")");
  EXPECT_EQ(complaint("\x1F\x8B\x08"),
            "m: this is compressed (gzip), as R's saveRDS does too. Unpack a compressed model file "
            "first. In R, save the model itself with xgb.save or lgb.save");
  EXPECT_EQ(complaint("RDX3\nX\n"),
            "m: this is an R object by save. Unpack a compressed model file first. In R, save the "
            "model itself with xgb.save or lgb.save");
  EXPECT_EQ(complaint("booster[0]:\n0:leaf=1\n"),
            "m: this is a text dump by XGBoost's dump_model, which lacks the intercept. Save the "
            "model with save_model instead of dump_model, or give the intercept in Python: "
            "boxwood.xgboost_from_dump(text, base_score=..., objective=...)");
  EXPECT_NE(complaint("[{\"nodeid\": 0, \"leaf\": 1}]").find("dump_model"), std::string::npos);
  EXPECT_EQ(
      complaint("{\"Config\": {}, \"Model\": {}}"),
      std::string("m: this is a snapshot of XGBoost's memory, not a model file") + save_again);
}

TEST(Detection, knows_xgboosts_old_binary_format) {
  // base_score 0.5, 4 features, no classes, no flags, and zeros to the end of the header.
  std::string old("\0\0\0\x3F\x04\0\0\0", 8);
  old.resize(136, '\0');
  EXPECT_EQ(complaint(old),
            std::string("m: this is probably a model in XGBoost's old binary format") + save_again);
  EXPECT_EQ(complaint("binf" + old),
            std::string("m: this is a model in XGBoost's old binary format") + save_again);
}

TEST(Detection, looks_at_content_and_not_at_names) {
  const std::string model = boxwood_test::model_text({boxwood_test::three_nodes()});
  EXPECT_EQ(boxwood::read_model_bytes(model, "model.ubj").trees.size(), 1U);
  EXPECT_EQ(boxwood::read_model_bytes(" \n\t" + model).trees.size(), 1U);
  EXPECT_EQ(boxwood::read_model_bytes("\xEF\xBB\xBF" + model).trees.size(), 1U);
  const auto own = boxwood::to_json(boxwood::read_model_bytes(model));
  EXPECT_EQ(boxwood::read_model_bytes(own), boxwood::read_model_bytes(model));
}

TEST(Files, that_cannot_be_read_are_named) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "boxwood_readers";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(file_complaint(folder), folder.string() + ": this is a directory. Name a file in it");
  EXPECT_EQ(file_complaint(folder / "none.json"),
            (folder / "none.json").string() + ": no such file. Check the path of the model");
  const auto empty = folder / "empty.json";
  std::ofstream(empty).close();
  EXPECT_EQ(file_complaint(empty),
            empty.string() +
                ": the file is empty. Save the model again, and check that the saving ended");
  const auto cut = folder / "cut.json";
  std::ofstream(cut) << "{\"learner\": {";
  EXPECT_EQ(file_complaint(cut),
            cut.string() +
                ": byte 14: not well formed: unexpected end of input; expected string literal. The "
                "file is damaged or truncated; save the model again");
  std::filesystem::remove_all(folder);
}

TEST(Files, that_never_end_are_given_up) {
  EXPECT_EQ(file_complaint("/dev/zero"),
            "/dev/zero: it is larger than 256 MiB, the most that Boxwood reads from a pipe");
}

TEST(OwnFormat, has_no_rounds_to_choose_from) {
  const auto own = boxwood::to_json(
      boxwood::read_model_bytes(boxwood_test::model_text({boxwood_test::three_nodes()})));
  boxwood::Rounds rounds;
  rounds.first = 1;
  EXPECT_THROW(boxwood::read_model_bytes(own, "m", rounds), boxwood::Error);
}

TEST(Digits, are_read_as_float32_without_a_detour_through_double) {
  // Just above the midpoint of two neighbouring float32. As a double it is the midpoint itself,
  // which rounds to the lower, even neighbour; straight from the digits it is the upper one.
  auto tree = boxwood_test::three_nodes();
  tree.condition[0] = "1.00000005960464477539062500000001";
  const auto model = boxwood::read_model_bytes(boxwood_test::model_text({tree}));
  EXPECT_EQ(model.trees[0].nodes[0].threshold, 1.00000011920928955078125);
}

}  // namespace readers_detect_test
