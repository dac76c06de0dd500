import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const createsDatabases = 'packages/server/src/testing/database.ts'

/** Returns the test files that open a database, directly or through other test code, so that pure tests run once. */
export function databaseTests(patterns: readonly string[]): string[] {
  const known = new Map<string, boolean>()
  return globSync(patterns).filter((file) => opensDatabase(file, known))
}

function opensDatabase(file: string, known: Map<string, boolean>): boolean {
  const answer = known.get(file)
  if (answer !== undefined) return answer
  known.set(file, file === createsDatabases) // preliminary, because imports can be cyclic
  const opens = file === createsDatabases || testImportsOf(file).some((imported) => opensDatabase(imported, known))
  known.set(file, opens)
  return opens
}

/** Returns the imported files that only tests use. The product itself does not open a test database. */
function testImportsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)]
    .map(([, specifier = '']) => {
      if (specifier.startsWith('@sluice/server/testing')) return createsDatabases
      return specifier.startsWith('.') ? join(dirname(file), specifier) : ''
    })
    .filter((path) => /\/testing\/|[.]fixture[.]ts$/.test(path) && existsSync(path))
}
