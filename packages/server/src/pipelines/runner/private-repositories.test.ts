import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SourceAccess } from '@sluice/contract/runner-protocol'
import { createNoIsolation } from '@sluice/runner/isolation/none'
import { createAttempt } from '@sluice/runner/programs/attempt.fixture'
import { checkOut } from '@sluice/runner/sources/checkout'
import { createRepositories } from '@sluice/runner/sources/repositories'
import { SourceError } from '@sluice/runner/sources/source-error'
import { expect, test } from 'vitest'
import { cloneEnvironment } from '../../git/adapter/clone-environment.ts'
import { startFakeGitHostA } from '../../git/adapter/fakes/githosta.fixture.ts'
import { createRepository, gitIsMissing } from '../../git/adapter/fakes/smart-http.fixture.ts'
import { createGitHostA } from '../../git/adapter/githosta.ts'
import { sendLocally } from '../../git/adapter/send-locally.fixture.ts'

test('a private code source is checked out only for its organization, and leaves no credential behind', async ({
  skip,
}) => {
  skip(gitIsMissing !== '', gitIsMissing)
  const git = await createRepository({ 'main.tf': 'resource {}' })
  const host = await startFakeGitHostA()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-private-'))
  try {
    host.installations.set(7, { login: 'acme', id: 70, type: 'Organization' })
    host.repositories.push({ id: 42, name: 'acme/web', isPrivate: true, branches: ['main'], installations: [7], git })
    const place = { repoName: 'acme/web', gitRepositoryId: '42', installationId: '7' }
    const app = createGitHostA({ url: host.url, app: host.app, send: sendLocally, clock: () => new Date() })
    const secrets: string[] = []
    const addresses = createNoIsolation([])
    const repositories = createRepositories({ directory: join(directory, 'kept'), addresses, extraProtocols: ['http'] })
    /** Returns an attempt of an organization, with the API's response for source access. */
    const attemptOf = async (organizationId: string, access: () => Promise<SourceAccess>) => ({
      ...(await createAttempt(join(directory, organizationId))),
      organizationId,
      mask: (secret: string) => void secrets.push(secret),
      api: { requestSourceAccess: access },
    })
    const lent = async () => ({ ...cloneEnvironment(await app.repository(place).cloneAccess()), addresses: [] })
    const open = async () => ({ url, environment: {}, addresses: [], secrets: [] })
    const url = `${host.url}/acme/web.git`
    const mine = { url, ref: 'main', codeSourceId: 'cs_1', basePath: '.' }
    const attempt = await attemptOf('org_mine', lent)
    const root = join(attempt.directory, 'source')
    const { commit, directory: folder } = await checkOut(mine, root, { repositories, attempt })
    expect(await readFile(join(folder, 'main.tf'), 'utf8')).toBe('resource {}')

    // Another organization knows the address and even the commit.
    const theirs = { url, ref: 'main', commit, basePath: '.' }
    const other = await attemptOf('org_theirs', open)
    const taken = checkOut(theirs, join(other.directory, 'source'), { repositories, attempt: other })
    await expect(taken).rejects.toThrow(SourceError)

    expect(secrets.length).toBeGreaterThan(0)
    for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      const content = await readFile(join(file.parentPath, file.name), 'latin1')
      for (const secret of secrets) expect(content.includes(secret), file.name).toBe(false)
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
    await git.remove()
    await host.close()
  }
})
