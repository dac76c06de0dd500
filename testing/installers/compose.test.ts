import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@sluice/client'
import type { RunningSim } from '@sluice/cloud-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilPasses } from '../until-passes.ts'
import { Composition } from './composition.ts'
import { createRunnerPool, prepareRelease, release, runCommandStep } from './first-release.ts'
import {
  cloudSettings,
  installerImages,
  serviceName,
  snapshotSettings,
  startCloud,
  trustCertificate,
  work,
} from './setup.ts'

// Installs deploy/compose as its first lines and docs/reference/production.md describe, from an empty machine to the
// first release. On failure, see the container's log below INSTALLERS_WORK/compose, with containers and volumes.

const directory = join(work, 'compose', 'deploy')
const baseUrl = `https://${serviceName}`

let composition: Composition
let cloud: RunningSim
let token: string
let moduleInstanceId: string

beforeAll(async () => {
  cpSync(new URL('../../deploy/compose', import.meta.url).pathname, directory, { recursive: true })
  prepare()
  trustCertificate(readFileSync(join(directory, 'secrets/tls.crt'), 'utf8'))
  cloud = await startCloud('compose')
  composition = await Composition.read({ directory, work: join(work, 'compose'), images: await installerImages() })
  // Without an instance role, cloud credentials are in aws.env.
  writeFileSync(join(directory, 'aws.env'), linesOf(cloudSettings(composition.gatewayOf('outer'), cloud)))
  writeFileSync(
    join(directory, 'engine.env'),
    linesOf(await snapshotSettings(composition.gatewayOf('snapshots'), cloud)),
  )
})
afterAll(() => cloud?.stop())

/** Runs `deploy/compose/prepare` with a substitute for docker. */
function prepare(): void {
  const bin = join(work, 'bin')
  mkdirSync(bin, { recursive: true })
  const program = new URL('./docker.ts', import.meta.url).pathname
  writeFileSync(join(bin, 'docker'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  execFileSync(join(directory, 'prepare'), [serviceName], { env, stdio: ['ignore', 'inherit', 'inherit'] })
}

const linesOf = (settings: Record<string, string>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

test('the composition starts, and every health check passes', async () => {
  await composition.up()
  expect(await composition.unexpectedEnds()).toEqual([])
})

test('the doctor finds no problem in it', async () => {
  expect(await composition.run('api', 'doctor')).toMatch(/ 0 problems$/m)
})

test('its first owner signs in and makes the first release through nginx', async () => {
  token = ((await composition.run('api', 'owner-token')).match(/slc_\S+/) ?? [''])[0]
  const client = createClient({ baseUrl, token })
  const password = 'correct horse battery staple'
  await client.updateMe({ body: { data: { password: { new: password } } } })
  const signedIn = await createClient({ baseUrl }).login({ body: { data: { email: 'owner@localhost', password } } })
  expect(signedIn.data).toMatchObject({ email: 'owner@localhost' })
  moduleInstanceId = await prepareRelease(client, cloud.url)
  expect(await release(client, moduleInstanceId, 'shop/hello:2')).toBe('SUCCESS')
})

test('its runners join a pool with a token and run a step', async () => {
  const client = createClient({ baseUrl, token })
  const environment = join(directory, '.env')
  const runnerToken = await createRunnerPool(client)
  writeFileSync(environment, `${readFileSync(environment, 'utf8')}SLUICE_RUNNER_TOKEN=${runnerToken}\n`)
  await composition.up({ profiles: ['runners'] })
  const { status, log } = await runCommandStep(client)
  expect(log).toContain('hello from')
  expect(status).toBe('SUCCESS')
})

test('an engine node that lost its disk is replaced as documented and restored from snapshots', async () => {
  const run = (words: string[]) => composition.execute('engine-1', ...words)
  const nodes = await run(['restatectl', 'status'])
  const [, id = ''] = /^ *N(\d+)\S* +engine-3 /m.exec(nodes) ?? expect.fail(`there is no engine-3 in\n${nodes}`)
  await composition.lose('engine-3')
  const commands = commandsForLostNode(id)
  for (const words of commands.slice(0, -2)) await run(words)
  await untilPasses(async () => {
    for (const words of commands.slice(-2)) await run(words)
  })
  await composition.up()
  const [node] = composition.containersOf('engine-3')
  await untilPasses(async () => expect(await node?.log(5_000)).toContain('Found partition snapshot, restoring it'))
  const client = createClient({ baseUrl, token })
  expect(await release(client, moduleInstanceId, 'shop/hello:3')).toBe('SUCCESS')
})

/** Returns the documented commands for a lost engine node with this id. */
function commandsForLostNode(id: string): string[][] {
  const page = readFileSync(new URL('../../docs/reference/production.md', import.meta.url), 'utf8')
  const [section = ''] = /^### Replace an engine node whose disk is lost$.*?^## /ms.exec(page) ?? []
  const commands = [...section.matchAll(/^restatectl [^#\n]+/gm)].map(([line]) => line.trim().split(/ +/))
  expect(commands.length, 'commands of the section in docs/reference/production.md').toBeGreaterThan(4)
  return commands.map((words) => words.map((word) => (word === '3' ? id : word)))
}

test('it stops properly', async () => {
  expect(await composition.unexpectedEnds()).toEqual([])
  expect(await composition.down()).toEqual([])
})
