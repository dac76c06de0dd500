import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { createMirror } from '../src/iac/mirror.fixture.ts'
import { createToolbox } from '../src/iac/tool.ts'
import { removeFolder } from '../src/remove-folder.ts'
import { printVictoryIf, victory } from './attacks.ts'
import { skipReason as withoutSandbox } from './environment.ts'
import { type Installation, startInstallation } from './installation.ts'
import { readRunOutput, registerTenant } from './organizations.ts'

const run = promisify(execFile)
const found = await createToolbox({ path: process.env.PATH ?? '' }).find({ tool: 'iac', version: undefined })
const missing = withoutSandbox ?? ('path' in found ? undefined : 'skipped: terraform')
const maxStateBytes = 1024 ** 2
/** A provider of the operator's mirror that runs a script of the configuration. */
const provider = { source: 'example.com/acme/evil', version: '1.2.3', script: '#!/bin/sh\nsh ./evil.sh >&2\nexit 1\n' }

/** Archives with a file that would be extracted to another folder. */
const archives = ['../../../../../../../slipped', '/var/tmp/slipped', 'a/../../../../../slipped'].map(
  (fileName, n) => ({
    source: `example.com/acme/archive${n}`,
    version: '1.0.0',
    fileName,
  }),
)

/** An archive of a few hundred kilobytes that unpacks to 300 MiB. */
const bomb = { source: 'example.com/acme/bomb', version: '1.0.0', zeros: 300 * 1024 ** 2 }
const maxDiskMiB = 128

let root: string
let installation: Installation
let tenant: Pipelines

beforeAll(async () => {
  if (missing) return
  root = await mkdtemp('/var/tmp/sluice-tool-') // programs have their own writable /tmp
  await chmod(root, 0o711)
  const { cliConfig } = await createMirror(root, provider)
  for (const archive of [...archives, bomb]) await createMirror(root, archive)
  installation = await startInstallation(root, {
    SLUICE_REGISTRATION: 'open',
    SLUICE_IAC_CLI_CONFIG: cliConfig,
    SLUICE_RUNNER_DISK_MIB: String(maxDiskMiB),
    SLUICE_LIMIT_STORED_STATE_BYTES: String(maxStateBytes),
  })
  tenant = await registerTenant(installation.url, 'Tenant B')
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  if (root) await removeFolder(root)
}, 60_000)

/** Returns a script that tries to access everything near the tool. */
function evil(): string[] {
  const { dataDir, pid } = installation
  const runner = join(dataDir, 'runner')
  const asItself = '-s -m 5 -f -o /dev/null -u "sluice:$TF_HTTP_PASSWORD"'
  const asBearer = '-s -m 5 -f -o /dev/null -H "authorization: Bearer $TF_HTTP_PASSWORD"'
  const post = `-X POST -H 'content-type: application/json' -d '{}'`
  const api = '"$(dirname "$(dirname "$TF_HTTP_ADDRESS")")"'
  return [
    printVictoryIf(`cat ${join(dataDir, 'encryption-key')} || cat /proc/${pid}/environ`),
    printVictoryIf(`ls -A ${runner}/attempts | grep -v "^$(basename $(dirname $HOME))$" | grep .`),
    printVictoryIf(`find ${runner}/plugins -type f -writable | grep .`),
    printVictoryIf(`find ${runner}/repositories -type f | grep .`),
    printVictoryIf(`curl ${asItself} ${api}/iac-states/wsp_01aaaaaaaaaaaaaaaaaaaaaaaa`),
    printVictoryIf(`curl ${asBearer} ${api}/auth/whoami`),
    ...['attempt/source-access', 'attempt/cloud-session', 'claim'].map((path) =>
      printVictoryIf(`curl ${asBearer} ${post} ${api}/runner/${path}`),
    ),
    'cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
    'echo all was tr""ied', // differs from the text of the script, which a step shows too
  ]
}

/** Takes over the lock of the state and stores states of about a megabyte. */
const flood = [
  'here() { curl -s -m 20 -o /dev/null -u "sluice:$TF_HTTP_PASSWORD" -H "content-type: application/json" "$@"; }',
  `here -X POST -d '{"ID":"evil"}' "$TF_HTTP_LOCK_ADDRESS"`,
  'for serial in 11 12 13 14 15 16; do',
  `  { printf '{"version":4,"serial":%s,"lineage":"l","outputs":{"a":{"value":"' $serial`,
  `    head -c 600000 /dev/urandom | od -An -v -tx1 | tr -d ' \\n'; printf '"}}}'; } >"$HOME/flood.json"`,
  '  here -X POST --data-binary "@$HOME/flood.json" "$TF_HTTP_ADDRESS?ID=evil"',
  'done',
]

/** Plans and applies a configuration. Returns everything that its steps show and the size of all stored states. */
async function executeSteps(givenId: string, main: string, script: readonly string[]) {
  const { client, projectId } = tenant
  const stack = { projectId, givenId, name: 'Evil' }
  const { id } = await client.done<{ id: string }>('POST', '/stacks', { data: stack })
  const source = { files: { 'main.tf': main, 'evil.sh': script.join('\n') } }
  const given = { stack: givenId, source, environment_variables: { TF_LOG: 'DEBUG' } }
  const run = await tenant.run([
    { id: 'plan', type: 'iac:plan', with: given },
    { id: 'apply', type: 'iac:apply' },
  ])
  await tenant.untilOver(run.id, 200_000)
  const [workspace] = await client.done<{ id: string }[]>('GET', `/stack-workspaces?stackId=${id}`)
  const states = await client.done<{ sizeBytes: number }[]>('GET', `/stack-workspaces/${workspace?.id}/states`)
  return {
    shown: Object.values(await readRunOutput(tenant, run.id)).join('\n'),
    stateBytes: states.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
}

function expectAttackFailed(shown: string): void {
  expect(shown).toContain('all was tried')
  expect(shown).not.toContain(victory)
  for (const secret of installation.secrets) expect(shown).not.toContain(secret)
}

describe.skipIf(missing)(`hostile code in the iac tool${missing ? ` [${missing}]` : ''}`, () => {
  test('cannot access anything as a provider', async () => {
    const main = `
      terraform {
        required_providers { evil = { source = "${provider.source}" } }
      }
      resource "evil_one" "a" {}`
    expectAttackFailed((await executeSteps('provider', main, evil())).shown)
  })

  test(
    'cannot write to other folders as the archive of a provider',
    everyCase(archives, async ({ source, fileName }) => {
      const [name = ''] = source.split('/').slice(-1)
      const main = `
        terraform {
          required_providers { ${name} = { source = "${source}" } }
        }
        resource "${name}_one" "a" {}`
      const { shown } = await executeSteps(name, main, [])
      expect(shown, fileName).toContain('"status":"ERROR"')
      const written = (await readdir(root, { recursive: true })).filter(
        (path) => path.endsWith('/slipped') && !path.includes('/1.0.0/'), // the folder of the provider itself
      )
      expect(written, fileName).toEqual([])
      expect(existsSync('/var/tmp/slipped'), fileName).toBe(false)
    }),
  )

  test('cannot fill the disk as the archive of a provider', async () => {
    const main = `
      terraform {
        required_providers { bomb = { source = "${bomb.source}" } }
      }
      resource "bomb_one" "a" {}`
    const { shown } = await executeSteps('bomb', main, [])
    expect(shown).toContain('file too large')
    const { stdout } = await run('du', ['-sm', join(installation.dataDir, 'runner')])
    expect(Number.parseInt(stdout, 10), shown).toBeLessThan(maxDiskMiB)
  })

  test('cannot access anything as a local-exec or store more states than the quota', async () => {
    const main = `resource "terraform_data" "a" {
      provisioner "local-exec" { command = "sh ./evil.sh" }
    }`
    const { shown, stateBytes } = await executeSteps('local-exec', main, [...evil(), ...flood])
    expectAttackFailed(shown)
    // The limit applies to stored bytes, and the states are hexadecimal, so that twice the limit and a margin are
    // possible.
    expect(stateBytes).toBeGreaterThan(0)
    expect(stateBytes).toBeLessThanOrEqual(2 * maxStateBytes * 1.5)
  })
})
