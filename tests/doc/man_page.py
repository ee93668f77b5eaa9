"""A man page in mdoc(7), as far as these tests need it: sections, list items, displays.

SPDX-License-Identifier: MIT
"""
import re


class Item:
    """One .It: its section and subsection, the rest of its line, the lines below it."""

    def __init__(self, section, subsection, head):
        self.section, self.subsection, self.head, self.body = section, subsection, head, []


def plain(text):
    """Without escapes: \\- is a minus, \\& nothing, \\e a backslash."""
    return text.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def read_lines(path):
    with open(path, encoding="ascii") as file:
        return [line for line in file.read().split("\n") if not line.startswith('.\\"')]


def read_items(path):
    """The items in their order; what lies in a nested list belongs to the outer item, too."""
    section = subsection = ""
    items, open_items = [], [] # open_items: one for each open list, None before its first item
    for line in read_lines(path):
        if line.startswith(".Sh "):
            section, subsection = plain(line[4:]), ""
        elif line.startswith(".Ss "):
            subsection = plain(line[4:])
        elif line.startswith(".Bl "):
            open_items.append(None)
        elif line.startswith(".El"):
            open_items.pop()
        elif line.startswith(".It"):
            open_items[-1] = Item(section, subsection, line[4:])
            items.append(open_items[-1])
        else:
            for item in open_items:
                if item:
                    item.body.append(line)
    return items


def section_lines(path, section, subsection=""):
    """The lines of one section, or of one of its subsections."""
    here, lines = ("", ""), []
    for line in read_lines(path):
        if line.startswith(".Sh "):
            here = (plain(line[4:]), "")
        elif line.startswith(".Ss "):
            here = (here[0], plain(line[4:]))
        elif here == (section, subsection):
            lines.append(line)
    return lines


def quoted(head, macro):
    """What stands behind the macro in an item's head, without the quotes around it."""
    match = re.fullmatch(macro + r' (?:"(.*)"|(\S+))(.*)', head)
    return plain(match[1] or match[2]) if match else None


def examples(path):
    """The commands of the section EXAMPLES: display lines behind "$ ", and what continues them."""
    commands, inside = [], False
    for line in section_lines(path, "EXAMPLES"):
        if line.startswith((".Bd", ".Ed")):
            inside = line.startswith(".Bd")
        elif inside and line.startswith("$ "):
            commands.append(plain(line[2:]))
        elif inside and commands and commands[-1].endswith(("\\", "|")):
            commands[-1] += "\n" + plain(line)
    return commands
