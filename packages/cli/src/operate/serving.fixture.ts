import { expect } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { run } from '../testing/command-line.ts'

/** Starts a service in a directory and waits until it is ready. */
export async function startReadyService(cwd: string, env: Record<string, string> = {}) {
  const server = run(cwd, ['serve', '--port', '0', '--log-format', 'json'], env)
  await untilPasses(() => expect(server.output.text).toContain('Sluice is ready'))
  const ready = server.output.text.split('\n').find((line) => line.includes('Sluice is ready')) ?? '{}'
  const { url } = JSON.parse(ready) as { url: string }
  return {
    ...server,
    ask: (token: string, path: string, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }),
    async stop() {
      server.child.kill('SIGTERM')
      expect(await server.exitCode).toBe(0)
    },
  }
}

/** Stores a sensitive default value in a service. */
export async function storeSensitiveValue(
  server: Awaited<ReturnType<typeof startReadyService>>,
  token: string,
): Promise<void> {
  const post = async (path: string, data: object) => {
    const answer = await server.ask(token, path, { method: 'POST', body: JSON.stringify({ data }) })
    expect(answer.ok).toBe(true)
    const { data: made } = (await answer.json()) as { data: { id: string } }
    return made.id
  }
  const defaultValueDefinitionId = await post('/default-value-definitions', {
    key: 'password',
    schema: { type: 'string' },
    isSensitive: true,
  })
  const { data: me } = (await (await server.ask(token, '/auth/whoami')).json()) as { data: { organizationId: string } }
  await post('/default-values', {
    defaultValueDefinitionId,
    parentType: 'organization',
    parentId: me.organizationId,
    value: 'correct-horse',
  })
}
