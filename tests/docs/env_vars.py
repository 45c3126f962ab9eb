"""docs/env_vars.md names every environment variable of ours that the sources ask for, and no other."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
asked = set()
for folder in ("src", "tools"):
    for path in (ROOT / folder).rglob("*.cc"):
        asked.update(re.findall(r'getenv\("(SUBFLOOR_\w+)"\)', path.read_text()))
named = set(re.findall(r"^\| `(SUBFLOOR_\w+)`", (ROOT / "docs/env_vars.md").read_text(), re.MULTILINE))
for name in sorted(asked - named):
    print(f"docs/env_vars.md does not name {name}")
for name in sorted(named - asked):
    print(f"nothing asks for {name}")
print(f"{len(asked)} variables checked")
sys.exit(1 if asked != named or not asked else 0)
