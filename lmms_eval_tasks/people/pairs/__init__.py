"""People score pairs: a study of any benchmark that has a `Pool` of them.

`pool` has the pairs' names and what a benchmark says of them, `study` which are drawn and in which
order, `ratings` the scores, `agreement` the numbers; `question.html` and `page.js` are the page.
"""
