"""How fast a judge answers on one device, and what the device waits for."""
