"""torchvision.models: the classifiers that other models are built on."""
from torchvision.models import densenet, inception, mobilenetv2, resnet, squeezenet, vgg
from torchvision.models.alexnet import AlexNet, AlexNet_Weights, alexnet
from torchvision.models.densenet import *
from torchvision.models.inception import *
from torchvision.models.mobilenetv2 import *
from torchvision.models.resnet import *
from torchvision.models.squeezenet import *
from torchvision.models.vgg import *
