import { Untold } from "../src/errors.js";

/** The error that work raises without its text, with it. */
export async function untold(work: () => unknown): Promise<unknown> {
  try {
    work();
  } catch (error) {
    if (error instanceof Untold) return error.told();
    throw error;
  }
  return null;
}
