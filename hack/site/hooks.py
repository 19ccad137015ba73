"""Completes the site: navigation, links out of docs/, the front page, and what draws diagrams.

A page has nothing from another server. The theme would load two scripts from one: the site has copies of its own, from
the packages that npm has under these names, if they have these digests.
"""

import base64
import hashlib
import io
import pathlib
import posixpath
import re
import subprocess
import tarfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

PACKAGES = pathlib.Path("target/site-packages")


class Script:
    """A file of a package of npm, at its place in the site."""

    def __init__(self, package, sha512, member):
        self.package = package
        self.sha512 = sha512
        self.member = member
        self.uri = f"javascripts/{package.partition('@')[0]}.js"

    def content(self):
        package = PACKAGES / (self.package.replace("@", "-") + ".tgz")
        if not package.exists():
            PACKAGES.mkdir(parents=True, exist_ok=True)
            command = ["npm", "pack", "--silent", "--pack-destination", str(PACKAGES), self.package]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        content = package.read_bytes()
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        if digest != self.sha512:
            raise PluginError(f"{package} has the digest {digest} instead of {self.sha512}: delete it and build again")
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            return archive.extractfile(f"package/{self.member}").read()


MERMAID = Script(
    "mermaid@11.17.2",
    "V6K3C8EBdEsPFZXSKMJe6ppQOENxuHARr9GvHX4hh47lAbhMRD9qf4oEK7LoaRQxULMa80/qt5gHO73aCleBBg==",
    "dist/mermaid.min.js",
)
# Lets the search work on pages that are opened as files.
WORKER = Script(
    "iframe-worker@1.0.4",
    "roeaaI+Lg1LJNfgpCjoRe/+WzEjy9+Z08LoEvu85MCPbBjwm+qXz8Ag5U05lHa6V1CysZyGzE0SOkAtSUA5q7Q==",
    "shim/index.js",
)
WORKER_OF_THEME = "https://unpkg.com/iframe-worker/shim"

# What a browser loads with a page, unlike a link that a reader follows.
FOREIGN = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="?(?:https?:)?//[^">]*|<link[^>]*stylesheet[^>]*href="?(?:https?:)?//[^">]*""")
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    """Called by mkdocs with the text of each page."""
    if page.is_homepage:
        page.meta["template"] = "home.html"
    folder = posixpath.dirname(page.file.src_uri)

    def outside(match):
        text, target, anchor = match.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/"):
            return match[0]
        if not config.repo_url:
            return text
        return f"[{text}]({config.repo_url}/blob/main/{path}{anchor or ''})"

    return LINK.sub(outside, markdown)


def on_files(files, config):
    """Called by mkdocs with all files: adds the scripts."""
    for script in (MERMAID, WORKER):
        files.append(File.generated(config, script.uri, content=script.content()))
    return files


def on_post_page(output, page, config):
    """Called by mkdocs with each page as HTML: has it load the scripts of the site."""
    root = posixpath.relpath(".", posixpath.dirname(page.file.dest_uri) or ".")
    output = output.replace(WORKER_OF_THEME, f"{root}/{WORKER.uri}")
    if 'class="mermaid"' in output:
        output = output.replace("</head>", f'<script src="{root}/{MERMAID.uri}"></script></head>', 1)
    foreign = FOREIGN.search(output)
    if foreign:
        raise PluginError(f"{page.file.src_uri} loads something from another server: {foreign[0]}")
    return output


def on_post_build(config):
    """Called by mkdocs at the end: the links of the front page are not in Markdown, so mkdocs does not check them."""
    site = pathlib.Path(config.site_dir)
    for target in re.findall(r'(?:href|src)="?([^":#> ]+)["#> ]', (site / "index.html").read_text()):
        if not (site / target).exists():
            raise PluginError(f"the front page leads to {target}, which the site does not have")


def on_config(config):
    """Called by mkdocs with its configuration: replaces DIR/* in the navigation by the pages there."""
    docs = pathlib.Path(config.docs_dir)
    config.nav = _expanded(config.nav, docs, set(_named(config.nav)))
    return config


def _named(entries):
    for entry in entries:
        if isinstance(entry, dict):
            for value in entry.values():
                yield from _named(value if isinstance(value, list) else [value])
        else:
            yield entry


def _expanded(entries, docs, named):
    expanded = []
    for entry in entries:
        if isinstance(entry, dict):
            expanded.append(
                {
                    title: _expanded(value, docs, named) if isinstance(value, list) else value
                    for title, value in entry.items()
                }
            )
        elif entry.endswith("/*"):
            folder = entry.removesuffix("/*")
            pages = (f"{folder}/{page.name}" for page in sorted((docs / folder).glob("*.md")))
            expanded += [page for page in pages if page not in named]
        else:
            expanded.append(entry)
    return expanded
