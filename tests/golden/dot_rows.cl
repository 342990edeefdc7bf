kernel void lane(global uchar *b0, const ulong s_b0, global uchar *b1, const ulong s_b1, const uint p_rows, const uint p_n, global uint *fault) {
  uint v0;
  uint v1;
  int v2;
  int v3;
  if ((((uint)((ulong)get_global_id(0))) < p_rows)) {
    v0 = (((uint)((ulong)get_global_id(0))) * p_n);
    v1 = ((uint)0u);
    v2 = ((int)0u);
    for (;;) {
      if ((p_n <= v1)) {
        break;
      }
      {
        const ulong place = (ulong)(((long)(v0 + v1)) * 4l + 0l);
        if (s_b0 < 4ul || place > s_b0 - 4ul) { *fault = 1u; return; }
        v3 = *(global i32_t *)(b0 + place);
      }
      v1 = (v1 + ((uint)1u));
      v2 = ((v3 * v3) + v2);
    }
    {
      const ulong place = (ulong)(((long)((uint)((ulong)get_global_id(0)))) * 4l + 0l);
      if (s_b1 < 4ul || place > s_b1 - 4ul) { *fault = 1u; return; }
      *(global i32_t *)(b1 + place) = (i32_t)v2;
    }
    return;
  }
  return;
}
