import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** `npm run test:fuzz`: FUZZ_REQUESTS says how many, FUZZ_SEED repeats a run. */
export default defineConfig({
  test: { ...base.test, include: ['packages/*/src/**/*.fuzz.test.ts'], exclude: [] },
})
