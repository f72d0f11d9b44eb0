"""The report: one self-contained page with all findings and every sample behind them."""
