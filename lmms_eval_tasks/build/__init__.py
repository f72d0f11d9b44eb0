"""Parts that builders of data sets share."""
