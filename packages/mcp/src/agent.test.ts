import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { userAgentOf } from './agent.ts'

test(
  'an agent is identified to the service by its name and version',
  everyCase(
    [
      [{ name: 'claude-ai', version: '0.1.0' }, 'sluice-mcp/1.0.0 (claude-ai 0.1.0)'],
      [{ name: 'a\r\nauthorization: Bearer x', version: ')' }, 'sluice-mcp/1.0.0 (a__authorization: Bearer x _)'],
      [{ name: 'ä\u0000', version: '' }, 'sluice-mcp/1.0.0 (__)'],
      [undefined, 'sluice-mcp/1.0.0 (unknown)'],
      [{ name: 'x'.repeat(1_000), version: '1' }, `sluice-mcp/1.0.0 (${'x'.repeat(100)})`],
    ],
    (client, told) => {
      expect(userAgentOf('1.0.0', client)).toBe(told)
      expect(new Headers({ 'user-agent': told }).get('user-agent')).toBe(told)
    },
  ),
)
