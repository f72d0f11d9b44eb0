"""Draw results as figures."""
