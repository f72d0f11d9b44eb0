"""The command line of `pairbench_ext.stacks.vlmevalkit`."""

import sys

from pairbench_ext.core.sources import SourceError
from pairbench_ext.stacks.vlmevalkit.command import main

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SourceError as error:
        sys.exit(f"error: {error}")
