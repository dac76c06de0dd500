import { type Route, routes } from '@sluice/contract'
import { expect, test } from 'vitest'

/** To load the contract's schemas takes longer than a call, so what the command line needs of them is written out. */
test('the table of what operations take is the contract’s; `npm run client` writes it anew', async () => {
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

function lineOf({ operationId, query, body, replyType }: Route): string {
  const names = Object.keys(query?.properties ?? {}).map((name) => `'${name}'`)
  const flags = `takesBody: ${body !== undefined}, isStream: ${replyType !== undefined}`
  return `  ${operationId}: { query: [${names.join(', ')}], ${flags} },`
}
