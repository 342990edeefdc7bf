"""Kernels of arrays that are no maps, reductions or products, as text.

{O} is the type of the result, {T} that of the first operand, {R} the type of its parts, if it is complex, and {real}
what takes the real part then. {W} lanes work on a matrix, and meet at {meet}; with one there is nothing to wait for.
"""

from __future__ import annotations

__all__ = ["KERNELS", "MATRICES"]

_SEARCH = """def search(out: Array[{{O}}], sorted: Array[{{T}}], wanted: Array[{{T}}], n: i32):
    i = global_id(0)
    v = wanted[i]
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        x = sorted[middle]
        if {0}:
            low = middle + 1
        else:
            high = middle
    out[i] = low
"""
# NaNs are the greatest.
_LESS = "x < v or (v != v and x == x)"
_NOT_GREATER = "x <= v or v != v"

_RUNNING = """def running_product(out: Array[{O}], x: Array[{T}], n: i32, inner: i32):
    i = global_id(0)
    first = i // inner * n * inner + i % inner
    total = x[first]
    out[first] = total
    for k in range(1, n):
        total = total * x[first + k * inner]
        out[first + k * inner] = total
"""

_LANES = """    w, lane = global_id(0) // {W}, global_id(0) % {W}
"""

# A matrix of n rows with m columns of others beside it, and the sign of the permutation behind them: Gauss' elimination
# with the largest pivots of columns, then the solution in place of the others.
_SOLVE = f"""def solve(out: Array[{{O}}], a: Array[{{T}}], b: Array[{{T}}], n: i32, m: i32):
{_LANES}    wide = n + m
    first = w * (n * wide + 1)
    for i in range(n):
        for j in range(lane, wide, {{W}}):
            if j < n:
                out[first + i * wide + j] = a[(w * n + i) * n + j]
            else:
                out[first + i * wide + j] = b[(w * n + i) * m + j - n]
    swaps = 0
    for k in range(n):
        {{meet}}
        pivot = k
        largest = abs(out[first + k * wide + k])
        for i in range(k + 1, n):
            size = abs(out[first + i * wide + k])
            if size > largest or (size != size and largest == largest):
                largest = size
                pivot = i
        {{meet}}
        if pivot != k:
            swaps += 1
            for j in range(lane, wide, {{W}}):
                x = out[first + k * wide + j]
                out[first + k * wide + j] = out[first + pivot * wide + j]
                out[first + pivot * wide + j] = x
        {{meet}}
        top = out[first + k * wide + k]
        for i in range(k + 1, n):
            factor = out[first + i * wide + k]
            if factor != 0:
                factor = factor / top
                for j in range(k + 1 + lane, wide, {{W}}):
                    out[first + i * wide + j] = out[first + i * wide + j] - factor * out[first + k * wide + j]
    {{meet}}
    for j in range(n + lane, wide, {{W}}):
        for down in range(n):
            i = n - 1 - down
            total = out[first + i * wide + j]
            for k in range(i + 1, n):
                total = total - out[first + i * wide + k] * out[first + k * wide + j]
            out[first + i * wide + j] = total / out[first + i * wide + i]
    if lane == 0:
        out[first + n * wide] = {{O}}(1 - swaps % 2 * 2)
"""

_CHOLESKY = f"""def cholesky(out: Array[{{O}}], a: Array[{{T}}], n: i32):
{_LANES}    first = w * n * n
    for i in range(n):
        for j in range(lane, n, {{W}}):
            if j > i:
                out[first + i * n + j] = {{O}}(0)
            else:
                out[first + i * n + j] = a[first + i * n + j]
    for k in range(n):
        {{meet}}
        root = sqrt(out[first + k * n + k]{{real}})
        {{meet}}
        for i in range(k + lane, n, {{W}}):
            if i == k:
                out[first + k * n + k] = {{O}}(root)
            else:
                out[first + i * n + k] = out[first + i * n + k] / root
        {{meet}}
        for j in range(k + 1 + lane, n, {{W}}):
            other = out[first + j * n + k].conjugate()
            for i in range(j, n):
                out[first + i * n + j] = out[first + i * n + j] - out[first + i * n + k] * other
"""

# R of m rows and n columns, then Q of m rows and columns: Householder's reflections.
_QR = f"""def qr(out: Array[{{O}}], a: Array[{{T}}], m: i32, n: i32):
{_LANES}    first = w * m * (n + m)
    q = first + m * n
    for i in range(m):
        for j in range(lane, n, {{W}}):
            out[first + i * n + j] = a[(w * m + i) * n + j]
        for j in range(lane, m, {{W}}):
            out[q + i * m + j] = {{O}}(1 if i == j else 0)
    for k in range(min(m, n)):
        {{meet}}
        largest = {{R}}(0)
        for i in range(k, m):
            largest = max(largest, abs(out[first + i * n + k]))
        squares = {{R}}(0)
        for i in range(k, m):
            size = abs(out[first + i * n + k]) / (largest if largest > 0 else 1)
            squares += size * size
        norm = sqrt(squares) * largest
        head = out[first + k * n + k]
        size = abs(head)
        turn = {{O}}(1)
        if size > 0:
            turn = head / size
        # v is the column with its head lengthened; v^H v / 2 is norm * (norm + size).
        long = turn * (size + norm)
        scale = norm * (norm + size)
        if scale > 0:
            for j in range(k + 1 + lane, n, {{W}}):
                total = long.conjugate() / norm * out[first + k * n + j]
                for i in range(k + 1, m):
                    total = total + out[first + i * n + k].conjugate() / norm * out[first + i * n + j]
                total = total / (norm + size)
                out[first + k * n + j] = out[first + k * n + j] - long * total
                for i in range(k + 1, m):
                    out[first + i * n + j] = out[first + i * n + j] - out[first + i * n + k] * total
            for i in range(lane, m, {{W}}):
                total = out[q + i * m + k] * (long / norm)
                for j in range(k + 1, m):
                    total = total + out[q + i * m + j] * (out[first + j * n + k] / norm)
                total = total / (norm + size)
                out[q + i * m + k] = out[q + i * m + k] - total * long.conjugate()
                for j in range(k + 1, m):
                    out[q + i * m + j] = out[q + i * m + j] - total * out[first + j * n + k].conjugate()
        {{meet}}
        for i in range(k + lane, m, {{W}}):
            out[first + i * n + k] = {{O}}(0)
            if i == k:
                out[first + i * n + k] = -turn * norm
"""

# Rounds of a tournament, in which each column meets each other one once: pairs of a round are turned independently.
_PAIR = """            p, q = t, t
            if t == 0:
                p, q = players - 1, round % max(players - 1, 1)
            else:
                p, q = (round + t) % (players - 1), (round - t + players - 1) % (players - 1)
            p, q = min(p, q), max(p, q)
"""
_TURN = """                size = abs(g)
                c, s, turn = {R}(1), {R}(0), {O}(1)
                if size > 0:
                    turn = g.conjugate() / size
                    turn = turn / abs(turn)  # of the smallest numbers the first quotient has few digits
                    tau = (beta - alpha) / (2 * size)
                    t2 = 1 / (abs(tau) + hypot(tau, {R}(1)))
                    t2 = -t2 if tau < 0 else t2
                    c = 1 / sqrt(1 + t2 * t2)
                    s = t2 * c
"""

# The columns of a matrix turned until all are at right angles (M. Hestenes), then the turns: m + n rows of n. These are
# what `a` is, too, if there were rounds before `begin`.
_SVD = f"""def svd(out: Array[{{O}}], a: Array[{{T}}], m: i32, n: i32, begin: i32, end: i32):
{_LANES}    first = w * (m + n) * n
    rows = m + n if begin > 0 else m
    for i in range(m + n):
        for j in range(lane, n, {{W}}):
            if i < rows:
                out[first + i * n + j] = a[(w * rows + i) * n + j]
            else:
                out[first + i * n + j] = {{O}}(1 if i - m == j else 0)
    players = n + n % 2
    for count in range(begin, end):
        {{meet}}
        round = count % max(players - 1, 1)
        for t in range(lane, players // 2, {{W}}):
{_PAIR}            if q < n:
                alpha, beta, g = {{R}}(0), {{R}}(0), {{O}}(0)
                for i in range(m):
                    x, y = out[first + i * n + p], out[first + i * n + q]
                    alpha += (x * x.conjugate()){{real}}
                    beta += (y * y.conjugate()){{real}}
                    g = g + x.conjugate() * y
{_TURN}                for i in range(m + n):
                    x, y = out[first + i * n + p], out[first + i * n + q] * turn
                    out[first + i * n + p] = x * c - y * s
                    out[first + i * n + q] = x * s + y * c
"""

# A Hermitian matrix turned until it is a diagonal (C. Jacobi), the turns, and for each pair of a round its own. The
# first two are what `a` is, if there were rounds before `begin`.
_EIGH = f"""def eigh(out: Array[{{O}}], a: Array[{{T}}], n: i32, begin: i32, end: i32):
{_LANES}    players = n + n % 2
    first = w * (2 * n * n + 3 * players)
    v = first + n * n
    turns = v + n * n
    for i in range(n):
        for j in range(lane, n, {{W}}):
            if begin > 0:
                out[first + i * n + j] = a[(w * 2 * n + i) * n + j]
                out[v + i * n + j] = a[(w * 2 * n + n + i) * n + j]
            else:
                if j > i:
                    out[first + i * n + j] = a[(w * n + j) * n + i].conjugate()
                else:
                    out[first + i * n + j] = a[(w * n + i) * n + j]
                out[v + i * n + j] = {{O}}(1 if i == j else 0)
    for count in range(begin, end):
        {{meet}}
        round = count % max(players - 1, 1)
        for t in range(lane, players // 2, {{W}}):
{_PAIR}            if q < n:
                alpha, beta = out[first + p * n + p]{{real}}, out[first + q * n + q]{{real}}
                g = out[first + p * n + q]
{_TURN}                out[turns + 3 * t] = {{O}}(c)
                out[turns + 3 * t + 1] = {{O}}(s)
                out[turns + 3 * t + 2] = turn
        {{meet}}
        for i in range(lane, n, {{W}}):
            for t in range(players // 2):
{_PAIR.replace("            ", "                ")}                if q < n:
                    c, s = out[turns + 3 * t]{{real}}, out[turns + 3 * t + 1]{{real}}
                    turn = out[turns + 3 * t + 2]
                    x, y = out[first + i * n + p], out[first + i * n + q] * turn
                    out[first + i * n + p] = x * c - y * s
                    out[first + i * n + q] = x * s + y * c
                    x, y = out[v + i * n + p], out[v + i * n + q] * turn
                    out[v + i * n + p] = x * c - y * s
                    out[v + i * n + q] = x * s + y * c
        {{meet}}
        for i in range(lane, n, {{W}}):
            for t in range(players // 2):
{_PAIR.replace("            ", "                ")}                if q < n:
                    c, s = out[turns + 3 * t]{{real}}, out[turns + 3 * t + 1]{{real}}
                    turn = out[turns + 3 * t + 2].conjugate()
                    x, y = out[first + p * n + i], out[first + q * n + i] * turn
                    out[first + p * n + i] = x * c - y * s
                    out[first + q * n + i] = x * s + y * c
"""

# The triangle of Schur that a matrix of complex numbers becomes by Householder's reflections and then by turns of rows
# and columns with shifts (J. Francis, V. Kublanovskaya), what it was turned by, and the triangle's eigenvectors. One
# lane does all of it: how many turns it takes differs from matrix to matrix.
_EIG = """def eig(out: Array[{O}], a: Array[{T}], n: i32, digits: i32):
    w = global_id(0)
    h = w * 3 * n * n
    z = h + n * n
    v = z + n * n
    scale = {R}(0)
    for i in range(n * n):
        x = a[w * n * n + i]
        scale = max(scale, abs(x.real) + abs(x.imag))
    if scale == 0:
        scale = {R}(1)
    for i in range(n):
        for j in range(n):
            out[h + i * n + j] = a[(w * n + i) * n + j] / scale
            out[z + i * n + j] = {O}(1 if i == j else 0)
            out[v + i * n + j] = {O}(0)
    least = {R}(1)
    for i in range(digits):
        least = least / 2
    for k in range(n - 2):
        size = {R}(0)
        for i in range(k + 1, n):
            x = out[h + i * n + k]
            size += x.real * x.real + x.imag * x.imag
        size = sqrt(size)
        head = out[h + (k + 1) * n + k]
        part = sqrt(head.real * head.real + head.imag * head.imag)
        turn = {O}(1)
        if part > 0:
            turn = head / part
        if size > 0:
            for i in range(k + 1, n):
                out[v + i] = out[h + i * n + k] / size
            out[v + k + 1] = out[v + k + 1] + turn
            half = 1 + part / size
            for j in range(k, n):
                total = {O}(0)
                for i in range(k + 1, n):
                    total = total + out[v + i].conjugate() * out[h + i * n + j]
                total = total / half
                for i in range(k + 1, n):
                    out[h + i * n + j] = out[h + i * n + j] - out[v + i] * total
            for i in range(2 * n):
                total = {O}(0)
                for j in range(k + 1, n):
                    total = total + out[h + i * n + j] * out[v + j]
                total = total / half
                for j in range(k + 1, n):
                    out[h + i * n + j] = out[h + i * n + j] - total * out[v + j].conjugate()
        for i in range(k + 2, n):
            out[h + i * n + k] = {O}(0)
    high = n - 1
    rounds = 0
    while high > 0:
        low = high
        while low > 0:
            x, y = out[h + low * n + low], out[h + (low - 1) * n + low - 1]
            size = abs(x.real) + abs(x.imag) + abs(y.real) + abs(y.imag)
            x = out[h + low * n + low - 1]
            if abs(x.real) + abs(x.imag) > max(size, {R}(0.001)) * least:
                low -= 1
            else:
                break
        if low > 0:
            out[h + low * n + low - 1] = {O}(0)
        rounds += 1
        if low == high or rounds > 60:
            high -= 1
            rounds = 0
        else:
            last = out[h + high * n + high]
            corner = out[h + high * n + high - 1]
            if rounds % 12 == 0:
                shift = last + {O}(abs(corner.real) + abs(corner.imag))
            else:
                half = (out[h + (high - 1) * n + high - 1] - last) / 2
                other = corner * out[h + (high - 1) * n + high]
                x = half * half + other
                up = sqrt((sqrt(x.real * x.real + x.imag * x.imag) + abs(x.real)) / 2)
                side = {R}(0)
                if up > 0:
                    side = x.imag / (2 * up)
                root = complex(up, side)
                if x.real < 0:
                    root = complex(side, up)
                if (half.conjugate() * root).real < 0:
                    root = -root
                root = half + root
                shift = last
                if root != 0:
                    shift = last - other / root
            x = out[h + low * n + low] - shift
            y = out[h + (low + 1) * n + low]
            for k in range(low, high):
                if k > low:
                    x = out[h + k * n + k - 1]
                    y = out[h + (k + 1) * n + k - 1]
                part = sqrt(x.real * x.real + x.imag * x.imag)
                size = sqrt(part * part + y.real * y.real + y.imag * y.imag)
                c, s = {R}(1), {O}(0)
                if size > 0:
                    c = part / size
                    s = y.conjugate() / size
                    if part > 0:
                        s = x / part * s
                for j in range(max(k - 1, low), n):
                    p, q = out[h + k * n + j], out[h + (k + 1) * n + j]
                    out[h + k * n + j] = p * c + q * s
                    out[h + (k + 1) * n + j] = q * c - p * s.conjugate()
                for i in range(2 * n):
                    if i <= min(k + 2, high) or i >= n:
                        p, q = out[h + i * n + k], out[h + i * n + k + 1]
                        out[h + i * n + k] = p * c + q * s.conjugate()
                        out[h + i * n + k + 1] = q * c - p * s
    for k in range(n):
        for i in range(n):
            out[v + i * n + k] = {O}(1 if i == k else 0)
        for down in range(k):
            i = k - 1 - down
            total = {O}(0)
            for j in range(i + 1, k + 1):
                total = total + out[h + i * n + j] * out[v + j * n + k]
            apart = out[h + k * n + k] - out[h + i * n + i]
            if abs(apart.real) + abs(apart.imag) <= least:
                apart = {O}(least)
            x = total / apart
            size = abs(x.real) + abs(x.imag)
            out[v + i * n + k] = x
            if size > 1e9:
                for j in range(i, k + 1):
                    out[v + j * n + k] = out[v + j * n + k] / size
    for k in range(n):
        out[h + k * n + k] = out[h + k * n + k] * scale
"""

KERNELS = {
    "eig": _EIG,
    "search_left": _SEARCH.format(_LESS),
    "search_right": _SEARCH.format(_NOT_GREATER),
    "running_product": _RUNNING,
    "solve": _SOLVE,
    "cholesky": _CHOLESKY,
    "qr": _QR,
    "svd": _SVD,
    "eigh": _EIGH,
}
MATRICES = ("solve", "cholesky", "qr", "svd", "eigh", "eig")  # of each matrix of operands in stacks
