import { readlinkSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { createToolbox } from '../src/iac/tool.ts'
import { printVictoryIf, printVictoryIfConnected, victory } from './attacks.ts'
import { listCommandLines } from './command-lines.ts'
import { skipReason } from './environment.ts'
import { type Installation, inheritedFile, startInstallation } from './installation.ts'
import { readRunOutput, registerTenant } from './organizations.ts'
import { waitUntil } from './tenant.ts'

const found = await createToolbox({ path: process.env.PATH ?? '' }).find({ tool: 'iac', version: undefined })
const hasTool = 'path' in found
/** A secret of tenant A's steps. */
const neighboursSecret = 'hostile-secret-of-tenant-a'

let root: string
let installation: Installation
let tenantA: Pipelines
let tenantB: Pipelines
/** The run of tenant A that continues during the attacks. */
let working: string

beforeAll(async () => {
  if (skipReason) return
  root = await mkdtemp('/var/tmp/sluice-product-') // programs have their own writable /tmp
  await chmod(root, 0o711)
  installation = await startInstallation(root, { SLUICE_REGISTRATION: 'open', SLUICE_RUNNER_CAPACITY: '4' })
  tenantA = await registerTenant(installation.url, 'Tenant A')
  tenantB = await registerTenant(installation.url, 'Tenant B')
  const heartbeat = { shell: 'echo "$OWN" >own; while :; do cat own >/dev/null && echo beat; sleep 0.2; done' }
  const step = { ...heartbeat, environment_variables: { OWN: neighboursSecret } }
  working = (await tenantA.run([{ id: 'work', type: 'command', with: step }])).id
  await waitUntil('tenant A to work', async () => (await beats()) > 0)
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  if (root) await rm(root, { recursive: true, force: true })
}, 60_000)

const beats = async () => ((await readRunOutput(tenantA, working)).work ?? '').split('beat\n').length - 1

/** As many steps as the runner executes concurrently, each with 20,000 nested objects in 140 KB. */
const nestedOutputs = ['one', 'two', 'three', 'four'].map((id) => `nested-${id}`)
const nestedOutput = `perl -e 'print q({"a":) x 20000, 1, "}" x 20000' >"$SLUICE_OUTPUT"`

/** Skips a command in the machine's network, where ports of the service are open to programs: see networks.test.ts. */
const inOwnNetwork = (command: string) =>
  `[ "$(readlink /proc/self/ns/net)" = '${readlinkSync('/proc/self/ns/net')}' ] || { ${command}; }`

/** Returns the attacks of tenant B, each a step of a pipeline. A step continues after each rejection. */
function attacks(): Record<string, object> {
  const { dataDir, pid, internalPorts, sockets, url } = installation
  const key = join(dataDir, 'encryption-key')
  const runner = join(dataDir, 'runner')
  /** Must not start outside of a sandbox. */
  const guard = 'grep -q bwrap /proc/1/cmdline || exit 99'
  const shell = (lines: string[]) => ({ type: 'command', with: { shell: [guard, ...lines, 'echo tried'].join('\n') } })
  return {
    'the-key': shell([
      printVictoryIf(`cat ${key}`),
      'find / -name encryption-key -exec cat {} +',
      printVictoryIf(`ls -A ${dataDir} | grep -v '^runner$' | grep .`),
    ]),
    environments: shell([
      printVictoryIf(`cat /proc/${pid}/environ`),
      'cat /proc/[0-9]*/environ /proc/$PPID/environ | tr "\\0" "\\n"',
    ]),
    'the-runner': shell([
      printVictoryIf(`ls -A ${runner} | grep -v '^attempts$' | grep .`),
      printVictoryIf(`ls -A ${runner}/attempts | grep -v "^$(basename $(dirname $HOME))$" | grep .`),
      printVictoryIf(`cat ${runner}/attempts/*/files/own`),
      ...['notes', 'programs', 'own.log', 'apart'].map((name) => printVictoryIf(`ls ../${name}`)),
    ]),
    'the-engine': shell([
      ...sockets.map((socket) => printVictoryIf(`curl -s -o /dev/null -m 5 --unix-socket ${socket} http://engine/`)),
      'for s in $(find / -type s); do echo "<WO""N> $s"; done',
      inOwnNetwork(
        printVictoryIfConnected(
          ['127.0.0.1', '198.18.73.2'].flatMap((address) => internalPorts.map((port) => `${address}:${port}`)),
        ),
      ),
    ]),
    'the-api': shell([
      `for a in ${new URL(url).host} 198.18.73.2:${new URL(url).port}; do`,
      '  for p in /organizations /runner/claim /runner/hello; do',
      `    curl -s -m 5 -X POST -H 'content-type: application/json' -d '{}' "http://$a$p" | grep -q '"data"\\|heartbeatMs' && echo "<WO""N> $p"`,
      '  done',
      'done',
    ]),
    signals: shell([printVictoryIf(`kill -9 ${pid}`), 'kill -9 -1']),
    'the-cache': shell([
      printVictoryIf(`mkdir -p ${runner}/plugins/x/y`),
      printVictoryIf(`echo evil >${runner}/plugins/evil`),
      printVictoryIf(`ls ${runner}/plugins`),
    ]),
    'a-link-as-output': shell([`ln -sf ${key} "$SLUICE_OUTPUT"`]),
    'open-files': shell([
      ...[...Array(10).keys(), inheritedFile]
        .filter((file) => file > 2)
        .map((file) => printVictoryIf(`[ -e /proc/$$/fd/${file} ]`)),
      `cat /proc/$$/fd/${inheritedFile}`,
    ]),
    ...Object.fromEntries(nestedOutputs.map((id) => [id, { type: 'command', with: { shell: nestedOutput } }])),
    'a-daemon': shell([
      '(setsid nohup sh -c "while :; do cat /proc/*/environ; sleep 29.7531; done" >/dev/null 2>&1 &)',
    ]),
    processes: shell([`timeout 3 sh -c 'ulimit -p 100; bomb() { bomb | bomb & wait; }; bomb' 2>&1 | head -3`]),
    ...(hasTool && {
      'the-tool': {
        type: 'iac:plan',
        with: {
          stack: 'attack',
          source: { files: { 'main.tf': `output "key" { value = file(${JSON.stringify(key)}) }\n` } },
        },
      },
    }),
  }
}

describe.skipIf(skipReason)(`hostile steps of a tenant${skipReason ? ` [${skipReason}]` : ''}`, () => {
  test('cannot access the installation, its runner or another tenant, whose work continues', async () => {
    const { client, projectId } = tenantB
    if (hasTool) await client.done('POST', '/stacks', { data: { projectId, givenId: 'attack', name: 'Attack' } })
    const steps = Object.entries(attacks()).map(([id, step]) => ({ id, needs: [], on_failure: 'continue', ...step }))
    const run = await tenantB.run(steps)
    await tenantB.untilOver(run.id, 200_000)
    const shown = await readRunOutput(tenantB, run.id)
    for (const [id, text] of Object.entries(shown)) {
      expect(text, id).not.toContain(victory)
      for (const secret of [...installation.secrets, neighboursSecret]) expect(text, id).not.toContain(secret)
    }
    for (const id of ['the-key', 'environments', 'the-runner', 'the-engine', 'the-api', 'the-cache', 'open-files']) {
      expect(shown[id], id).toContain('\ntried\n')
    }
    expect((await tenantB.step(run.id, 'a-link-as-output')).error?.code).toBe(
      'Sluice:PipelineRuns:COMMAND_OUTPUT_INVALID',
    )
    for (const id of nestedOutputs) {
      expect(await tenantB.step(run.id, id), id).toMatchObject({
        status: 'SUCCESS',
        statusDetail: { omittedValues: [{ reason: 'expected at most 64 levels of nesting' }] },
      })
    }
    if (hasTool) expect((await tenantB.step(run.id, 'the-tool')).status).toBe('ERROR')
    await waitUntil('its daemons to exit', async () =>
      (await listCommandLines()).every((line) => !line.includes('29.7531')),
    )
    expect(await readdir(join(installation.dataDir, 'runner/plugins')).catch(() => [])).not.toContain('evil')

    const before = await beats()
    await waitUntil('tenant A to continue', async () => (await beats()) > before)
    expect(await installation.isHealthy()).toBe(true)
    const next = await tenantA.run([{ id: 'next', type: 'command', with: { argv: ['true'] } }])
    expect(await tenantA.untilOver(next.id)).toMatchObject({ status: 'SUCCESS' })
    await tenantA.cancel(working)
    expect(await tenantA.untilOver(working)).toMatchObject({ status: 'CANCELLED' })
  })
})

test.skipIf(skipReason)(
  'without a sandbox, steps of an installation with several organizations fail and say what to install',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sluice-bare-'))
    const env = { SLUICE_REGISTRATION: 'open', SLUICE_RUNNER_ISOLATION: 'none' }
    await using bare = await startInstallation(directory, env)
    const tenant = await registerTenant(bare.url, 'Tenant C')
    const mark = join(directory, 'ran')
    await writeFile(mark, 'not yet')
    const run = await tenant.run([{ id: 'bare', type: 'command', with: { shell: `echo ran >${mark}` } }])
    expect(await tenant.untilOver(run.id)).toMatchObject({ status: 'ERROR' })
    expect((await tenant.step(run.id, 'bare')).error).toMatchObject({
      code: 'Sluice:PipelineRuns:PROGRAMS_NOT_ISOLATED',
      message: expect.stringContaining('Install bubblewrap'),
    })
    expect(await readFile(mark, 'utf8')).toBe('not yet')
    await rm(directory, { recursive: true, force: true })
  },
)
