"""The papers' figures and tables, measured with our implementations: `manage.py reproduce`.

To add some, write a module beside this one, say `paper_002.py`, with a tuple `FIGURES` of `figure.Figure`s,
and name it in `registry.MODULES`. A figure has cells, which are plain JSON objects, and a function that
measures one of them; how they are run one after the other, saved, continued after an interruption, drawn and
set beside the paper's claims is done here for all of them:

- `figure`     what a figure is, and what was measured of it (`Rows`)
- `registry`   names, and the nearest to one that is not there
- `running`    measures the cells that are not saved yet, with progress and the time left
- `cell`       measures one cell, in a process of its own where the figure asks for it
- `results`    JSON lines under benchmarks/results/reproduce/
- `plotting`   the picture (matplotlib)
- `page`       docs/reproduction/NAME.md, .csv and .png
- `claims`     what the papers say elsewhere (`claims_000` to `claims_004`), and the verdicts on everything
- `claims_page` docs/reproduction/claims.md

`paper_001.py` is the example to follow.
"""
