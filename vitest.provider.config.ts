import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { projects: _, ...shared } = base.test ?? {}

/** `npm run test:provider`: what the cloud's own provider makes of a whole Sluice. It waits for minutes. */
export default defineConfig({
  // The provider uses a core itself.
  test: { ...shared, include: ['packages/server/src/**/provider*.test.ts'], maxWorkers: 1 },
})
