import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Command } from '../src/attempt.ts'
import type { Isolation } from '../src/isolation/isolation.ts'
import { openIsolation } from '../src/isolation/open.ts'
import { listChildren } from '../src/isolation/watch.ts'
import { createAttempt } from '../src/programs/attempt.fixture.ts'
import { removeAttempt } from '../src/programs/programs.ts'
import { type HostileEnvironment, skipReason, startHostileEnvironment } from './environment.ts'
import { runAttack, startTenantProgram, waitUntil } from './tenant.ts'

/**
 * System call numbers of `add_key`, `request_key`, `keyctl` and `inotify_init1`, because perl has no names for them.
 */
const calls = { x64: [248, 249, 250, 294], arm64: [217, 218, 219, 26] }[process.arch as string] ?? []
const [addKey = 0, requestKey = 0, keyctl = 0, inotifyInit = 0] = calls
const noSuchCall = 'Function not implemented'

let environment: HostileEnvironment
beforeAll(async () => {
  if (!skipReason) environment = await startHostileEnvironment()
}, 300_000)
afterAll(() => environment?.[Symbol.asyncDispose](), 60_000)

/** Returns the users of a process and its descendants outside of the sandbox, except the one that starts them. */
async function usersOf(pid: number): Promise<Set<number>> {
  const below = async (one: number): Promise<number[]> => [
    one,
    ...(await Promise.all((await listChildren(one)).map(below))).flat(),
  ]
  const users = (await below(pid)).map((one) =>
    Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]),
  )
  return new Set(users.filter((user) => user !== process.getuid?.()))
}

describe.skipIf(skipReason || calls.length === 0)(
  `a program shares with others${skipReason ? ` [${skipReason}]` : ''}`,
  () => {
    test('no keyring: it cannot leave keys or read those of the operator', async () => {
      // -3 is the keyring of the session, -4 that of the user. 11 is KEYCTL_READ.
      const script = [
        `my @tried = ([${addKey}, "user", "sluice", "left", 4, -3], [${addKey}, "user", "sluice", "left", 4, -4]);`,
        `push @tried, [${requestKey}, "user", "sluice", 0, 0], [${keyctl}, 11, -3, 0, 0, 0], [${keyctl}, 1, 0, 0, 0, 0];`,
        'for my $call (@tried) { my $said = syscall(@$call[0], @$call[1..$#$call]); print $said < 0 ? "$!" : "<WO"."N>", "\\n" }',
      ].join(' ')
      const { said } = await runAttack(environment.isolation, environment.directory, `perl -e '${script}'`)
      expect(said.trim().split('\n')).toEqual(Array.from({ length: 5 }, () => noSuchCall))
    })

    test('no file descriptor of the processes that hold its sandbox', async () => {
      const script = 'for file in 4 5 6 7 8 9; do [ -e "/proc/$$/fd/$file" ] && echo "has $file"; done; echo tried'
      const { said } = await runAttack(environment.isolation, environment.directory, script)
      expect(said).toBe('tried\n')
    })

    test('no user with other attempts, and so no per-user quota', async ({ skip }) => {
      skip(process.getuid?.() !== 0, 'skipped: root')
      const takeAll = `perl -e '1 while syscall(${inotifyInit}, 0) >= 0; print "$!\\n"; $| = 1; print "ready\\n"; sleep 600'`
      const greedy = await startTenantProgram(environment.isolation, environment.directory, takeAll, {
        organizationId: 'org_b',
      })
      await waitUntil('all watches to be used', async () => (await greedy.output()).includes('ready'))
      expect(await greedy.output()).toContain('Too many open files')
      const modest = await startTenantProgram(
        environment.isolation,
        environment.directory,
        `perl -e 'print syscall(${inotifyInit}, 0) >= 0 ? "watches\\n" : "$!\\n"'; sleep 600`,
        { organizationId: 'org_c' },
      )
      await waitUntil('another program to try', async () => (await modest.output()).includes('\n'))
      const [hers, his] = [await usersOf(greedy.pid), await usersOf(modest.pid)]
      for (const running of [greedy, modest]) {
        running.signal('SIGKILL')
        await running.ended
        await environment.isolation.release(running.records)
      }
      expect(await modest.output()).toBe('watches\n')
      expect(his.size).toBe(1)
      expect([...his].filter((user) => hers.has(user))).toEqual([])
    })

    test('its files with later programs of its attempt only, even after a restart with another user', async () => {
      const place = await mkdtemp(join(environment.directory, 'attempt-'))
      const run = async (isolation: Isolation, name: string, script: string) => {
        const attempt = await createAttempt(place, isolation)
        const command: Command = { argv: ['/bin/sh', '-c', script], capturesStdout: true }
        const result = await attempt.runProgram(name, command)
        const said = await attempt.readStdout(name, 1_000)
        return { ...result, said: said && 'content' in said ? said.content.toString() : said }
      }
      const make = 'umask 077; mkdir folder; echo mine >folder/file; chmod 0 folder; echo made'
      expect(await run(environment.isolation, 'one', make)).toEqual({ exitCode: 0, said: 'made\n' })
      const later = await openIsolation(environment.settings)
      const read = 'chmod 700 folder && cat folder/file && echo more >>folder/file'
      expect(await run(later, 'two', read)).toEqual({ exitCode: 0, said: 'mine\n' })
      await removeAttempt(place, { afterIntMs: 300, afterTermMs: 300 }, later)
      expect(existsSync(place)).toBe(false)
    })
  },
)
