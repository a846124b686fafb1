#!/usr/bin/env python3
"""Writes Sources/CivilTime/Zones/ZoneAliases.swift from the links of the installed tz database.

usage: Tools/make-zone-aliases.py [TZDATA.ZI]

Debian 13 has the names of the IANA file `backward` in a package of its own, tzdata-legacy.
"""
import pathlib
import sys
import textwrap

source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo/tzdata.zi")
lines = source.read_text().splitlines()
version = lines[0].split()[-1]
# Links of `backward` since 2024b, which distributions that froze an earlier one have as zones.
links = {
    "America/Panama": ["EST"], "America/Phoenix": ["MST"], "Pacific/Honolulu": ["HST"],
    "America/New_York": ["EST5EDT"], "America/Chicago": ["CST6CDT"], "America/Denver": ["MST7MDT"],
    "America/Los_Angeles": ["PST8PDT"], "Europe/Lisbon": ["WET"], "Europe/Brussels": ["CET", "MET"],
    "Europe/Athens": ["EET"]}
for line in lines:
    if line.startswith("L "):
        _, target, name = line.split()
        links.setdefault(target, []).append(name)
links = {target: sorted(set(names)) for target, names in links.items()}
table = " ".join(f"{target}={','.join(names[at:at + 3])}" for target, names in sorted(links.items())
                 for at in range(0, len(names), 3))
rows = textwrap.wrap(table, 94, break_on_hyphens=False, break_long_words=False)
body = "\n".join(f"    {row}" for row in rows)
pathlib.Path(__file__).parent.with_name("Sources").joinpath(
    "CivilTime/Zones/ZoneAliases.swift").write_text(f'''/// Old names of zones, which a system may lack: the links of the tz database {version}, which has
/// them from the IANA file `backward`. Written by Tools/make-zone-aliases.py.
enum ZoneAliases {{
  /// The present name of a zone; nil for a name that is not old.
  static func current(_ name: String) -> String? {{ names[name] }}

  /// By the old names.
  static let names = {{
    var names: [String: String] = [:]
    for entry in table.split(whereSeparator: \\.isWhitespace) {{
      let sides = entry.split(separator: "=")
      for name in sides[1].split(separator: ",") {{ names[String(name)] = String(sides[0]) }}
    }}
    return names
  }}()

  /// The present name, and the old ones.
  private static let table = """
{body}
    """
}}
''')
