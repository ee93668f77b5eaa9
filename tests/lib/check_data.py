#!/usr/bin/env python3
"""check_data.py FILE BLOCK LEAST: what runs have written into a file that was all zeros.

At least LEAST of its blocks of BLOCK bytes are written, no two of these are equal, and together
they cannot be compressed by more than 2 %. Prints what is wrong, and exits 1.

SPDX-License-Identifier: MIT
"""
import sys
import zlib


def main():
    path, size, least = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    zeros, seen, equal = bytes(size), set(), 0
    packer = zlib.compressobj(6) # as gzip(1) does
    packed = 0
    with open(path, "rb") as file:
        while block := file.read(size):
            if block == zeros:
                continue
            equal += block in seen
            seen.add(block)
            packed += len(packer.compress(block))
    packed += len(packer.flush())
    written = (len(seen) + equal) * size
    wrong = [f"{len(seen)} different blocks are written, not {least}"] if len(seen) < least else []
    if equal:
        wrong.append(f"{equal} blocks are equal to others")
    if packed < 0.98 * written:
        wrong.append(f"{written} bytes shrink to {packed}")
    for line in wrong:
        print(f"{path}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
