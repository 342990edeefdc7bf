/**
 * Which WebAssembly modules an artifact may hold: docs/artifact.md, "WebAssembly", says it, and
 * `hologram_web/targets/wasm/check.py` why. An engine does not mind tables of gigabytes, functions that run when a module
 * is loaded, or memory that grows; so whatever kernels do not have is refused before the engine sees it.
 */
import { Untold } from "./errors.js";

// A character for each byte: its own, but for 80 to 9f: engines have € and such there, and Node 20 does not.
const TEXT = new TextDecoder("latin1");
const MAGIC = /\0asm\x01\0\0\0/y;
const SECTION = /[\0-\x03\x06\x07\n]/y;
const UINT = /[^\0-\x7f]{0,4}[\0-\x7f]/y;
const VALUE = /[{-\x7f]/y;
const FUNCTION = /`/y;
const IMPORT = /\x03env(?:\x06memory\x02\x01\x01[\x80\u20ac]{2}\x04|\x04poll\0)/y;
const GLOBAL = /{\0\xfd\f[^]{16}\v/y;
const EXPORT = /\x06kernel\0/y;
const KERNEL = "`\x03\x7f\x7f\x7f\0";
const POLL = /^`\0(\0|\x01\x7f)$/;
const OPENING = /[\x02-\x04][\x40\x7b-\x7f]/g;
/** An instruction that the encoder writes, other than br_table (0e), with its immediates. */
const INSTRUCTION = RegExp(
  [
    "[\\0\\x01\\x05\\x0b\\x0f\\x1a\\x1b]|[^\\0-D\\xc5-\\xff]|\\xfc[\\0-\\x07\\x13\\x16]|\\xfc\\n\\0\\0|\\xfc\\x0b\\0",
    "[\\x02-\\x04][@{-\\x7f]",
    "C[^]{4}|D[^]{8}|B[^\\0-\\x7f]{0,9}[\\0-\\x7f]",
    "\\xfd(?:[\\f\\r][^]{16}|[\\x0e-\\x14#-S\\x5e-\\x7f]|[\\x15-\"][\\0-\\x1f]|[^\\0-\\x7f][\\x01\\x02])", // of vectors
    `(?:[\\f\\r\\x10 -#A]|(?:[(->]|\\xfe[\\x10\\x1e\\x1f,\\-34:;ABHI]|\\xfd[\\0-\\v\\\\\\]])[\\0-\\x07])${UINT.source}`,
    `\\xfd[T-[][\\0-\\x07]${UINT.source}[\\0-\\x1f]`,
  ].join("|"),
  "y",
);
const BR_TABLE = 14;
const MOST_WORK = 5e6;

/** Raises an untold ArtifactError if one of an artifact's modules is none that a kernel is. */
export function checkModules(modules: readonly Uint8Array[]): void {
  let work = 0;
  modules.forEach((code, number) => {
    const text = TEXT.decode(code);
    const types: string[] = [];
    const functions: string[] = []; // their types; the imported one comes first
    let [at, end, last, memories, imported, kernels, declared, bodies] = [0, code.length, 0, 0, 0, 0, 0, 0];

    function must(holds: boolean): void {
      if (!holds) throw new Untold("module", number, at);
    }

    function take(shape: RegExp): void {
      shape.lastIndex = at;
      must(shape.test(text));
      at = shape.lastIndex;
    }

    function uint(): number {
      const start = at;
      take(UINT);
      let value = 0;
      for (let place = at; place-- > start; ) value = value * 128 + (code[place]! & 127);
      must(value < 2 ** 32);
      return value;
    }

    /** A number of bytes or items that follow: an item has a byte at least. */
    function size(): number {
      const found = uint();
      must(found <= end - at);
      return found;
    }

    function list(read: () => void, more = 0): void {
      for (let left = size() + more; left-- > 0; ) read();
    }

    const value = () => take(VALUE);

    function declare(): void {
      const type = types[uint()]!;
      must(!!type);
      functions.push(type);
    }

    function body(): void {
      const stop = size() + at;
      must(bodies < declared);
      let locals = functions[imported + bodies++]!.length;
      list(() => {
        locals += uint();
        value();
      });
      work += locals * (text.slice(at, stop).match(OPENING) ?? []).length;
      while (at < stop) {
        if (code[at] === BR_TABLE) {
          at++;
          list(uint, 1);
        } else take(INSTRUCTION);
      }
      must(at === stop);
    }

    const sections: Record<number, () => void> = {
      1: () => {
        const start = at;
        take(FUNCTION);
        list(value);
        list(value);
        types.push(text.slice(start, at));
      },
      2: () => {
        take(IMPORT);
        if (code[at - 1]) memories++;
        else {
          declare();
          must(POLL.test(functions[imported++]!));
        }
      },
      3: () => {
        declare();
        declared++;
      },
      6: () => take(GLOBAL),
      7: () => {
        take(EXPORT);
        must(functions[uint()] === KERNEL);
        kernels++;
      },
      10: () => body(),
    };

    take(MAGIC);
    while (at < code.length) {
      take(SECTION);
      const section = code[at - 1]!;
      must(!section || section > last);
      last = section || last;
      end = code.length;
      end = size() + at;
      if (section) list(sections[section]!);
      else at += size();
      must(section ? at === end : at <= end);
      at = end;
    }
    must(memories === 1 && imported < 2 && kernels === 1 && bodies === declared && work <= MOST_WORK);
  });
}
