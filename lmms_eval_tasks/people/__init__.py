"""People at a local page: what they are asked, where each one stands, and what they say, on disk.

`session` says where a rater stands, `events` and `events_file` keep what was said, `server` shows
the page. What is asked and which page it is are the study's: it has a `Session` of its own, and a
package with `question.html`, the part of the page that asks, and `page.js`, which goes on from
`core.js`.
"""
