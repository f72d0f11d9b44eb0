"""A preference benchmark of one's own questions, made as Section 2.2 of the paper makes its own.

`pairs`: questions and answers become pairs of answers of like length. `judged`: votes of judges and
answers of people, which say which pair has which label, and which one is hard. `study`: what people
are asked. `command`: `pairbench build preference`.
"""
