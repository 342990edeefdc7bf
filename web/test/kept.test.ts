import { expect, test } from "vitest";
import { Kept } from "../src/kept.js";

/** As much of IndexedDB as is used: requests answer a turn later, transactions end two turns later. */
class Database {
  readonly rows: Map<string, unknown>;
  open = 0;

  constructor(rows: Record<string, unknown> = {}) {
    this.rows = new Map(Object.entries(rows));
  }

  private answer(result: unknown): unknown {
    const request: { result: unknown; onsuccess?: () => void } = { result };
    setTimeout(() => request.onsuccess?.());
    return request;
  }

  factory(): IDBFactory {
    const table = {
      getAllKeys: () => this.answer([...this.rows.keys()]),
      getAll: () => this.answer([...this.rows.values()]),
      put: (value: unknown, key: string) => this.change(() => this.rows.set(key, value)),
      delete: (key: string) => this.change(() => this.rows.delete(key)),
      clear: () => this.change(() => this.rows.clear()),
    };
    const transaction = () => {
      const ends: { oncomplete?: () => void } = {};
      setTimeout(() => setTimeout(() => ends.oncomplete?.()));
      return Object.assign(ends, { objectStore: () => table });
    };
    return { open: () => this.answer({ transaction, close() {} }) } as unknown as IDBFactory;
  }

  private change(by: () => void): void {
    this.open++;
    setTimeout(() => {
      by();
      this.open--;
    });
  }
}

const bytes = (...numbers: number[]) => new Uint8Array(numbers);
const entry = (...numbers: number[]) => ({ data: bytes(...numbers), used: Date.now() });

test("what is written before the database is open is written", async () => {
  const database = new Database({ old: entry(1) });
  const kept = new Kept(database.factory());
  kept.put("new", bytes(2));
  await kept.settled;
  expect([...database.rows.keys()]).toEqual(["old", "new"]);
  expect(kept.names().sort()).toEqual(["new", "old"]);
});

test("what is let go of before the database is open does not come back", async () => {
  const database = new Database({ old: entry(1) });
  const kept = new Kept(database.factory());
  kept.clear();
  kept.put("new", bytes(2));
  await kept.settled;
  expect([...database.rows.keys()]).toEqual(["new"]);
  expect(kept.names()).toEqual(["new"]);
});

test("settled waits for all that was written", async () => {
  const database = new Database();
  const kept = new Kept(database.factory());
  await kept.ready;
  for (const name of ["a", "b", "c"]) kept.put(name, bytes(1));
  kept.delete("b");
  await kept.settled;
  expect(database.open).toBe(0);
  expect([...database.rows.keys()]).toEqual(["a", "c"]);
});

test("what is no entry is not there", async () => {
  const database = new Database({
    right: entry(1),
    text: "text",
    empty: null,
    number: { data: 3, used: 3 },
    undated: { data: bytes(1) },
  });
  const kept = new Kept(database.factory());
  await kept.ready;
  expect(kept.names()).toEqual(["right"]);
  expect(kept.bytes).toBe(1);
});

test("without a database values are in memory", async () => {
  const kept = new Kept(undefined);
  kept.put("a", bytes(1));
  await kept.settled;
  expect(kept.get("a")).toEqual(bytes(1));
});
