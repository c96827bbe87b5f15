import unittest

import torch

from shapes import Classifier


class TestClassifier(unittest.TestCase):
    def test_tells_classes_apart(self):
        scores = Classifier(classes=4)(torch.randn(2, 3, 32, 32))
        self.assertEqual(tuple(scores.shape), (2, 4))

    def test_learns(self):
        model = Classifier()
        model(torch.randn(2, 3, 32, 32)).sum().backward()
        self.assertTrue(all(p.grad is not None for p in model.parameters()))


if __name__ == "__main__":
    unittest.main()
