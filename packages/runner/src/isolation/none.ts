import type { Isolation } from './isolation.ts'
import { createShortPath, removeShortPath } from './short-path.ts'
import { checkTenancy } from './tenancy.ts'

/** Starts programs without isolation, with all permissions of the runner's user. */
export const createNoIsolation = (why: readonly string[]): Isolation => ({
  kind: 'none',
  network: 'host',
  notes: why,
  idRangeProblem: 'the runner has no sandbox',
  wrap: async ({ argv: [program, ...args], cwd, env, temporary, records }) => ({
    argv: [program, ...args],
    cwd,
    env: { ...env, ...(env.TMPDIR === temporary && { TMPDIR: createShortPath(temporary, records) }) },
  }),
  checkTenancy: (tenancy) => checkTenancy(tenancy, why),
  release: async (records) => removeShortPath(records),
  close: () => {},
  isVisible: async () => true,
  rewriteUrl: (url) => url,
  rewriteHost: (host) => host,
  temporaryPathFor: (folder) => folder,
  watch: (_watched, over) =>
    new Promise((resolve) => {
      if (over.aborted) resolve(undefined)
      over.addEventListener('abort', () => resolve(undefined), { once: true })
    }),
})
