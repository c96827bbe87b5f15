"""Writes models.jsonl: small Keras models, as model.to_json() describes them, with the number of trained parameters that Keras counts.

KERAS_BACKEND=torch python3 models.py > models.jsonl (keras 3.15.1). "more" is how many parameters PyTorch's layers have beyond Keras', as the notes say.
"""
import json
import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras  # noqa: E402
from keras import layers as L  # noqa: E402


def seq(*layers):
    return keras.Sequential(list(layers))


def fun(shape, body, **kw):
    x = keras.Input(shape, **kw)
    return keras.Model(x, body(x))


def residual(x):
    y = L.Conv2D(8, 3, padding="same", use_bias=False)(x)
    y = L.ReLU()(L.BatchNormalization()(y))
    return L.Dense(4, activation="softmax")(L.GlobalAveragePooling2D()(L.Add()([L.Conv2D(8, 1)(x), y])))


def squeeze(x):
    y = L.Reshape((1, 1, 6))(L.GlobalAveragePooling2D()(x))
    return L.Flatten()(L.Multiply()([x, L.Conv2D(6, 1, activation="sigmoid")(L.Conv2D(2, 1, activation="relu")(y))]))


def two(x):
    y = keras.Input((5,))
    return keras.Model([x, y], L.Dense(2)(L.Concatenate()([L.Flatten()(x), y])))


def shared(x):
    d = L.Dense(6)
    return L.Dense(1)(d(L.Activation("tanh")(d(x))))


def transformer(x):
    y = L.Embedding(50, 12)(x)
    y = L.Add()([y, L.MultiHeadAttention(3, 5)(y, y)])
    y = L.LayerNormalization(epsilon=1e-6)(y)
    y = L.Add()([y, L.Dense(12)(L.Dense(24, activation="gelu")(y))])
    return L.Dense(7)(L.GlobalAveragePooling1D()(L.LayerNormalization()(y)))


def inner(x):
    return L.Dense(3)(seq(keras.Input((8,)), L.Dense(8, activation="relu"), L.Dropout(0.1))(x))


IMAGE = (12, 10, 3)
MODELS = {
    "mlp": lambda: seq(keras.Input((20,)), L.Dense(16, activation="relu"), L.BatchNormalization(), L.Dropout(0.2), L.Dense(3, activation="softmax")),
    "cnn": lambda: seq(keras.Input(IMAGE), L.Rescaling(1 / 255), L.Conv2D(8, 3, activation="relu"), L.MaxPooling2D(), L.Conv2D(4, 3, padding="same"), L.Flatten(), L.Dense(5)),
    "same_stride_2": lambda: seq(keras.Input(IMAGE), L.Conv2D(8, 3, strides=2, padding="same"), L.MaxPooling2D(3, 2, padding="same"), L.Flatten(), L.Dense(2)),
    "residual": lambda: fun(IMAGE, residual),
    "squeeze": lambda: fun((7, 7, 6), squeeze),
    "depthwise": lambda: seq(keras.Input(IMAGE), L.DepthwiseConv2D(3, depth_multiplier=2, padding="same"), L.Conv2D(4, 1, use_bias=False), L.GlobalMaxPooling2D()),
    "separable": lambda: seq(keras.Input(IMAGE), L.SeparableConv2D(6, 3, padding="same", activation="relu"), L.GlobalAveragePooling2D(keepdims=True), L.Flatten()),
    "transposed": lambda: seq(keras.Input((5, 5, 4)), L.Conv2DTranspose(3, 3, strides=2, padding="same"), L.Conv2DTranspose(2, 4, strides=2), L.Conv2D(1, 1)),
    "upsampled": lambda: seq(keras.Input((5, 6, 4)), L.UpSampling2D(2, interpolation="bilinear"), L.ZeroPadding2D(((1, 2), (0, 3))), L.Cropping2D(1), L.Conv2D(2, 3)),
    "conv1d": lambda: seq(keras.Input((30, 4)), L.Conv1D(8, 5, padding="causal", dilation_rate=2, activation="relu"), L.MaxPooling1D(2), L.GlobalAveragePooling1D(), L.Dense(1)),
    "conv3d": lambda: seq(keras.Input((6, 8, 8, 2)), L.Conv3D(4, 3, padding="same"), L.AveragePooling3D(2), L.BatchNormalization(), L.GlobalAveragePooling3D(), L.Dense(2)),
    "groups": lambda: seq(keras.Input((8, 8, 6)), L.Conv2D(12, 3, groups=3), L.GroupNormalization(4), L.LeakyReLU(), L.Flatten(), L.Dense(1)),
    "beta_alone": lambda: seq(keras.Input(IMAGE), L.Conv2D(4, 3, use_bias=False), L.BatchNormalization(scale=False), L.ReLU(6), L.Flatten(), L.Dense(2)),
    "gamma_alone": lambda: seq(keras.Input((9,)), L.Dense(4, use_bias=False), L.BatchNormalization(center=False), L.Dense(2)),
    "no_affine": lambda: seq(keras.Input((9, 4)), L.LayerNormalization(center=False, scale=False), L.LayerNormalization(center=False), L.Flatten(), L.Dense(2)),
    "norm_of_pictures": lambda: seq(keras.Input(IMAGE), L.Conv2D(8, 4, strides=4), L.LayerNormalization(epsilon=1e-6), L.Dense(16, activation="gelu"), L.Dense(8)),
    "gru": lambda: seq(keras.Input((11, 4)), L.GRU(6, return_sequences=True), L.GRU(5), L.Dense(2)),
    "lstm": lambda: seq(keras.Input((11, 4)), L.LSTM(6), L.Dense(2)),
    "lstm_no_bias": lambda: seq(keras.Input((11, 4)), L.LSTM(6, use_bias=False, return_sequences=True), L.TimeDistributed(L.Dense(3))),
    "bidirectional": lambda: seq(keras.Input((11, 4)), L.Bidirectional(L.GRU(6, return_sequences=True)), L.Bidirectional(L.GRU(3)), L.Dense(1, activation="sigmoid")),
    "text": lambda: seq(keras.Input((16,), dtype="int32"), L.Embedding(100, 8), L.Conv1D(6, 3, padding="same"), L.GlobalMaxPooling1D(), L.Dense(2)),
    "text_of_any_length": lambda: seq(keras.Input((None,)), L.Embedding(100, 8), L.GRU(4), L.Dense(2)),
    "transformer": lambda: fun((16,), transformer, dtype="int32"),
    "two_inputs": lambda: two(keras.Input((4, 3))),
    "shared": lambda: fun((6,), shared),
    "inner": lambda: fun((8,), inner),
    "permuted": lambda: seq(keras.Input((4, 5, 6)), L.Permute((3, 1, 2)), L.Reshape((6, -1)), L.Dense(2)),
    "repeated": lambda: seq(keras.Input((4,)), L.RepeatVector(3), L.GRU(5, return_sequences=True), L.Dense(4)),
    "merged": lambda: fun((6, 6, 2), lambda x: L.Subtract()([L.Maximum()([x, L.Conv2D(2, 1)(x)]), L.Minimum()([x, L.Activation("swish")(x)])])),
    "dense_blocks": lambda: fun((8, 8, 4), lambda x: L.Concatenate()([x, L.Conv2D(3, 3, padding="same")(x), L.AveragePooling2D(3, 1, padding="same")(x)])),
    "slopes": lambda: seq(keras.Input((8, 8, 4)), L.Conv2D(5, 1), L.PReLU(shared_axes=[1, 2]), L.ELU(), L.Flatten(), L.Dense(1)),
}
for name, make in MODELS.items():
    keras.utils.clear_session()
    m = make()
    n = sum(int(w.numpy().size) for w in m.trainable_weights)
    row = dict(name=name, trainable=n, output=[list(s[1:]) for s in ([m.output_shape] if isinstance(m.output_shape, tuple) else m.output_shape)], model=json.loads(m.to_json()))
    if name == "lstm":
        row["more"] = 4 * 6
    print(json.dumps(row, separators=(",", ":")))
