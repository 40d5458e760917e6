"""How Sphinx builds the site from what ./plumb site has put together."""

project = "Plumbline"
extensions = ["myst_parser", "sphinx_needs"]
html_theme = "furo"
html_title = "Plumbline"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_show_copyright = False
html_copy_source = False
exclude_patterns = ["extra"]
highlight_language = "text"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# What bears on a claim, in the order of the chain. Names are prefixed, since Sphinx has a directive
# "property" of its own. Ids are those of needs.json, without full stops.
needs_types = [
    {"directive": "plumb-" + name, "title": name, "prefix": "", "color": color, "style": "node"}
    for name, color in [
        ("claim", "#4a6fa5"),
        ("reading", "#8a94a3"),
        ("property", "#5b8c6b"),
        ("check", "#136f3f"),
        ("world", "#3f7f9f"),
        ("mutant", "#8a5a00"),
        ("finding", "#b3261e"),
        ("handler", "#6b5b95"),
        ("corpus", "#6b5b95"),
        ("trace", "#6b5b95"),
        ("bug", "#8a5a00"),
        ("run", "#3f7f9f"),
        ("cluster", "#3f7f9f"),
        ("limit", "#8a94a3"),
    ]
]
needs_id_regex = r"^[A-Z0-9_-]{3,}$"
needs_id_required = True
needs_role_need_template = "{{ title }}"
needs_fields = {name: {"nullable": True} for name in ["verdict", "command", "place"]}


def setup(app):
    """The drawing of the packages is plain text."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("house", TextLexer)
