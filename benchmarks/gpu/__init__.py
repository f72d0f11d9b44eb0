"""How fast a judge can be audited on one device, and where the time goes."""
