"""Code that commands which build data sets from pictures share."""
