"""lightning, the newer name of pytorch_lightning."""
from pytorch_lightning import Callback, LightningDataModule, LightningModule, Trainer, seed_everything
