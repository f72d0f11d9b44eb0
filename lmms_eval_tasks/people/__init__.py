"""Ask people on a local web page, and store their answers on disk.

A study (`study.Study`) says what is asked and recorded; its package has `question.html`, the part
of the page that asks, and `page.js`, which goes on from `core.js`. `session` says where a rater
stands, `events` keeps what was said, `server` shows the page.
"""
