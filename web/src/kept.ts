/**
 * What Python compiled, kept in IndexedDB from one visit to the next. All of it is read once, so that Python, which cannot
 * wait while it compiles, finds it at once. Where there is no IndexedDB, as in Node, or it may not be used, as in some
 * private windows, nothing is kept.
 */
type Bytes = Uint8Array<ArrayBuffer>;

interface Entry {
  readonly data: Bytes;
  /** Time of the last use, in ms, a day off at most. */
  readonly used: number;
}

const NAME = "hologram-web";
const TABLE = "compiled";
const LIMIT = 16 << 20; // bytes; a kernel has some thousand
const DAY = 86_400_000;

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export class Kept {
  private readonly entries = new Map<string, Entry>();
  private database: IDBDatabase | undefined;

  /** When what was kept has been read. */
  readonly ready: Promise<void>;

  constructor(factory: IDBFactory | undefined = globalThis.indexedDB) {
    this.ready = factory ? this.open(factory).catch(() => {}) : Promise.resolve();
  }

  private async open(factory: IDBFactory): Promise<void> {
    const request = factory.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    const database = await done(request);
    database.onversionchange = () => database.close(); // somebody wants to delete it
    const table = database.transaction(TABLE).objectStore(TABLE);
    const [keys, entries] = await Promise.all([done(table.getAllKeys()), done(table.getAll() as IDBRequest<Entry[]>)]);
    keys.forEach((key, k) => this.entries.set(String(key), entries[k]!));
    this.database = database;
  }

  private write(change: (table: IDBObjectStore) => void): void {
    try {
      if (this.database) change(this.database.transaction(TABLE, "readwrite").objectStore(TABLE));
    } catch {
      this.database = undefined; // it was closed; what is in memory stays
    }
  }

  get(key: string): Bytes | undefined {
    const entry = this.entries.get(key);
    if (entry && entry.used < Date.now() - DAY) this.put(key, entry.data);
    return entry?.data;
  }

  /** Keeps a value; those used longest ago go if there are too many bytes. */
  put(key: string, data: Bytes): void {
    const entry = { data, used: Date.now() };
    this.entries.set(key, entry);
    this.write((table) => table.put(entry, key));
    let { bytes } = this;
    for (const [oldest, { data: { length } }] of [...this.entries].sort(([, a], [, b]) => a.used - b.used)) {
      if (bytes <= LIMIT) break;
      this.delete(oldest);
      bytes -= length;
    }
  }

  delete(key: string): void {
    this.entries.delete(key);
    this.write((table) => table.delete(key));
  }

  clear(): void {
    this.entries.clear();
    this.write((table) => table.clear());
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  get size(): number {
    return this.entries.size;
  }

  get bytes(): number {
    return [...this.entries.values()].reduce((sum, { data }) => sum + data.length, 0);
  }
}
