"""Judgments that others recorded, of any data: what `pairbench import judgments` makes logs of."""
