import sys, gzip, numpy as np
from PIL import Image
out = sys.argv[1] + '/'
np.save(out + 'numpy-rows.npy', np.zeros((6, 5), dtype='f4'))
np.save(out + 'numpy-images.npy', np.zeros((4, 2, 6, 3), dtype='u1'))
np.save(out + 'numpy-fortran.npy', np.asfortranarray(np.zeros((3, 7), dtype='f8')))
np.save(out + 'numpy-labels.npy', np.arange(6))
np.save(out + 'numpy-scalar.npy', np.float32(1))
np.save(out + 'numpy-record.npy', np.zeros(4, dtype=[('a', 'f4'), ('shape', 'i8')]))
np.lib.format.write_array(open(out + 'numpy-version2.npy', 'wb'), np.zeros((2, 9), dtype='f4'), version=(2, 0))
rgb, grey = Image.new('RGB', (7, 5)), Image.new('L', (7, 5))
for name, im, kw in [('rgb.png', rgb, {}), ('rgb.jpg', rgb, {}), ('rgb.bmp', rgb, {}), ('rgb.ppm', rgb, {}), ('rgb.tif', rgb, {}), ('rgb-deflate.tiff', rgb, {'compression': 'tiff_deflate'}), ('rgb.webp', rgb, {}), ('rgb-lossless.webp', rgb, {'lossless': True}),
    ('grey.png', grey, {}), ('grey.jpg', grey, {}), ('grey.pgm', grey, {}), ('grey.tif', grey, {}), ('alpha.png', Image.new('RGBA', (7, 5), (1, 2, 3, 100)), {}), ('alpha.webp', Image.new('RGBA', (7, 5), (1, 2, 3, 100)), {}),
    ('palette.png', rgb.convert('P'), {}), ('palette.gif', rgb.convert('P'), {}), ('palette.bmp', rgb.convert('P'), {}), ('palette.tif', rgb.convert('P'), {}), ('cmyk.jpg', Image.new('CMYK', (7, 5)), {})]:
    im.save(out + name, **kw)
