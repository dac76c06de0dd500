import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { removeFolder } from './remove-folder.ts'

/** Three times 2,000 characters: no path of the last is within the 4,096 that Linux takes. */
const nested =
  'deep=$(printf "deep/%.0s" $(seq 400)); mkdir -p a/$deep b/$deep c/$deep; mv b a/$deep; mv c a/$deep/b/$deep'

test(
  'a folder is removed, however it protects itself',
  everyCase(
    [
      ['nothing in it', 'true'],
      ['folders that nobody may write to', 'mkdir -p a/b && touch a/b/c && chmod -R a-w a'],
      ['folders that nobody may enter', 'mkdir -p a/b && touch a/b/c && chmod 0 a'],
      ['more files than are removed at once', 'mkdir a && seq 100 | while read -r n; do : >"a/$n"; done'],
      ['folders nested deeper than a path may be long', nested],
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
