import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrderedSource } from '@sluice/contract/runner-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createNoIsolation } from '../isolation/none.ts'
import { createAttempt } from '../programs/attempt.fixture.ts'
import { checkOut } from './checkout.ts'
import { createRepositories } from './repositories.ts'
import { SourceError } from './source-error.ts'

let directory: string
let repository: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-checkout-'))
  repository = join(directory, 'origin')
  await mkdir(join(repository, 'stacks/web'), { recursive: true })
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  await writeFile(join(repository, 'stacks/web/main.tf'), '# one')
  commit('one')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' }).trim()
}
function commit(message: string): string {
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
  return git('rev-parse', 'HEAD')
}

const maxBytes = 8 * 1024 ** 2
const addresses = createNoIsolation([])
let checkouts = 0
const asked: string[] = []
async function out(source: Partial<{ url: string; ref: string; commit: string }>, basePath = '.') {
  checkouts += 1
  const repositories = createRepositories({
    directory: join(directory, 'kept'),
    addresses,
    extraProtocols: ['file'],
    maxBytes,
  })
  const at = { url: `file://${repository}`, ref: undefined, ...source, basePath }
  const own = await createAttempt(join(directory, `attempt-${checkouts}`))
  const root = join(own.directory, 'source')
  const attempt = {
    ...own,
    organizationId: 'org_1',
    mask: () => {},
    api: {
      async requestSourceAccess() {
        asked.push(at.url)
        return { url: at.url, environment: {}, addresses: [], secrets: [] }
      },
    },
  }
  const checkedOut = await checkOut(at satisfies OrderedSource, root, { repositories, attempt })
  return { ...checkedOut, root }
}
const troubleOf = async (work: Promise<unknown>): Promise<SourceError> => {
  const error = await work.then(() => undefined).catch((caught: unknown) => caught)
  if (error instanceof SourceError) return error
  throw new Error(`expected a SourceError: ${error}`)
}

test('branches, tags and commits are checked out, and a stored commit is not fetched again', async () => {
  const first = await out({}, 'stacks/web')
  expect(await readFile(join(first.directory, 'main.tf'), 'utf8')).toBe('# one')
  expect(first.commit).toBe(git('rev-parse', 'HEAD'))
  git('tag', '--annotate', 'v1', '--message', 'first')
  await writeFile(join(repository, 'stacks/web/main.tf'), '# two')
  const second = commit('two')
  const later = await out({ ref: 'main' })
  expect(later.commit).toBe(second)
  expect(later.digest).not.toBe(first.digest)
  expect((await out({ ref: 'v1' })).commit).toBe(first.commit)
  expect((await out({ ref: second })).commit).toBe(second)
  const before = asked.length
  expect((await out({ ref: 'main', commit: first.commit ?? '' })).digest).toBe(first.digest)
  expect(asked.length).toBe(before)
})

test('hooks, filters and submodules of a repository are not used, and no git folder remains', async () => {
  const marker = join(directory, 'ran')
  await writeFile(join(repository, '.gitattributes'), '* filter=evil')
  git('config', 'filter.evil.smudge', `touch ${marker}`)
  await mkdir(join(repository, 'hooks'), { recursive: true })
  await writeFile(join(repository, 'hooks/post-checkout'), `#!/bin/sh\ntouch ${marker}`, { mode: 0o755 })
  await writeFile(join(repository, '.gitmodules'), `[submodule "a"]\n\tpath = a\n\turl = file://${repository}\n`)
  commit('evil')
  const { root } = await out({})
  expect((await readdir(root)).toSorted()).toEqual(['.gitattributes', '.gitmodules', 'hooks', 'stacks'])
  await expect(readFile(marker)).rejects.toMatchObject({ code: 'ENOENT' })
})

test.each([
  ['/etc', 'absolute'],
  ['../../..', 'up'],
])('a link to %s is rejected', async (target) => {
  await symlink(target, join(repository, 'stacks/link'))
  commit('link')
  expect((await troubleOf(out({}))).message).toContain(`stacks/link points outside of the repository, to ${target}`)
  await rm(join(repository, 'stacks/link'))
  commit('no link')
})

test('a link inside the repository is followed', async () => {
  await symlink('../stacks/web', join(repository, 'stacks/alias'))
  commit('alias')
  const { directory: folder } = await out({}, 'stacks/alias')
  expect(await readFile(join(folder, 'main.tf'), 'utf8')).toBe('# two')
})

test('a repository with a small pack and large files is rejected before it is unpacked', async () => {
  await writeFile(join(repository, 'zeros'), Buffer.alloc(maxBytes + 1))
  const sha = commit('zeros')
  const trouble = await troubleOf(out({ ref: 'main' }))
  expect(trouble.message).toBe(
    `main of file://${repository} is too large: a source can have at most 8 MiB and 200000 files.`,
  )
  expect(trouble.output).toContain('SLUICE_RUNNER_SOURCE_MIB')
  expect(await readdir(join(directory, `attempt-${checkouts}`, 'files/source'))).toEqual([])
  expect((await troubleOf(out({ commit: sha }))).message).toContain('too large')
  await rm(join(repository, 'zeros'))
  commit('no zeros')
})

test('a repository with a large pack is rejected', async () => {
  await writeFile(join(repository, 'noise'), randomBytes(maxBytes + 4096))
  commit('noise')
  expect((await troubleOf(out({ ref: 'main' }))).message).toContain('too large')
  await rm(join(repository, 'noise'))
  commit('no noise')
})

test(
  'an invalid source is rejected',
  everyCase(
    [
      ['no HTTPS', { url: 'http://example.com/a/b' }],
      ['a program', { url: 'ext::sh -c touch% /tmp/x' }],
      ['an option', { url: '--upload-pack=touch /tmp/x' }],
      ['credentials', { url: 'https://u:p@example.com/a/b' }],
      ['an option as ref', { ref: '--upload-pack=x' }],
      ['a pair of refs', { ref: 'main:refs/heads/x' }],
      ['a missing ref', { ref: 'nowhere' }],
    ],
    async (_, source) => {
      await troubleOf(out(source))
    },
  ),
)

test(
  'a missing or outside directory is rejected',
  everyCase(['..', '/etc', 'nowhere', 'stacks/web/main.tf', 'stacks/../../x'], async (path) => {
    expect((await troubleOf(out({}, path))).message).toContain('The source has no folder')
  }),
)
