"""Write the bill of materials of a release as CycloneDX JSON: what is inside the wheels, and what built them.

    scripts/sbom.py FOLDER_OF_WHEELS > boxwood.cdx.json

The libraries that are linked into the wheels are those of cmake/dependencies.cmake, each pinned to a
commit; the tools that build them are those of scripts/build.lock, with hashes.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_IN_WHEELS = {"GTest"}


def linked() -> list[dict]:
    """Return the libraries that are compiled into the wheels."""
    text = (ROOT / "cmake/dependencies.cmake").read_text()
    found = re.findall(r"FetchContent_Declare\((\w+)\s+GIT_REPOSITORY (\S+)\s+"
                       r"GIT_TAG ([0-9a-f]{40})\s+# v?(\S+)", text)
    return [{"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version,
             "scope": "required",
             "externalReferences": [{"type": "vcs", "url": f"{repository}#{commit}"}]}
            for name, repository, commit, version in found if name not in NOT_IN_WHEELS]


def tools() -> list[dict]:
    """Return the tools that build the wheels."""
    text = (ROOT / "scripts/build.lock").read_text().replace("\\\n", " ")
    parts = []
    for line in text.splitlines():
        pinned = re.match(r"([\w.-]+)==(\S+)", line)
        if pinned:
            parts.append({"type": "application", "bom-ref": f"pkg:pypi/{pinned[1]}@{pinned[2]}",
                          "purl": f"pkg:pypi/{pinned[1]}@{pinned[2]}", "name": pinned[1],
                          "version": pinned[2], "scope": "excluded",
                          "hashes": [{"alg": "SHA-256", "content": digest}
                                     for digest in re.findall(r"sha256:([0-9a-f]{64})", line)]})
    return parts


def main(folder: Path) -> None:
    """Print the bill of materials of the wheels in a folder."""
    version = (ROOT / "VERSION").read_text().strip()
    wheels = [{"type": "file", "bom-ref": file.name, "name": file.name,
               "hashes": [{"alg": "SHA-256",
                           "content": hashlib.sha256(file.read_bytes()).hexdigest()}]}
              for file in sorted(folder.glob("*.whl"))]
    libraries = linked()
    json.dump({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "library", "bom-ref": "boxwood", "name": "boxwood",
                                   "version": version, "purl": f"pkg:pypi/boxwood@{version}",
                                   "components": wheels}},
        "components": libraries + tools(),
        "dependencies": [{"ref": "boxwood", "dependsOn": [part["bom-ref"] for part in libraries]}],
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
