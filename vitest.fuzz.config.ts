import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { projects: _, ...shared } = base.test ?? {}

/** `npm run test:fuzz`: FUZZ_REQUESTS says how many, FUZZ_SEED repeats a run. */
export default defineConfig({
  test: { ...shared, include: ['packages/*/src/**/*.fuzz.test.ts'] },
})
