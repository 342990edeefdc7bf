// Where a page has threads, JupyterLite's kernel takes what Atomics.waitAsync gives for a promise. There is none where
// the worker was faster than the question, and the cell would wait for ever: here there always is one.
{
  const { waitAsync } = Atomics;
  if (waitAsync) Atomics.waitAsync = (...asked) => ({ async: true, value: Promise.resolve(waitAsync(...asked).value) });
}
