"""Drawings of everyday objects in spatial relations, on a table or in a room."""
