# SPDX-License-Identifier: Apache-2.0
"""Every transcript reads today as it was written. tests/cli/run --rewrite writes it anew."""
import os

import pytest
import transcript


@pytest.mark.parametrize("path", transcript.files(), ids=os.path.basename)
def test_transcript(path):
    was, now = transcript.replay(path)
    assert was == now, "\n" + transcript.difference(path, was, now)


def test_a_transcript_survives_being_parsed():
    text = "# Words.\n@ A=b\n\n$ x\nout\n\nmore\n[exit 1]\n\n| y\n\n~ z => 1\n"
    lines = [part for line, out in transcript.parse(text) for part in (line, *out)]
    assert "\n".join(lines) + "\n" == text
    assert transcript.parse(text)[3] == ("$ x", ["out", "", "more", "[exit 1]"])
