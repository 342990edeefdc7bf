/**
 * What Python compiled, kept in IndexedDB from one visit to the next. All of it is read once, so that Python, which cannot
 * wait while it compiles, finds it at once. Where there is no IndexedDB, as in Node, or it may not be used, as in some
 * private windows, nothing is kept. What is written before the database is open waits for it.
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

/** What lies in a database is whatever was put there: only entries count. */
const isEntry = (found: unknown): found is Entry =>
  found instanceof Object &&
  (found as Entry).data instanceof Uint8Array &&
  typeof (found as Entry).used === "number";

export class Kept {
  private readonly entries = new Map<string, Entry>();
  private readonly database: Promise<IDBDatabase | undefined>;
  private cleared = false; // before it was read

  /** When what was kept has been read. */
  readonly ready: Promise<void>;

  /** When all that was written so far lies in the database: a visit that ends earlier may lose it. */
  settled: Promise<void>;

  constructor(
    factory: IDBFactory | undefined = globalThis.indexedDB,
    private readonly name = NAME,
  ) {
    this.database = factory ? this.open(factory).catch(() => undefined) : Promise.resolve(undefined);
    this.settled = this.ready = this.database.then(() => {});
  }

  private async open(factory: IDBFactory): Promise<IDBDatabase> {
    const request = factory.open(this.name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    const database = await done(request);
    database.onversionchange = () => database.close(); // somebody wants to delete it
    const table = database.transaction(TABLE).objectStore(TABLE);
    const [keys, found] = await Promise.all([done(table.getAllKeys()), done(table.getAll() as IDBRequest<unknown[]>)]);
    keys.forEach((key, k) => {
      const entry = found[k];
      if (!this.cleared && isEntry(entry) && !this.entries.has(String(key))) this.entries.set(String(key), entry);
    });
    return database;
  }

  /** Writes in the order of the calls. What cannot be written is in memory all the same. */
  private write(change: (table: IDBObjectStore) => void): void {
    const written = this.database.then(
      (database) =>
        new Promise<void>((resolve) => {
          try {
            if (!database) return resolve();
            const transaction = database.transaction(TABLE, "readwrite");
            transaction.oncomplete = transaction.onabort = () => resolve();
            change(transaction.objectStore(TABLE));
          } catch {
            resolve(); // it was closed
          }
        }),
    );
    this.settled = Promise.all([this.settled, written]).then(() => {});
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
    this.cleared = true;
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
