import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { spawnCloudSim } from '../../src/index.ts'

// Usage: node run.ts <folder of configurations> <folder of plug-ins>. Creates, changes and destroys all resources in a
// simulated cloud. After each step, a plan must be empty.

/** Line of Terraform's JSON output about a resource. */
interface TerraformMessage {
  type: string
  '@level': string
  '@message': string
  hook?: { resource: { addr: string } }
  change?: { resource: { addr: string } }
}

/** Address prefixes of resources that step 2 does not change. */
const unchangeable = [
  'aws_acm_certificate_validation.',
  'aws_cloudwatch_log_stream.',
  'aws_s3_bucket_versioning.settings',
]
/** High, because the provider mostly waits. */
const parallelism = '-parallelism=40'

const [folder = '', mirror = ''] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'cloud-sim-provider-'))
cpSync(folder, directory, { recursive: true, filter: (path) => !/\.(sh|ts)$/.test(path) })
const sim = await spawnCloudSim({ stateFile: join(directory, 'state.db'), speed: 600, checksAnswers: true })
try {
  await terraform('init', `-plugin-dir=${mirror}`)
  const failures = await tryAll()
  console.log(`${failures.size - failing(failures)} passed, ${failing(failures)} failed`)
  process.exitCode = failing(failures) > 0 ? 1 : 0
} finally {
  await sim.stop()
  rmSync(directory, { recursive: true, force: true })
}

/** Returns the errors of each failed resource by address. */
async function tryAll(): Promise<Map<string, string[]>> {
  const made = await step('apply', 1)
  if (made.planned.size === 0) throw new Error('Terraform planned no resources: see its errors above.')
  const failures = new Map([...made.planned].map((address) => [address, [] as string[]]))
  const demand = (isAsWished: (address: string) => boolean, otherwise: string) => {
    for (const [address, reasons] of failures) if (!isAsWished(address)) reasons.push(otherwise)
  }
  demand((address) => made.done.has(address), 'was not made')
  const afterMade = await step('plan', 1)
  demand((address) => !afterMade.planned.has(address), 'is not as it was made')
  const changed = await step('apply', 2)
  const mayRest = (address: string) => unchangeable.some((kind) => address.startsWith(kind))
  demand((address) => mayRest(address) || changed.done.has(address), 'was not changed')
  const afterChanged = await step('plan', 2)
  demand((address) => !afterChanged.planned.has(address), 'is not as it was changed')
  const removed = await step('destroy', 2)
  demand((address) => removed.done.has(address), 'was not removed')
  for (const [address, reasons] of failures) {
    console.log(reasons.length === 0 ? `ok      ${address}` : `FAILED  ${address} ${reasons.join(', ')}`)
  }
  return failures
}

function failing(failures: ReadonlyMap<string, string[]>): number {
  return [...failures.values()].filter((reasons) => reasons.length > 0).length
}

async function step(command: 'apply' | 'plan' | 'destroy', number: 1 | 2) {
  const began = Date.now()
  const approved = command === 'plan' ? [] : ['-auto-approve']
  const settings = [`-var=step=${number}`, `-var=endpoint=${sim.url}`, parallelism]
  const told = await terraform(command, '-json', ...approved, ...settings)
  console.log(`        ${command} of step ${number}: ${Math.round((Date.now() - began) / 1000)} s`)
  const done = told.flatMap(({ type, hook }) => (type === 'apply_complete' && hook ? [hook.resource.addr] : []))
  const planned = told.flatMap(({ type, change }) =>
    type === 'planned_change' && change ? [change.resource.addr] : [],
  )
  return { done: new Set(done), planned: new Set(planned) }
}

/** Runs Terraform and returns its messages. Prints errors, but the messages determine the result. */
async function terraform(command: string, ...options: string[]): Promise<TerraformMessage[]> {
  const env = { ...process.env, CHECKPOINT_DISABLE: '1', TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1' }
  const child = spawn('terraform', [command, '-no-color', ...options], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = (await text(child.stdout)).split('\n').filter((line) => line.startsWith('{'))
  const told = lines.map((line): TerraformMessage => JSON.parse(line))
  for (const { '@level': level, '@message': message } of told) if (level === 'error') console.log(`        ${message}`)
  return told
}
