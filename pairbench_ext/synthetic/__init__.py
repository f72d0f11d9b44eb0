"""Draw scenes with known ground truth: flat shapes, or everyday objects in spatial relations.

    colours, palette      colours in OKLab, and the named ones that scenes draw
    draws, wording        random numbers and items; sentences, relations and their captions
    shapes, placement     circles, squares and triangles: scenes, edits, images; random places
    questions.kinds, questions.pair    two scenes of shapes that differ in one thing, and a question
    objects.scenes, objects.render     mugs, chairs, teapots: sets of scenes, and images
    transforms            PairBench's five transformations of a photograph

A scene is a value that says what is true. `render` turns it into the same image every time.
"""
