"""How the replies of VIEScore are read."""
