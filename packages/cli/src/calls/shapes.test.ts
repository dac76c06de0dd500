import { type Route, routes } from '@sluice/contract'
import { expect, test } from 'vitest'

/** Loading the contract's schemas takes longer than a call, so the command line has a generated table. */
test('the table of operation parameters matches the contract; `npm run client` regenerates it', async () => {
  const lines = Object.values(routes).map(lineOf).toSorted()
  const file = [
    "import type { Operation } from '@sluice/client'",
    '',
    '/** What of a request goes where, and whether the answer ends. Generated from the contract: `npm run client`. */',
    'export const shapes: Record<Operation, { query: readonly string[]; takesBody: boolean; isStream: boolean }> = {',
    ...lines,
    '}',
    '',
  ]
  await expect(file.join('\n')).toMatchFileSnapshot('shapes.generated.ts')
})

function lineOf({ operationId, query, body, responseType }: Route): string {
  const names = Object.keys(query?.properties ?? {}).map((name) => `'${name}'`)
  const flags = `takesBody: ${body !== undefined}, isStream: ${responseType !== undefined}`
  return `  ${operationId}: { query: [${names.join(', ')}], ${flags} },`
}
