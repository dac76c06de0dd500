import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { type Host, hostOf } from '../hosts.ts'
import { expectInside } from './inside.ts'
import { planOrApply } from './plan-or-apply.ts'
import { readSettings } from './settings.ts'

const settingsOf = (given: Record<string, string>) => readSettings((name) => given[name] ?? '')
const usual = { url: 'https://sluice.example', token: 'slk_1', folder: 'infrastructure' }

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-inside-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test(
  'a job with wrong inputs fails with a message that names them',
  everyCase(
    [
      ['no folder', { folder: '' }, 'Set folder'],
      ['a mode that is none', { mode: 'destroy' }, 'mode is one of plan, apply, check.'],
      ['a word that is no answer', { prune: 'yes' }, 'prune is true or false.'],
      ['nobody', { token: '' }, 'Set service_account, or token.'],
    ],
    (_what, given, told) => {
      expect(() => settingsOf({ ...usual, ...given })).toThrow(told)
    },
  ),
)

test('by default, files are planned and nothing is removed', () => {
  expect(settingsOf(usual)).toMatchObject({ mode: 'plan', prunes: false, runsStacks: true, comments: true })
})

const atGithub = { GITHUB_SERVER_URL: 'https://github.example', GITHUB_REPOSITORY: 'acme/shop' }

test.each([
  ['acme/shop', false],
  ['stranger/shop', true],
  [undefined, true], // from a deleted fork
])('a pull request from a branch in %s comes from a fork: %s', async (full_name, isFromFork) => {
  const folder = await emptyFolder()
  const event = {
    pull_request: { number: 1, head: { sha: 'abc', repo: full_name === undefined ? null : { full_name } } },
  }
  await writeFile(join(folder, 'event'), JSON.stringify(event))
  const env = { ...atGithub, GITHUB_EVENT_PATH: join(folder, 'event') }
  expect(hostOf(env, '')).toMatchObject({
    isFromFork,
    commit: { commit: 'abc', url: 'https://github.example/acme/shop/commit/abc' },
  })
})

test.each([
  [{}, false],
  [{ CI_MERGE_REQUEST_PROJECT_ID: '3', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '3' }, false],
  [{ CI_MERGE_REQUEST_PROJECT_ID: '3', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '4' }, true],
])('a merge request with %o comes from a fork: %s', (of, isFromFork) => {
  expect(hostOf({ GITLAB_CI: 'true', ...of }, '')).toMatchObject({ isFromFork })
})

test('files from a fork are not read', async () => {
  const shown: string[] = []
  const host: Host = {
    hide: () => {},
    show: (text) => shown.push(text),
    output: () => {},
    summarize: () => {},
    comments: undefined,
    isFromFork: true,
    commit: undefined,
  }
  const settings = settingsOf({ ...usual, folder: 'not-there' })
  expect(await planOrApply(settings, host, new AbortController().signal)).toBe(false)
  expect(shown).toEqual([expect.stringContaining('from a fork')])
})

test('a link inside the checkout is followed, and one that points outside is rejected', async () => {
  const [checkout, elsewhere] = [await emptyFolder(), await emptyFolder()]
  await mkdir(join(checkout, 'infrastructure'))
  await writeFile(join(checkout, 'shared.yaml'), 'kind: Project\nname: shop\n')
  await writeFile(join(elsewhere, 'secret'), 'a secret')
  const folder = join(checkout, 'infrastructure')
  await symlink('../shared.yaml', join(folder, 'shop.yaml'))
  await expect(expectInside(checkout, folder)).resolves.toBeUndefined()
  await symlink(join(elsewhere, 'secret'), join(folder, 'other.yaml'))
  await expect(expectInside(checkout, folder)).rejects.toThrow('other.yaml leads out')
})
