import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Ways to send requests that the lint rules on imports and globals (biome.json) do not detect. */
const waysAround =
  /\b(globalThis|global)\.(fetch|WebSocket|EventSource)\b|\bgetBuiltinModule\b|\bnew Socket\(|require\('(node:)?(https?|net|tls)'\)/

test('all code uses the guarded client, as the lint rules require', () => {
  const files = globSync('packages/{server,runner,outbound,calls,ci,cli,mcp}/src/**/*.ts', { cwd: root })
  const own = files.filter((file) => !/\.(test|fixture)\.ts$|\/testing\//.test(file))
  const found = own.filter((file) => waysAround.test(readFileSync(join(root, file), 'utf8')))
  expect(found).toEqual([])
})
