import { isRepeatable, type Route, routes } from '@sluice/contract'
import { expect, test } from 'vitest'

/** The client of a browser must not carry the schemas of the contract, so what it needs of them is written out. */
test('the table of operations is the contract’s; `npm run client` writes it anew', async () => {
  const lines = Object.values(routes)
    .map((route: Route) => {
      const creates = isRepeatable(route) ? ', true' : ''
      return `  ${route.operationId}: ['${route.method}', '${route.path}'${creates}],`
    })
    .toSorted()
  const words = [
    '/** Method and path of every operation, and whether it takes an idempotency key. Generated: `npm run client`. */',
  ]
  const file = [...words, 'export const operations = {', ...lines, '} as const', ''].join('\n')
  await expect(file).toMatchFileSnapshot('operations.generated.ts')
})
