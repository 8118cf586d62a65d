# SPDX-License-Identifier: Apache-2.0
import importlib.machinery
import importlib.util
import os

HERE = os.path.dirname(os.path.abspath(__file__))
loader = importlib.machinery.SourceFileLoader("daemon_page", f"{HERE}/daemon_page")
spec = importlib.util.spec_from_loader("daemon_page", loader)
daemon_page = importlib.util.module_from_spec(spec)
loader.exec_module(daemon_page)

HELP = """\
Usage: exampled [OPTIONS]
What it is for.

  -D           stay in the foreground, log to
               stderr, too
  --conf-server H[:P]  fetch it
"""


def test_each_option_has_its_row_and_the_words_stay():
    page = daemon_page.page("exampled", "an example", HELP)
    assert page.startswith('.TH EXAMPLED 8 ')
    assert "\nexampled [OPTIONS]\n" in page and "\nWhat it is for.\n" in page
    assert ".TP\n\\fB\\-D\\fR\nStay in the foreground, log to stderr, too.\n" in page
    assert "\\fB\\-\\-conf\\-server H[:P]\\fR\nFetch it.\n" in page
