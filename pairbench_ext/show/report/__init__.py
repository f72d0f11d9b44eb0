"""The report: one self-contained HTML page with all findings and every sample behind them."""
