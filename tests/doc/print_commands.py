#!/usr/bin/env python3
"""print_commands.py [--calib] FILE: the commands in a document, with a NUL behind each.

Of a man page: its EXAMPLES. Of a Markdown file: lines of indented or fenced blocks, and inline
code, that begin with one of the words below. --calib: only calls of calib.

SPDX-License-Identifier: MIT
"""
import re
import sys

import man_page


def markdown_blocks(text):
    """Lines of code: indented by four more than the text around them, or fenced."""
    fenced, margin = False, 0
    for line in text.split("\n"):
        if line.strip().startswith("```"):
            fenced = not fenced
        elif re.match(r"\d+\. |- ", line):
            margin = line.index(" ") + 1 # a list item's text
        elif line.strip() and not line.startswith(" "):
            margin = 0
        if fenced or line.startswith(" " * (margin + 4)):
            yield line.strip()


def markdown_inline(text):
    for code in re.findall(r"`([^`]+)`", text):
        yield " ".join(code.split())


def commands_of(path):
    if not path.endswith(".md"):
        return man_page.examples(path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    commands = [*markdown_blocks(text), *markdown_inline(text)]
    return [command for command in commands if re.match(r"(calib|jq|echo|tail|cat) ", command)]


def main():
    only_calib = sys.argv[1] == "--calib"
    for command in commands_of(sys.argv[-1]):
        if not only_calib or command.startswith("calib "):
            sys.stdout.write(command + "\0")


if __name__ == "__main__":
    main()
