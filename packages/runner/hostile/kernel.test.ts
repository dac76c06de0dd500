import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../src/attempt.ts'
import type { Isolation } from '../src/isolation/isolation.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { childrenOf } from '../src/isolation/watch.ts'
import { attemptIn } from '../src/programs/attempt.fixture.ts'
import { clearAttempt } from '../src/programs/programs.ts'
import { attack, startTenant, until } from './tenant.ts'
import { type HostileWorld, missing, startHostileWorld } from './world.ts'

/** The numbers of `add_key`, `request_key`, `keyctl` and `inotify_init1` where perl has no names for them. */
const calls = { x64: [248, 249, 250, 294], arm64: [217, 218, 219, 26] }[process.arch as string] ?? []
const [addKey = 0, requestKey = 0, keyctl = 0, inotifyInit = 0] = calls
const noSuchCall = 'Function not implemented'

let world: HostileWorld
beforeAll(async () => {
  if (!missing) world = await startHostileWorld()
}, 300_000)
afterAll(() => world?.[Symbol.asyncDispose](), 60_000)

/** The users of a process and all below it, as this machine sees them; not that of what starts them. */
async function usersOf(pid: number): Promise<Set<number>> {
  const below = async (one: number): Promise<number[]> => [
    one,
    ...(await Promise.all((await childrenOf(one)).map(below))).flat(),
  ]
  const users = (await below(pid)).map((one) =>
    Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]),
  )
  return new Set(users.filter((user) => user !== process.getuid?.()))
}

describe.skipIf(missing || calls.length === 0)(
  `of the kernel, a program shares${missing ? ` [${missing}]` : ''}`,
  () => {
    test('no keyring: neither leaves keys for later ones, nor reads those of the operator', async () => {
      // -3 is the keyring of the session, -4 that of the user. 11 is KEYCTL_READ.
      const script = [
        `my @tried = ([${addKey}, "user", "sluice", "left", 4, -3], [${addKey}, "user", "sluice", "left", 4, -4]);`,
        `push @tried, [${requestKey}, "user", "sluice", 0, 0], [${keyctl}, 11, -3, 0, 0, 0], [${keyctl}, 1, 0, 0, 0, 0];`,
        'for my $call (@tried) { my $said = syscall(@$call[0], @$call[1..$#$call]); print $said < 0 ? "$!" : "<WO"."N>", "\\n" }',
      ].join(' ')
      const { said } = await attack(world.isolation, world.directory, `perl -e '${script}'`)
      expect(said.trim().split('\n')).toEqual(Array.from({ length: 5 }, () => noSuchCall))
    })

    test('no file that holds its sandbox together', async () => {
      const script = 'for file in 4 5 6 7 8 9; do [ -e "/proc/$$/fd/$file" ] && echo "has $file"; done; echo tried'
      const { said } = await attack(world.isolation, world.directory, script)
      expect(said).toBe('tried\n')
    })

    test('no user with other attempts, and so no quota that a user has', async ({ skip }) => {
      skip(process.getuid?.() !== 0, 'skipped: root')
      const takeAll = `perl -e '1 while syscall(${inotifyInit}, 0) >= 0; print "$!\\n"; $| = 1; print "ready\\n"; sleep 600'`
      const greedy = await startTenant(world.isolation, world.directory, takeAll, { organizationId: 'org_b' })
      await until('all watches to be taken', async () => (await greedy.said()).includes('ready'))
      expect(await greedy.said()).toContain('Too many open files')
      const modest = await startTenant(
        world.isolation,
        world.directory,
        `perl -e 'print syscall(${inotifyInit}, 0) >= 0 ? "watches\\n" : "$!\\n"'; sleep 600`,
        { organizationId: 'org_c' },
      )
      await until('another program to try', async () => (await modest.said()).includes('\n'))
      const [hers, his] = [await usersOf(greedy.pid), await usersOf(modest.pid)]
      for (const running of [greedy, modest]) {
        running.signal('SIGKILL')
        await running.ended
        await world.isolation.release(running.records)
      }
      expect(await modest.said()).toBe('watches\n')
      expect(his.size).toBe(1)
      expect([...his].filter((user) => hers.has(user))).toEqual([])
    })

    test('its files with the later programs of its attempt, whichever user they become after a restart', async () => {
      const place = await mkdtemp(join(world.directory, 'attempt-'))
      const run = async (isolation: Isolation, name: string, script: string) => {
        const attempt = await attemptIn(place, isolation)
        const command: Command = { argv: ['/bin/sh', '-c', script], keepsStdout: true }
        const result = await attempt.process(name, command)
        const said = await attempt.stdoutOf(name, 1_000)
        return { ...result, said: said && 'content' in said ? said.content.toString() : said }
      }
      const make = 'umask 077; mkdir folder; echo mine >folder/file; chmod 0 folder; echo made'
      expect(await run(world.isolation, 'one', make)).toEqual({ exitCode: 0, said: 'made\n' })
      const later = await openIsolation(world.settings)
      const read = 'chmod 700 folder && cat folder/file && echo more >>folder/file'
      expect(await run(later, 'two', read)).toEqual({ exitCode: 0, said: 'mine\n' })
      await clearAttempt(place, { afterIntMs: 300, afterTermMs: 300 }, later)
      expect(existsSync(place)).toBe(false)
    })
  },
)
