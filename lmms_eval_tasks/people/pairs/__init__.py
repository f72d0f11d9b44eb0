"""A page on which people score pairs of any benchmark that offers a `Pool` of pairs.

`study` has the pairs' names, what a benchmark says of them, and which are drawn in which order.
`ratings` has the scores and their agreement. `question.html` and `page.js` are the page.
"""
