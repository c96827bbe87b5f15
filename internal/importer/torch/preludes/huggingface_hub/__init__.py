"""huggingface_hub: mixins that save and load add nothing to a model."""


class ModelHubMixin:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__()


class PyTorchModelHubMixin(ModelHubMixin):
    pass
