// SPDX-License-Identifier: Apache-2.0
#include "config/yaml.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Yaml, AListOfMapsIsReadInOrder) {
  auto made = parse_yaml("t.yaml", "# words\n- a: 1\n  b: [x, 'y z']\n- a: 2\n");
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ(made->kind, YamlNode::Kind::List);
  ASSERT_EQ(made->items.size(), 2u);
  EXPECT_EQ(made->items[0].find("a")->text, "1");
  EXPECT_EQ(made->items[0].find("b")->items[1].text, "y z");
  EXPECT_EQ(made->items[1].line, 4u);
  EXPECT_FALSE(made->items[1].find("b"));
}

TEST(Yaml, NothingIsAnEmptyText) {
  auto made = parse_yaml("t.yaml", "");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kind, YamlNode::Kind::Text);
}

TEST(Yaml, WhatCannotBeReadIsRefusedWithItsLine) {
  struct Row {
    const char* text;
    const char* place;
  };
  for (const Row& row : {Row{"a: 1\na: 2\n", "t.yaml:2: a is there twice"},
                         Row{"a: [1\n", "t.yaml:2: "}, Row{"a: &x 1\nb: *x\n", "t.yaml:2: aliases"},
                         Row{"a: 1\n---\nb: 2\n", "t.yaml:2: a second document"},
                         Row{"[a]: 1\n", "t.yaml:1: a key is a word"}}) {
    auto made = parse_yaml("t.yaml", row.text);
    ASSERT_FALSE(made) << row.text;
    EXPECT_TRUE(made.error().text.starts_with(row.place)) << made.error().text;
  }
  EXPECT_FALSE(parse_yaml("t.yaml", std::string(100, '[')));
}

}  // namespace
}  // namespace ym
