import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@sluice/server/testing/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { emptyDirectory, preparedDirectory, run, runToCompletion } from '../../testing/command-line.ts'
import type { Finding } from './finding.ts'

async function doctor(cwd: string, env: Record<string, string> = {}) {
  const { code, stdout } = await runToCompletion(cwd, ['doctor', '--json'], env)
  const { checks } = JSON.parse(stdout) as { checks: Finding[] }
  return { code, of: (check: string) => checks.find((one) => one.check === check), checks }
}

test('before the first start there is no problem, and nothing is created', async () => {
  const cwd = await emptyDirectory()
  const { code, of } = await doctor(cwd, { PORT: String(await freePort()) })
  expect(of('database')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('first start') })
  expect(of('engine')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('restate-server') })
  expect(of('port')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('is free') })
  expect(of('cloud credentials')).toMatchObject({ verdict: 'warning', says: expect.stringContaining('AWS_PROFILE') })
  expect(code).toBe(0)
  expect(await readdir(cwd)).toEqual([])
})

test('the text format contains the remedies', async () => {
  const { code, stdout } = await runToCompletion(await emptyDirectory(), ['doctor'], { PATH: '/nowhere' })
  expect(stdout).toMatch(/^! git +git is not installed.*\n +→ Install git/m)
  expect(stdout).toMatch(/\d+ ok, \d+ warnings, \d+ problems\n$/)
  expect(code).toBe(0)
})

test('every invalid setting is reported', async () => {
  const { code, checks } = await doctor(await emptyDirectory(), { PORT: 'none', SLUICE_ROLES: 'cook' })
  expect(code).toBe(1)
  expect(checks.map(({ says }) => says)).toEqual([
    expect.stringContaining('PORT (environment) is "none"'),
    expect.stringContaining('SLUICE_ROLES (environment) is "cook"'),
  ])
})

test('external services that do not respond are named', async () => {
  const nobody = `127.0.0.1:${await freePort()}`
  const { code, of } = await doctor(await emptyDirectory(), {
    DATABASE_URL: `postgres://sluice@${nobody}/sluice`,
    ENGINE_INGRESS_URL: `http://${nobody}`,
    ENGINE_ADMIN_URL: `http://${nobody}`,
    SLUICE_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    SLUICE_ROLES: 'api',
  })
  expect(code).toBe(1)
  expect(of('database')).toMatchObject({
    verdict: 'problem',
    says: expect.stringContaining(`${nobody} rejected the connection`),
  })
  expect(of('engine')).toMatchObject({ verdict: 'problem', remedy: expect.stringContaining('ENGINE_INGRESS_URL') })
  expect(of('isolation')).toBeUndefined()
})

test('it works beside a running service and after it, with the right key and a wrong one', async () => {
  const cwd = await preparedDirectory()
  const port = String(await freePort())
  const server = run(cwd, ['serve', '--port', port])
  await untilPasses(() => expect(server.output.text).toContain('Sluice is ready'))

  const beside = await doctor(cwd, { PORT: port })
  expect(beside.of('database')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('in use') })
  expect(beside.of('port')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('is ready') })

  server.child.kill('SIGTERM')
  expect(await server.exitCode).toBe(0)
  const after = await doctor(cwd, { PORT: port })
  expect(after.code).toBe(0)
  expect(after.of('database')).toEqual({ check: 'database', verdict: 'ok', says: 'embedded' })
  expect(after.of('encryption key')).toMatchObject({ verdict: 'ok' })
  expect(after.of('clock')).toMatchObject({ verdict: 'ok' })
  expect(after.of('work')).toMatchObject({ verdict: 'ok', says: 'no record waits for a worker' })
  expect(after.of('notifications')).toMatchObject({ verdict: 'ok' })
  expect(after.of('shared resources')).toMatchObject({ verdict: 'ok' })
  expect(after.of('backup')).toMatchObject({ verdict: 'warning', says: 'no backup was ever reported' })

  expect(await runToCompletion(cwd, ['report-backup'])).toMatchObject({
    code: 0,
    text: expect.stringContaining('Noted'),
  })
  const reported = await doctor(cwd, { PORT: port })
  expect(reported.of('backup')).toMatchObject({ verdict: 'ok', says: expect.stringContaining('the last one ended') })

  const other = await doctor(cwd, { PORT: port, SLUICE_ENCRYPTION_KEYS: randomBytes(32).toString('base64') })
  expect(other.code).toBe(1)
  expect(other.of('encryption key')).toMatchObject({
    verdict: 'problem',
    says: expect.stringContaining('encrypted with another key'),
  })
})

test('beside a service that is not ready, it names the failed checks', async () => {
  const body = {
    code: 'Sluice:Server:NOT_READY',
    message: 'x',
    metadata: { checks: { databaseWrites: 'unavailable' } },
  }
  const server = createServer((_, response) => response.writeHead(503).end(JSON.stringify(body)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { of } = await doctor(await emptyDirectory(), { PORT: String(port) })
  expect(of('port'), 'see readinessAt in ports.ts').toMatchObject({
    verdict: 'warning',
    says: expect.stringMatching(/is not ready: databaseWrites$/),
  })
})

test('an archive that is not writable is a problem, and a writable one is left unchanged', async () => {
  const cwd = await emptyDirectory()
  const [fine, wrong] = [join(cwd, 'archive'), join(cwd, 'a-file', 'archive')]
  await writeFile(join(cwd, 'a-file'), '')
  const port = { PORT: String(await freePort()) }
  const good = await doctor(cwd, { ...port, SLUICE_ARCHIVE_DIR: fine })
  expect(good.of('archive')).toMatchObject({ verdict: 'ok', says: expect.stringContaining(fine) })
  const left = await readdir(fine, { recursive: true, withFileTypes: true })
  expect(left.filter((one) => one.isFile())).toEqual([])
  const bad = await doctor(cwd, { ...port, SLUICE_ARCHIVE_DIR: wrong })
  expect(bad.of('archive')).toMatchObject({
    verdict: 'problem',
    remedy: expect.stringContaining('docs/reference/production.md'),
  })
  expect(bad.code).toBe(1)
})
