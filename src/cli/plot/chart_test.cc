// SPDX-License-Identifier: Apache-2.0
#include "cli/plot/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym::cli::plot {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Chart chart_of(Look look) {
  return {.title = "a < b",
          .x = {.label = "x", .low = 0, .high = 10},
          .y = {.label = "y", .low = 0, .high = 10},
          .series = {{.name = "one", .points = {{0, 0}, {5, 10}, {10, 10}}, .look = look}},
          .size = {.width = 178, .height = 156}};  // leaves 100 × 100 for the curve
}

TEST(Chart, AValueStandsWhereTheAxesSay) {
  EXPECT_THAT(draw(chart_of(Look::Line)), HasSubstr("d=\"M64.0 112.0L114.0 12.0L164.0 12.0\""));
  EXPECT_THAT(draw(chart_of(Look::Steps)), HasSubstr("d=\"M64.0 112.0H114.0V12.0H164.0\""));
  EXPECT_THAT(draw(chart_of(Look::Area)), HasSubstr("H164.0V112.0H64.0Z\""));
}

TEST(Chart, IsOneWholeDrawingWithWordsForThoseWhoCannotSeeIt) {
  std::string svg = draw(chart_of(Look::Line));
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"a &lt; b\""));
}

TEST(Chart, TextOfOthersCannotBecomeMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\">&'\x01"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
  EXPECT_THAT(legend({"<script>"}), Not(HasSubstr("<script>")));
}

TEST(Chart, BarsOfOneCategoryStandSideBySide) {
  Bars bars{.title = "t",
            .y = {.high = 10},
            .x_label = "x",
            .categories = {"small", "large"},
            .series = {{.name = "a", .values = {5, 10}, .marks = {6, 10}},
                       {.name = "b", .values = {1, 2}}}};
  std::string svg = draw(bars);
  EXPECT_THAT(svg, HasSubstr("class=\"bar c0\""));
  EXPECT_THAT(svg, HasSubstr("class=\"bar c1\""));
  EXPECT_THAT(svg, HasSubstr("class=\"whisker c0\""));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"whisker c1\"")));
  EXPECT_THAT(svg, HasSubstr(">large</text>"));
}

TEST(Chart, ABoxIsCutAtTheAxesAndOneThatNobodySeesIsLeftOut) {
  Boxes boxes{.title = "t",
              .x = {.low = 10, .high = 20},
              .y = {.high = 10},
              .rectangles = {{.x_from = 0, .x_to = 15, .y_from = 0, .y_to = 5, .text = "cut"},
                             {.x_from = 30, .x_to = 40, .y_from = 0, .y_to = 5, .text = "gone"}},
              .size = {.width = 178, .height = 156}};
  std::string svg = draw(boxes);
  EXPECT_THAT(svg, HasSubstr("x=\"64.0\" y=\"62.0\" width=\"50.00\" height=\"50.00\""));
  EXPECT_THAT(svg, Not(HasSubstr("gone")));
}

TEST(Chart, TheStyleHasEveryColourForLightAndForDark) {
  std::string style(plot::style());
  for (std::size_t i = 0; i < kColours; ++i) {
    std::string name = "--c" + std::to_string(i) + ":#";
    auto first = style.find(name);
    ASSERT_NE(first, std::string::npos);
    EXPECT_NE(style.find(name, first + 1), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace ym::cli::plot
