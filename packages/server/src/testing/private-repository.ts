import type { FakeGitHostA } from '../git/adapter/fakes/githosta.fixture.ts'
import { codeSources } from '../git/code-sources/tables.ts'
import { githostaInstallations } from '../git/githosta-installations/tables.ts'
import type { Db } from '../platform/db/open.ts'
import { newId } from '../platform/ids.ts'

/** Connects a private repository of the fake host to an organization. */
export async function connectPrivateRepository(db: Db, organizationId: string, host: FakeGitHostA, id: number) {
  const name = `acme/web-${id}`
  const installation = id + 1_000
  host.installations.set(installation, { login: 'acme', id, type: 'Organization' })
  host.repositories.push({ id, name, isPrivate: true, branches: ['main'], installations: [installation] })
  const githostaInstallationId = String(installation)
  const claimed = { githostaInstallationId, accountName: 'acme', claimedById: 'mem_1' }
  await db.insert(githostaInstallations).values({ id: newId('gha'), organizationId, ...claimed })
  const repoUrl = `https://${new URL(host.url).host}/${name}`
  await db.insert(codeSources).values({
    id: newId('cs'),
    organizationId,
    type: 'GITHOSTA',
    repoUrl,
    repoName: name,
    gitRepositoryId: String(id),
    defaultBranch: 'main',
    visibility: 'PRIVATE',
    auth: { kind: 'installation', githostaInstallationId },
  })
  return { repoUrl, installation }
}
