"""docs/cli.md (or docs/COMMAND.md) names every flag that a command takes, in that command's section or before the first,
and no other."""

import functools
import pathlib
import re
import subprocess
import sys

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md"
FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z](?![\w-]))")


@functools.cache
def flags_of(command):
    """The flags of a command: the words that begin the lines of its help's list of options."""
    text = subprocess.run(["subfloor", command, "--help"], capture_output=True, text=True, check=True).stdout
    flags = set()
    for line in text.splitlines():
        if listed := re.match(r"  (-\S+)", line):
            flags.update(FLAG.findall(listed.group(1)))
    return flags - {"-h", "--help"}


def main():
    help_text = subprocess.run(["subfloor", "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", help_text, re.MULTILINE)
    general, *sections = re.split(r"^## ", GUIDE.read_text(), flags=re.MULTILINE)
    problems, checked = [], 0
    named_for = {command: general for command in commands}
    for command in commands:
        own = GUIDE.with_name(f"{command}.md")  # a command that has a guide of its own
        named_for[command] += own.read_text() if own.exists() else ""
    for section in sections:
        title, _, body = section.partition("\n")
        of_title = [command for command in commands if re.search(rf"\b{command}\b", title)]
        for quoted in re.findall(r"`([^`]*)`", body):
            # `compile --dump` is about compile, wherever it stands.
            named = [word for word in quoted.split()[:2] if word in commands] or of_title
            taken = set().union(*(flags_of(command) for command in named)) | {"--help", "-d"}  # -d is objdump's
            for flag in sorted(set(FLAG.findall(quoted)) - taken) if named else ():
                problems.append(f"docs/cli.md names {flag} under '{title}', which does not take it")
        for command in of_title:
            named_for[command] += body
    for command in commands:
        named = set(FLAG.findall(named_for[command]))
        for flag in sorted(flags_of(command)):
            checked += 1
            if flag not in named and (flag != "-o" or "--output" not in named):
                problems.append(f"docs/cli.md does not name {command} {flag}")
        if not re.search(rf"^\| `{command}` \|", general, re.MULTILINE):
            problems.append(f"docs/cli.md has no line for {command}")
    for command in re.findall(r"^\| `([a-z]+)` \|", general, re.MULTILINE):
        if command not in commands:
            problems.append(f"docs/cli.md has a line for {command}, which does not exist")
    print("\n".join(problems + [f"{checked} flags checked"]))
    return 1 if problems or checked < 20 else 0


sys.exit(main())
