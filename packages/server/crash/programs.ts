import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Variable with the directory of the bundled programs during a run of tests. */
export const programsVariable = 'SLUICE_CRASH_PROGRAMS'

/** Compile cache, which saves half a second of each start of the service. */
export const compileCache = fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url))

/** Returns the path of a program, bundled if possible. */
export function programHere(name: 'service' | 'archiving-program'): string {
  const bundled = process.env[programsVariable]
  return bundled === undefined ? fileURLToPath(new URL(`./${name}.ts`, import.meta.url)) : join(bundled, `${name}.mjs`)
}
