"""`python -m lab.tools.sbom FILE`: writes requirements.lock as a CycloneDX bill of materials. Uses no network."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from lab.tools.licences import ELSEWHERE, LOCK, NOT_STATED, licence


def render() -> str:
    """The bill of materials as JSON."""
    bom = Bom()
    bom.metadata.component = root = Component(
        name="agentd", version=version("agentd"), type=ComponentType.APPLICATION, bom_ref="agentd"
    )
    for component in components():
        bom.components.add(component)
    bom.register_dependency(root, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def components() -> Iterator[Component]:
    """Each locked package with its version, its package URL and the licence it states."""
    licences = LicenseFactory()
    for name, locked in re.findall(r"^([a-z0-9][a-z0-9._-]*)==([^ ;]+)", LOCK.read_text(encoding="utf-8"), re.M):
        stated = licence(name)
        yield Component(
            name=name,
            version=locked,
            purl=PackageURL("pypi", name=name, version=locked),
            bom_ref=f"{name}@{locked}",
            licenses=[] if stated in (ELSEWHERE, NOT_STATED) else [licences.make_from_string(stated)],
        )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render(), encoding="utf-8")
