"""Speed and memory, side by side with what one would otherwise do; `python -m benchmarks`."""
