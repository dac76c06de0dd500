import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { budget, flags, percentile, publish, round } from './report.ts'

const { runs } = flags({ runs: 20 })
const folder = fileURLToPath(new URL('../packages/cli/', import.meta.url))
execFileSync('npx', ['tsdown', '--log-level', 'error'], { cwd: folder, stdio: 'inherit' })
const packed = `${folder}dist/sluice.mjs`

/** A service that responds at once, so that only the command line's own time is measured. */
const service = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ data: [{ id: 'dep_1', status: 'SUCCESS' }], meta: { limit: 20, nextCursor: '', totalCount: 1 } }),
  )
}).listen(0, '127.0.0.1')
await once(service, 'listening')
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  SLUICE_TOKEN: 'slc_bench',
  SLUICE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
}

const ms = { node: [] as number[], version: [] as number[], call: [] as number[] }
for (let run = 0; run < runs; run++) {
  ms.node.push(await timeOf('-e', '0'))
  ms.version.push(await timeOf(packed, '--version'))
  ms.call.push(await timeOf(packed, 'get', 'deployments'))
}
service.close()

const row = (what: string, values: number[]) => ({
  milliseconds: what,
  fastest: round(Math.min(...values)),
  median: round(percentile(values, 0.5)),
  slowest: round(Math.max(...values)),
})
const within = (values: number[], most: number) =>
  budget(percentile(values, 0.5), (median) => median <= most, `median ≤ ${most} ms`)
await publish({
  name: 'command-line',
  what: [
    `The packed command line from its start to its end, ${runs} times in turn: its version, and a list of a service in the same`,
    'process as this benchmark, which answers at once. Beside it, what no program can do without: a bare Node.',
  ],
  rows: [
    { ...row('`sluice --version`', ms.version), budget: within(ms.version, 150) },
    { ...row('`sluice get deployments`', ms.call), budget: within(ms.call, 300) },
    row('`node -e 0`', ms.node),
  ],
})

async function timeOf(...words: string[]): Promise<number> {
  const from = performance.now()
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
  return performance.now() - from
}
