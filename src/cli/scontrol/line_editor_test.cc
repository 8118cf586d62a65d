// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/line_editor.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

using Outcome = LineEditor::Outcome;

Outcome type(LineEditor& editor, std::string_view keys) {
  Outcome last = Outcome::Typing;
  for (char key : keys) last = editor.feed(key);
  return last;
}

TEST(LineEditor, EditsInTheMiddle) {
  LineEditor editor;
  type(editor, "shw job");
  type(editor, "\x01\x1b[C\x1b[Co");
  EXPECT_EQ(editor.line(), "show job");
  type(editor, "\x05\x7f\x7f\x7f");
  EXPECT_EQ(editor.line(), "show ");
  EXPECT_EQ(type(editor, "node\n"), Outcome::Line);
  EXPECT_EQ(editor.line(), "show node");
  type(editor, "\x1b[H\x1b[3~\x0b");
  EXPECT_EQ(editor.line(), "");
}

TEST(LineEditor, BringsEarlierLinesBackAndTheDraft) {
  LineEditor editor;
  for (const char* line : {"first", "second", "second"}) {
    type(editor, line);
    editor.accept();
  }
  type(editor, "draft\x1b[A");
  EXPECT_EQ(editor.line(), "second");
  type(editor, "\x1b[A\x1b[A");
  EXPECT_EQ(editor.line(), "first");
  type(editor, "\x1b[B\x1b[B\x1b[B");
  EXPECT_EQ(editor.line(), "draft");
  EXPECT_EQ(editor.last(), "second");
}

TEST(LineEditor, EndsOnAnEmptyLineOnly) {
  LineEditor editor;
  type(editor, "a\x01");
  EXPECT_EQ(type(editor, "\x04"), Outcome::Typing);
  EXPECT_EQ(editor.line(), "");
  EXPECT_EQ(type(editor, "\x04"), Outcome::End);
}

TEST(LineEditor, ShowsTheCursorWhereItIs) {
  LineEditor editor;
  type(editor, "abc\x02");
  EXPECT_EQ(editor.redraw("> "), "\r> abc\x1b[K\x1b[1D");
}

}  // namespace
}  // namespace ym::cli
