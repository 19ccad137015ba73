"""Links that lead out of docs/ go to the repository, or are no links where its address is not known."""

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
