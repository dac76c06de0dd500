import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Modules that start programs, databases or servers, or wait for time to pass. */
const impure =
  /^node:(child_process|dgram|http|https|http2|net|tls|timers\/promises|worker_threads)$|^pg$|pglite|playwright/

const importsIn =
  /^\s*(?:import|export)\s(?!type\b)[^'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

/**
 * Reports whether a test file and all workspace modules that it imports do no I/O. Type imports do not count. Other
 * packages are pure unless listed above.
 */
export function isPure(file: string, root = process.cwd()): boolean {
  const seen = new Set<string>()
  const ahead = [resolve(root, file)]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (seen.has(next) || !existsSync(next)) continue
    seen.add(next)
    for (const [, from, alone, dynamic] of readFileSync(next, 'utf8').matchAll(importsIn)) {
      const name = from ?? alone ?? dynamic ?? ''
      if (impure.test(name)) return false
      if (name.startsWith('.')) ahead.push(resolve(dirname(next), name))
      else if (name.startsWith('@sluice/'))
        ahead.push(join(root, 'packages', name.slice('@sluice/'.length), 'src/index.ts'))
    }
  }
  return true
}
