import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../testing/every-case.ts'
import { readWebhookOfA } from '../../git/adapter/githosta-webhooks.ts'
import { startHttpWorld } from '../../testing/http-world.ts'

/** The host's published examples of all events, by event name. */
const examples: { name: string; examples: object[] }[] = createRequire(import.meta.url)(
  '@octokit/webhooks-examples/api.github.com/index.json',
)
const secret = 'the secret of the webhook'
const git = {
  SLUICE_GITHUB_URL: 'http://127.0.0.1:9',
  SLUICE_GITHUB_APP_ID: '1',
  SLUICE_GITHUB_CLIENT_ID: 'Iv1.x',
  SLUICE_GITHUB_CLIENT_SECRET: 'x',
  SLUICE_GITHUB_WEBHOOK_SECRET: secret,
}

let world: Awaited<ReturnType<typeof startHttpWorld>>
beforeAll(async () => {
  const { privateKey } = await import('node:crypto').then(({ generateKeyPairSync }) =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  )
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  world = await startHttpWorld(() => {}, { git: { ...git, SLUICE_GITHUB_PRIVATE_KEY: key } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const forms = {
  JSON: { type: 'application/json', written: (payload: object) => JSON.stringify(payload) },
  'a form': {
    type: 'application/x-www-form-urlencoded',
    written: (payload: object) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
  },
}

async function deliver(name: string, payload: object, as: keyof typeof forms, signedWith = secret): Promise<number> {
  const { type, written } = forms[as]
  const body = written(payload)
  const { status } = await fetch(`${world.url}/webhooks/githosta`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'x-github-event': name,
      'x-github-delivery': crypto.randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', signedWith).update(body).digest('hex')}`,
    },
    body,
  })
  return status
}

describe.each(['JSON', 'a form'] as const)('as %s', (as) => {
  test(
    'every example of the Git host is accepted',
    everyCase(examples, async ({ name, examples: payloads }) => {
      expect(payloads.length).toBeGreaterThan(0)
      for (const payload of payloads) expect(await deliver(name, payload, as)).toBe(202)
    }),
  )

  test('an example with another signature is rejected', async () => {
    expect(await deliver('push', {}, as, 'another secret')).toBe(401)
  })
})

test('a form without a payload is rejected', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status } = await fetch(`${world.url}/webhooks/githosta`, { method: 'POST', headers, body: 'payload=' })
  expect(status).toBe(400)
})

test('the relevant fields of the examples are parsed', () => {
  const read = (name: string) =>
    (examples.find((one) => one.name === name)?.examples ?? []).map((payload) => readWebhookOfA(name, payload))
  expect(read('pull_request').every(([event]) => event?.kind === 'pull-request')).toBe(true)
  expect(read('push').flat().length).toBeGreaterThan(0)
  expect(read('installation').every(([event]) => event?.kind === 'access')).toBe(true)
  expect(read('installation_repositories').every((events) => events.length > 0)).toBe(true)
})
