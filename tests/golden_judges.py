"""Judges of golden runs, who answer by rule: all that they know is what they are shown."""

import hashlib
import json
import re

from tests.golden_data import GOLDENS, draw
from tests.judges import SightedRoundsJudge

QUALITY = ("good", "fair", "poor", "bad")
INTENTIONS = ("right", "wrong", "first", "tie", "unreadable")
KINDS = {  # of 100 replies, how many are meant so
    "sharp": (72, 12, 5, 6, 5),
    "noisy": (42, 30, 6, 12, 10),
    "biased": (30, 8, 42, 6, 14),
}
WORDS = json.loads((GOLDENS / "replies.json").read_text(encoding="utf-8"))  # by form


def _mean(image):
    import numpy as np

    return np.asarray(image.convert("RGB"), dtype=float).mean(axis=(0, 1))


class Replies:
    """What a judge of a kind replies to a prompt and images."""

    def __init__(self, kind):
        self.kind = kind
        self.shares = KINDS[kind]
        self._asked = {}

    def __call__(self, scope, prompt, images):
        key = " ".join(prompt.split())
        seen = [hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() for image in images]
        place = (scope, key, *seen)
        before = self._asked.get(place, 0)  # asked again, it may say another thing
        self._asked[place] = before + 1
        self._key = (self.kind, before, key, *seen)
        place, at = self.draw("meant") % 100, 0
        while place >= self.shares[at]:
            place, at = place - self.shares[at], at + 1
        return self._reply(INTENTIONS[at], prompt, images)

    def draw(self, *what):
        return draw(*what, *self._key)

    def pick(self, options, *what):
        return options[self.draw(*what) % len(options)]

    def say(self, form):
        return self.pick(WORDS[form], "words")

    def _reply(self, meant, prompt, images):
        form = kind_of_prompt(prompt)
        if form == "list":
            if meant == "unreadable":
                return "Both are alike."
            bullet = self.pick(("{}. ", "{}) ", "- ", "{}. **Topic:** "), "bullet")
            number = 3 + self.draw("number") % 3
            return "\n".join(
                bullet.format(n) + f"Both show side {self.draw(n) % 50}."
                for n in range(1, number + 1)
            )
        if form == "free":
            return f"The second image has {self.draw('free') % 9} cups more than the first one."
        if meant == "unreadable":
            return self.pick(WORDS["unreadable"], "unreadable")
        return getattr(self, f"_{form}")(meant, prompt, images)

    def _winner(self, meant, first_is_right):
        """0 or 1, or None for a tie; a coin decides where nothing tells."""
        if meant == "tie" or meant == "first":
            return None if meant == "tie" else 0
        if first_is_right is None:
            first_is_right = self.draw("coin") % 2 == 0
        return 0 if first_is_right == (meant == "right") else 1

    def _verdict(self, meant, prompt, images):
        shown = re.findall(r"\b(RIGHT|WRONG)\b", prompt.partition("nswer 1: ")[2] or prompt)
        winner = self._winner(meant, shown[0] == "RIGHT" if len(set(shown)) == 2 else None)
        if winner is None:
            return self.say("tie")
        return self.say("verdict").format(winner + 1, 2 - winner)

    def _critic(self, meant, prompt, images):
        winner = self._winner(meant, prompt.find("RIGHT") < prompt.find("WRONG"))
        if winner is None:
            return "The two responses are equally good."
        one, other = ("first", "second") if winner == 0 else ("second", "first")
        return self.say("critic").format(one, other)

    def _points(self, meant, prompt, images):
        top = 70 if ("RIGHT" in prompt) == (meant == "right") else 20
        return self.say("points").format(50 if meant == "tie" else top + self.draw("points") % 30)

    def _bracket(self, meant, prompt, images):
        shown = re.findall(r"\b(RIGHT|WRONG|good|fair|poor|bad) ?(?:,|answer \d)", _input(prompt))
        worth = [("RIGHT", "good", "fair", "poor", "bad", "WRONG").index(word) for word in shown]
        if len(worth) > 1 and worth[0] == worth[1] and meant == "right":
            meant = "tie"
        winner = self._winner(meant, worth[0] < worth[1] if len(worth) > 1 else None)
        return self.say("bracket").format("C" if winner is None else "AB"[winner])

    def _stars(self, meant, prompt, images):
        word = re.search(r"A (good|fair|poor|bad) answer", _input(prompt))
        right = (5, 4, 2, 1)[QUALITY.index(word.group(1))] if word else 3
        stars = {"right": right, "wrong": 1 + self.draw("stars") % 5, "first": 4, "tie": 3}[meant]
        return self.say("stars").format(stars)

    def _rank(self, meant, prompt, images):
        shown = re.findall(r"A (good|fair|poor|bad) answer", _input(prompt))
        places = list(range(len(shown)))
        if meant == "right":
            places.sort(key=lambda place: QUALITY.index(shown[place]))
        elif meant != "first":
            places.sort(key=lambda place: self.draw(place))
        if meant == "tie":
            places.pop()
        return ", ".join(f"[[{'ABCDEFGH'[place]}]]" for place in places)

    def _letter(self, meant, prompt, images):
        options = dict(re.findall(r"^([A-H])[.)] (.*)$", prompt, re.MULTILINE))
        told = re.search(r"\(right: (.*?)\)", prompt)
        right = [key for key, text in options.items() if told and text == told.group(1)]
        letter = "A" if meant == "first" else self.pick(sorted(options), "letter")
        if meant == "right" and right:
            letter = right[0]
        if "### Reasoning" in prompt:
            return f"### Reasoning\nNot this one.\n\n### Answer\n{letter}"
        return self.say("letter").format(letter, options[letter])

    def _yesno(self, meant, prompt, images):
        plain = prompt.replace("\u2018", "'").replace("\u2019", "'")
        pairs = (("yes", "no"), ("both", "one"), ("true", "false"))
        labels = next(pair for pair in pairs if all(f"'{word}'" in plain for word in pair))
        word = labels[0 if meant == "first" else self.draw("label") % 5 // 3]
        return self.say("yesno").format(word.capitalize())

    def _subscores(self, meant, prompt, images):
        number = re.findall(r"output (?:score )?= ?\[([^\]]*)\]", prompt)[-1].count(",") + 1
        told = re.search(r"(\w+ text sample_\d+\.jpg)", prompt)
        worth = draw(told.group(1) if told else "", *self._key[3:]) % 11
        spread = 2 if meant == "right" else 11
        fixed = {"first": 8, "tie": 5}.get(meant)
        scores = [fixed or min(10, worth + self.draw(k) % spread) for k in range(number)]
        if self.draw("over") % 23 == 0:
            scores[0] = 12
        return self.say("subscores").format(scores)

    def _rating(self, meant, prompt, images):
        base = 4 + draw("text", " ".join(prompt.split())) % 3
        if len(images) == 2:
            one, other = map(_mean, images)
            far = float(abs(one - other).mean())
            base = 9 if images[0].tobytes() == images[1].tobytes() else 7 if far < 10 else 2
        score = {
            "right": max(1, min(10, base + self.draw("near") % 3 - 1)),
            "wrong": 1 + self.draw("far") % 10,
            "first": 8,
            "tie": 5,
        }[meant]
        return self.say("rating").format(score)


def _input(prompt):
    """What follows the rules of a prompt: the question and the answers."""
    return re.split(r"Here is the input:|\[User Question\]", prompt)[-1]


def kind_of_prompt(prompt):
    """What a prompt asks for."""
    for form, pattern in (
        ("list", r"Output each similarity in a numbered list"),
        ("yesno", r"following statement.*['\u2018](?:no|one|false)['\u2019]"),
        ("subscores", r"output (?:score )?= ?\["),
        ("stars", r"\[The Start of Assistant.s Answer\]"),
        ("rank", r"RANK the responses from best to worst"),
        ("bracket", r"\[The Start of Assistant A.s Answer\]"),
        ("critic", r"The second response: \["),
        ("points", r"out of 100"),
        ("verdict", r"Answer 2: "),
        ("letter", r"(?m)^A[.)] "),
        ("rating", r"<1-10>|[Ss]core"),
    ):
        if re.search(pattern, prompt, re.DOTALL if form == "yesno" else 0):
            return form
    return "free"


class Judge(SightedRoundsJudge):
    """The judge as a model of the harness; `asked` has the first requests of each task."""

    def __init__(self, kind, chat=False):
        super().__init__(Replies(kind))
        self.is_simple = not chat
        self.asked = {}

    def reply(self, *arguments):
        self._task = arguments[-2]
        return self._reply(*(self._simple if self.is_simple else self._chat)(*arguments))

    def _rounds(self, *arguments):
        self._task = arguments[-2]
        return super()._rounds(*arguments)

    def _reply(self, prompt, images):
        first = self.asked.setdefault(self._task, [])
        if self.is_simple and len(first) < 2:
            told = _digest(prompt) if first else prompt
            first.append([told, [_fingerprint(image) for image in images]])
        return self.answer(self._task, prompt, images)

    def _chat(self, _, doc_to_messages, __, doc_id, task, split):
        content = [
            (message["role"], item["type"], item.get("text", item.get("url")))
            for message in doc_to_messages(self.task_dict[task][split][doc_id])
            for item in message["content"]
        ]
        self.asked.setdefault(task, []).append(
            [
                [role, kind, _digest(what) if kind == "text" else _fingerprint(what)]
                for role, kind, what in content
            ]
        )
        texts = [what for _, kind, what in content if kind == "text"]
        return "\n".join(texts), [what for _, kind, what in content if kind == "image"]


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _fingerprint(image):
    pixels = hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()[:12]
    return f"{image.width}x{image.height} {pixels}"
