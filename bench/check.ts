import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Every benchmark with numbers so small that it ends within seconds: what it prints says nothing, that it ends does.
 * What keeps on growing around benchmarks (settings, seeds, names in the console) would break them unseen.
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
  fair: '--rounds 1 --seconds 1 --connections 2',
  'audit-log': '--rows 2000 --rounds 1',
  paused: '--paused 3 --continues 2 --settle 1',
  pipelines: '--runs 2 --steps 2',
  peers: '--rounds 1 --runs 2 --steps 2 --warm 1',
  cost: '--runs 1 --steps 2 --warm 1',
  modules: '--runs 2',
  iac: '--rounds 1 --resources 2',
  console: '--runs 1 --slower 1 --mbit 100 --latency 0',
}

const failed = Object.entries(benchmarks).filter(([name, words]) => !ends(name, words.split(' ')))
console.log(`${Object.keys(benchmarks).length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1

function ends(name: string, words: string[]): boolean {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const from = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, file, ...words], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  const took = `${((performance.now() - from) / 1_000).toFixed(1)} s`
  console.log(status === 0 ? `✓ ${name}, ${took}` : `✗ ${name}, ${took}\n${stdout}\n${stderr}`)
  return status === 0
}
