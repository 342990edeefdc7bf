"""What the page of PyScript runs."""

import hologram_web as hg


@hg.kernel
def ripples(picture: hg.Array[hg.f32, 2], near: hg.f32):
    column, row = hg.global_id(0), hg.global_id(1)
    if row < picture.shape[0] and column < picture.shape[1]:
        x, y = (column - 200) * 0.05, (row - 120) * 0.05
        left = hg.sqrt((x + near) * (x + near) + y * y)
        right = hg.sqrt((x - near) * (x - near) + y * y)
        picture[row, column] = hg.sin(4.0 * left) + hg.sin(4.0 * right)
