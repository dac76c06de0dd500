import type { Isolation } from './isolation.ts'
import { refusalOf } from './permission.ts'
import { dropShortPath, shortPathOf } from './short-path.ts'

/** Programs as they are: with all that the runner's user may do. */
export const notIsolated = (why: readonly string[]): Isolation => ({
  kind: 'none',
  network: 'host',
  notes: why,
  withoutRange: 'there is no sandbox',
  wrap: async ({ argv: [program, ...args], cwd, env, temporary, records }) => ({
    argv: [program, ...args],
    cwd,
    env: { ...env, ...(env.TMPDIR === temporary && { TMPDIR: shortPathOf(temporary, records) }) },
  }),
  refusal: (tenancy) => refusalOf(tenancy, why),
  release: async (records) => dropShortPath(records),
  close: () => {},
  sees: async () => true,
  addressOf: (url) => url,
  hostOf: (host) => host,
  temporaryAt: (folder) => folder,
  watch: (_watched, over) =>
    new Promise((resolve) => {
      if (over.aborted) resolve(undefined)
      over.addEventListener('abort', () => resolve(undefined), { once: true })
    }),
})
