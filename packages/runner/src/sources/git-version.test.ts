import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { requireGitVersion } from './git-version.ts'

async function gitThatSays(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-git-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const program = join(directory, 'git')
  await writeFile(program, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 })
  return program
}

test(
  'a git version that is too old is rejected',
  everyCase(
    ['git version 2.36.9', 'git version 1.99.0', 'git version 2.25.1 (Apple Git-155)', 'git of an unknown kind'],
    async (text) => {
      await expect(requireGitVersion(await gitThatSays(text))).rejects.toThrow(/is too old.*Install git 2\.37 or later/)
    },
  ),
)

test.each(['git version 2.37.0', 'git version 2.39.5', 'git version 3.0.0.rc1'])('%s is accepted', async (text) => {
  await requireGitVersion(await gitThatSays(text))
})

test('a missing git is not an error of the runner', () => requireGitVersion('/nowhere/git'))
