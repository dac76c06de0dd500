import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.fixture.ts'
import { maintainSession, type Session } from './session.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sluice it's a session-"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const sessionOf = (number: number, seconds: number): Session => ({
  accessKeyId: `ASIA${number}`,
  secretAccessKey: 'secret',
  sessionToken: `token ${number}`,
  expiration: new Date(Date.now() + seconds * 1000),
})

/** Returns what an SDK gets: it passes the command in the configuration to a shell. */
async function asked(variables: Record<string, string>): Promise<Record<string, unknown>> {
  const config = await readFile(variables.AWS_CONFIG_FILE ?? '', 'utf8')
  const command = /^\[default\]\ncredential_process = (.+)\n$/.exec(config)?.[1] ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return JSON.parse(stdout)
}

describe.concurrent('a session in a cloud account', () => {
  test('is available to an SDK through its shared configuration', async () => {
    const finished = new AbortController()
    const session = sessionOf(1, 3_600)
    const place = join(directory, 'read')
    const parts = { directory: place, open: async () => session, finished: finished.signal, onError: () => {} }
    expect(await asked(await maintainSession(parts))).toEqual({
      Version: 1,
      AccessKeyId: 'ASIA1',
      SecretAccessKey: 'secret',
      SessionToken: 'token 1',
      Expiration: session.expiration.toISOString(),
    })
    finished.abort()
  })

  test('is renewed before it expires, with retries, until it is no longer needed', async () => {
    const finished = new AbortController()
    const errors: unknown[] = []
    let opened = 0
    const open = async () => {
      opened += 1
      if (opened === 2) throw new Error('the cloud is unavailable')
      return sessionOf(opened, 1)
    }
    const place = join(directory, 'renewed')
    const onError = (error: unknown) => errors.push(error)
    const parts = { directory: place, open, finished: finished.signal, onError, renewBeforeMs: 950, retryDelayMs: 20 }
    const variables = await maintainSession(parts)
    await eventually(
      'the fourth session, or a later one',
      async () => Number(/^token (\d+)$/.exec(String((await asked(variables)).SessionToken))?.[1]),
      (number) => number >= 4,
    )
    expect(errors).toEqual([new Error('the cloud is unavailable')])
    finished.abort()
    const then = opened
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(opened).toBe(then)
  })
})
