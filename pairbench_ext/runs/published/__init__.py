"""Numbers that papers print: kept as data, checked against each other, placed beside a run's."""
