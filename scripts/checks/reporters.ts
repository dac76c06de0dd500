import { fileURLToPath } from 'node:url'

/** Reporters of vitest: for a person, or for the checks, which read the record in `TEST_RECORD`. */
export const reporters =
  process.env.TEST_RECORD === undefined ? ['default'] : [fileURLToPath(new URL('./reporter.ts', import.meta.url))]
