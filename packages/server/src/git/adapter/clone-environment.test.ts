import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cloneEnvironment } from './clone-environment.ts'
import { startFakeGitHostA } from './fakes/githosta.fixture.ts'
import { createRepository, gitIsMissing } from './fakes/smart-http.fixture.ts'
import { createGitHostA } from './githosta.ts'
import { sendLocally } from './send-locally.fixture.ts'

const run = promisify(execFile)

test('a private repository is cloned without the credential in a file or an argument', async ({ skip }) => {
  skip(gitIsMissing !== '', gitIsMissing)
  const git = await createRepository({ 'main.tf': 'resource {}' })
  const host = await startFakeGitHostA()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-clone-'))
  try {
    host.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
    host.repositories.push({ id: 42, name: 'acme/web', isPrivate: true, branches: ['main'], installations: [7], git })
    const place = { repoName: 'acme/web', gitRepositoryId: '42', installationId: '7' }
    const access = await createGitHostA({ url: host.url, app: host.app, send: sendLocally, clock: () => new Date() })
      .repository(place)
      .cloneAccess()
    const { url, environment, secrets } = cloneEnvironment(access)

    const clone = (env: Record<string, string>, to: string) =>
      run('git', ['clone', '--quiet', url, to], { cwd: directory, env: { PATH: process.env.PATH, ...env } })
    await clone(environment, 'mine')
    expect(await readFile(join(directory, 'mine', 'main.tf'), 'utf8')).toBe('resource {}')

    expect(url).toBe(`${host.url}/acme/web.git`)
    const given = host.tokens.get(access.credential?.password ?? '')
    expect(given).toMatchObject({ ids: [42], permissions: { contents: 'read' } })
    expect(secrets).toEqual([access.credential?.password, expect.any(String)])
    for (const file of await readdir(join(directory, 'mine', '.git'), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const content = await readFile(join(file.parentPath, file.name), 'latin1')
      for (const secret of secrets) expect(content.includes(secret), file.name).toBe(false)
    }
    const { GIT_TERMINAL_PROMPT = '' } = environment
    await expect(clone({ GIT_TERMINAL_PROMPT }, 'theirs')).rejects.toThrow(/could not read Username/)
  } finally {
    await rm(directory, { recursive: true, force: true })
    await git.remove()
    await host.close()
  }
})

test('the credential is sent only to its host', () => {
  const { environment } = cloneEnvironment({
    url: 'https://git.example.com/a/b.git',
    credential: { username: 'u', password: 'p' },
  })
  expect(environment).toMatchObject({
    GIT_CONFIG_KEY_0: 'http.followRedirects',
    GIT_CONFIG_VALUE_0: 'false',
    GIT_CONFIG_KEY_2: 'http.https://git.example.com/.extraHeader',
    GIT_CONFIG_VALUE_2: 'Authorization: Basic dTpw',
  })
  expect(cloneEnvironment({ url: 'https://git.example.com/a/b.git', credential: undefined }).secrets).toEqual([])
})
