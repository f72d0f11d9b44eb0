"""Drawings of everyday objects in relations, on a table or in a room."""
