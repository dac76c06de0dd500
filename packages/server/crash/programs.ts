import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the bundled programs are, for the time of a run of tests. */
export const programsVariable = 'SLUICE_CRASH_PROGRAMS'

/** Half a second less of each start of the service. */
export const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url))

/** The path of a program here: of one file where it was bundled. */
export function programHere(name: 'service' | 'archiving-program'): string {
  const bundled = process.env[programsVariable]
  return bundled === undefined ? fileURLToPath(new URL(`./${name}.ts`, import.meta.url)) : join(bundled, `${name}.mjs`)
}
