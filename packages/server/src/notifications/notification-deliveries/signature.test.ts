import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { newSecret, signedHeaders } from './signature.ts'

/** Example with which the Standard Webhooks libraries are tested. */
const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('a request is signed according to Standard Webhooks', () => {
  expect(signedHeaders([published.secret], published.message)).toEqual({
    'webhook-id': published.message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': published.signature,
  })
})

type Case = { headers: Record<string, string>; body: string; now: number; isGood: boolean }

/** Requests that a receiver with the second of two secrets must accept or reject. */
function cases(secret: string): Case[] {
  const at = new Date(1_800_000_000_000)
  const body = JSON.stringify({ type: 'channel.test', data: { message: 'grüße 🙂' } })
  const headers = signedHeaders([newSecret(), secret], { id: 'ndl_1', at, body })
  const good = { headers, body, now: at.getTime() + 1_000, isGood: true }
  const signed = signedHeaders([newSecret()], { id: 'ndl_1', at, body })
  return [
    good,
    { ...good, body: `${body} `, isGood: false },
    { ...good, headers: signed, isGood: false },
    { ...good, headers: { ...headers, 'webhook-id': 'ndl_2' }, isGood: false },
    { ...good, now: at.getTime() + 301_000, isGood: false },
  ]
}

async function documented(language: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../../../../docs/reference/notifications.md'), 'utf8')
  const [, code] = new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(text) ?? []
  if (code === undefined) throw new Error(`docs/reference/notifications.md has no code in ${language}`)
  return code
}

async function fileOf(name: string, code: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-signature-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await writeFile(join(directory, name), code)
  return join(directory, name)
}

test('the documented TypeScript code verifies requests', async () => {
  const { isFromSluice } = await import(/* @vite-ignore */ await fileOf('check.ts', await documented('ts')))
  const secret = newSecret()
  const told = cases(secret).map(({ headers, body, now }) => isFromSluice(secret, headers, body, now))
  expect(told).toEqual(cases(secret).map(({ isGood }) => isGood))
})

test('the documented Python code verifies requests', async ({ skip }) => {
  const run = promisify(execFile)
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  )
  skip(!hasPython, 'skipped: python3')
  const secret = newSecret()
  const all = cases(secret)
  const asking = `
import json, sys
for one in json.loads(sys.argv[1]):
    print(json.dumps(is_from_sluice(sys.argv[2], one["headers"], one["body"], one["now"] / 1000)))
`
  const file = await fileOf('check.py', `${await documented('python')}\n${asking}`)
  const { stdout } = await run('python3', [file, JSON.stringify(all), secret])
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(all.map(({ isGood }) => isGood))
})
