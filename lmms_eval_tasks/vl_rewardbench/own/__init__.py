"""A preference benchmark of one's own questions, made as Section 2.2 of the paper makes its own.

`pairs`: questions and answers become pairs of answers of like length. `funnel`: which are kept, by
what judges and people say. `study`: what people are asked. `command`: `pairbench build preference`.
"""
