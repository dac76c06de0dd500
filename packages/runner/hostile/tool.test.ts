import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import type { Pipelines } from '../../server/src/testing/pipelines.ts'
import { makeMirror } from '../src/iac/mirror.fixture.ts'
import { createToolbox } from '../src/iac/tool.ts'
import { removeFolder } from '../src/remove-folder.ts'
import { type Installation, startInstallation } from './installation.ts'
import { registerTenant, shownBy } from './members.ts'
import { victory, wins } from './reach.ts'
import { missing as withoutSandbox } from './world.ts'

const run = promisify(execFile)
const found = await createToolbox({ path: process.env.PATH ?? '' }).find({ tool: 'iac', version: undefined })
const missing = withoutSandbox ?? ('path' in found ? undefined : 'skipped: terraform')
const mostStateBytes = 1024 ** 2
/** A provider of the operator's mirror that does what it finds in the configuration. */
const provider = { source: 'example.com/acme/evil', version: '1.2.3', script: '#!/bin/sh\nsh ./evil.sh >&2\nexit 1\n' }

/** Archives with a file that would lie elsewhere. */
const archives = ['../../../../../../../slipped', '/var/tmp/slipped', 'a/../../../../../slipped'].map(
  (fileName, n) => ({
    ...{ source: `example.com/acme/archive${n}`, version: '1.0.0', fileName },
  }),
)

/** An archive of a few hundred kilobytes, and what is in it. */
const bomb = { source: 'example.com/acme/bomb', version: '1.0.0', zeros: 300 * 1024 ** 2 }
const mostDiskMiB = 128

let root: string
let installation: Installation
let tenant: Pipelines

beforeAll(async () => {
  if (missing) return
  root = await mkdtemp('/var/tmp/sluice-tool-') // programs have a /tmp of their own, where they may write
  await chmod(root, 0o711)
  const { cliConfig } = await makeMirror(root, provider)
  for (const archive of [...archives, bomb]) await makeMirror(root, archive)
  installation = await startInstallation(root, {
    SLUICE_REGISTRATION: 'open',
    SLUICE_IAC_CLI_CONFIG: cliConfig,
    SLUICE_RUNNER_DISK_MIB: String(mostDiskMiB),
    SLUICE_LIMIT_STORED_STATE_BYTES: String(mostStateBytes),
  })
  tenant = await registerTenant(installation.url, 'Tenant B')
}, 300_000)
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
  if (root) await removeFolder(root)
}, 60_000)

/** Gets at whatever the tool has, and what is beside it. */
function evil(): string[] {
  const { dataDir, pid } = installation
  const runner = join(dataDir, 'runner')
  const asItself = '-s -m 5 -f -o /dev/null -u "sluice:$TF_HTTP_PASSWORD"'
  const asBearer = '-s -m 5 -f -o /dev/null -H "authorization: Bearer $TF_HTTP_PASSWORD"'
  const post = `-X POST -H 'content-type: application/json' -d '{}'`
  const api = '"$(dirname "$(dirname "$TF_HTTP_ADDRESS")")"'
  return [
    wins(`cat ${join(dataDir, 'encryption-key')} || cat /proc/${pid}/environ`),
    wins(`ls -A ${runner}/attempts | grep -v "^$(basename $(dirname $HOME))$" | grep .`),
    wins(`find ${runner}/plugins -type f -writable | grep .`),
    wins(`find ${runner}/repositories -type f | grep .`),
    wins(`curl ${asItself} ${api}/iac-states/wsp_01aaaaaaaaaaaaaaaaaaaaaaaa`),
    wins(`curl ${asBearer} ${api}/auth/whoami`),
    ...['attempt/source-access', 'attempt/cloud-session', 'claim'].map((path) =>
      wins(`curl ${asBearer} ${post} ${api}/runner/${path}`),
    ),
    'cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
    'echo all was tr""ied', // its own text, which a step shows as well, does not say so
  ]
}

/** Takes the lock of the state over, and stores states of a megabyte each. */
const flood = [
  'here() { curl -s -m 20 -o /dev/null -u "sluice:$TF_HTTP_PASSWORD" -H "content-type: application/json" "$@"; }',
  `here -X POST -d '{"ID":"evil"}' "$TF_HTTP_LOCK_ADDRESS"`,
  'for serial in 11 12 13 14 15 16; do',
  `  { printf '{"version":4,"serial":%s,"lineage":"l","outputs":{"a":{"value":"' $serial`,
  `    head -c 600000 /dev/urandom | od -An -v -tx1 | tr -d ' \\n'; printf '"}}}'; } >"$HOME/flood.json"`,
  '  here -X POST --data-binary "@$HOME/flood.json" "$TF_HTTP_ADDRESS?ID=evil"',
  'done',
]

/** Plans and applies a configuration; all that its steps show, and the bytes of all states that are stored. */
async function carriedOut(givenId: string, main: string, script: readonly string[]) {
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
    shown: Object.values(await shownBy(tenant, run.id)).join('\n'),
    stateBytes: states.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
}

function expectInVain(shown: string): void {
  expect(shown).toContain('all was tried')
  expect(shown).not.toContain(victory)
  for (const secret of installation.secrets) expect(shown).not.toContain(secret)
}

describe.skipIf(missing)(`what the iac tool runs for a tenant${missing ? ` [${missing}]` : ''}`, () => {
  test('gets at nothing as a provider', async () => {
    const main = `
      terraform {
        required_providers { evil = { source = "${provider.source}" } }
      }
      resource "evil_one" "a" {}`
    expectInVain((await carriedOut('provider', main, evil())).shown)
  })

  test(
    'writes nothing elsewhere as an archive of a provider',
    everyCase(archives, async ({ source, fileName }) => {
      const [name = ''] = source.split('/').slice(-1)
      const main = `
        terraform {
          required_providers { ${name} = { source = "${source}" } }
        }
        resource "${name}_one" "a" {}`
      const { shown } = await carriedOut(name, main, [])
      expect(shown, fileName).toContain('"status":"ERROR"')
      const written = (await readdir(root, { recursive: true })).filter(
        (path) => path.endsWith('/slipped') && !path.includes('/1.0.0/'), // the folder of the provider itself
      )
      expect(written, fileName).toEqual([])
      expect(existsSync('/var/tmp/slipped'), fileName).toBe(false)
    }),
  )

  test('fills no disk as an archive of a provider that unpacks to too much', async () => {
    const main = `
      terraform {
        required_providers { bomb = { source = "${bomb.source}" } }
      }
      resource "bomb_one" "a" {}`
    const { shown } = await carriedOut('bomb', main, [])
    expect(shown).toContain('file too large')
    const { stdout } = await run('du', ['-sm', join(installation.dataDir, 'runner')])
    expect(Number.parseInt(stdout, 10), shown).toBeLessThan(mostDiskMiB)
  })

  test('gets at nothing as a local-exec, and stores no more states than the organization may', async () => {
    const main = `resource "terraform_data" "a" {
      provisioner "local-exec" { command = "sh ./evil.sh" }
    }`
    const { shown, stateBytes } = await carriedOut('local-exec', main, [...evil(), ...flood])
    expectInVain(shown)
    // Twice the limit as they are stored; two thirds of that is what is in them, in hexadecimal.
    expect(stateBytes).toBeGreaterThan(0)
    expect(stateBytes).toBeLessThanOrEqual(2 * mostStateBytes * 1.5)
  })
})
