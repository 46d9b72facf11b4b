"""Collects the files of a tool's result: linked ones, and embedded ones, which it saves. It uses no network."""

from __future__ import annotations

import base64
import binascii
import hashlib
import logging
import mimetypes
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResourceContents,
)

from agentd.messages import Artifact, folder_of_run

logger = logging.getLogger(__name__)
_UNSAFE = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True)
class Keeper:
    """Collects the files of one server. `local`: the server shares our disk, so its file:// links point to files here.

    A remote server's file:// links are ignored: they could make us hand out our own files.
    """

    server: str
    folder: Path | None
    local: bool
    largest: int

    def collect(self, content: Sequence[ContentBlock], run_id: str) -> tuple[Artifact, ...]:
        """Return every file of a result, in order. Blocks on the disk: call it off the event loop."""
        found = (self._collect_one(block, run_id, number) for number, block in enumerate(content, 1))
        return tuple(artifact for artifact in found if artifact is not None)

    def _collect_one(self, block: ContentBlock, run_id: str, number: int) -> Artifact | None:
        try:
            match block:
                case ResourceLink():
                    return self._linked(block)
                case EmbeddedResource(resource=TextResourceContents() as text):
                    media_type = text.mime_type or "text/plain"
                    return self._embedded(text.text.encode("utf-8", "replace"), media_type, run_id, uri=text.uri)
                case EmbeddedResource(resource=BlobResourceContents() as blob):
                    media_type = blob.mime_type or "application/octet-stream"
                    return self._embedded(_decode(blob.blob), media_type, run_id, uri=blob.uri)
                case ImageContent() | AudioContent():
                    name = f"{block.type}-{number}{mimetypes.guess_extension(block.mime_type) or ''}"
                    return self._embedded(_decode(block.data), block.mime_type, run_id, name=name)
        except (OSError, binascii.Error) as error:
            logger.warning("server %s: a file of its result was left out (%s)", self.server, type(error).__name__)
        return None

    def _linked(self, link: ResourceLink) -> Artifact | None:
        parts = urlsplit(link.uri)
        if parts.scheme != "file" or not self.local:
            return None
        path = Path(unquote(parts.path))
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.largest:
                logger.warning("server %s: a linked file is not a file of a reasonable size", self.server)
                return None
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        media_type = link.mime_type or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        return Artifact(name=path.name, uri=link.uri, media_type=media_type, sha256=digest, path=str(path))

    def _embedded(self, data: bytes, media_type: str, run_id: str, uri: str = "", name: str = "") -> Artifact:
        name = safe_name(name or unquote(urlsplit(uri).path).rpartition("/")[2])
        digest = hashlib.sha256(data).hexdigest()
        path = None if self.folder is None else _keep(self.folder / folder_of_run(run_id), name, data)
        kept = path.name if path is not None else name
        uri = uri or (path.as_uri() if path is not None else kept)
        return Artifact(
            name=kept, uri=uri, media_type=media_type, sha256=digest, path=None if path is None else str(path)
        )


def _decode(text: str) -> bytes:
    return base64.b64decode("".join(text.split()), validate=True)


def safe_name(text: str) -> str:
    """Turn any text from a caller or a server into a safe name for a plain file."""
    return _UNSAFE.sub("_", text).lstrip(".")[-120:] or "file"


def _keep(folder: Path, name: str, data: bytes) -> Path:
    """Write the file under its name, or name-2, name-3 … if a file with other content has that name.

    Returns its path. Raises FileExistsError after 999 of one name.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    stem, dot, ending = name.partition(".")
    for number in range(1, 1000):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{ending}")
        try:
            with open(path, "xb", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
                file.write(data)
        except FileExistsError:
            if path.is_file() and path.read_bytes() == data:
                return path
        else:
            return path
    raise FileExistsError(f"{folder} holds 999 files named {name}")
