import { isRepeatable, type Route, routes } from '@sluice/contract'
import { expect, test } from 'vitest'

/** Browsers should not load the contract's schemas, so the client has a generated table. */
test('the table of operations matches the contract; `npm run client` regenerates it', async () => {
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
