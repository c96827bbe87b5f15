"""pytorch_lightning.core."""
from pytorch_lightning import LightningDataModule, LightningModule
