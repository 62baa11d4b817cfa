"""People and publishers: the lowest layer, which everything above may rely on."""
