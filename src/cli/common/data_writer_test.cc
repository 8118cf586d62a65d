// SPDX-License-Identifier: Apache-2.0
#include "cli/common/data_writer.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

std::string sample(Notation notation) {
  DataWriter data(notation);
  data.begin_map().text("name", "a \"b\"\n").integer("count", -3).flag("up", true);
  data.texts("none", {}).texts("some", {"x", "y"}).begin_map("empty").end();
  data.begin_list("rows");
  data.begin_map().number("limit", 7).end();
  data.begin_map().infinite("limit").end();
  data.end().end();
  return data.finish();
}

TEST(DataWriter, JsonFitsOnOneLineOnRequest) {
  DataWriter data(Notation::Json, true);
  data.begin_map().text("name", "n 1").begin_list("jobs");
  data.begin_map().integer("id", 7).flag("held", false).end().end().texts("none", {}).end();
  EXPECT_EQ(data.finish(), "{\"name\":\"n 1\",\"jobs\":[{\"id\":7,\"held\":false}],\"none\":[]}\n");
  DataWriter yaml(Notation::Yaml, true);
  yaml.begin_map().integer("id", 7).end();
  EXPECT_EQ(yaml.finish(), "---\nid: 7\n");
}

TEST(DataWriter, WritesJson) {
  EXPECT_EQ(sample(Notation::Json), R"({
  "name": "a \"b\"\n",
  "count": -3,
  "up": true,
  "none": [],
  "some": [
    "x",
    "y"
  ],
  "empty": {},
  "rows": [
    {
      "limit": {
        "set": true,
        "infinite": false,
        "number": 7
      }
    },
    {
      "limit": {
        "set": false,
        "infinite": true,
        "number": 0
      }
    }
  ]
}
)");
}

TEST(DataWriter, WritesTheSameAsYaml) {
  EXPECT_EQ(sample(Notation::Yaml), R"(---
name: "a \"b\"\n"
count: -3
up: true
none: []
some:
  - "x"
  - "y"
empty: {}
rows:
  -
    limit:
      set: true
      infinite: false
      number: 7
  -
    limit:
      set: false
      infinite: true
      number: 0
)");
}

TEST(DataWriter, EscapesWhatEitherNotationWouldMisread) {
  EXPECT_EQ(quoted("tab\there"), R"("tab\there")");
  EXPECT_EQ(quoted("\x01\x7f"), R"("\u0001\u007f")");
  EXPECT_EQ(quoted("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(quoted("\xc2\x85\xe2\x80\xa8"), R"("\u0085\u2028")");
  // Not UTF-8: a lone byte, a surrogate, an overlong slash, a sequence that is cut off.
  EXPECT_EQ(quoted("\xff"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(quoted("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(quoted("\xe2\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(DataWriter, GivesAwayLongReportsInParts) {
  DataWriter data(Notation::Json);
  data.begin_list().integer({}, 1);
  std::string out = data.take();
  EXPECT_EQ(data.pending(), 0u);
  data.integer({}, 2).end();
  EXPECT_EQ(out + data.finish(), "[\n  1,\n  2\n]\n");
}

}  // namespace
}  // namespace ym::cli
