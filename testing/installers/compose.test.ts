import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@sluice/client'
import type { RunningSim } from '@sluice/cloud-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Composition } from './composition.ts'
import { createRunnerPool, makeFirstRelease, runCommandStep } from './first-release.ts'
import { cloudSettings, installerImages, serviceName, startCloud, trustCertificate, work } from './setup.ts'

// deploy/compose as its first lines and docs/production.md say, from an empty machine to the first release. A failure shows the
// log of the container; containers, their logs and their volumes lie below INSTALLERS_WORK/compose.

const directory = join(work, 'compose', 'deploy')
const baseUrl = `https://${serviceName}`

let composition: Composition
let cloud: RunningSim
let token: string

beforeAll(async () => {
  cpSync(new URL('../../deploy/compose', import.meta.url).pathname, directory, { recursive: true })
  prepare()
  trustCertificate(readFileSync(join(directory, 'secrets/tls.crt'), 'utf8'))
  cloud = await startCloud('compose')
  composition = await Composition.read({ directory, work: join(work, 'compose'), images: await installerImages() })
  // Credentials of the cloud go to aws.env, where the machine has no role.
  writeFileSync(join(directory, 'aws.env'), linesOf(cloudSettings(await composition.gatewayOf('outer'), cloud)))
})
afterAll(() => cloud?.stop())

/** Runs `deploy/compose/prepare` beside a program in the place of docker. */
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

test('the doctor finds nothing wrong in it', async () => {
  expect(await composition.run('api', 'doctor')).not.toMatch(/problem/)
})

test('its first owner signs in, and makes the first release through nginx', async () => {
  token = ((await composition.run('api', 'owner-token')).match(/slc_\w+/) ?? [''])[0]
  const client = createClient({ baseUrl, token })
  const password = 'correct horse battery staple'
  await client.updateMe({ body: { data: { password: { new: password } } } })
  const signedIn = await createClient({ baseUrl }).login({ body: { data: { email: 'owner@localhost', password } } })
  expect(signedIn.data).toMatchObject({ email: 'owner@localhost' })
  expect(await makeFirstRelease(client, cloud.url)).toBe('SUCCESS')
})

test('its runners join a pool with a token, and run a step', async () => {
  const client = createClient({ baseUrl, token })
  const environment = join(directory, '.env')
  const runnerToken = await createRunnerPool(client)
  writeFileSync(environment, `${readFileSync(environment, 'utf8')}SLUICE_RUNNER_TOKEN=${runnerToken}\n`)
  await composition.up('runners')
  const { status, log } = await runCommandStep(client)
  expect(log).toContain('hello from')
  expect(status).toBe('SUCCESS')
})

test('it stops in good order', async () => {
  expect(await composition.unexpectedEnds()).toEqual([])
  expect(await composition.down()).toEqual([])
})
