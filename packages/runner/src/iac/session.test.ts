import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.fixture.ts'
import { keepSession, type Session } from './session.ts'

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

/** What an SDK gets: it hands the command of the configuration to a shell. */
async function asked(variables: Record<string, string>): Promise<Record<string, unknown>> {
  const config = await readFile(variables.AWS_CONFIG_FILE ?? '', 'utf8')
  const command = /^\[default\]\ncredential_process = (.+)\n$/.exec(config)?.[1] ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return JSON.parse(stdout)
}

describe.concurrent('a session in a cloud account', () => {
  test('is what an SDK reads from its shared configuration', async () => {
    const over = new AbortController()
    const session = sessionOf(1, 3_600)
    const place = join(directory, 'read')
    const parts = { directory: place, begin: async () => session, over: over.signal, onTrouble: () => {} }
    expect(await asked(await keepSession(parts))).toEqual({
      Version: 1,
      AccessKeyId: 'ASIA1',
      SecretAccessKey: 'secret',
      SessionToken: 'token 1',
      Expiration: session.expiration.toISOString(),
    })
    over.abort()
  })

  test('is renewed before it ends, also where that fails at first, until it is over', async () => {
    const over = new AbortController()
    const troubles: unknown[] = []
    let begun = 0
    const begin = async () => {
      begun += 1
      if (begun === 2) throw new Error('the cloud is away')
      return sessionOf(begun, 1)
    }
    const place = join(directory, 'renewed')
    const onTrouble = (error: unknown) => troubles.push(error)
    const parts = { directory: place, begin, over: over.signal, onTrouble, renewBeforeMs: 950, againMs: 20 }
    const variables = await keepSession(parts)
    await eventually(
      'the fourth session, or a later one',
      async () => Number(/^token (\d+)$/.exec(String((await asked(variables)).SessionToken))?.[1]),
      (number) => number >= 4,
    )
    expect(troubles).toEqual([new Error('the cloud is away')])
    over.abort()
    const then = begun
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(begun).toBe(then)
  })
})
