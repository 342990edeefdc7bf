import { gallery, ramp } from "./harness.mjs";

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The text and a number behind it, padded as SHA-256 wants it: 16 words, and which of them is the number. */
function padded(text) {
  const bytes = new TextEncoder().encode(text);
  const at = Math.ceil(bytes.length / 4);
  const block = new Uint8Array(64).fill(32, 0, 4 * at); // spaces up to the next word
  block.set(bytes);
  block.fill(0, 4 * at);
  block[4 * at + 4] = 128;
  new DataView(block.buffer).setUint32(60, 8 * (4 * at + 4));
  return { words: Uint32Array.from({ length: 16 }, (_, k) => new DataView(block.buffer).getUint32(4 * k)), message: block.slice(0, 4 * at + 4), at };
}

gallery({
  programs: ["hash"],
  controls: {
    text: { label: "Text", text: "hologram", max: 12, restarts: true },
    count: { label: "Hashes a frame", options: { 4096: "4,096", 16384: "16,384", 65536: "65,536" }, restarts: true },
  },
  setup({ run, buffer, values, say, complain }) {
    const count = Number(values.count);
    const { words, message, at } = padded(values.text);
    const [block, hashes] = [buffer("u32", words), buffer("u32", [count, 8])];
    const [least, picture] = [buffer("u32", Uint32Array.of(2 ** 32 - 1)), buffer("u8", [256, 512])];
    let [start, best, told] = [0, 2 ** 32 - 1, "…"];

    /** Finds whose hash is the best so far, and asks the browser for the same. */
    async function check(first) {
      const all = await hashes.read();
      const found = Array.from({ length: count }, (_, k) => all[8 * k]).indexOf(best);
      new DataView(message.buffer).setUint32(4 * at, first + found);
      const mine = Array.from(all.subarray(8 * found, 8 * found + 8), (word) => word.toString(16).padStart(8, "0")).join("");
      const theirs = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", message)));
      if (mine !== theirs) complain(`the hash of ${first + found} is ${theirs}, and ${mine} was computed`);
      told = `${Math.clz32(best)} zeros with ${(first + found).toLocaleString("en")}, checked: ${mine.slice(0, 16)}…`;
    }
    return {
      colours: ramp(["#060a12", "#0f2f44", "#2f8f9d", "#8fe0c0", "#fff2b0"]),
      async frame() {
        run("hash", { block, hashes, least, picture, start, at });
        const [now] = await least.read();
        if (now < best) {
          best = now;
          await check(start);
        }
        start = (start + count) % 2 ** 32;
        say(`${start.toLocaleString("en")} hashes; ${told}`);
        return picture;
      },
    };
  },
});
