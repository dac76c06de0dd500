import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sharedWorld, type World } from '@sluice/server/testing'
import { startIssuer } from '@sluice/server/testing/issuer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDirectory, runToCompletion } from '../../testing/command-line.ts'

const subject = 'repo:acme/web:environment:production'

let world: World
let issuer: Awaited<ReturnType<typeof startIssuer>>
let serviceAccountId: string
beforeAll(async () => {
  ;[world, issuer] = await Promise.all([sharedWorld(), startIssuer()])
  const { client } = await world.organization()
  const account = { data: { name: 'ci', role: 'VIEWER' } }
  serviceAccountId = (await client.done<{ id: string }>('POST', '/service-accounts', account)).id
  const trust = { serviceAccountId, name: 'main', issuer: issuer.url, audience: world.url, subject }
  await client.done('POST', '/service-account-trusts', { data: trust })
})
afterAll(() => issuer?.close())

const whoami = async (env: Record<string, string>) =>
  runToCompletion(await emptyDirectory(), ['api', 'whoami', '--json'], {
    SLUICE_URL: world.url,
    SLUICE_SERVICE_ACCOUNT: serviceAccountId,
    ...env,
  })

test('a job with an ID token in its environment signs in as its service account', async () => {
  const SLUICE_ID_TOKEN = await issuer.sign({ aud: world.url, sub: subject })
  const { code, stdout, text } = await whoami({ SLUICE_ID_TOKEN })
  expect(code, text).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ membershipId: serviceAccountId, identityType: 'ID_TOKEN' })
})

test('a job of GitHub Actions requests an ID token for the URL of the service', async () => {
  const seen: (string | undefined)[] = []
  const actions = createServer(async (request, response) => {
    seen.push(request.headers.authorization)
    const audience = new URL(request.url ?? '', 'http://localhost').searchParams.get('audience') ?? ''
    response.end(JSON.stringify({ value: await issuer.sign({ aud: audience, sub: subject }) }))
  })
  await new Promise<void>((resolve) => actions.listen(0, '127.0.0.1', resolve))
  const { port } = actions.address() as AddressInfo
  const { code, text } = await whoami({
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
  })
  actions.close()
  expect(code, text).toBe(0)
  expect(seen).toEqual(['Bearer of-the-job'])
})

test('a job without a token gets an explanation', async () => {
  const { code, text } = await whoami({})
  expect([code, text]).toEqual([2, expect.stringContaining('SLUICE_ID_TOKEN')])
})
