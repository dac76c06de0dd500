import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * Runs every benchmark with minimal numbers, only to check that it still works after changes around it (settings,
 * seeds, console labels).
 */
const benchmarks: Record<string, string> = {
  'start-up': '--runs 1',
  'command-line': '--runs 1',
  idle: '--settle 1 --seconds 1',
  'event-latency': '--events 5 --deployments 2',
  'event-load': '--rate 20 --seconds 1 --connections 2',
  'deploy-latency': '--rate 2 --seconds 1 --organizations 1',
  'deployment-cost': '--deployments 2 --rate 2 --organizations 1 --settle 1',
  api: '--rounds 1 --seconds 1 --connections 2 --rows 2000',
  growing: '--most 2 --requests 5 --deployments 1 --warm 1 --connections 2',
  overload: '--seconds 2 --ramp 1 --first 20 --organizations 1 --services 2 --controls 1',
  fair: '--rounds 1 --seconds 1 --connections 2',
  'audit-log': '--rows 2000 --rounds 1',
  kept: '--deployments 2000 --events 2000 --organizations 2 --rounds 1 --releases 1',
  paused: '--paused 3 --continues 2 --settle 1',
  pipelines: '--runs 2 --steps 2',
  peers: '--rounds 1 --runs 2 --steps 2 --warm 1',
  cost: '--runs 1 --steps 2 --warm 1',
  modules: '--runs 2',
  iac: '--rounds 1 --resources 2',
  builds: '--rounds 1 --pages 2 --work 0',
  rehearsals: '--runs 1',
  console: '--runs 1 --slower 1 --mbit 100 --latency 0',
}

/** Number of concurrent benchmarks. They mostly wait for disks or time. */
const atATime = 3

/** Shares the compile cache among benchmarks. */
const compiled = await mkdtemp(join(tmpdir(), 'sluice-bench-compiled-'))
const env = { ...process.env, NODE_COMPILE_CACHE: compiled }

const ahead = Object.entries(benchmarks)
const failed: string[] = []
await Promise.all(Array.from({ length: atATime }, checkOneAfterTheOther))
await rm(compiled, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) // one may still be ending
console.log(`${Object.keys(benchmarks).length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1

async function checkOneAfterTheOther(): Promise<void> {
  for (let next = ahead.shift(); next !== undefined; next = ahead.shift()) {
    const [name, words] = next
    if (!(await ends(name, words.split(' ')))) failed.push(name)
  }
}

async function ends(name: string, words: string[]): Promise<boolean> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const from = performance.now()
  const took = () => `${((performance.now() - from) / 1_000).toFixed(1)} s`
  try {
    await promisify(execFile)(process.execPath, [...process.execArgv, file, ...words], {
      env,
      timeout: 240_000,
      maxBuffer: 2 ** 24,
    })
    console.log(`✓ ${name}, ${took()}`)
    return true
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    console.log(`✗ ${name}, ${took()}: ${message}\n${stdout}\n${stderr}`)
    return false
  }
}
