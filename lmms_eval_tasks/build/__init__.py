"""Code that the builders of data sets share."""
