import { fileURLToPath } from 'node:url'

/** What vitest reports with: for a person, or for the checks, which read the record that `TEST_RECORD` names. */
export const reporters =
  process.env.TEST_RECORD === undefined ? ['default'] : [fileURLToPath(new URL('./reporter.ts', import.meta.url))]
