"""Lists directories in the navigation, and leads links out of docs/ to the repository."""

import pathlib
import posixpath
import re

LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    """Called by mkdocs with the text of each page."""
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
