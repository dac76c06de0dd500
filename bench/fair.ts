import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startWorld } from '@sluice/server/testing'
import autocannon from 'autocannon'
import { createTestDatabase } from '../packages/server/src/testing/database.ts'
import { encryptionKey, startSluice } from './api-servers.ts'
import { useDatabase } from './database.ts'
import { budget, flags, percentile, publish, round, spread } from './report.ts'

/**
 * Measures how one organization's flood affects another's requests within the default limits, compared to the same
 * requests alone.
 */
const { seconds, connections, rounds } = flags({ seconds: 10, connections: 64, rounds: 3 })
const database = await useDatabase('postgres')
await using parts = new AsyncDisposableStack()
const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-fair-'))
parts.defer(() => rm(directory, { recursive: true }))
const { url: databaseUrl = '', drop } = await createTestDatabase()
parts.defer(drop)
const [calm = '', flooding = ''] = await seed()
const { url } = await startSluice({ databaseUrl, directory, parts, env: {} })

/** Pause between requests in milliseconds, as for a person and their programs. */
const pauseMs = 40
const asked = ['/projects', '/environments', '/deployments?limit=50', '/auth/whoami']

const floods: { what: string; requests: autocannon.Request[] }[] = [
  { what: 'lists of 100', requests: [{ method: 'GET', path: '/projects?limit=100' }] },
  {
    what: 'bodies of 0.9 MB that are refused',
    requests: [{ method: 'POST', path: '/projects', body: JSON.stringify({ data: 'x'.repeat(900_000) }) }],
  },
  {
    what: 'records that are made',
    requests: [{ method: 'POST', path: '/service-accounts', body: '{"data":{"name":"[<id>]","role":"VIEWER"}}' }],
  },
]

const rows = []
for (const { what, requests } of floods) {
  const alone: number[] = []
  const beside: number[] = []
  let refused = 0
  let answeredWell = 0
  for (let turn = 0; turn < rounds; turn += 1) {
    alone.push(...(await latencies(seconds)))
    const flood = autocannon({
      url,
      connections,
      duration: seconds + 2,
      workers: 1,
      idReplacement: true,
      headers: { authorization: `Bearer ${flooding}`, 'content-type': 'application/json' },
      requests,
    })
    await wait(1_000) // its burst is part of the measurement
    beside.push(...(await latencies(seconds)))
    const result = await flood
    refused += result['4xx']
    answeredWell += result['2xx']
  }
  const ratio = round(percentile(beside, 0.5) / percentile(alone, 0.5))
  rows.push({
    'ms per request': what,
    ...named('alone', alone),
    ...named('beside', beside),
    'ratio of p50': ratio,
    budget: budget(ratio, (value) => value <= 2, '≤ 2'),
    'answered to the flood, per second': round(answeredWell / rounds / (seconds + 2)),
    refused: round(refused / rounds / (seconds + 2)),
  })
}

await publish({
  name: 'fair',
  what: [
    `One organization asks ${Math.round(1_000 / pauseMs)} times a second at most, for ${seconds} s alone and for ${seconds} s`,
    `while another one asks over ${connections} connections as fast as it is answered; ${rounds} rounds of both, by turns.`,
  ],
  database,
  rows,
})

function named(when: string, ms: readonly number[]) {
  const { p50, p99 } = spread(ms)
  return { [`p50 ${when}`]: p50, [`p99 ${when}`]: p99 }
}

async function latencies(forSeconds: number): Promise<number[]> {
  const until = performance.now() + forSeconds * 1_000
  const ms: number[] = []
  for (let index = 0; performance.now() < until; index += 1) {
    const begin = performance.now()
    const path = asked[index % asked.length]
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${calm}` } })
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`)
    ms.push(performance.now() - begin)
    await wait(pauseMs)
  }
  return ms
}

/** Creates two organizations with a hundred projects each and returns their tokens. */
async function seed(): Promise<string[]> {
  await using world = await startWorld({ env: { DATABASE_URL: databaseUrl, SLUICE_ENCRYPTION_KEY: encryptionKey } })
  const tokens: string[] = []
  for (let index = 0; index < 2; index += 1) {
    const { client } = await world.organization()
    for (let count = 0; count < 100; count += 1) {
      await client.done('POST', '/projects', { data: { givenId: `project-${count}`, name: 'P' } })
    }
    tokens.push(client.token)
  }
  return tokens
}
