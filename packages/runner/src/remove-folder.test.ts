import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { removeFolder } from './remove-folder.ts'

/** Three times 2,000 characters: the deepest path exceeds the 4,096 characters that Linux accepts. */
const nested =
  'deep=$(printf "deep/%.0s" $(seq 400)); mkdir -p a/$deep b/$deep c/$deep; mv b a/$deep; mv c a/$deep/b/$deep'

test(
  'a folder is removed in spite of permissions, size and depth',
  everyCase(
    [
      ['empty folder', 'true'],
      ['folders without write permission', 'mkdir -p a/b && touch a/b/c && chmod -R a-w a'],
      ['folders without any permission', 'mkdir -p a/b && touch a/b/c && chmod 0 a'],
      ['more files than are removed synchronously', 'mkdir a && seq 100 | while read -r n; do : >"a/$n"; done'],
      ['folders nested deeper than the longest path', nested],
    ],
    async (_, script) => {
      const folder = await mkdtemp(join(tmpdir(), 'sluice-remove-'))
      execFileSync('sh', ['-c', script], { cwd: folder })
      await removeFolder(folder)
      expect(existsSync(folder)).toBe(false)
    },
  ),
  60_000,
)
