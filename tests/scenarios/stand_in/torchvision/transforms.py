# SPDX-License-Identifier: Apache-2.0


class Compose:
    def __init__(self, transforms):
        self._transforms = transforms

    def __call__(self, image):
        for transform in self._transforms:
            image = transform(image)
        return image


class ToTensor:
    def __call__(self, image):
        return image.unsqueeze(0).float() / 255


class Normalize:
    def __init__(self, mean, std):
        self._mean, self._std = mean[0], std[0]

    def __call__(self, image):
        return (image - self._mean) / self._std
