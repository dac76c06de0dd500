import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import type { Pipelines } from '../../../testing/pipelines.ts'
import { startStubServer } from '../../../testing/stub-server.ts'
import { sharedWorld } from '../../../testing/world.ts'

type Answered = { headers?: Record<string, string>; text: string | Buffer }
type Expected = { body?: unknown; omitted: string[] }

let pipelines: Pipelines
let server: Awaited<ReturnType<typeof startStubServer>>
const answers = new Map<string, Answered>()

beforeAll(async () => {
  server = await startStubServer(({ path }) => answers.get(path) ?? {})
  pipelines = (await (await sharedWorld()).organization()).pipelines
})
afterAll(() => server?.[Symbol.asyncDispose]())

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const text = 'expected text without NUL characters or lone surrogates'

test(
  'a request is sent once regardless of its response: the step succeeds, and names the omitted values',
  everyCase<[string, Answered, Expected]>(
    [
      ['NUL', { text: '{"a":"x\\u0000","b":1}' }, { body: { b: 1 }, omitted: [`output.body.a: ${text}`] }],
      [
        'half-a-character',
        { text: '{"a":["\\ud800"]}' },
        { body: { a: [null] }, omitted: [`output.body.a[0]: ${text}`] },
      ],
      [
        'proto',
        { text: '{"__proto__":{"a":1},"b":1}' },
        { body: { b: 1 }, omitted: ['output.body.__proto__: expected a name other than __proto__'] },
      ],
      [
        'twice',
        { text: '{"a":1,"a":2}' },
        { body: { a: 2 }, omitted: ['output.body.a: expected once; the last value is stored'] },
      ],
      [
        'numbers',
        { text: '[12345678901234567890,1e400,0.5]' },
        { body: ['12345678901234567890', '1e400', 0.5], omitted: [] },
      ],
      ['zero-byte', { text: 'a\0b', headers: { 'content-type': 'text/plain' } }, { omitted: [`output.body: ${text}`] }],
      ['zero-byte-json', { text: '{"a":"\0"}' }, { omitted: [`output.body: ${text}`] }],
      [
        'gzip',
        { text: gzipSync('{"a":1}'), headers: { 'content-encoding': 'gzip' } },
        { omitted: ['output.body: expected text in UTF-8, got gzip'] },
      ],
      [
        'image',
        { text: Buffer.from([0x89, 0x50, 0xff]), headers: { 'content-type': 'image/png' } },
        { omitted: ['output.body: expected text in UTF-8, got image/png'] },
      ],
      ['deep', { text: nested(5_000) }, { body: { a: expect.anything() }, omitted: ['levels of nesting'] }],
      [
        'many',
        { text: `[${'1,'.repeat(60_000)}1]` },
        { omitted: ['output.body: expected at most 50000 values in total'] },
      ],
      [
        'large',
        { text: JSON.stringify('x'.repeat(10 * 1024 * 1024)) },
        { omitted: ['answered with more than 1048576 bytes'] },
      ],
      ['no-json', { text: 'plain' }, { body: 'plain', omitted: [] }],
    ],
    async (name, answer, { body, omitted }) => {
      answers.set(`/${name}`, answer)
      const step = { id: 'call', type: 'http', with: { method: 'POST', url: `${server.url}/${name}` } }
      const { id } = await pipelines.run([step])
      expect(await pipelines.untilOver(id)).toMatchObject({ status: 'SUCCESS' })
      const { outputData, statusDetail } = await pipelines.step(id, 'call')
      expect(outputData?.body).toEqual(body)
      expect(outputData).toMatchObject({ status: 200, headers: expect.anything() })
      const named = (statusDetail?.omittedValues ?? []) as { path: string; reason: string }[]
      expect(named.map(({ path, reason }) => `${path}: ${reason}`)).toEqual(
        omitted.map((line) => expect.stringContaining(line)),
      )
      expect(
        server.received.filter(({ path }) => path === `/${name}`),
        'requests that were sent',
      ).toHaveLength(1)
    },
    { concurrency: 4 },
  ),
)
