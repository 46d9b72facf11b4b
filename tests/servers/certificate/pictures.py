"""Issues every letter with sample data and renders it as a picture for the documentation. Not a test.

python -m tests.servers.certificate.pictures docs/letters
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from servers.certificate.drawing.picture import pictures
from tests.servers.certificate.letters import ANSWERS, NOW, issue, open_service

DPI = 80


def main(target: Path) -> None:
    """Write KEY.png for each letter and draft.png into `target`."""
    os.environ["AGENTD_CLOCK"] = NOW
    with tempfile.TemporaryDirectory() as state:
        service = open_service(Path(state), VERIFY_BASE_URL="https://kelurahan.example")
        for key, answers in ANSWERS.items():
            pdf = Path(issue(service, answers, letter=key).path).read_bytes()
            (target / f"{key}.png").write_bytes(pictures(pdf, DPI)[0])
        draft = service.preview(
            service.catalogue.types["surat_keterangan_domisili"], ANSWERS["surat_keterangan_domisili"]
        )
        (target / "draft.png").write_bytes(pictures(draft, DPI)[0])
        service.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
