"""The prompts of PairBench, as the paper prints them.

Source: "PairBench: Are Vision-Language Models Reliable at Comparing What They See?", Appendix D.3
(templates) and Appendices A.2-A.6 (conditions as they reach a model). Line breaks of the extraction
are mended. Where D.3 prints `{conditions}.` within a sentence, the prompts of Appendix A show each
condition as an item on its own line and no full stop after the last: that layout is used here.

The paper prints five of the fourteen conditions; they carry `printed` below. The others follow the
same wording and are ours. Data sets that bring their own templates and conditions (the hub's do)
are asked with those instead.
"""

from collections.abc import Iterable, Mapping

from lmms_eval_tasks.build import balanced, spatial
from lmms_eval_tasks.build.layout import Prompts
from pairbench_ext.replies.answer_format import AnswerFormat

#: What all prompts ask for, those that data sets bring too.
ASKS = AnswerFormat("rating", scale=(1, 10), form="announced")

_FORMAT = """

Score: <1-10>
Reason: <reason for score>

"""

IMAGE_IMAGE_TEMPLATES: tuple[str, ...] = (
    "You are tasked with evaluating the similarity between two images while paying attention to the following conditions:\n{conditions}\nYour goal is to judge the similarity of the images overall, where satisfying the conditions increases the similarity score. If the images are identical but fail to meet any of the conditions, they should still receive a higher score than completely unrelated images. Provide a similarity score on a scale from 1 to 10, where 1 represents entirely dissimilar images and 10 represents identical images that satisfy all conditions. Ensure your response is strictly in the following format:"
    + _FORMAT
    + 'Do not include anything else in your response. What score would you assign to this pair of images? "data1" "data2".',
    "As a similarity evaluator, your responsibility is to assess the similarity of the given images while considering these conditions:\n{conditions}\nThe similarity score should reflect both how well the images align with the conditions and their overall resemblance. Images that are identical but do not meet the conditions should receive a moderate score, while completely unrelated images should receive the lowest score. Provide your score on a scale of 1 to 10, with 10 being identical images that fully meet the conditions. Ensure your response is in the following format:"
    + _FORMAT
    + 'Provide nothing else. What is your score? "data1" "data2"',
    "Evaluate the similarity of the images based on the following conditions:\n{conditions}\nThe score should take into account how well the images align with these conditions, as well as their overall resemblance. Even if the images are identical but fail to meet the conditions, they should still receive a higher score than completely different images. Provide a score from 1 to 10, where 1 indicates no similarity and 10 indicates identical images that fully satisfy the conditions. Respond only in this format:"
    + _FORMAT
    + 'Nothing else should be included. What score would you give? "data1" "data2"',
    "Judge the similarity of these images based on:\n{conditions}\nThe similarity score should reflect both the overall resemblance of the images and how well they satisfy the conditions. Identical images that do not meet the conditions should still score higher than completely unrelated images. Provide a score on a scale of 1 to 10, with 1 being no similarity and 10 being identical images that satisfy all conditions. Respond strictly in this format:"
    + _FORMAT
    + 'Do not include additional text. What\'s your rating? "data1" "data2"',
    "Rate the similarity of these images on a scale of 1 to 10 while considering\n{conditions}\nThe score should account for both how well the images satisfy the conditions and their overall resemblance. If the images are identical but do not meet the conditions, they should still score higher than unrelated images. Your response must follow this exact format:"
    + _FORMAT
    + 'Provide nothing else. What\'s your score? "data1" "data2"',
)

IMAGE_TEXT_TEMPLATES: tuple[str, ...] = (
    "You are assigned the task of determining how accurately a text description represents an image of two objects. Pay special attention to the following conditions:\n{conditions}\nYour goal is to assess the alignment between the image and the text, where adherence to the conditions increases the similarity score. If the text partially describes the image but fails to meet specific conditions, it should still score higher than a text entirely unrelated to the image. Assign a similarity score on a scale from 1 to 10, where 1 signifies no correlation, and 10 denotes perfect alignment satisfying all conditions. The data pair (text and image) will follow this prompt. Respond strictly in the following format:"
    + _FORMAT
    + 'What score would you assign to this text-image pair? "data1" "data2".',
    "Figure out how well this image matches the description provided. The image shows two objects, and the text is meant to describe how they're arranged. Look at these specific conditions:\n{conditions}\nIf the text captures some parts of the image but misses others, it should still get a better score than something totally off. Score this match on a scale of 1 to 10, where 1 means there's no match and 10 means the description nails it and matches every condition perfectly. The text and image will follow this prompt. Answer in this format only:"
    + _FORMAT
    + 'What\'s your score? "data1" "data2".',
    "Evaluate the degree to which a text description accurately represents an image featuring two objects, taking into account the following conditions:\n{conditions}\nAssign a score based on how well the image-text pair matches, where:\n- A perfect description that satisfies all conditions scores 10.\n- Texts that partially align with the image but fail to meet conditions should still score higher than completely unrelated ones.\nThe data pair will follow this prompt. Provide your score on a scale of 1 to 10 using the exact format below:"
    + _FORMAT
    + 'What score would you give? "data1" "data2".',
    "You are tasked with reviewing how well a text description aligns with an image of two objects. The score should reflect not only the accuracy of the alignment but also how well the description satisfies the following conditions:\n{conditions}\nEven if the text description captures some parts of the image while failing the conditions, it should still receive a higher score than a completely irrelevant description. The text and image will be provided below. Assign a score on a 1 to 10 scale, where 1 is no similarity and 10 is perfect alignment that meets all conditions. Answer only in this format:"
    + _FORMAT
    + 'What score would you assign? "data1" "data2".',
    "Assess the degree to which a text description corresponds to an image of two objects, taking into account the following conditions:\n{conditions}\nThe scoring should reflect:\n- A perfect alignment with the image that satisfies all conditions merits a score of 10.\n- Descriptions that partially match the image but fail to meet certain conditions should still receive a higher score than entirely unrelated descriptions.\n- A score of 1 should be reserved for cases where no correlation exists between the text and the image.\nThe text and image pair will be provided below. Provide your evaluation using the following format:"
    + _FORMAT
    + 'What score would you assign? "data1" "data2".',
)

IMAGE_IMAGE_CONDITIONS: Mapping[str, Mapping[str, str]] = {
    "colorjitter": {
        "sens": "Be sensitive to color jittering while evaluating images. For example, if both images are the same except one has been modified with random color changes (e.g., brightness or contrast adjustments), the similarity score should decrease. If the images are the same and have the same exact colors, the similarity score should remain high.",
        # printed: A.2
        "inv": "Be invariant to color jittering while evaluating images. Even if one image has been modified with random color changes (e.g., brightness or contrast adjustments), the similarity score should remain high. If the images are different, the similarity score should decrease regardless of the jittering.",
    },
    "rotate": {
        "sens": "Be sensitive to rotations while evaluating images. For example, if one image is a rotated version of the other, the similarity score should decrease. If the images are the same and have the same exact orientation, the similarity score should remain high.",
        # printed: A.4
        "inv": "Be invariant to rotations while evaluating images. For example, if one image is a rotated version of the other, the similarity score should remain high. If the images are different, the similarity score should decrease regardless of their orientation.",
    },
    "gaussianblur": {
        # printed: A.5
        "sens": "Be sensitive to Gaussian blurs while evaluating images. For example, if both images are the same except one is a blurred version of the other, the similarity score should decrease. If the images are the same and have the same exact sharpness, the similarity score should remain high.",
        # printed: A.3
        "inv": "Be invariant to Gaussian blurs while evaluating images. For example, even if both images are the exact same, even if one is more blurred compared to the other, the similarity score should remain high. If the images are different, the similarity score should decrease regardless of how blurred they are.",
    },
    "perspective": {
        "sens": "Be sensitive to perspective shifts while evaluating images. For example, if both images are the same except one is seen from a shifted perspective, the similarity score should decrease. If the images are the same and have the same exact perspective, the similarity score should remain high.",
        "inv": "Be invariant to perspective shifts while evaluating images. For example, if one image is a version of the other with a shifted perspective, the similarity score should remain high. If the images are different, the similarity score should decrease regardless of their perspective.",
    },
    "elastic": {
        # printed: A.6
        "sens": "Be sensitive to elastic transformations while evaluating images. For example, if the images are the same but have differing distortions due to elastic transformations, the similarity score should decrease. If the images are identical and have matching elastic transformations, the similarity score should remain high.",
        "inv": "Be invariant to elastic transformations while evaluating images. For example, if the images are the same but have differing distortions due to elastic transformations, the similarity score should remain high. If the images are different, the similarity score should decrease regardless of the elastic transformations.",
    },
    "spatial": {
        "sens": "Be sensitive to the spatial positions of the objects while evaluating images. For example, if both images show the same objects but the objects are positioned differently relative to each other, the similarity score should decrease. If the images show the same objects in the same exact positions, the similarity score should remain high.",
        "inv": "Be invariant to the spatial positions of the objects while evaluating images. For example, if both images show the same objects, even if the objects are positioned differently relative to each other, the similarity score should remain high. If the images show different objects, the similarity score should decrease regardless of their positions.",
    },
}

IMAGE_TEXT_CONDITIONS: Mapping[str, Mapping[str, str]] = {
    "spatial": {
        "sens": "Be sensitive to the spatial positions of the objects while evaluating the pair. For example, if the text names the objects in the image but describes different positions relative to each other, the similarity score should decrease. If the text names the objects and describes their exact positions, the similarity score should remain high.",
        "inv": "Be invariant to the spatial positions of the objects while evaluating the pair. For example, if the text names the objects in the image, even if it describes different positions relative to each other, the similarity score should remain high. If the text names different objects, the similarity score should decrease regardless of their positions.",
    }
}


def balanced_prompts(config: str, features: Iterable[str]) -> Prompts:
    """Return what balanced pairs of pictures are asked with (`build.balanced`)."""
    conditions = {feature: IMAGE_IMAGE_CONDITIONS[feature] for feature in features}
    pairs = balanced.PAIRS, balanced.KINDS, balanced.CONDITIONS
    return Prompts(config, IMAGE_IMAGE_TEMPLATES, conditions, *pairs)


def spatial_prompts() -> tuple[Prompts, Prompts]:
    """Return the paper's prompts of WhatsUp's two configs: of pictures, and with captions."""
    shared = spatial.PAIRS, spatial.KINDS
    of_pictures = IMAGE_IMAGE_TEMPLATES, IMAGE_IMAGE_CONDITIONS
    of_captions = IMAGE_TEXT_TEMPLATES, IMAGE_TEXT_CONDITIONS
    return (
        Prompts(spatial.PICTURES, *of_pictures, *shared),
        Prompts(spatial.CAPTIONS, *of_captions, *shared),
    )


def balanced_spatial_prompts() -> tuple[Prompts]:
    """Return what WhatsUp's balanced pairs of pictures are asked with."""
    conditions = {"spatial": IMAGE_IMAGE_CONDITIONS["spatial"]}
    name = f"{spatial.PICTURES}{balanced.SUFFIX}"
    return (Prompts(name, IMAGE_IMAGE_TEMPLATES, conditions, balanced.PAIRS, spatial.KINDS),)
