"""Can a vision-language model be trusted to compare and to judge?

The library behind the benchmarks: trials, parsing, metrics, image transformations, judge models
and reports. It knows nothing of the evaluation harness; only `pairbench_ext.judges` subclasses the
harness's model class.
"""

__version__ = "0.3.0"
