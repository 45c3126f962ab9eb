#include "hlo/name_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "hlo/parser.h"

namespace subfloor::hlo {
namespace {

struct Named {
  std::string name;
};

TEST(NameTable, ATakenNameIsNumberedFromItsStem) {
  NameTable<Named> table;
  Named first, second, third, fourth, fifth;
  table.Take(&first, first.name, "add");
  table.Take(&second, second.name, "add");
  table.Take(&third, third.name, "add.1");
  table.Take(&fourth, fourth.name, "add.x");
  table.Take(&fifth, fifth.name, "add.x");
  EXPECT_EQ(first.name, "add");
  EXPECT_EQ(second.name, "add.1");
  EXPECT_EQ(third.name, "add.2");
  EXPECT_EQ(fourth.name, "add.x");
  EXPECT_EQ(fifth.name, "add.x.1");
  EXPECT_EQ(table.Find("add.2"), &third);
  EXPECT_EQ(table.Find("add.3"), nullptr);
}

TEST(NameTable, AReleasedNameIsFreeAndAStemIsNot) {
  NameTable<Named> table;
  Named first, second, third;
  table.Take(&first, first.name, "mul.7");
  table.Take(&second, second.name, "mul.7");
  EXPECT_EQ(second.name, "mul.1");
  table.Take(&third, third.name, "mul");
  EXPECT_EQ(third.name, "mul.2");  // `mul` itself would look like the first of them
  table.Release("mul.7");
  EXPECT_EQ(table.Find("mul.7"), nullptr);
  table.Take(&first, first.name, "mul.7");
  EXPECT_EQ(first.name, "mul.7");
}

TEST(NameHash, TellsNamesOfEveryLengthApart) {
  std::set<size_t> seen;
  std::string name;
  for (int length = 0; length < 70; ++length) {
    EXPECT_TRUE(seen.insert(NameHash()(name)).second) << length;
    name += 'a';
    for (size_t i = 0; i < name.size(); ++i) {
      std::string other = name;
      other[i] = 'b';
      EXPECT_TRUE(seen.insert(NameHash()(other)).second) << other;
    }
  }
}

// Two computations may use the same names; what the second's are renamed to is nobody's to refer to.
TEST(NamesOfAText, ReferToWhatIsWrittenInTheSameComputation) {
  const auto module = ParseModule(R"(
    f { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
    ENTRY e { x = f32[] parameter(0) y = f32[] exponential(x) y.1 = f32[] negate(y) ROOT z = f32[] add(y, y.1) })");
  ASSERT_TRUE(module) << module.error().ToString();
  const Instruction* root = (*module)->entry()->root();
  EXPECT_EQ(root->operand(0)->opcode(), Opcode::kExp);
  EXPECT_EQ(root->operand(1)->opcode(), Opcode::kNegate);
  EXPECT_EQ(root->operand(1)->operand(0), root->operand(0));

  const auto problem = [](std::string_view text) {
    const auto parsed = ParseModule(text, "f");
    return parsed ? "parsed" : parsed.error().ToString();
  };
  constexpr std::string_view kFirst = "f { x = f32[] parameter(0) ROOT y = f32[] negate(x) }\n";
  // The entry's x became x.1, which nobody wrote.
  EXPECT_EQ(problem(std::string(kFirst) + "ENTRY e { x = f32[] parameter(0) ROOT z = f32[] negate(x.1) }"),
            "f:2:56: %z: no instruction before this one in computation `e` is called %x.1");
  EXPECT_EQ(problem(std::string(kFirst) + "ENTRY e { x = f32[] parameter(0) ROOT z = f32[] negate(y) }"),
            "f:2:56: %z: no instruction before this one in computation `e` is called %y");
  EXPECT_EQ(problem(std::string(kFirst) + "ENTRY e { x = f32[] parameter(0) x = f32[] negate(x) }"),
            "f:2:34: %x: a second instruction is called %x in computation `e`");
  // Nor did anybody write the names of instructions inside operand lists.
  EXPECT_EQ(
      problem("e { x = f32[] parameter(0) y = f32[] negate(negate(x)) ROOT z = f32[] add(y, negate.anon) }"),
      "f:1:78: %z: no instruction before this one in computation `e` is called %negate.anon");
  EXPECT_EQ(problem("e { x = f32[] parameter(0) y = f32[] negate(negate(x)) "
                    "negate.anon = f32[] abs(x) ROOT z = f32[] add(y, negate.anon) }"),
            "parsed");
}

}  // namespace
}  // namespace subfloor::hlo
