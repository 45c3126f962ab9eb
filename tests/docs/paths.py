"""Every path that a guide names exists: README, ARCHITECTURE, CONTRIBUTING and docs/*.md, in backquotes or links."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PATH = re.compile(r"`((?:src|docs|tests|tools|examples|bench|cmake|fuzz|include|\.ci)/[\w./*-]*|[A-Z]+(?:\.md)?)`")

missing = checked = 0
for guide in GUIDES:
    for name in PATH.findall(guide.read_text()):
        if name.isupper() and name != "LICENSE":
            continue
        checked += 1
        if not list(ROOT.glob(name.rstrip("/"))):
            missing += 1
            print(f"{guide.relative_to(ROOT)} names {name}, which does not exist")
print(f"{checked} paths checked")
sys.exit(1 if missing or not checked else 0)
