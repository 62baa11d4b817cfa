"""How dates and numbers are written, by language, where we differ from Django; see `FORMAT_MODULE_PATH`."""
