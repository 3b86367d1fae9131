"""The documentation site, from the pages beside this file. `make docs` makes an error of each warning, broken links among them."""

project = "Flink partition-commit bridge"
copyright = "the contributors. Apache License 2.0"  # noqa: A001  # Sphinx's name for it
html_title = project
html_theme = "furo"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub makes them, so that links between pages work there and here
