# /// script
# [tool.marimo.display]
# theme = "system"
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Ripples · hologram_web")


@app.cell
def _():
    import anywidget  # which view needs: a page loads what cells import
    import hologram_web as hg
    import marimo as mo
    from hologram_web_tools.browsers import device_named
    from hologram_web_tools.notebook import view

    return anywidget, device_named, hg, mo, view


@app.cell
def _(mo):
    mo.md("""
    # Ripples

    A kernel says what one lane does, and a launch runs one for each pixel. Move the slider: the cells that read it run
    again, and the picture is drawn anew, on the device that is named below it.
    """)
    return


@app.cell
def _(hg):
    @hg.kernel
    def ripples(picture: hg.Array[hg.f32, 2], near: hg.f32):
        column, row = hg.global_id(0), hg.global_id(1)
        if row < picture.shape[0] and column < picture.shape[1]:
            x, y = (column - 200) * 0.05, (row - 120) * 0.05
            left = hg.sqrt((x + near) * (x + near) + y * y)
            right = hg.sqrt((x - near) * (x - near) + y * y)
            picture[row, column] = hg.sin(4.0 * left) + hg.sin(4.0 * right)

    return (ripples,)


@app.cell
def _(mo):
    near = mo.ui.slider(0.0, 6.0, 0.5, value=3.0, label="half the way between the sources")
    near
    return (near,)


@app.cell
def _(hg):
    ex = hg.Executor()  # a GPU by WebGPU, else WebAssembly
    return (ex,)


@app.cell
def _(ex, near, ripples):
    picture = ex.zeros((240, 400))
    ripples[(400, 240), (16, 16)](picture, near.value)
    picture
    return (picture,)


@app.cell
def _(device_named, ex, mo, picture):
    _mean = float(picture.mean())
    mo.md(f"On {device_named(ex.backend.selected, ex.backend.adapter)}; the mean is {_mean:.6f}.")
    return


@app.cell
def _(mo):
    mo.md("""
    The kernel itself, in tabs: its source, and the code that it becomes for a GPU and for WebAssembly.
    """)
    return


@app.cell
def _(ripples, view):
    view(ripples)
    return


if __name__ == "__main__":
    app.run()
