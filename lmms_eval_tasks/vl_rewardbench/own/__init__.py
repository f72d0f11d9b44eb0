"""Build a preference benchmark from a user's own questions and answers (Section 2.2).

`pairs`: questions and answers become pairs of answers of like length. `funnel`: judges and people
decide which are kept. `study`: what people are asked. `command`: `pairbench build preference`.
"""
