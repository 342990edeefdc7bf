import { describe, expect, test } from "vitest";
import * as hg from "../src/tree.js";

const PARENTS = {
  IsaError: "HologramError",
  CompileError: "HologramError",
  UnsupportedType: "CompileError",
  UnsupportedInstruction: "CompileError",
  BackendUnavailable: "HologramError",
  InvalidBuffer: "HologramError",
  InvalidPool: "HologramError",
  AllocationFailed: "HologramError",
  LaunchError: "HologramError",
  ExecutionError: "HologramError",
  ArtifactError: "HologramError",
  TranslateError: "HologramError",
} as const;

const EXAMPLES = [
  new hg.IsaError("no such register"),
  new hg.CompileError(4, "recursion"),
  new hg.UnsupportedType(4, "f64"),
  new hg.UnsupportedInstruction(4, "nbr_load"),
  new hg.BackendUnavailable("webgpu", "no adapter"),
  new hg.InvalidBuffer("freed"),
  new hg.InvalidPool("freed"),
  new hg.AllocationFailed("8 TiB"),
  new hg.LaunchError("block of 2048 lanes"),
  new hg.ExecutionError("StepLimit", null, "2^26 steps"),
  new hg.ArtifactError("hash"),
  new hg.TranslateError("unexpected )"),
];

describe("the tree", () => {
  test.each(Object.entries(PARENTS))("%s extends %s", (name, parent) => {
    expect(Object.getPrototypeOf(hg[name as keyof typeof PARENTS])).toBe(hg[parent]);
  });

  test("every error has its class's name, also after minification, and is an Error", () => {
    expect(EXAMPLES.map((error) => error.name)).toEqual(Object.keys(PARENTS));
    for (const error of EXAMPLES) {
      expect(error).toBeInstanceOf(hg.HologramError);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).toBe(`${error.name}: ${error.message}`);
    }
  });

  test("aliases are the same classes", () => {
    expect(hg.BackendError).toBe(hg.HologramError);
    expect(hg.ExecutionFailed).toBe(hg.ExecutionError);
  });
});

describe("texts and fields", () => {
  test("IsaError", () => {
    const plain = new hg.IsaError("label 'loop' is placed twice");
    expect(plain.message).toBe("label 'loop' is placed twice");
    expect(plain).toMatchObject({ problems: [plain.message], line: null, column: null });
    const placed = new hg.IsaError("no such type", { problems: ["a", "b"], line: 3, column: 7 });
    expect(placed.message).toBe("line 3, column 7: no such type");
    expect(placed).toMatchObject({ problems: ["a", "b"], line: 3, column: 7 });
  });

  test("CompileError names the instruction, if there is one", () => {
    expect(new hg.CompileError(4, "recursion").message).toBe("instruction 4: recursion");
    expect(new hg.CompileError(null, "too many buffers").message).toBe("too many buffers");
    expect(new hg.UnsupportedType(0, "f64")).toMatchObject({ instruction: 0, reason: "f64" });
  });

  test("BackendUnavailable", () => {
    const error = new hg.BackendUnavailable("webgpu", "no adapter");
    expect(error.message).toBe("backend 'webgpu' is not available: no adapter");
    expect(error).toMatchObject({ backend: "webgpu", reason: "no adapter" });
  });

  test("ExecutionError", () => {
    const error = new hg.ExecutionError("OutOfBounds", 2, "byte 64 of 64", { lane: 16, buffer: "x", offset: 64 });
    expect(error.message).toBe("OutOfBounds at instruction 2, lane 16: byte 64 of 64");
    expect(error).toMatchObject({ kind: "OutOfBounds", instruction: 2, lane: 16, buffer: "x", offset: 64 });
    expect(new hg.ExecutionError("Cancelled", null, "by the host").message).toBe("Cancelled: by the host");
  });

  test("TranslateError gives as much of the place as is known", () => {
    expect(new hg.TranslateError("unexpected )", "k.py", 3, 9).message).toBe("k.py:3:9: unexpected )");
    expect(new hg.TranslateError("unexpected )", null, 3, 9).message).toBe("3:9: unexpected )");
    expect(new hg.TranslateError("unexpected )").message).toBe("unexpected )");
  });
});
