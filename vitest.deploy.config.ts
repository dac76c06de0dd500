import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

const { projects: _, ...shared } = base.test ?? {}

/** `npm run test:deploy`: the installers, each with the programs that its users have. */
export default defineConfig({ test: { ...shared, include: ['deploy/checks/*.test.ts'], maxWorkers: 1 } })
